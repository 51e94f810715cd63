package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// An event that was lost costs nothing: the overflow makes clawd look at everything.
func TestOverflow(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Watch.Rescan *= 1000
		r.start()
		id := uuid.NewString()
		put(t, r.session(id).Path, r.line(id, "user")+r.line(id, "limit"))
		synctest.Wait()
		if _, ok, _ := r.d.store.Session(r.session(id)); ok {
			t.Fatal("it was seen without an event")
		}
		r.watch.errors <- fsnotify.ErrEventOverflow
		synctest.Wait()
		r.wantPhase(id, state.Waiting)
		if len(r.log.events("watch_overflow")) != 1 {
			t.Error("the overflow is not in the log")
		}
	})
}

func TestRescanFindsWhatNoEventTold(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id := uuid.NewString()
		put(t, r.session(id).Path, r.line(id, "user")+r.line(id, "limit"))
		r.pass(31 * time.Second)
		r.rec(id)
	})
}

// The agent is installed while clawd runs: its folders come one by one.
// lagging is an agent whose records can be seen a moment after their file event.
type lagging struct {
	whole
	from time.Time // until then a scan finds nothing
}

func (l *lagging) Lag() time.Duration { return 250 * time.Millisecond }

func (l *lagging) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if time.Now().Before(l.from) {
		return nil, nil
	}
	return l.whole.Scan(ctx, hint)
}

// The event of a commit comes before the commit can be seen: there is another look, long before the rescan.
func TestLateRecords(t *testing.T) {
	in(t, func(r *rig) {
		var a *lagging
		r.wrap = func(of whole) agent.Agent { a = &lagging{whole: of}; return a }
		r.start()
		a.from = time.Now().Add(200 * time.Millisecond)
		id, _ := r.stopped("limit")
		if n := len(r.log.events("session_stopped")); n != 0 {
			t.Fatalf("%d stops before they could be seen", n)
		}
		r.pass(time.Second)
		r.wantPhase(id, state.Waiting)
	})
}

// TestHomeIsNotWatched: nor is a folder above it, where a watch opens all that lies there. Below it a folder is waited for.
func TestHomeIsNotWatched(t *testing.T) {
	for _, opens := range []bool{true, false} {
		r, _ := listening(t)
		w := newEvents()
		v := newScout(r.d, w, r.d.agents[0])
		v.opens = opens
		v.watchParent(filepath.Join(r.root, "none", "below"))
		if w.has(r.root) == opens {
			t.Errorf("opens %v: the home folder is watched: %v", opens, !opens)
		}
		v.watchParent(filepath.Join(r.project, "none"))
		if !w.has(r.project) {
			t.Errorf("opens %v: nothing waits for a folder below the home folder", opens)
		}
	}
}

func TestRootAppearsLater(t *testing.T) {
	in(t, func(r *rig) {
		if err := os.RemoveAll(r.agentDir()); err != nil {
			t.Fatal(err)
		}
		r.o.Config.Watch.Rescan *= 1000
		r.start()
		id := uuid.NewString()
		path := r.session(id).Path
		put(t, path, r.line(id, "user")+r.line(id, "limit"))
		if !r.watch.has(r.root) {
			t.Fatal("nothing waits for the folder")
		}
		r.watch.send(fsnotify.Event{Name: r.agentDir(), Op: fsnotify.Create})
		synctest.Wait()
		r.wantPhase(id, state.Waiting)
		if !r.watch.has(filepath.Dir(path)) {
			t.Error("the new folder is not watched")
		}
		// A folder of another project comes at once.
		other := filepath.Join(r.agentDir(), "projects", "-other")
		if err := os.Mkdir(other, 0o700); err != nil {
			t.Fatal(err)
		}
		r.watch.send(fsnotify.Event{Name: other, Op: fsnotify.Create})
		synctest.Wait()
		if !r.watch.has(other) {
			t.Error("a new project is not watched")
		}
	})
}

// A clock jump means that events may have been missed.
func TestJumpLooksAgain(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Watch.Rescan *= 1000
		r.start()
		r.stopped("plan") // something waits, so the clock is looked at
		id := uuid.NewString()
		put(t, r.session(id).Path, r.line(id, "user")+r.line(id, "limit"))
		r.clock.jump(30 * time.Minute)
		r.pass(15 * time.Second)
		if len(r.log.events("clock_jumped")) != 1 {
			t.Fatal("the jump is not in the log")
		}
		r.rec(id)
	})
}

const interactive = "cli"

// terminal gives a session in a terminal with its registry entry and process.
func (r *rig) terminal() (id string, entry string) {
	r.t.Helper()
	id = uuid.NewString()
	return id, r.terminalOf(id, "idle")
}

