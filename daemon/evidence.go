package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
)

// evidence reads what became of an attempt from the agent's own files. One look at a time is taken.
type evidence struct {
	s      *session
	info   detect.Info
	a      agent.Agent    // whose run it is: another agent may take over; nil: one that is not known here
	ds     detect.Session // where the answer is expected: a fresh session is another one
	begun  bool
	cursor agent.Cursor
	events []detect.Event
	output resume.Output
	size   int64 // of the output that was read; -1: none was, and an empty one may tell something, too
	// noOutput: the run's output is gone, or was cut.
	noOutput bool
	holder   string
	looked   time.Time
	mark     marks.Mark
	marked   string // stamp of the mark that was read; empty: none was
	// suspects are the holders, not ours, of the look before.
	suspects map[int]bool
}

func newEvidence(s *session, c resume.Claim, info detect.Info) *evidence {
	return &evidence{s: s, a: s.d.runnerOf(c), info: info, size: -1}
}

// Look reads on from where the last Look ended.
func (e *evidence) Look(ctx context.Context, c resume.Claim) (resume.Sight, error) {
	if e.a == nil {
		return resume.Sight{}, fmt.Errorf("agent %q, which was to take over, is not known to this clawd", c.Plan.Agent)
	}
	if err := e.readOutput(ctx, c); err != nil {
		return resume.Sight{}, err
	}
	part := resume.Sight{Output: e.output} // what the run cost stands in it
	if err := e.begin(ctx, c); err != nil {
		return part, err
	}
	if c.Plan.Form == resume.FormFresh { // whatever became of it, it is this session's now
		part.Session = e.ds
		if id := cmp.Or(c.Plan.Session, e.output.Session); e.ds.ID == "" && id != "" { // its file is not there yet
			part.Session = detect.Session{Agent: c.Begins().Agent, ID: id}
		}
	}
	if err := e.readRecords(ctx, c); err != nil {
		return part, err
	}
	if err := e.lookForHolders(ctx, c); err != nil {
		return part, err
	}
	mark, marked, err := e.readMark(c)
	if err != nil {
		return part, err
	}
	others := mark.Claim.Token != "" && mark.Claim.Token != c.Token // another clawd made the attempt, with an output of its own; a torn mark is nobody's
	return resume.Sight{Session: part.Session, Grew: e.begun && c.Plan.Form != resume.FormFresh && string(e.cursor) != c.Cursor, Events: e.events, Output: e.output,
		NoOutput: e.noOutput || others, Holder: e.holder, SameBoot: c.Boot == e.s.d.boot, Marked: marked, ExecFail: mark.ExecFail}, nil
}

// readRecords reads the session on, and once more what the run printed, which tells what in it is its own.
func (e *evidence) readRecords(ctx context.Context, c resume.Claim) error {
	if e.ds.ID == "" {
		return nil
	}
	if err := e.readEvents(ctx); err != nil {
		return err
	}
	return e.readOutput(ctx, c)
}

// begin finds the session and the place in it where the evidence begins.
func (e *evidence) begin(ctx context.Context, c resume.Claim) (err error) {
	if e.begun {
		return nil
	}
	switch id := cmp.Or(c.Plan.Session, e.output.Session); {
	case c.Plan.Form != resume.FormFresh:
		e.ds, e.cursor = c.Session, agent.Cursor(c.Cursor)
	case c.Plan.Agent == "" && id != "":
		e.ds = e.a.Beside(c.Session, id)
	case c.Plan.Agent != "":
		if e.ds, err = e.elsewhere(ctx, c, id); err != nil || e.ds.ID == "" {
			return err
		}
	default: // the agent chooses the id and has not said it yet
		if e.ds, err = e.find(ctx, c); err != nil || e.ds.ID == "" {
			return err
		}
	}
	if e.begun = true; c.Plan.Form == resume.FormFresh {
		e.s.d.loop.ask(func(l *loop) { l.w.Peers.Begins(e.ds) })
	}
	return nil
}

// find looks for the fresh session in the agent's own files: a run that was ended may have asked before it printed anything.
func (e *evidence) find(ctx context.Context, c resume.Claim) (detect.Session, error) {
	a, ok := e.a.(agent.Lister)
	if !ok {
		return detect.Session{}, nil
	}
	begun, err := a.Begun(ctx, c.Session, c.At)
	if err != nil {
		return detect.Session{}, fmt.Errorf("which sessions are in its folder can't be seen: %w", err)
	}
	for _, ds := range begun {
		if ours, err := e.asked(ctx, c, ds); ours || err != nil {
			return ds, err
		}
	}
	return detect.Session{}, nil
}

// elsewhere looks for the session that another agent began, by its id where that is known, among all that were written since.
func (e *evidence) elsewhere(ctx context.Context, c resume.Claim, id string) (detect.Session, error) {
	if f, ok := e.a.(agent.Finder); ok && id != "" {
		ds, found, err := f.Find(ctx, id)
		if found {
			return ds, nil
		}
		return detect.Session{}, err
	}
	all, err := e.a.Scan(ctx, "") // what it can't read counts only where the session is not among the rest
	for _, t := range all {
		switch {
		case id != "" && t.Session.ID == id:
			return t.Session, nil
		case id != "" || t.ModTime.Before(c.At.Truncate(time.Second)):
			continue
		}
		ours, unread := e.asked(ctx, c, t.Session)
		if ours {
			return t.Session, nil
		}
		err = errors.Join(err, unread)
	}
	if err != nil {
		return detect.Session{}, fmt.Errorf("which sessions %s has can't be seen: %w", e.a.Name(), err)
	}
	return detect.Session{}, nil
}

