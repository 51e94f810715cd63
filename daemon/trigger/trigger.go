// Package trigger fires plans that reach a session which somebody has open: keys into its tmux
// pane or into a terminal of "clawd wrap", a request to its server, a prompt for its queue. Plans
// without a live holder it hands on to package turn.
//
// Every look and every key asks anew whether the process is still the one that was decided about.
package trigger

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/resume"
)

// Trigger fires plans of every way. It implements resume.Trigger.
type Trigger struct {
	Exec   resume.Trigger                // Exec and Queue plans
	Agents func(name string) agent.Agent // who reads the screens
	Procs  agent.Procs
	Wraps  string        // folder of the terminals that "clawd wrap" owns
	Tmux   func() string // the configured tmux server, as a socket path or name; empty: the one that the agent runs in
	HTTP   http.RoundTripper
	// LastLook says why nothing may be typed or sent after all, by the session's files and who has it open; empty: nothing
	// speaks against it. nil is for tests.
	LastLook func(context.Context, resume.Claim) string
	Reach    func(detect.Holder, resume.Way) (Terminal, error) // in place of tmux and clawd wrap; nil: these
	Pause    func(ctx context.Context, d time.Duration) error  // in place of a timer; nil: that
	unsent   unsent
}

// BlockedError says why nothing may be typed now. It may pass.
type BlockedError struct{ Why string }

func (e *BlockedError) Error() string { return e.Why }

// ElsewhereError says that what was taken for the holder's terminal is none of its: that does not pass.
type ElsewhereError struct{ Why string }

func (e *ElsewhereError) Error() string { return e.Why }

// Ready looks whether the plan's holder would take a prompt after a stop now; nothing is typed or
// sent. A *BlockedError says that it may later. The plan comes back as it is to be fired: what an agent's
// own dialog offers decides its form, and the room in its input box what is typed.
func (t *Trigger) Ready(ctx context.Context, s detect.Session, stop detect.Stop, p resume.Plan) (resume.Plan, error) {
	switch p.Way {
	case resume.HTTP:
		return p, t.healthy(ctx, p)
	case resume.Tmux, resume.PTY:
		term, err := t.terminal(ctx, p.Holder, p.Way)
		if err != nil {
			return p, err
		}
		v, err := t.view(ctx, term, s.Agent)
		if err == nil {
			err = t.titled(ctx, term, s, p)
		}
		switch {
		case err != nil:
			return p, err
		case len(v.Instead) > 0:
			p.Form, p.Prompt = resume.FormIdempotent, ""
		default:
			if why := t.hindrance(v, p, stop); why != "" {
				return p, &BlockedError{why}
			}
			// A dialog hides how wide the box is.
			if p.Longer != "" && (v.Input == p.Longer || v.Ready && tooWide(v, p.Longer) == "") {
				p.Keys, p.Prompt = p.Longer, detect.HashText(p.Longer)
			}
		}
	}
	return p, nil
}

// Dialog gives the text of a limit that the holder's screen shows and its files do not; empty: none.
func (t *Trigger) Dialog(ctx context.Context, s detect.Session, h detect.Holder) (string, error) {
	term, err := t.terminal(ctx, h, t.Way(h))
	if err != nil {
		return "", err
	}
	v, err := t.view(ctx, term, s.Agent)
	return v.Dialog, err
}

// hindrance says why the prompt of a plan is not typed into what a terminal shows; empty: nothing speaks
// against it. What an attempt that failed before Enter left in the box needs Enter alone.
func (t *Trigger) hindrance(v agent.View, p resume.Plan, stop detect.Stop) string {
	was := t.unsent.after(p.Holder, stop)
	switch {
	case v.Input != "" && v.Input == was.keys && (v.Input == p.Keys || v.Input == p.Longer):
		return ""
	case !v.Ready && len(v.Close) == 0:
		return notReady(v, p)
	case was.hidden:
		return "what clawd typed after this stop did not appear in its input box"
	}
	return tooWide(v, p.Keys)
}

