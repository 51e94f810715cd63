package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/state"
)

// walk is one step of the crash walk: clawd or its shim is killed at the point, while the agent
// behaves as the modes say.
type walk struct {
	point string
	shim  bool
	modes []string
	held  bool // the end is held, not resumed
}

func walks() []walk {
	var all []walk
	for _, p := range []string{"T1", "T2", "T3", "T4"} {
		for _, side := range []string{".before", ".after"} {
			all = append(all, walk{point: p + side, modes: []string{"succeed"}})
		}
	}
	for _, side := range []string{".before", ".after"} {
		all = append(all,
			walk{point: "T4" + side, modes: []string{"limit", "succeed"}},
			walk{point: "T4" + side, modes: []string{"die before init", "succeed"}},
			walk{point: "T4" + side, modes: []string{"die after init"}, held: true},
			walk{point: "outbox" + side, modes: []string{"die after init"}, held: true},
			walk{point: "outbox" + side, modes: []string{"die after prompt"}, held: true},
			walk{point: "T5" + side, modes: []string{"denied"}})
	}
	for _, p := range []string{"gate", "mark.before", "mark.half", "mark.after", "exec"} {
		all = append(all, walk{point: p, shim: true, modes: []string{"succeed"}})
	}
	return all
}

// TestCrashWalk kills clawd or the shim at every durable step, on both sides of it, and proves
// from the agent's own list of its starts: never twice, never lost.
func TestCrashWalk(t *testing.T) {
	t.Parallel()
	for _, c := range walks() {
		t.Run(c.point+"/"+strings.Join(c.modes, ","), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.modes...)
			id, key := w.limited()
			once := filepath.Join(w.root, "once")
			if err := os.Mkdir(once, 0o700); err != nil {
				t.Fatal(err)
			}
			d := w.start("CLAWD_CRASH_AT="+c.point, "CLAWD_CRASH_ONCE="+once)
			crashed := filepath.Join(once, "crashed")
			w.until("the crash point "+c.point, func() bool { _, err := os.Stat(crashed); return err == nil })
			logs := []*daemonProc{d}
			if !c.shim {
				d.ended(false)
				logs = append(logs, w.start())
			}
			w.settled(1)
			logs[len(logs)-1].stop()
			w.checkWalk(c, id, key, logs)
		})
	}
}

func (w *world) checkWalk(c walk, id, key string, logs []*daemonProc) {
	w.t.Helper()
	l := w.ledger()
	w.neverTwice(l)
	if l.stats.TotalResumes != l.count("resumed", "") {
		w.t.Errorf("total_resumes is %d, the history has %d", l.stats.TotalResumes, l.count("resumed", ""))
	}
	rec := l.sessions[id]
	if !c.held {
		if rec.Phase != state.Following || l.stats.TotalResumes != 1 {
			w.t.Errorf("phase %s, %d resumes; want following, 1", rec.Phase, l.stats.TotalResumes)
		}
		return
	}
	if rec.Phase != state.Held || l.stats.TotalResumes != 0 || l.count("held", "") != 1 {
		w.t.Errorf("phase %s, %d resumes, %d times held; want held, 0, 1", rec.Phase, l.stats.TotalResumes, l.count("held", ""))
	}
	told := 0
	for _, d := range logs {
		told += len(d.events("session_held"))
	}
	if told == 0 || len(l.outbox) != 0 {
		w.t.Errorf("the user was told %d times, %d notices wait", told, len(l.outbox))
	}
	if n := len(w.starts()); n != 1 || w.starts()[0][0] != key {
		w.t.Errorf("%d starts, want one for %s: %v", n, key, w.starts())
	}
}

// neverTwice checks I1, I2 and I6: per stop one start, and one more for each proof that the one
// before had no effect; no start without a mark.
func (w *world) neverTwice(l ledger) {
	w.t.Helper()
	starts := map[string]int{}
	for _, s := range w.starts() {
		starts[s[0]]++
	}
	for key, n := range starts {
		proofs := 0
		for _, e := range l.history {
			if e.Key == key && e.Kind == "no_effect" && e.Proof != "" {
				proofs++
			}
		}
		if n > 1+proofs {
			w.t.Errorf("stop %s was fired for %d times with %d proofs of no effect", key, n, proofs)
		}
	}
	marks, err := filepath.Glob(filepath.Join(w.marks(), "attempts", "*[0-9]")) // not those half made
	if err != nil || len(marks) < len(w.starts()) {
		w.t.Errorf("%d marks for %d starts (%v)", len(marks), len(w.starts()), err)
	}
}

