//go:build linux

package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// limitedBeside is a world in which Claude Code has stopped at its plan's limit for hours, and another agent is there as well.
func limitedBeside(t *testing.T, to agentCase) (w *world, id string) {
	w = newWorld(t, claude332)
	w.configure(to)
	w.env = w.variables(to, to.bin(t))
	w.useLogin()
	return w, w.stopped(provider.UsageLimit(provider.FiveHour, 3*time.Hour))
}

// TestHandOver: another agent goes on at once with what Claude Code was asked, and nothing more is asked for the old session.
func TestHandOver(t *testing.T) {
	t.Parallel()
	for _, to := range []agentCase{codex169, opencode, gemini061, pi152} {
		t.Run(to.kind, func(t *testing.T) {
			if to != codex169 {
				onlyInAll(t)
			}
			t.Parallel()
			w, id := limitedBeside(t, to)
			c := w.startClawd(settings{to: &to})
			c.waitFor(2*agentTime, "resume_started", "session", id, "with", to.kind, "plan", "fresh")
			done := c.waitFor(2*agentTime, "session_recovered", "session", id)
			if !strings.HasPrefix(done.text("new"), to.kind+"/") {
				t.Errorf("it goes on in %q", done.text("new"))
			}
			c.wait("session_handed_over", "session", id)
			c.waitFor(2*agentTime, "run_ended", "session", id)
			c.quiet(6 * time.Second)
			w.wantMain(2)
			if asked := string(w.provider.Main()[1].Body); !strings.Contains(asked, "You take over from an earlier session") || !strings.Contains(asked, "say done") {
				t.Errorf("it was asked %q", asked)
			}
			if n := len(c.entries("resume_started")); n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}

// TestHandOverKilled: the other agent is killed when it has asked. What became of it cannot be told, so its user is told, and
// neither agent is started again.
func TestHandOverKilled(t *testing.T) {
	t.Parallel()
	for _, to := range []agentCase{codex169, gemini061} {
		t.Run(to.kind, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w, id := limitedBeside(t, to)
			held, release := provider.Hold(provider.Text("late"))
			defer release()
			w.provider.Queue(held)
			c := w.startClawd(settings{to: &to})
			e := c.waitFor(2*agentTime, "resume_started", "session", id, "with", to.kind)
			w.waitMain(2)
			if err := syscall.Kill(-int(e.number("pid")), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			c.wait("session_held", "session", id)
			c.quiet(6 * time.Second)
			w.wantMain(2)
			if n := len(c.entries("resume_started")); n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}
