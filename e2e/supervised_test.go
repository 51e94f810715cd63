//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Claude Code's own supervisor runs a session in the background. Its user is told how to get there; once its process was killed the
// supervisor starts another, which goes on by itself, and clawd starts none beside it.
func TestSupervisedClaude(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, claude332)
	w.prepareTerminal()
	c := w.startClawd(settings{base: "4s"})
	w.provider.Queue(w.rateLimitFor(5))
	if r := w.start(w.project, nil, "--bg", "say done").wait(); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	e := c.wait("session_unreachable", "reason", "rate_limit")
	id := w.only()
	if do := e.text("command"); !strings.Contains(do, "claude attach "+id[:8]+", and type") {
		t.Errorf("it says to do: %s", do)
	}
	var roster struct {
		Workers map[string]struct {
			PID    int    `json:"replPid"`
			Socket string `json:"rendezvousSock"`
		}
	}
	if err := json.Unmarshal([]byte(readAll(filepath.Join(w.home(), ".claude/daemon/roster.json"))), &roster); err != nil {
		t.Fatal(err)
	}
	its := roster.Workers[id[:8]]
	if its.PID <= 1 || !strings.HasPrefix(its.Socket, "/tmp/cc-daemon-") {
		t.Fatalf("no process of it in %+v", roster)
	}
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(filepath.Dir(its.Socket))) }) // it lies outside of the world's folder
	if err := syscall.Kill(its.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e = c.wait("session_left", "session", id)
	if why, do := e.text("why"), e.text("command"); !strings.Contains(why, "runs it in the background") || !strings.HasSuffix(do, "claude attach "+id[:8]) {
		t.Errorf("why: %s; to do: %s", why, do)
	}
	w.waitMain(w.stops() + 1) // the supervisor's doing
	w.wantMain(w.stops() + 1)
	if n := len(c.entries("resume_started")); n != 0 {
		t.Errorf("%d starts", n)
	}
}

// A window that shows what the supervisor runs, and the supervisor's own processes, hold back no other session of their folder.
func TestBesideAgentsView(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, a := range []agentCase{claude332, claude197} {
		t.Run(a.version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			c := w.startClawd(settings{base: "5s"})
			p := w.openTerminal(false, "agents")
			p.shows("describe a task for a new session")
			id := w.stopped(w.rateLimit())
			c.resumedOnce(id)
			w.wantMain(w.stops() + 1)
			if all := c.entries("resume_postponed"); len(all) > 0 {
				t.Errorf("put off: %v", all[0])
			}
		})
	}
}