// notReady says why nothing is typed. What clawd types itself may have been left there by an attempt that
// failed before Enter.
func notReady(v agent.View, p resume.Plan) string {
	if v.Input != "" && (v.Input == p.Keys || v.Input == p.Longer) {
		return fmt.Sprintf("its input box holds %q, which is what clawd types, perhaps left by an attempt that failed before Enter: press Enter, or delete it", v.Input)
	}
	return v.Why
}

// Start prepares. Only a process of ours is started, and it waits at its gate.
func (t *Trigger) Start(ctx context.Context, c resume.Claim) (resume.Run, error) {
	switch c.Plan.Way {
	case resume.Exec:
		return t.Exec.Start(ctx, c)
	case resume.Queue:
		r, err := t.Exec.Start(ctx, c)
		if err != nil {
			return nil, err
		}
		return &queued{Run: r, holder: t.holder(c.Plan.Holder)}, nil
	}
	return t.live(c, t.holder(c.Plan.Holder)), nil
}

// Adopt takes an attempt up that was made before a restart. Nothing is typed or sent any more.
func (t *Trigger) Adopt(c resume.Claim) resume.Run {
	h := t.holder(c.Plan.Holder)
	if c.Boot != t.Procs.Boot() {
		h = holder{}
	}
	switch c.Plan.Way {
	case resume.Exec:
		return t.Exec.Adopt(c)
	case resume.Queue:
		return &queued{Run: t.Exec.Adopt(c), holder: h}
	}
	l := t.live(c, h)
	l.adopted = true
	return l
}

// holder is the process that a plan reaches.
type holder struct {
	procs agent.Procs
	pid   int
	start uint64
}

func (t *Trigger) holder(h detect.Holder) holder { return holder{t.Procs, h.PID, h.Start} }

func (h holder) Alive() bool {
	if h.procs == nil {
		return false
	}
	p, ok := h.procs.Get(h.pid)
	return ok && !p.Zombie && p.Start == h.start
}

// queued is the run of an agent's own command that hands the prompt over: what counts then is the
// holder.
type queued struct {
	resume.Run
	holder holder
}

func (q *queued) Alive() bool { return q.holder.Alive() }

// live is an attempt by keys or by a request.
type live struct {
	t       *Trigger
	c       resume.Claim
	holder  holder
	adopted bool  // the attempt was made before, so what was typed or sent is not known
	sent    bool  // Enter was pressed, or the request went out
	failed  error // why not, once there is a mark
	term    Terminal
	off     context.Context // ends when it is aborted
	abort   context.CancelFunc
}

func (t *Trigger) live(c resume.Claim, h holder) *live {
	off, abort := context.WithCancel(context.Background()) // it outlives its start
	return &live{t: t, c: c, holder: h, off: off, abort: abort}
}

func (l *live) PID() int                      { return l.holder.pid }
func (l *live) Start() uint64                 { return l.holder.start }
func (l *live) Alive() bool                   { return l.holder.Alive() }
func (l *live) Done() <-chan struct{}         { return nil }
func (l *live) Abort()                        { l.abort() }
func (l *live) Stop(bool)                     {}
func (l *live) Active() time.Time             { return time.Time{} }
func (l *live) TrimOutput(func() error) error { return nil }

// Open makes the mark and acts, after one more look.
func (l *live) Open(ctx context.Context) (resume.Gate, string, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	defer context.AfterFunc(l.off, cancel)()
	if !l.Alive() {
		return resume.GateTaken, "the process that had the session open is gone", nil
	}
	if err := l.lastLook(ctx); err != nil {
		return resume.GateTaken, err.Error(), nil
	}
	act, err := l.prepare(ctx)
	if l.off.Err() != nil { // which may be the cause
		err = errCalledOff
	}
	if err != nil {
		return resume.GateTaken, err.Error(), nil
	}
	switch err := marks.Make(l.c.Mark, l.c); {
	case errors.Is(err, marks.ErrMade):
		l.adopted = true // whoever made it may have typed or sent
		return resume.GateMarked, "", nil
	case errors.Is(err, marks.ErrStays):
		return resume.GateFailed, err.Error(), errors.Join(err, marks.Fail(l.c.Mark, err))
	case err != nil:
		return resume.GateShort, err.Error(), nil
	}
	if err := act(ctx); err != nil {
		l.failed = err
		return resume.GateExec, err.Error(), fmt.Errorf("after the mark: %w", err)
	}
	return resume.GateExec, "", nil
}

