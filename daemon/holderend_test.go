package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

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

// A holder of an unfinished turn that goes is believed gone when that has settled, in time that the
// machine is awake for; and anew when it was back in between, or wrote something more.
func TestGoneSettlesEachTime(t *testing.T) {
	for _, between := range []string{"nothing", "back", "asleep", "written"} {
		t.Run(between, func(t *testing.T) {
			in(t, func(r *rig) {
				r.o.Config.Watch.Rescan *= 10000
				id := uuid.NewString()
				there := func() {
					r.procs.set(func() {
						r.procs.all = []agent.Proc{{PID: 901, Group: 901, Leader: 901, Start: 91, Comm: "claude"}}
						r.procs.argv[901] = []string{"claude", "-p", "--resume", id, "go on"}
					})
				}
				look := func() {
					r.pass(procsAge + time.Millisecond)
					r.d.poke(r.d.session(r.d.agents[0], r.session(id)))
					r.pass(0)
				}
				there()
				put(t, filepath.Join(r.agentDir(), "sessions", "901.json"), fmt.Sprintf(
					`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli","status":"busy"}`, id, r.project))
				r.start()
				r.add(id, r.line(id, "user"))
				look()
				r.end(901)
				look()
				if between == "back" {
					there()
					look()
					r.pass(30 * time.Minute)
					r.end(901)
					look()
				}
				r.pass(settleTime - 2*procsAge)
				if between == "asleep" {
					r.clock.jump(30 * time.Minute)
				}
				look()
				switch between {
				case "asleep":
					r.pass(2 * time.Second)
				case "written":
					r.add(id, r.line(id, "open"))
					r.pass(2 * procsAge)
					look()
				}
				if len(r.log.events("session_stopped")) != 0 {
					t.Errorf("its end was believed too early; log:\n%s", r.log)
				}
				r.pass(settleTime)
				if n := len(r.log.events("session_stopped")); n != 1 {
					t.Errorf("%d stops, want 1; log:\n%s", n, r.log)
				}
			})
		})
	}
}
