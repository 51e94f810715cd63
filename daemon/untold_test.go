package daemon

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// untold is an agent whose records do not tell who wrote them, nor does anything tell which session a process has open.
type untold struct {
	whole
	there *atomic.Pointer[[]detect.Holder]
}

func (u untold) Read(ctx context.Context, s detect.Session, c agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	b, err := u.whole.Read(ctx, s, c, each)
	b.Info.Untold, b.Info.Interactive = true, false
	return b, err
}

func (u untold) Live(context.Context, detect.Session, detect.Info) ([]detect.Holder, error) {
	return *u.there.Load(), nil
}

// TestScriptBesideATerminal: a terminal shows nothing of what a script wrote to its session, so it is typed into only
// if nobody but its process can have run the turn that stopped.
func TestScriptBesideATerminal(t *testing.T) {
	const script = 1
	for _, c := range []struct {
		name          string
		begins, fails int // who is there when the turn begins, and until it fails
		atOnce        bool
		tool          bool // one of the terminal's runs then, so that the session is surely open there
		starts        int
	}{
		{name: "nobody else is there", starts: 1},
		{name: "a script runs", begins: script, fails: script},
		{name: "a script runs, and a tool of the terminal's", begins: script, fails: script, tool: true},
		{name: "a tool of the terminal's runs", tool: true, starts: 1},
		{name: "a script ends, and the turn goes on", begins: script, starts: 1},
		{name: "a script begins later", fails: script, starts: 1},
		{name: "it failed before anybody looked", atOnce: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				id := uuid.NewString()
				term := detect.Holder{Liveness: detect.Alive, PID: 901, Start: 91, Kind: detect.Interactive, TTY: "/dev/pts/1", Boot: "boot"}
				beside := detect.Holder{Liveness: detect.Alive, PID: 902, Start: 92, Kind: detect.Headless, Boot: "boot"}
				var there atomic.Pointer[[]detect.Holder]
				with := func(n int) {
					all := []detect.Holder{term, beside}[:1+n]
					there.Store(&all)
				}
				with(0)
				r.wrapAgent(func(a whole) agent.Agent { return untold{a, &there} })
				r.openAs(id, resume.Tmux, "idle")
				with(c.begins)
				says := func(kind string) string { return r.record(id, kind, "", interactive) }
				if c.atOnce {
					r.add(id, says("user"), says("plan"))
				} else {
					r.add(id, says("user"))
					r.pass(time.Second)
					term.Sure = c.tool
					with(c.fails)
					r.add(id, says("open"))
					r.pass(time.Second)
					r.add(id, says("plan"))
				}
				term.Sure = false
				with(0)
				r.pass(2 * time.Hour)
				r.wantStarts(c.starts)
				if n := len(r.log.events("session_unreachable")); n != 1-c.starts {
					t.Errorf("told %d times that it cannot be reached; log:\n%s", n, r.log)
				}
			})
		})
	}
}

// unnamed is an agent of which nothing tells which session a process has open, and which draws limits on its screen.
type unnamed struct {
	drawer
	there *atomic.Pointer[[]detect.Holder]
}

func (u unnamed) Live(context.Context, detect.Session, detect.Info) ([]detect.Holder, error) {
	return *u.there.Load(), nil
}

// TestOneOfTwoTerminals: the terminal that is left of two shows the session's turn only if that goes on there. A limit on its
// screen may be the other session's.
func TestOneOfTwoTerminals(t *testing.T) {
	const dialog = "You've hit your 5-hour limit · resets 1:00am (UTC)"
	for _, c := range []struct {
		name    string
		two     bool     // are there when the turn begins
		atOnce  bool     // one goes, and what follows
		back    bool     // the clock is set back before that
		goesOn  []string // records after one has gone
		dialog  string   // on the screen of the one that is left
		stopped int
		starts  int
	}{
		{name: "alone from the beginning", goesOn: []string{"plan"}, stopped: 1, starts: 1},
		{name: "alone, with a dialog", dialog: dialog, stopped: 1, starts: 1},
		{name: "left, and the turn goes on", two: true, goesOn: []string{"open", "plan"}, stopped: 1, starts: 1},
		{name: "left, and the turn fails", two: true, goesOn: []string{"plan"}, stopped: 1, starts: 1},
		{name: "left when the turn fails", two: true, atOnce: true, goesOn: []string{"plan"}, stopped: 1},
		{name: "left with a dialog", two: true, dialog: dialog},
		{name: "left with a dialog, the clock set back", two: true, back: true, dialog: dialog},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				id := uuid.NewString()
				terminal := func(n int) detect.Holder {
					return detect.Holder{Liveness: detect.Alive, PID: 900 + n, Start: uint64(90 + n), Kind: detect.Interactive, TTY: fmt.Sprintf("/dev/pts/%d", n), Boot: "boot"}
				}
				both, one := []detect.Holder{terminal(1), terminal(2)}, []detect.Holder{terminal(1)}
				there := new(atomic.Pointer[[]detect.Holder])
				there.Store(&one)
				if c.two {
					there.Store(&both)
				}
				r.wrapAgent(func(a whole) agent.Agent { return unnamed{drawer{a}, there} })
				r.children.dialog = c.dialog
				r.openAs(id, resume.Tmux, "idle")
				r.add(id, r.record(id, "user", "", interactive))
				r.pass(20 * time.Second)
				if c.back {
					r.clock.jump(-6 * time.Hour)
				}
				there.Store(&one)
				if !c.atOnce {
					r.pass(20 * time.Second)
				}
				for _, kind := range c.goesOn {
					r.add(id, r.record(id, kind, "", interactive))
					r.pass(time.Second)
				}
				r.pass(9 * time.Hour)
				if n := len(r.log.events("session_stopped")); n != c.stopped {
					t.Errorf("stopped %d times, want %d; log:\n%s", n, c.stopped, r.log)
				}
				r.wantStarts(c.starts)
			})
		})
	}
}
