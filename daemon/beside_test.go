package daemon

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// serverBeside is an agent whose server may have any session open, and of which another process, which
// knows nothing of the server, may have this one open, too.
type serverBeside struct {
	whole
	other detect.Holder
}

func (b serverBeside) Live(context.Context, detect.Session, detect.Info) ([]detect.Holder, error) {
	all := []detect.Holder{{Liveness: detect.Alive, Kind: detect.Server, PID: 901, Start: 91, URL: "http://127.0.0.1:4096", Why: "a server"}}
	if b.other.Liveness != "" {
		b.other.PID, b.other.Start, b.other.Why = 902, 92, "a process"
		all = append(all, b.other)
	}
	return all, nil
}

func (serverBeside) Wake(r agent.Request) (resume.Plan, error) {
	if r.Holder.URL == "" {
		return resume.Plan{}, &agent.Unfit{Why: "no server"}
	}
	return resume.Plan{Way: resume.HTTP, Form: resume.FormPrompt, Session: r.Session.ID, Dir: r.Info.Dir, Argv: []string{"/bin/true"}, Prompt: detect.HashText(r.Prompt)}, nil
}

// TestServerBesideAnotherProcess: a prompt goes to the server only if nobody else may have the session
// open, and beside the server only to a terminal that surely has.
func TestServerBesideAnotherProcess(t *testing.T) {
	for _, c := range []struct {
		name  string
		other detect.Holder
		tmux  bool // terminals can be typed into
		way   resume.Way
		told  int
	}{
		{"nobody", detect.Holder{}, false, resume.HTTP, 0},
		{"a terminal for sure", detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, Sure: true, TTY: "/dev/pts/1"}, true, resume.Tmux, 0},
		{"a terminal for sure, out of reach", detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, Sure: true, TTY: "/dev/pts/1"}, false, "", 1},
		{"a terminal perhaps", detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, TTY: "/dev/pts/1"}, true, "", 1},
		{"a terminal elsewhere", detect.Holder{Liveness: detect.HolderUnknown, Kind: detect.Interactive, TTY: "/dev/pts/1"}, true, "", 1},
		{"a run for sure", detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, Sure: true}, true, "", 0},
		{"a run perhaps", detect.Holder{Liveness: detect.Alive, Kind: detect.Headless}, true, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.children.way = resume.Exec
				if c.tmux {
					r.children.way = resume.Tmux
				}
				r.wrapAgent(func(a whole) agent.Agent { return serverBeside{a, c.other} })
				r.procs.set(func() {
					r.procs.all = []agent.Proc{{PID: 901, Start: 91}, {PID: 902, Start: 92, TTY: "/dev/pts/1", Started: time.Now().Add(-time.Hour)}}
				})
				r.children.act = func(c *child) { c.ask(); c.say("answer") }
				r.seldom()
				r.start()
				id := uuid.NewString()
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
				r.pass(3 * time.Hour)
				var way resume.Way
				all := r.children.started()
				if len(all) > 0 {
					way = all[0].claim.Plan.Way
				}
				if way != c.way || len(all) > 1 {
					t.Errorf("%d prompts, the first by %q, want %q", len(all), way, c.way)
				}
				if n := len(r.log.events("session_unreachable")); n != c.told {
					t.Errorf("told %d times that it cannot be reached, want %d", n, c.told)
				}
			})
		})
	}
}
