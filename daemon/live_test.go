package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/daemon/trigger"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// open gives a session that has stopped in a terminal which is still there, and can be typed into.
func (r *rig) open(way resume.Way, kind string) (id string) {
	r.t.Helper()
	id = uuid.NewString()
	r.openAs(id, way, "idle")
	r.add(id, r.record(id, "user", "", interactive), r.record(id, kind, "", interactive))
	return id
}

// openAs starts the daemon beside a terminal with a session; status is the agent's own word.
func (r *rig) openAs(id string, way resume.Way, status string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Join(r.agentDir(), "sessions"), 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.children.way = way
	r.start()
	r.terminalOf(id, status)
	r.procs.set(func() { r.procs.all[1].TTY, r.procs.all[1].Started = "/dev/pts/1", time.Now().Add(-time.Hour) })
}

func TestWakesOpenTerminal(t *testing.T) {
	in(t, func(r *rig) {
		id := r.open(resume.Tmux, "plan")
		r.pass(59 * time.Minute)
		if n := len(r.children.started()) + r.children.looked(); n != 0 {
			t.Fatalf("%d looks and starts while it waits", n)
		}
		r.pass(3 * time.Minute)
		all := r.children.started()
		if len(all) != 1 || r.resumes() != 1 {
			t.Fatalf("%d starts, %d resumes; log:\n%s", len(all), r.resumes(), r.log)
		}
		c := all[0].claim
		if c.Plan.Way != resume.Tmux || c.Plan.Keys != "continue" || c.Plan.Holder.PID != 901 || c.Plan.Holder.Start != 91 || c.Plan.Holder.TTY != "/dev/pts/1" {
			t.Errorf("claim %+v", c)
		}
		if e := r.log.events("resume_started"); len(e) != 1 || e[0]["plan"] != "tmux" || e[0]["message"] != "Resuming session after rate limit" {
			t.Errorf("resume_started: %v", e)
		}
		r.pass(3 * time.Hour)
		if n := len(r.children.started()); n != 1 || len(all[0].stops) != 0 {
			t.Errorf("%d starts, %d stops of a process that is not ours", n, len(all[0].stops))
		}
		if n := len(r.log.events("session_unreachable")); n != 0 {
			t.Errorf("told %d times that it cannot be reached", n)
		}
		r.wantPhase(id, state.Following)
	})
}