// terminalOf gives the terminal of a session; status is the agent's own word.
func (r *rig) terminalOf(id, status string) (entry string) {
	r.t.Helper()
	r.procs.set(func() {
		r.procs.all = []agent.Proc{{PID: 900, Group: 900, Leader: 900, Start: 90, Comm: "bash"},
			{PID: 901, PPID: 900, Group: 901, Leader: 900, Start: 91, Comm: "claude"}}
		r.procs.argv = map[int][]string{901: {"claude"}}
	})
	entry = filepath.Join(r.agentDir(), "sessions", "901.json")
	put(r.t, entry, fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"cli","status":%q}`, id, r.project, status))
	return entry
}

func (r *rig) end(pids ...int) {
	r.procs.set(func() {
		var left []agent.Proc
		for _, p := range r.procs.all {
			gone := false
			for _, pid := range pids {
				gone = gone || p.PID == pid
			}
			if !gone {
				left = append(left, p)
			}
		}
		r.procs.all = left
	})
}

// After the holder of a terminal went, how it went decides.
func TestAfterQuitAndHangup(t *testing.T) {
	for _, c := range []struct {
		name    string
		pids    []int // that end
		keep    bool  // the registry entry stays
		boot    bool
		absent  bool   // clawd was ended before the machine went down
		quit    string // after_quit
		hangup  string // after_hangup
		resumes int
	}{
		{name: "quit", pids: []int{901}, quit: "leave", hangup: "resume", resumes: 0},
		{name: "quit, wanted", pids: []int{901}, quit: "resume", hangup: "resume", resumes: 1},
		{name: "terminal closed", pids: []int{900, 901}, quit: "leave", hangup: "resume", resumes: 1},
		{name: "terminal closed, not wanted", pids: []int{900, 901}, quit: "leave", hangup: "leave", resumes: 0},
		{name: "killed", pids: []int{901}, keep: true, quit: "leave", hangup: "leave", resumes: 1},
		{name: "other boot", pids: []int{900, 901}, keep: true, boot: true, quit: "leave", hangup: "resume", resumes: 1},
		{name: "other boot, clawd was not there", pids: []int{900, 901}, boot: true, absent: true, quit: "leave", hangup: "resume", resumes: 0},
		{name: "other boot, clawd was not there, entry left", pids: []int{900, 901}, keep: true, boot: true, absent: true, quit: "leave", hangup: "resume", resumes: 1},
		{name: "other boot, not wanted", pids: []int{900, 901}, keep: true, boot: true, quit: "leave", hangup: "leave", resumes: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.o.Config.Resume.AfterQuit, r.o.Config.Resume.AfterHangup = c.quit, c.hangup
				r.o.Config.Agent["claude"] = agent.Config{Command: r.o.Config.Agent["claude"].Command, ConfigDir: r.agentDir(),
					Args: []string{"--permission-mode", "acceptEdits"}}
				if err := os.MkdirAll(filepath.Join(r.agentDir(), "sessions"), 0o700); err != nil {
					t.Fatal(err)
				}
				r.start()
				id, entry := r.terminal()
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "limit", "", interactive))
				r.pass(10 * time.Minute)
				if n := len(r.children.started()); n != 0 {
					t.Fatalf("%d starts while its terminal is open", n)
				}
				r.wantPhase(id, state.Waiting)
				if e := r.log.events("standing_down"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "process 901") {
					t.Errorf("standing_down: %v", e)
				}
				if rec := r.rec(id); rec.Holder.PID != 901 || rec.Holder.Leader != 900 || rec.Holder.Liveness != detect.Alive {
					t.Fatalf("the holder is not remembered: %+v", rec.Holder)
				}
				if c.boot {
					r.o.GoingDown = func() bool { return !c.absent }
					r.d.o.GoingDown = r.o.GoingDown
					r.down()
					r.procs.set(func() { r.procs.boot = "boot-2" })
				}
				r.end(c.pids...)
				if !c.keep {
					if err := os.Remove(entry); err != nil {
						t.Fatal(err)
					}
				}
				if c.boot {
					r.start()
				} else {
					r.watch.send(fsnotify.Event{Name: entry, Op: fsnotify.Remove})
				}
				r.pass(10 * time.Minute)
				if n := len(r.children.started()); n != c.resumes || r.resumes() != c.resumes {
					t.Errorf("%d starts, %d resumes; want %d; holder end %q; log:\n%s", n, r.resumes(), c.resumes, r.rec(id).HolderEnd, r.log)
				}
				if left := len(r.log.events("session_left")); c.resumes == 0 && left != 1 {
					t.Errorf("left %d times", left)
				}
			})
		})
	}
}

// The removal of a registry entry is enough: no rescan is waited for.
func TestRegistryEntryRemoved(t *testing.T) {
	in(t, func(r *rig) {
		if err := os.MkdirAll(filepath.Join(r.agentDir(), "sessions"), 0o700); err != nil {
			t.Fatal(err)
		}
		r.o.Config.Watch.Rescan *= 1000
		r.start()
		id, entry := r.terminal()
		r.add(id, r.record(id, "user", "", interactive), r.record(id, "limit", "", interactive))
		r.end(901)
		if err := os.Remove(entry); err != nil {
			t.Fatal(err)
		}
		r.watch.send(fsnotify.Event{Name: entry, Op: fsnotify.Remove})
		synctest.Wait()
		if rec := r.rec(id); rec.HolderEnd != state.HolderQuit || rec.Phase != state.Following {
			t.Errorf("holder end %q, phase %s", rec.HolderEnd, rec.Phase)
		}
	})
}

// A problem is told once for as long as it lasts, and again when it comes back after weeks; and however many files are not as they should
// be, what is wrong with clawd's own state is told.
func TestProblemsComeBack(t *testing.T) {
	log, now := &logBuffer{}, time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	w := &warned{log: zerolog.New(log), now: func() time.Time { return now }, all: map[string]map[string]time.Time{}}
	told := func(event string, want int) {
		t.Helper()
		if n := len(log.events(event)); n != want {
			t.Errorf("%s was told %d times, want %d", event, n, want)
		}
	}
	for n := range 2 * maxWarned {
		w.warn("file_refused", "odd", fmt.Errorf("file %d", n))
	}
	told("file_refused", maxWarned+1) // the last one says that there are more
	full := errors.New("no room is left")
	for range 3 { // days
		for range 48 {
			w.warn("state_error", "not now", full)
			now = now.Add(30 * time.Minute)
		}
		w.forget()
	}
	told("state_error", 1)
	now = now.Add(14 * 24 * time.Hour)
	w.forget()
	w.warn("state_error", "not now", full)
	told("state_error", 2)
}
