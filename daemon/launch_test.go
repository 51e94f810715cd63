package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// runs starts a process of the agent with its registry entry.
func (r *rig) runs(pid int, id string, environ []string, argv ...string) (entry string) {
	r.t.Helper()
	r.procs.set(func() {
		r.procs.all = append(r.procs.all, agent.Proc{PID: pid, Group: pid, Leader: pid, Start: uint64(pid), Comm: "claude"})
		r.procs.argv[pid] = argv
		r.procs.env = map[int][]string{pid: environ}
	})
	entry = filepath.Join(r.agentDir(), "sessions", fmt.Sprint(pid)+".json")
	put(r.t, entry, fmt.Sprintf(`{"pid":%d,"sessionId":%q,"cwd":%q,"procStart":"%d","entrypoint":"sdk-cli"}`, pid, id, r.project, pid))
	if r.d != nil {
		r.watch.send(fsnotify.Event{Name: entry, Op: fsnotify.Create})
		synctest.Wait()
	}
	return entry
}

// endsRun ends such a process.
func (r *rig) endsRun(pid int, entry string) {
	r.t.Helper()
	r.end(pid)
	if err := os.Remove(entry); err != nil {
		r.t.Fatal(err)
	}
	if r.d != nil {
		r.watch.send(fsnotify.Event{Name: entry, Op: fsnotify.Remove})
		synctest.Wait()
	}
}

// registry makes the agent's registry, so that it is watched.
func (r *rig) registry() {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Join(r.agentDir(), "sessions"), 0o700); err != nil {
		r.t.Fatal(err)
	}
}

// unrecorded is a stop of a version that records no options.
func (r *rig) unrecorded(id string) string {
	user, _, _ := strings.Cut(r.line(id, "user"), "\n")
	return user + "\n" + r.line(id, "limit")
}

// wantFlags checks the one start that there was.
func (r *rig) wantFlags(id, known string, want ...string) {
	r.t.Helper()
	all := r.children.started()
	if len(all) != 1 {
		r.t.Fatalf("%d starts, want 1", len(all))
	}
	for _, f := range want {
		if !slices.Contains(all[0].claim.Plan.Argv, f) {
			r.t.Errorf("%q lacks %s", all[0].claim.Plan.Argv, f)
		}
	}
	if e := r.log.events("resume_started"); len(e) != 1 || e[0]["session"] != id || e[0]["flags"] != known {
		r.t.Errorf("resume_started: %v, want flags %s", e, known)
	}
}

func (r *rig) wantLeft(id string) {
	r.t.Helper()
	rec := r.wantPhase(id, state.Following)
	if n := len(r.children.started()); n != 0 || rec.Stop.Key == "" {
		r.t.Errorf("%d starts, want it left", n)
	}
	left := r.log.events("session_left")
	if len(left) != 1 || !strings.Contains(left[0]["why"].(string), "nobody saw with which options") || !strings.Contains(left[0]["command"].(string), "--resume "+id) {
		r.t.Errorf("left: %v", left)
	}
}

// A run that is limited at its first request is there for half a second. Its options are seen before its
// session has a file.
func TestOptionsAreSeenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.registry()
		r.start()
		id := uuid.NewString()
		entry := r.runs(700, id, nil, "claude", "-p", "--disallowedTools", "Bash", "do")
		r.endsRun(700, entry)
		r.add(id, r.unrecorded(id))
		r.down() // they last
		r.start()
		if why, err := r.d.Why(t.Context(), id); err != nil || why.Decision.Flags != detect.KnownSeen {
			t.Errorf("why: %v, %v", why.Decision, err)
		}
		r.pass(time.Hour)
		r.wantFlags(id, "seen", "--disallowedTools=Bash")
	})
}

// lists is an agent whose sessions' processes are found in the process table alone.
type lists struct {
	whole
	r  *rig
	id string
}

func (l lists) Launches(hint string) (found []agent.Launched, err error) {
	if hint != "" {
		return nil, nil
	}
	all, err := l.r.d.procs.List()
	for _, p := range all {
		if p.PID == 700 {
			found = append(found, agent.Launched{Session: l.id, Launch: detect.Launch{PID: p.PID, Start: p.Start, Boot: l.r.d.boot, Flags: []detect.Flag{{Name: "--disallowedTools", Values: []string{"Bash"}}}}})
		}
	}
	return found, err
}

