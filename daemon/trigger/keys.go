package trigger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Terminal is the screen and the keyboard of one live agent.
type Terminal interface {
	// Look gives the screen. It fails when the terminal no longer shows the process, with a
	// *BlockedError where that may pass.
	Look(ctx context.Context) (agent.Screen, error)
	// Press types bytes, all or none, after the checks of Look.
	Press(ctx context.Context, keys []byte) error
}

const (
	keyGap  = 300 * time.Millisecond // an agent may take what comes faster for a paste
	drawGap = 100 * time.Millisecond // between two looks at what a key did
	drawn   = 20 * time.Second       // for which keys may take to show: 81 of them took opencode over 10 s beside seven other agents on two cores
	enter   = "\r"

	soonDrawn = 3 * time.Second // an agent shows in this time what was typed, unless its machine is busy
	restsFor  = 2 * time.Second // a person pauses for less within a sentence

	unknownLess = 8 // columns of a terminal that an input box of unknown width may not have
)

// Way says how a live holder's terminal can be reached, without asking anybody: Exec means that it
// cannot.
func (t *Trigger) Way(h detect.Holder) resume.Way {
	if _, ok := t.Wrapped(h); ok {
		return resume.PTY
	}
	if h.Tmux != "" && h.Pane != "" || t.Tmux() != "" && h.TTY != "" {
		return resume.Tmux
	}
	return resume.Exec
}

// terminal gives the way to a holder's screen and keys.
func (t *Trigger) terminal(ctx context.Context, h detect.Holder, way resume.Way) (Terminal, error) {
	if t.Reach != nil {
		return t.Reach(h, way)
	}
	switch way {
	case resume.PTY:
		info, ok := t.Wrapped(h)
		if !ok {
			return nil, errors.New("the terminal of clawd wrap is gone")
		}
		return &wrapped{holder: t.holder(h), info: info}, nil
	case resume.Tmux:
		return t.pane(ctx, h)
	}
	return nil, errors.New("its terminal cannot be reached")
}

func (t *Trigger) view(ctx context.Context, term Terminal, name string) (agent.View, error) {
	v, _, err := t.sized(ctx, term, name)
	return v, err
}

// size is a terminal's: columns and rows.
type size struct{ cols, rows int }

func (t *Trigger) sized(ctx context.Context, term Terminal, name string) (agent.View, size, error) {
	reader, err := agent.TerminalOf(t.Agents(name))
	if err != nil {
		return agent.View{}, size{}, err
	}
	s, err := term.Look(ctx)
	if err != nil {
		return agent.View{}, size{}, err
	}
	v := reader.Screen(s)
	if v.Room == 0 {
		v.Room = s.Width() - unknownLess
	}
	return v, size{s.Cols, len(s.Rows)}, nil
}

// tooWide says that keys would be broken over two rows of the input box, where they could not be told from
// others; empty: they fit.
func tooWide(v agent.View, keys string) string {
	if cells := displaywidth.String(keys); cells > v.Room {
		return fmt.Sprintf("[resume] prompt does not fit into its input box at this width: it takes %d columns, and there are %d", cells, max(0, v.Room))
	}
	return ""
}

// typePrompt has the prompt stand in the box alone, and presses Enter.
func (l *live) typePrompt(ctx context.Context, v agent.View) error {
	prompt, h, stop := l.c.Plan.Keys, l.c.Plan.Holder, l.c.Stop
	var at time.Time       // when it was typed; zero: by an attempt before
	if v.Input != prompt { // else it has stood there since an attempt that failed before Enter
		if err := l.rest(ctx, v); err != nil {
			return err
		}
		l.t.unsent.add(h, stop, typed{keys: prompt, hidden: true}) // until it shows
		if err := l.term.Press(ctx, []byte(prompt)); err != nil {
			l.t.unsent.add(h, stop, typed{keys: prompt}) // if it was typed at all
			return err
		}
		at = time.Now()
		if err := l.t.pause(ctx, keyGap); err != nil {
			return err
		}
	}
	if err := l.until(ctx, l.stands(prompt, at)); err != nil {
		return fmt.Errorf("the prompt does not stand alone in the input box: %w", err)
	}
	if err := l.lastLook(ctx); err != nil {
		return fmt.Errorf("before Enter: %w", err)
	}
	l.t.unsent.forget(h)
	l.sent = true // from here on Enter may have been pressed
	return l.term.Press(ctx, []byte(enter))
}