// TestKilledWhileChildRuns is I12: the child lives on, its output is unharmed, and the next clawd
// takes it up.
func TestKilledWhileChildRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hang")
	id, _ := w.limited()
	d := w.start()
	w.until("the agent starts", func() bool { return len(w.starts()) == 1 })
	pid, err := strconv.Atoi(w.starts()[0][1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	began, ok := agent.NewProcs().Get(pid)
	if !ok {
		t.Fatalf("no process %d", pid)
	}
	output := func() int64 {
		out, err := filepath.Glob(filepath.Join(w.state, "clawd", "runs", "*.out"))
		if err != nil || len(out) != 1 {
			t.Fatalf("outputs %v: %v", out, err)
		}
		fi, err := os.Stat(out[0])
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm() != 0o600 {
			t.Errorf("the output has mode %v", fi.Mode())
		}
		return fi.Size()
	}
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	d.ended(false)
	size := output()
	w.until("the child goes on writing", func() bool { return output() > size+1000 })
	second := w.start()
	w.until("it is taken up", func() bool {
		st, ok := w.status()
		return ok && len(st.Sessions) == 1 && st.Sessions[0].PID == pid && st.Sessions[0].Phase == state.Fired
	})
	if p, ok := agent.NewProcs().Get(pid); !ok || p.Start != began.Start {
		t.Errorf("the child is not the same: %v %v", p, ok)
	}
	w.write(filepath.Join(w.fake, "release"), "")
	w.settled(1)
	second.stop()
	l := w.ledger()
	w.neverTwice(l)
	if len(w.starts()) != 1 || l.stats.TotalResumes != 1 || l.sessions[id].Phase != state.Following {
		t.Errorf("%d starts, %d resumes, phase %s", len(w.starts()), l.stats.TotalResumes, l.sessions[id].Phase)
	}
	began2, _ := os.ReadFile(w.outputs()[0])
	if !strings.HasPrefix(string(began2), `{"type":"system","subtype":"init"`) || !strings.Contains(string(began2), `"subtype":"success"`) {
		t.Errorf("the output was harmed: %.200s", began2)
	}
}

func (w *world) outputs() []string {
	out, _ := filepath.Glob(filepath.Join(w.state, "clawd", "runs", "*.out"))
	return out
}

// TestTwoDaemons: a second clawd of the same user refuses and names the first.
func TestTwoDaemons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	first := w.start()
	first.await("daemon_started")
	for name, env := range map[string]string{"same state folder": "", "another one": "XDG_STATE_HOME=" + t.TempDir()} {
		second := w.start(env)
		second.ended(false)
		if want := fmt.Sprintf("running already (pid %d)", first.cmd.Process.Pid); !strings.Contains(second.log.String(), want) {
			t.Errorf("%s: want %q in %s", name, want, second.log)
		}
	}
	first.stop()
}

// TestLostStore: the store is gone, the mark is there. The attempt is settled, not made again, and
// the next session is resumed as ever.
func TestLostStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, mode, says string }{
		{"no trace of it", "die after init", "session_held"},
		{"cut", "die after prompt", "session_held"},
		{"it went on", "succeed", "resume_succeeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.mode, "succeed")
			id, key := w.limited()
			once := filepath.Join(w.root, "once")
			if err := os.Mkdir(once, 0o700); err != nil {
				t.Fatal(err)
			}
			w.start("CLAWD_CRASH_AT=T4.before", "CLAWD_CRASH_ONCE="+once).ended(false)
			if err := os.Remove(filepath.Join(w.state, "clawd", "clawd.db")); err != nil {
				t.Fatal(err)
			}
			second := w.start()
			second.await("state_lost")
			if e := second.await(c.says); e["session"] != id {
				t.Errorf("%s is about %v", c.says, e["session"])
			}
			next, other := w.limited()
			w.until("the next one is resumed", func() bool {
				return slices.ContainsFunc(second.events("resume_succeeded"), func(e map[string]any) bool { return e["session"] == next })
			})
			second.stop()
			n, _, err := marks.Last(filepath.Join(w.marks(), "attempts"), detect.Session{Agent: "claude", ID: id}, key)
			if s := w.starts(); err != nil || n != 1 || len(s) != 2 || s[0][0] != key || s[1][0] != other {
				t.Errorf("newest mark %d (%v), starts %v; want 1, %s, %s", n, err, s, key, other)
			}
			if rec := w.ledger().sessions[id]; c.says == "session_held" && rec.Phase != state.Held {
				t.Errorf("phase %s, want held", rec.Phase)
			}
		})
	}
}

// TestTermWhileWaiting: nothing is fired after the signal, and the wait goes on after the next start.
func TestTermWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	conf := filepath.Join(w.root, "clawd.toml")
	b, err := os.ReadFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	w.write(conf, strings.Replace(string(b), `base = "1s"`, `base = "1h"`+"\n"+`cap = "2h"`, 1))
	id, _ := w.limited()
	d := w.start()
	d.await("resume_scheduled")
	at := time.Now()
	d.stop()
	if took := time.Since(at); took > 5*time.Second {
		t.Errorf("the stop took %v", took)
	}
	if len(d.events("daemon_stopped")) != 1 || len(w.starts()) != 0 {
		t.Errorf("starts %v; log:\n%s", w.starts(), d.log)
	}
	if rec := w.ledger().sessions[id]; rec.Phase != state.Waiting {
		t.Fatalf("phase %s, want waiting", rec.Phase)
	}
	w.write(conf, string(b))
	second := w.start()
	second.await("resume_scheduled")
	second.stop()
	if rec := w.ledger().sessions[id]; rec.Phase != state.Waiting || len(w.starts()) != 0 {
		t.Errorf("phase %s, starts %v", rec.Phase, w.starts())
	}
}