// An agent that works in the background wakes its session when it ends: until then, and in the moment between its
// end and that turn, nothing is typed, and its user is not bothered.
func TestBackgroundAgent(t *testing.T) {
	says := func(r *rig, id, status string) {
		entry := fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"cli","status":%q,"statusUpdatedAt":%d}`,
			id, r.project, status, time.Now().UnixMilli())
		if err := os.WriteFile(filepath.Join(r.agentDir(), "sessions", "901.json"), []byte(entry), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	begin := func(r *rig) string {
		id := uuid.NewString()
		r.openAs(id, resume.Tmux, "busy")
		r.add(id, r.record(id, "user", "", interactive), r.record(id, "limit", "", interactive))
		r.pass(2 * time.Hour)
		if e := r.log.events("resume_postponed"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "in the background") {
			r.t.Errorf("postponed: %v; log:\n%s", e, r.log)
		}
		if n := len(r.children.started()) + r.children.looked() + len(r.log.events("session_blocked")); n != 0 {
			r.t.Fatalf("%d looks, starts and notices; log:\n%s", n, r.log)
		}
		return id
	}
	t.Run("wakes it", func(t *testing.T) {
		in(t, func(r *rig) {
			id := begin(r)
			says(r, id, "idle")
			r.pass(2 * time.Second)
			if n := r.children.looked(); n != 0 {
				t.Errorf("%d looks right after its end", n)
			}
			r.add(id, r.record(id, "user", "", interactive), r.record(id, "answer", "", interactive))
			r.pass(2 * time.Hour)
			if n := len(r.children.started()); n != 0 {
				t.Errorf("%d starts; log:\n%s", n, r.log)
			}
			r.wantPhase(id, state.Following)
		})
	})
	t.Run("was stopped", func(t *testing.T) { // by its user: then nothing wakes the session
		in(t, func(r *rig) {
			id := begin(r)
			says(r, id, "idle")
			r.pass(2 * time.Minute)
			if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
				t.Errorf("%d starts, %d resumes; log:\n%s", n, r.resumes(), r.log)
			}
			r.wantPhase(id, state.Following)
		})
	})
	t.Run("ended before a look", func(t *testing.T) {
		in(t, func(r *rig) {
			id := r.open(resume.Tmux, "plan")
			r.pass(time.Hour + 55*time.Second) // the limit resets after an hour; the margin is a minute
			for range 10 {                     // whenever the wait ends, that was less than a second ago
				says(r, id, "idle")
				r.pass(900 * time.Millisecond)
			}
			if n, e := len(r.children.started())+r.children.looked(), r.log.events("resume_postponed"); n != 0 || len(e) != 1 {
				t.Errorf("%d looks and starts; postponed: %v", n, e)
			}
			r.pass(10 * time.Second)
			if n := len(r.children.started()); n != 1 {
				t.Errorf("%d starts; log:\n%s", n, r.log)
			}
		})
	})
}

// What speaks against typing is told once, and looked at again until it has passed.
func TestBlockedTerminal(t *testing.T) {
	in(t, func(r *rig) {
		r.children.blocked = &trigger.BlockedError{Why: "there is text in its input box"}
		id := r.open(resume.PTY, "limit")
		r.pass(30 * time.Minute)
		if n, looks := len(r.children.started()), r.children.looked(); n != 0 || looks < 20 || looks > 40 {
			t.Errorf("%d starts, %d looks in half an hour", n, looks)
		}
		if e := r.log.events("session_blocked"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "text in its input box") {
			t.Errorf("told %v", e)
		}
		rec := r.wantPhase(id, state.Waiting)
		if rec.Episode.Attempts != 0 {
			t.Errorf("%d attempts", rec.Episode.Attempts)
		}
		r.children.mu.Lock()
		r.children.blocked = nil
		r.children.mu.Unlock()
		r.pass(2 * time.Minute)
		if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes", n, r.resumes())
		}
	})
}

// An agent whose environment names a pane in which it is not can't be reached, now or later: it is told at once.
func TestTerminalElsewhere(t *testing.T) {
	in(t, func(r *rig) {
		r.children.blocked = &trigger.ElsewhereError{Why: "it runs outside of the tmux pane"}
		id := r.open(resume.Tmux, "limit")
		r.pass(3 * time.Minute)
		if e := r.log.events("session_unreachable"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "outside of the tmux pane") {
			t.Errorf("told %v", e)
		}
		r.wantPhase(id, state.Waiting)
	})
}

// A terminal that cannot be looked at is tried again, and told when that does not pass.
func TestTerminalFails(t *testing.T) {
	in(t, func(r *rig) {
		r.children.blocked = errors.New("tmux: executable file not found in $PATH")
		id := r.open(resume.Tmux, "limit")
		r.pass(3 * time.Minute)
		if n := len(r.log.events("session_unreachable")); n != 0 {
			t.Errorf("told %d times before it can have passed", n)
		}
		r.pass(time.Hour)
		if e := r.log.events("session_unreachable"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "not found") {
			t.Errorf("told %v", e)
		}
		r.wantPhase(id, state.Waiting)
		r.children.mu.Lock()
		r.children.blocked = nil
		r.children.mu.Unlock()
		r.pass(10 * time.Minute)
		if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes", n, r.resumes())
		}
	})
}

func TestUnreachable(t *testing.T) {
	for _, c := range []struct {
		name, why string
		way       resume.Way
		change    func(r *rig)
	}{
		{"a plain terminal", "neither tmux nor clawd wrap", resume.Exec, func(*rig) {}},
		{"not wanted", "enabled is false", resume.Tmux, func(r *rig) { r.o.Config.Terminal.Enabled = false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				c.change(r)
				id := r.open(c.way, "limit")
				r.pass(time.Hour)
				if n := len(r.children.started()); n != 0 {
					t.Fatalf("%d starts", n)
				}
				e := r.log.events("session_unreachable")
				if len(e) != 1 || !strings.Contains(e[0]["why"].(string), c.why) || !strings.Contains(e[0]["command"].(string), "continue") {
					t.Errorf("told %v", e)
				}
				r.wantPhase(id, state.Waiting)
				// The status says the same, not when clawd would resume it.
				s := r.status(id)
				if s == nil || s.Status != state.NeedsYou || s.Needs == nil || !strings.Contains(s.Needs.What, c.why) || !strings.Contains(s.Needs.Command, "continue") {
					t.Errorf("status: %+v", s)
				}
				r.down()
				r.start()
				if s := r.status(id); s == nil || s.Status != state.NeedsYou {
					t.Errorf("status after a restart: %+v", s)
				}
				// Its user does what was said.
				r.add(id, r.record(id, "continue", "", interactive), r.record(id, "answer", "", interactive))
				r.pass(time.Minute)
				r.wantPhase(id, state.Following)
				if s := r.status(id); s != nil {
					t.Errorf("it went on, and the status says %+v", s)
				}
			})
		})
	}
}

// What flips between two hindrances is told once for each.
func TestToldOnceEach(t *testing.T) {
	in(t, func(r *rig) {
		id := r.open(resume.Tmux, "limit")
		for n := range 20 {
			r.children.mu.Lock()
			r.children.blocked = &trigger.BlockedError{Why: "copy mode"}
			if r.children.mu.Unlock(); n%2 == 0 {
				r.procs.set(func() { r.procs.all[1].TTY = "" })
			} else {
				r.procs.set(func() { r.procs.all[1].TTY = "/dev/pts/1" })
			}
			r.pass(3 * time.Minute)
		}
		if a, b := len(r.log.events("session_blocked")), len(r.log.events("session_unreachable")); a != 1 || b != 1 {
			t.Errorf("told %d and %d times", a, b)
		}
		r.wantPhase(id, state.Waiting)
	})
}

// Which session an older version shows nothing tells: only one that wrote last can be it.
func TestWhichSessionIsShown(t *testing.T) {
	for _, c := range []struct {
		name  string
		other bool // another session of the folder is newer
		older bool // another one is older, and was used in the process's time
		late  bool // the process was started after the stop
		named bool // its arguments name the session
		bare  bool // a script was the last to drive it, without a terminal
		fires int
	}{{name: "the only one", fires: 1}, {name: "another one is newer", other: true}, {name: "another one was used before", older: true}, {name: "started later", late: true},
		{name: "started for it", named: true, late: true, fires: 1}, {name: "started for it, and another one is newer", named: true, other: true}, {name: "started for it, and another one was used before", named: true, older: true, fires: 1},
		{name: "last driven by a script", bare: true}} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				id := uuid.NewString()
				r.openAs(id, resume.Tmux, "idle")
				if c.older {
					other := uuid.NewString()
					r.add(other, r.record(other, "user", "", interactive), r.record(other, "answer", "", interactive))
					r.pass(time.Minute)
				}
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "limit", "", interactive))
				// Without an entry in the registry the folder alone speaks for the process.
				entry := filepath.Join(r.agentDir(), "sessions", "901.json")
				if err := os.Remove(entry); err != nil {
					t.Fatal(err)
				}
				r.procs.set(func() {
					r.procs.cwd = map[int]string{901: r.project}
					if c.named {
						r.procs.argv[901] = []string{"claude", "--resume", id}
					}
					if c.late {
						r.procs.all[1].Started = time.Now().Add(time.Second)
					}
				})
				if c.bare {
					r.add(id, r.line(id, "user"), r.line(id, "limit"))
				}
				if c.other {
					other := uuid.NewString()
					r.pass(time.Second)
					r.add(other, r.record(other, "user", "", interactive), r.record(other, "answer", "", interactive))
				}
				r.watch.send(fsnotify.Event{Name: entry, Op: fsnotify.Remove})
				r.pass(time.Hour)
				if n := len(r.children.started()); n != c.fires {
					t.Errorf("%d starts, want %d; log:\n%s", n, c.fires, r.log)
				}
				if told := len(r.log.events("session_unreachable")); c.fires == 0 && told != 1 {
					t.Errorf("told %d times", told)
				}
				r.rec(id)
			})
		})
	}
}

// The terminal goes while clawd waits: then how it went decides, as for any other.
func TestTerminalGoesWhileWaiting(t *testing.T) {
	in(t, func(r *rig) {
		id := r.open(resume.Tmux, "plan")
		r.pass(10 * time.Minute)
		r.end(901)
		entry := filepath.Join(r.agentDir(), "sessions", "901.json")
		if err := os.Remove(entry); err != nil {
			t.Fatal(err)
		}
		r.watch.send(fsnotify.Event{Name: entry, Op: fsnotify.Remove})
		r.pass(2 * time.Hour)
		rec := r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 0 || rec.HolderEnd != state.HolderQuit {
			t.Errorf("%d starts, holder end %q", n, rec.HolderEnd)
		}
	})
}

// After a restart nothing is typed: the records decide, and where they say nothing it is held.
func TestRestartAfterKeys(t *testing.T) {
	for _, answered := range []bool{true, false} {
		t.Run(fmt.Sprint("answered ", answered), func(t *testing.T) {
			in(t, func(r *rig) {
				r.children.act = func(*child) {} // typed, and nothing is seen yet
				id := r.open(resume.Tmux, "limit")
				r.pass(35 * time.Second)
				r.wantPhase(id, state.Fired)
				r.down()
				if answered {
					r.add(id, r.record(id, "continue", "", interactive), r.record(id, "answer", "", interactive))
				}
				r.start()
				r.pass(2 * time.Hour)
				want, resumes := state.Held, 0
				if answered {
					want, resumes = state.Following, 1
				}
				rec := r.wantPhase(id, want)
				if n := len(r.children.started()); n != 1 || r.resumes() != resumes {
					t.Errorf("%d starts, %d resumes", n, r.resumes())
				}
				if !answered && !strings.Contains(rec.Decision.Why, "about to type its prompt or had typed it") {
					t.Errorf("why = %q: nobody knows whether the keys were pressed", rec.Decision.Why)
				}
			})
		})
	}
}

// The mark is made before the first key: without one nothing was typed.
func TestRestartBeforeKeys(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(*child) {}
		id := r.open(resume.Tmux, "limit")
		r.pass(35 * time.Second)
		mark := r.wantPhase(id, state.Fired).Claim.Mark
		r.down()
		remove(t, mark)
		r.children.act = func(c *child) { c.ask(); c.say("answer") }
		r.start()
		r.pass(2 * time.Hour)
		r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 2 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes", n, r.resumes())
		}
	})
}

// A proof that nothing was taken allows a second key sequence, as a further attempt.
func TestKeysWithoutEffect(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) {
			if c.claim.N == 1 {
				c.proof = "keys: Enter was never pressed"
				return
			}
			c.ask()
			c.say("answer")
		}
		id := r.open(resume.Tmux, "limit")
		r.pass(time.Hour)
		if n := len(r.children.started()); n != 2 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes; log:\n%s", n, r.resumes(), r.log)
		}
		r.wantPhase(id, state.Following)
	})
}

// The loop breaker counts prompts that were typed as ours, although they look like a person's.
func TestFruitlessByKeys(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.children.act = func(c *child) { c.ask(); c.say("open"); c.say("limit") }
		r.open(resume.Tmux, "limit")
		r.pass(20 * time.Hour)
		if n := len(r.children.started()); n != 3 || len(r.log.events("resume_given_up")) != 1 {
			t.Errorf("%d starts, given up %d times", n, len(r.log.events("resume_given_up")))
		}
	})
}

// What surely has a session open says so itself.
func TestServerThatSurelyHasIt(t *testing.T) {
	server := detect.Holder{Liveness: detect.Alive, Kind: detect.Server, PID: 7, Why: "process 7 has it open for qwen serve"}
	for sure, want := range map[bool]string{true: server.Why, false: "a server of the agent may have it open: " + server.Why} {
		server.Sure = sure
		if _, err := terminalOf([]detect.Holder{server}); err == nil || err.Error() != want {
			t.Errorf("sure %v: %v", sure, err)
		}
	}
}
