package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/daemon/trigger"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Trigger fires plans and knows which of the live ways there are.
type Trigger interface {
	resume.Trigger
	// Way says how a holder's terminal is reached, at no cost; Exec: not at all.
	Way(h detect.Holder) resume.Way
	// Ready looks whether the plan's holder would take a prompt now, and gives the plan as it is to
	// be fired. A *trigger.BlockedError may pass.
	Ready(ctx context.Context, s detect.Session, stop detect.Stop, p resume.Plan) (resume.Plan, error)
	// Wrapped gives the terminal of clawd wrap that a process runs in; false: none.
	Wrapped(h detect.Holder) (wrap.Info, bool)
	// Dialog gives the text of a limit that only the holder's screen shows; empty: none.
	Dialog(ctx context.Context, s detect.Session, h detect.Holder) (string, error)
}

// lookAgain: what speaks against typing may take its time to pass.
const lookAgain = time.Minute

// unreachableError says why a live session cannot be woken: its user is told, and clawd watches.
type unreachableError struct{ why string }

func (e *unreachableError) Error() string { return e.why }

// livePlan gives the way to wake a session that somebody has open, from what is known without
// asking its terminal or server, with the sub-agents that the prompt is to name. The error is an *unreachableError where there is no way.
func (s *session) livePlan(ctx context.Context, rec *state.Session, b machine.Beside, holders []detect.Holder, subs []detect.SubStop) (resume.Plan, error) {
	cfg, _ := s.d.settings()
	prompt := cfg.Resume.Prompt
	if rec.Decision.Strategy == resume.FreshSession {
		return resume.Plan{}, &unreachableError{"it cannot go on in the same session, and a fresh one is not started beside an open one"}
	}
	if p, done, err := s.wake(rec, holders, naming(prompt, subs)); done {
		return p, err
	}
	if _, err := agent.TerminalOf(s.a); err != nil {
		return resume.Plan{}, &unreachableError{err.Error()}
	}
	if !cfg.Terminal.Enabled {
		return resume.Plan{}, &unreachableError{"it is open in a terminal, and [terminal] enabled is false"}
	}
	h, titled, err := s.shown(ctx, rec, b, holders)
	if err != nil {
		return resume.Plan{}, err
	}
	way := s.d.trigger.Way(h)
	if way == resume.Exec && h.Attach != "" {
		return resume.Plan{}, &unreachableError{fmt.Sprintf("process %d runs it in the background, where clawd can't type", h.PID)}
	}
	if way == resume.Exec {
		return resume.Plan{}, &unreachableError{fmt.Sprintf("process %d has it open in a terminal that clawd cannot reach: neither tmux nor clawd wrap", h.PID)}
	}
	return resume.Plan{Way: way, Form: resume.FormPrompt, Session: s.ds.ID, Argv: []string{s.a.Command()}, Dir: rec.Info.Dir,
		Keys: prompt, Longer: naming(prompt, subs), Prompt: detect.HashText(prompt), Holder: h, Titled: titled}, nil
}

// wake gives the way by which the agent itself takes a prompt: its server or its queue. done: there is one, or there is
// none at all.
func (s *session) wake(rec *state.Session, holders []detect.Holder, prompt string) (p resume.Plan, done bool, err error) {
	r := agent.Request{Session: s.ds, Info: rec.Info, Stop: rec.Stop, Prompt: prompt}
	if p, err := s.d.program(s.a); err == nil {
		r.Program = p
	}
	w, none := agent.WakerOf(s.a)
	for _, h := range holders {
		if h.Liveness == detect.Alive && h.Kind == detect.Headless && h.Sure {
			return p, true, errors.New(rules.HeldBy(h)) // it ends by itself
		}
		if none != nil {
			continue
		}
		r.Holder = h
		p, err := w.Wake(r)
		if err != nil {
			continue
		}
		other, beside := besideServer(holders)
		switch {
		case h.Sure || !beside:
			p.Holder, p.Session, p.Shown = h, s.ds.ID, machine.Shown(holders)
			return p, true, nil
		case other.Kind == detect.Headless:
			return p, true, errors.New(rules.HeldBy(other)) // it ends by itself
		case !other.Sure:
			return p, true, &unreachableError{fmt.Sprintf("processes %d and %d may both have it open", h.PID, other.PID)}
		}
	}
	return p, false, nil
}

