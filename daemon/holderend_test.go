package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// asksNobody lets an interactive session be resumed headless.
func (r *rig) asksNobody() {
	r.o.Config.Agent["claude"] = agent.Config{Command: r.o.Config.Agent["claude"].Command, ConfigDir: r.agentDir(),
		Args: []string{"--permission-mode", "acceptEdits"}}
}

func (r *rig) entryGone() (entry string) {
	r.t.Helper()
	entry = filepath.Join(r.agentDir(), "sessions", "901.json")
	if err := os.Remove(entry); err != nil {
		r.t.Fatal(err)
	}
	return entry
}

// Its user quits right before the wait ends, and nothing has told of it yet: the claim that was to be
// for a terminal starts nothing headless before it is known how the terminal's process went.
func TestQuitAtTheDeadline(t *testing.T) {
	in(t, func(r *rig) {
		r.asksNobody()
		r.o.Config.Watch.Rescan *= 10000
		id := r.open(resume.Tmux, "plan")
		r.pass(time.Hour)
		r.end(901)
		r.entryGone() // without a word of it
		r.pass(time.Hour)
		if n := len(r.children.started()); n != 0 {
			t.Fatalf("%d starts after its user quit; log:\n%s", n, r.log)
		}
		if rec := r.wantPhase(id, state.Following); rec.HolderEnd != state.HolderQuit {
			t.Errorf("holder end %q", rec.HolderEnd)
		}
	})
}

// clawd wrap tells a moment after its program is gone how that went.
func TestWrapTellsLate(t *testing.T) {
	for cause, resumes := range map[wrap.Cause]int{wrap.Hangup: 1, wrap.Crash: 1, wrap.Quit: 0} {
		t.Run(string(cause), func(t *testing.T) {
			in(t, func(r *rig) {
				r.asksNobody()
				r.o.Wraps = filepath.Join(r.root, "wraps")
				info := wrap.Info{Wrapper: wrap.Process{PID: 900, Start: 90}, Child: wrap.Process{PID: 901, Start: 91}, Boot: "boot-1"}
				write := func() {
					b, err := json.Marshal(info)
					if err != nil {
						t.Fatal(err)
					}
					path := filepath.Join(r.o.Wraps, "901.json")
					if err := os.RemoveAll(path); err != nil {
						t.Fatal(err)
					}
					put(t, path, string(b))
				}
				write()
				r.children.wrapped = info
				id := r.open(resume.PTY, "plan")
				r.pass(10 * time.Minute)
				r.end(901)
				r.watch.send(fsnotify.Event{Name: r.entryGone(), Op: fsnotify.Remove})
				r.pass(time.Second)
				r.wantPhase(id, state.Waiting)
				info.End = &wrap.End{Cause: cause}
				write()
				r.end(900)
				r.pass(2 * time.Hour)
				if n := len(r.children.started()); n != resumes {
					t.Errorf("%d starts, want %d; holder end %q; log:\n%s", n, resumes, r.rec(id).HolderEnd, r.log)
				}
			})
		})
	}
}