// stands tells of one look after the other whether the prompt stands alone in the box. What did not show soon after it was typed
// may be the beginning of what its user types, so nothing may follow it for some seconds.
func (l *live) stands(prompt string, at time.Time) func(agent.View) bool {
	var since time.Time
	return func(v agent.View) bool {
		if v.Input != "" && strings.HasPrefix(prompt, v.Input) || strings.Contains(v.Input, prompt) {
			l.t.unsent.add(l.c.Plan.Holder, l.c.Stop, typed{keys: prompt})
		}
		switch now := time.Now(); {
		case v.Input != prompt:
			since = time.Time{}
			return false
		case since.IsZero():
			since = now
		}
		return since.Sub(at) < soonDrawn || time.Since(since) >= restsFor
	}
}

// rest closes what lies over the box, and waits until the prompt can be typed.
func (l *live) rest(ctx context.Context, v agent.View) error {
	if !v.Ready {
		if err := l.term.Press(ctx, v.Close); err != nil {
			return err
		}
		if err := l.until(ctx, func(now agent.View) bool { v = now; return v.Ready }); err != nil {
			return fmt.Errorf("after the key that closes the dialog: %w", err)
		}
		if err := l.unwoken(ctx); err != nil {
			return fmt.Errorf("after the key that closes the dialog: %w", err)
		}
		if why := tooWide(v, l.c.Plan.Keys); why != "" { // how wide the box is was not seen before
			return errors.New(why)
		}
	}
	if err := l.until(ctx, func(now agent.View) bool { return now.Ready && tooWide(now, l.c.Plan.Keys) == "" }); err != nil {
		return fmt.Errorf("the terminal did not come to rest: %w", err)
	}
	if err := l.lastLook(ctx); err != nil { // coming to rest may have been the end of another turn
		return fmt.Errorf("before the prompt is typed: %w", err)
	}
	return nil
}

// WakesIn is how long after an agent's word that it rests it may begin a turn because something of its own has
// ended in the background. Claude Code took 30 to 250 ms.
const WakesIn = 3 * time.Second

// unwoken tells whether the session rests with its dialog closed: what ended in the background meanwhile waits
// behind the dialog, and begins a turn of the session's own now.
func (l *live) unwoken(ctx context.Context) error {
	if err := l.t.pause(ctx, WakesIn); err != nil {
		return err
	}
	a := l.t.Agents(l.c.Session.Agent)
	holders, err := a.Live(ctx, l.c.Session, l.c.Info)
	if err != nil {
		return err
	}
	for _, h := range holders {
		if h.PID == l.holder.pid && h.Status == "busy" {
			return errors.New("the agent works on something of its own")
		}
	}
	return nil
}

// until looks until the screen is as it should be, twice in a row at the same size: while a window is
// being resized the agent has yet to draw, and what it drew is of another size. Its time begins anew then.
func (l *live) until(ctx context.Context, good func(agent.View) bool) error {
	var last size
	was := false
	for end := time.Now().Add(drawn); ; {
		v, now, err := l.t.sized(ctx, l.term, l.c.Session.Agent)
		if err == nil && now != last {
			last, was, end = now, false, time.Now().Add(drawn)
		}
		is := err == nil && good(v)
		if is && was {
			return nil
		}
		was = is
		e := l.t.pause(ctx, drawGap)
		if e == nil && time.Now().Before(end) {
			continue
		}
		if err == nil {
			err = errors.New(v.Why)
		}
		return err
	}
}

// unsent remembers what was typed into processes without Enter. Only the attempts for the same stop go by it.
type unsent struct {
	mu  sync.Mutex
	all map[int]typed // by pid
}

// typed is what was typed into a process. Where it did not show, the process may take it for commands, and so would it the next time.
type typed struct {
	start  uint64 // of the process
	stop   string // key of the stop
	keys   string
	hidden bool
}

func (u *unsent) add(h detect.Holder, stop detect.Stop, what typed) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.all = map[int]typed{}
	}
	what.start, what.stop = h.Start, stop.Key
	u.all[h.PID] = what
}

func (u *unsent) forget(h detect.Holder) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, h.PID)
}

// after gives what was typed into a process after a stop; nothing: all empty.
func (u *unsent) after(h detect.Holder, stop detect.Stop) typed {
	u.mu.Lock()
	defer u.mu.Unlock()
	if was := u.all[h.PID]; was.start == h.Start && was.stop == stop.Key {
		return was
	}
	return typed{}
}

func (t *Trigger) pause(ctx context.Context, d time.Duration) error {
	if t.Pause != nil {
		return t.Pause(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