// besideServer gives the process, no server, that may have the session open. A server that may have any
// session open knows nothing of what another process does with this one.
func besideServer(holders []detect.Holder) (detect.Holder, bool) {
	h := machine.Strongest(slices.DeleteFunc(slices.Clone(holders), func(h detect.Holder) bool { return h.Kind == detect.Server }))
	return h, h.Liveness == detect.Alive || h.Liveness == detect.HolderUnknown
}

// terminalOf finds the one terminal that may show a session; the error is an *unreachableError.
func terminalOf(holders []detect.Holder) (found detect.Holder, err error) {
	surely := slices.ContainsFunc(holders, func(h detect.Holder) bool {
		return h.Liveness == detect.Alive && h.Kind == detect.Interactive && h.Sure
	})
	for _, h := range holders {
		switch {
		case h.Liveness != detect.Alive || h.Kind == detect.Headless || h.Kind == detect.Server && !h.Sure && surely:
			continue
		case h.Foreign:
			return found, &unreachableError{"it is open in another container or namespace"}
		case h.Kind == detect.Server && h.Sure:
			return found, &unreachableError{h.Why}
		case h.Kind == detect.Server:
			return found, &unreachableError{"a server of the agent may have it open: " + h.Why}
		case h.TTY == "":
			return found, &unreachableError{fmt.Sprintf("process %d has it open without a terminal of its own", h.PID)}
		case found.PID != 0 && found.TTY != h.TTY:
			return found, &unreachableError{fmt.Sprintf("processes %d and %d may both have it open", found.PID, h.PID)}
		case found.PID == 0 || h.Sure && !found.Sure:
			found = h
		}
	}
	if found.PID == 0 {
		return found, &unreachableError{"no terminal shows it"}
	}
	return found, nil
}

// shown finds the one terminal that shows the session. Where the agent does not tell which session
// a process has open, there is no other terminal in the folder, and no other session there has anything newer,
// or was used since the process was started where no title tells and clawd did not see the turn run there. titled: its title must name the session as well.
func (s *session) shown(ctx context.Context, rec *state.Session, b machine.Beside, holders []detect.Holder) (found detect.Holder, titled bool, err error) {
	found, err = terminalOf(holders)
	if err != nil {
		return found, false, err
	}
	p, _ := s.d.procs.Get(found.PID)
	switch {
	case behind(rec, p):
		return found, false, &unreachableError{fmt.Sprintf("process %d was opened before the turn that stopped, which ran outside of it: it does not show that turn", found.PID)}
	case found.Sure && !found.Named:
		return found, false, nil
	}
	a, titles := s.a.(agent.Titler)
	doubtful := !found.Sure && rec.Doubtful(found)
	if why := uncertain(rec, found, p.Started); why != "" {
		return found, false, cannotTell(found, why)
	} else if doubtful && !titles {
		return found, false, cannotTell(found, "another terminal, or an editor's process, was open while its turn ran")
	}
	since := rec.Stop.At
	if !titles && !found.Sure && !rec.Witnessed(found) { // nothing names what it shows, which may be whatever was used in its time
		since = p.Started
	}
	other, err := s.newer(ctx, b, since)
	if err != nil {
		return found, false, err
	}
	if other = cmp.Or(b.After(since), other); other != "" {
		return found, false, cannotTell(found, "it may show session "+other+" in the same folder")
	}
	if titles {
		others, err := a.MayShow(ctx, s.ds, p.Started)
		if err != nil {
			return found, false, fmt.Errorf("which sessions are in its folder can't be seen: %w", err)
		}
		titled = doubtful || p.Started.IsZero() || len(others) > 0
	}
	return found, titled, nil
}

