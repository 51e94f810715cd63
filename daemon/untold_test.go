package daemon

import (
	"context"
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
		starts        int
	}{
		{name: "nobody else is there", starts: 1},
		{name: "a script runs", begins: script, fails: script},
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
					with(c.fails)
					r.add(id, says("open"))
					r.pass(time.Second)
					r.add(id, says("plan"))
				}
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