// asked tells whether a session was begun with the prompt of an attempt.
func (e *evidence) asked(ctx context.Context, c resume.Claim, ds detect.Session) (ours bool, err error) {
	_, err = e.a.Read(ctx, ds, "", func(ev detect.Event) {
		ours = ours || ev.Kind == detect.KindPrompt && ev.Hash == c.Plan.Prompt && !ev.At.Before(c.At.Truncate(time.Millisecond))
	})
	return ours && err == nil, err
}

func (e *evidence) readEvents(ctx context.Context) error {
	var news []detect.Event // they count when the read is whole
	batch, err := e.a.Read(ctx, e.ds, e.cursor, func(ev detect.Event) {
		if decides(ev.Kind) {
			news = append(news, present(ev, e.s.d.now()))
		}
	})
	if errors.Is(err, fs.ErrNotExist) && e.ds.ID != e.s.ds.ID && !e.s.d.unmounted(e.ds) {
		return nil // the fresh session has no file yet
	}
	if err != nil {
		return err
	}
	if batch.Anew {
		e.events = nil
		if e.ds.ID == e.s.ds.ID && e.cursor != "" {
			return fmt.Errorf("session %s: %w", e.ds.ID, resume.ErrRewritten)
		}
	}
	e.cursor = batch.Cursor
	for _, ev := range news {
		e.add(ev)
	}
	return nil
}

// decides tells whether a verdict needs such events.
func decides(k detect.Kind) bool {
	switch k {
	case detect.KindPrompt, detect.KindAnswer, detect.KindFailure, detect.KindDenied, detect.KindOpen, detect.KindInterrupt, detect.KindStrange:
		return true
	}
	return false
}

// add keeps an event. A record that is told again replaces what it said before.
func (e *evidence) add(ev detect.Event) {
	for i := len(e.events) - 1; i >= 0 && i >= len(e.events)-64; i-- {
		if e.events[i].ID == ev.ID {
			e.events[i] = ev
			return
		}
	}
	e.events = append(e.events, ev)
}

// readOutput reads the run's output when it grew.
func (e *evidence) readOutput(ctx context.Context, c resume.Claim) error {
	fi, err := os.Stat(c.Output)
	if errors.Is(err, fs.ErrNotExist) {
		e.noOutput = true
		return nil
	}
	if err != nil || fi.Size() == e.size {
		return err
	}
	if fi.Size() < e.size { // it was cut: what it said before is not unsaid
		e.noOutput, e.size = true, fi.Size()
		return nil
	}
	f, err := agent.OpenRegular(c.Output)
	if err != nil {
		return err
	}
	defer f.Close()
	var last agent.LastWords
	out, err := e.a.Output(f, last.Hear)
	if err != nil {
		return err
	}
	out.Any = fi.Size() > 0
	if !out.Began {
		if why, ok := last.Stop(e.a, e.s.d.now()); ok {
			out.Why = &why
		}
	}
	if s, ok := e.a.(agent.Spender); ok && out.CostUSD > 0 && c.Plan.Form != resume.FormFresh {
		if before, _, err := s.Spent(ctx, c.Session, agent.Cursor(c.Cursor)); err == nil { // else too much is counted, and nothing is held up
			out.CostUSD = max(0, out.CostUSD-before)
		}
	}
	e.output, e.size = out, fi.Size()
	return nil
}

// readMark reads the attempt's mark when it changed.
func (e *evidence) readMark(c resume.Claim) (m marks.Mark, made bool, err error) {
	stamp := ""
	if fi, err := os.Stat(c.Mark); err == nil {
		stamp = agent.Stamp(fi)
	}
	if stamp != "" && stamp == e.marked {
		return e.mark, true, nil
	}
	m, made, err = marks.Read(c.Mark)
	if e.mark, e.marked = m, ""; made {
		e.marked = stamp
	}
	return m, made, err
}

// lookEvery bounds how often the process table is read for one run.
const lookEvery = 2 * time.Second

func (e *evidence) lookForHolders(ctx context.Context, c resume.Claim) error {
	if c.Plan.Way.Live() {
		return nil // who has it open is whom we reach
	}
	now := e.s.d.now()
	if now.Sub(e.looked) < lookEvery && !now.Before(e.looked) {
		return nil
	}
	a, ds := e.a, e.ds
	if ds.ID == "" {
		a, ds = e.s.a, e.s.ds
	}
	holders, err := a.Live(ctx, ds, e.info)
	if err != nil {
		return err
	}
	exec, _, err := callers(e.s.d.held(), ds, c.Stop)
	if err != nil {
		return err
	}
	if e.looked, e.holder = now, ""; exec {
		e.holder = rules.ExecHas
	}
	suspects := map[int]bool{}
	for _, h := range holders {
		if h.Liveness != detect.Alive || !h.Sure || h.Group == c.PID || agent.Below(e.s.d.procs, h.PID, c.PID) {
			continue
		}
		// Seen twice: a process that is just being forked still looks like its parent.
		if suspects[h.PID] = true; e.suspects[h.PID] {
			e.holder = rules.HeldBy(h)
		}
	}
	e.suspects = suspects
	return nil
}

// ownDir makes a folder of ours, or makes sure that it is ours alone.
func ownDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("clawd's folder cannot be made: %w", err)
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if fi.Mode().Type() == fs.ModeSymlink {
		return fmt.Errorf("%s is a symbolic link, which clawd doesn't follow; put a folder there", dir)
	}
	if !fi.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("%s can be read by others, and its mode cannot be changed: %w", dir, err)
		}
	}
	return agent.CheckDir(filepath.Clean(dir))
}