// uncertain says what keeps clawd from telling that the session is the one that a terminal shows; empty: nothing. started: its process; zero:
// unknown.
func uncertain(rec *state.Session, found detect.Holder, started time.Time) string {
	switch {
	case found.Sure:
		return ""
	case !rec.Info.Interactive && !rec.Info.Untold:
		return "the session was last driven without a terminal"
	case started.IsZero() || started.After(rec.Stop.At):
		return "it was started after the stop"
	case rec.Info.Untold && !rec.Witnessed(found):
		return "clawd did not see that the turn that stopped ran there"
	}
	return ""
}

func cannotTell(found detect.Holder, why string) error {
	return &unreachableError{fmt.Sprintf("clawd can't tell whether process %d shows this session: %s", found.PID, why)}
}

// behind tells whether a terminal's process is older than the session's last record, which a headless run wrote, clawd's own say: what it
// shows ends before that, and a prompt there would go on from an older place.
func behind(rec *state.Session, p agent.Proc) bool {
	last := rec.Classifier.Last
	headless := last.Headless || rec.AtWork() && !rec.Claim.Plan.Way.Live()
	return headless && !p.Started.IsZero() && p.Started.Before(last.At)
}

// newer names another session of the same folder that was written after a time, so that the terminal
// may show it; empty: none.
func (s *session) newer(ctx context.Context, b machine.Beside, after time.Time) (string, error) {
	var begun []detect.Session
	if a, ok := s.a.(agent.Beginner); ok {
		var err error
		if begun, err = a.Newer(ctx, s.ds, after); err != nil {
			return "", fmt.Errorf("which sessions are in its folder can't be seen: %w", err)
		}
	}
	for _, other := range begun {
		if !b.Not[state.Key(other)] {
			return cmp.Or(other.ID, filepath.Base(other.Path)), nil
		}
	}
	return "", nil
}

// ready gives the way to who has the session open, if it would take a prompt now.
func (s *session) ready(ctx context.Context, b machine.Beside, holders []detect.Holder, out *machine.AllSeen) {
	p, err := s.livePlan(ctx, out.Rec, b, holders, out.Subs)
	if err != nil {
		out.Way = s.noWay(err)
		return
	}
	if until, works := s.d.worksOn(p.Holder); works && out.Rec.Stop.State == detect.Stopped {
		out.Later = &resume.Outcome{Verdict: resume.Postponed, Again: until, Why: "the agent still works on something in the background, which may wake the session"}
		return
	}
	if out.Plan, err = s.d.trigger.Ready(ctx, s.ds, out.Rec.Stop, p); err != nil {
		out.Way = s.noWay(err)
		out.Way.Elsewhere = errors.As(err, new(*trigger.ElsewhereError))
	}
}

// worksOn tells whether a holder whose turn has stopped works all the same, or did right now, and when to look
// again. What works in the background begins a turn of the session's own when it ends.
func (d *Daemon) worksOn(h detect.Holder) (again time.Time, works bool) {
	now := d.now()
	if h.Status == "busy" {
		return now.Add(lookAgain), true
	}
	since := now.Sub(h.Since) // negative: the clock was set back
	return h.Since.Add(trigger.WakesIn), !h.Since.IsZero() && since >= 0 && since < trigger.WakesIn
}

// noWay says what keeps clawd from waking an open session, and what its user is told by.
func (s *session) noWay(err error) *machine.NoWay {
	no := &machine.NoWay{Why: err.Error()}
	switch {
	case errors.As(err, new(*trigger.BlockedError)):
		no.Event = machine.Blocked
	case errors.As(err, new(*unreachableError)):
		no.Event = machine.Unreachable
	default: // tmux or a server that fails now
		no.Why = machine.NotWoken + no.Why
	}
	return no
}