var errCalledOff = errors.New("it was called off meanwhile")

// lastLook fails when the session's user went on since the claim: that turn may be over, and the terminal at rest again. Or it
// shows another session by now.
func (l *live) lastLook(ctx context.Context) error {
	why := ""
	if l.t.LastLook != nil {
		why = l.t.LastLook(ctx, l.c)
	}
	switch {
	case l.off.Err() != nil:
		return errCalledOff
	case why != "":
		return errors.New(why)
	case l.term == nil:
		return nil
	}
	return l.t.titled(ctx, l.term, l.c.Session, l.c.Plan)
}

// titled fails when the title of a terminal says that it shows another session, or has to name this one and does not.
func (t *Trigger) titled(ctx context.Context, term Terminal, s detect.Session, p resume.Plan) error {
	a, ok := t.Agents(s.Agent).(agent.Titler)
	if !ok || p.Holder.Sure && !p.Holder.Named {
		return nil
	}
	screen, err := term.Look(ctx)
	if err != nil {
		return err
	}
	shows, known, err := a.Titled(ctx, s, screen.Title)
	switch {
	case err != nil:
		return fmt.Errorf("the session's title cannot be read: %w", err)
	case known && !shows:
		return &ElsewhereError{fmt.Sprintf("process %d shows another session, as the title of its terminal says", p.Holder.PID)}
	case !known && p.Titled:
		return &ElsewhereError{fmt.Sprintf("clawd can't tell whether process %d shows this session: it may show another one of the folder, "+
			"and the title of its terminal does not name this one", p.Holder.PID)}
	}
	return nil
}

// openTime bounds all looks and keys of one attempt: a dialog is closed, the screen comes to rest, and the prompt shows.
const openTime = 4*drawn + 10*time.Second

// prepare looks once more and gives what is to be done behind the mark.
func (l *live) prepare(ctx context.Context) (func(context.Context) error, error) {
	if l.c.Plan.Way == resume.HTTP {
		return l.request, l.t.healthy(ctx, l.c.Plan)
	}
	term, err := l.t.terminal(ctx, l.c.Plan.Holder, l.c.Plan.Way)
	if err != nil {
		return nil, err
	}
	l.term = term
	v, err := l.t.view(ctx, term, l.c.Session.Agent)
	if err == nil {
		err = l.t.titled(ctx, term, l.c.Session, l.c.Plan)
	}
	switch {
	case err != nil:
		return nil, err
	case len(v.Instead) > 0 && l.c.Plan.Form == resume.FormIdempotent:
		return func(ctx context.Context) error { l.sent = true; return term.Press(ctx, v.Instead) }, nil
	case l.c.Plan.Form == resume.FormIdempotent:
		return nil, errors.New("the agent's dialog is gone")
	}
	if why := l.t.hindrance(v, l.c.Plan, l.c.Stop); why != "" {
		return nil, errors.New(why)
	}
	return func(ctx context.Context) error { return l.typePrompt(ctx, v) }, nil
}

// Working looks whether the terminal that was typed into shows the agent at work.
func (l *live) Working(ctx context.Context) bool {
	if l.term == nil || !l.sent {
		return false
	}
	v, err := l.t.view(ctx, l.term, l.c.Session.Agent)
	return err == nil && v.Why == agent.WhyBusy
}

// Untouched proves that nothing reached the agent.
func (l *live) Untouched(ctx context.Context) string {
	switch {
	case l.adopted || !l.Alive() || l.c.Plan.Way == resume.HTTP && l.sent:
		return ""
	case !l.sent && l.c.Plan.Way == resume.HTTP:
		return "request: refused or never sent"
	case !l.sent:
		return fmt.Sprintf("keys: Enter was never pressed: %v", l.failed)
	case !l.c.Plan.Holder.Sure, l.c.Plan.Holder.Named: // the prompt may have begun and ended a turn in another session that it showed
		return ""
	}
	v, err := l.t.view(ctx, l.term, l.c.Session.Agent)
	if err != nil || !v.Ready {
		return ""
	}
	return "screen: the same process is idle, its input box is empty, and no record came after Enter"
}