// The first session of an agent, of a project or of a day makes its folder. What it writes before that is watched has no event,
// the process is younger than the last list of processes, and it is gone when the next one is read.
func TestOptionsAreSeenWithANewFolder(t *testing.T) {
	for _, which := range []string{"projects", "projects/new"} {
		t.Run(which, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				id := uuid.NewString()
				r.wrapAgent(func(a whole) agent.Agent { return lists{a, r, id} })
				r.registry()
				made := filepath.Join(r.agentDir(), which)
				if err := os.RemoveAll(made); err != nil {
					t.Fatal(err)
				}
				r.start()
				if _, err := r.d.procs.List(); err != nil {
					t.Fatal(err)
				}
				r.procs.set(func() {
					r.procs.all = append(r.procs.all, agent.Proc{PID: 700, Group: 700, Leader: 700, Start: 700, Comm: "claude"})
					r.procs.argv[700] = []string{"claude", "-p", "--disallowedTools", "Bash", "do"}
				})
				if err := os.Mkdir(made, 0o700); err != nil {
					t.Fatal(err)
				}
				r.watch.send(fsnotify.Event{Name: made, Op: fsnotify.Create})
				synctest.Wait()
				r.end(700)
				r.add(id, r.unrecorded(id))
				r.pass(time.Hour)
				r.wantFlags(id, "seen", "--disallowedTools=Bash")
			})
		})
	}
}

func TestUnseenOptionsLeaveTheSession(t *testing.T) {
	for name, before := range map[string]func(r *rig, id string){
		"never seen": func(*rig, string) {},
		"clawd's own run": func(r *rig, id string) {
			r.endsRun(700, r.runs(700, id, []string{agent.AttemptVar + "=token"}, "claude", "-p"))
		},
		"another run, which had ended": func(r *rig, id string) {
			r.endsRun(700, r.runs(700, id, nil, "claude", "-p"))
			r.pass(time.Minute)
		},
		"another run, which ended while clawd was down": func(r *rig, id string) {
			entry := r.runs(700, id, nil, "claude", "-p")
			r.down()
			r.endsRun(700, entry)
			r.pass(time.Minute)
			r.start()
		},
		"a run before the boot": func(r *rig, id string) {
			entry := r.runs(700, id, nil, "claude", "-p")
			r.down()
			r.procs.set(func() { r.procs.boot = "boot-2" })
			r.pass(time.Minute)
			if err := os.Remove(entry); err != nil {
				r.t.Fatal(err)
			}
			r.start()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.registry()
				r.start()
				id := uuid.NewString()
				before(r, id)
				r.add(id, r.unrecorded(id))
				r.pass(time.Hour)
				r.wantLeft(id)
			})
		})
	}
}

// A run of clawd's that is limited again goes on with what the first one had.
func TestOptionsOutliveTheirProcess(t *testing.T) {
	for _, first := range []string{"limit", "plan"} { // after an hour's wait its end was seen long before the first attempt
		t.Run(first, func(t *testing.T) { optionsOutlive(t, first) })
	}
}

func optionsOutlive(t *testing.T, first string) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.registry()
		r.children.act = func(c *child) {
			c.ask()
			if c.claim.N < 3 {
				c.say("limit")
			} else {
				c.say("answer")
			}
			c.end()
		}
		r.start()
		id := uuid.NewString()
		entry := r.runs(700, id, nil, "claude", "-p", "--tools", "Read")
		text := r.unrecorded(id)
		if first == "plan" {
			at := strings.LastIndex(strings.TrimSpace(text), "\n") + 1
			text = text[:at] + strings.ReplaceAll(r.line(id, "plan"), "2.1.329", "2.1.197")
		}
		r.add(id, text)
		r.endsRun(700, entry)
		r.pass(5 * time.Hour)
		all := r.children.started()
		if len(all) != 3 {
			t.Fatalf("%d starts, want 3", len(all))
		}
		for _, c := range all {
			if !slices.Contains(c.claim.Plan.Argv, "--tools=Read") || c.claim.Plan.Flags != detect.KnownSeen {
				t.Errorf("%q", c.claim.Plan.Argv)
			}
		}
	})
}
