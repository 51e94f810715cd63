//go:build linux

package e2e

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// zaiUsedUp is z.ai's code for a plan's window that is used up.
const zaiUsedUp = "1308"

// limitedBeside is a world in which an agent has stopped at its plan's limit for hours, and another one is there as well.
func limitedBeside(t *testing.T, from, to agentCase) (w *world, id string) {
	w = newWorld(t, from)
	w.configure(to)
	w.env = w.variables(to, to.bin(t))
	limit := provider.UsageLimit(provider.FiveHour, 3*time.Hour)
	switch {
	case from.isClaude():
		w.useLogin()
	case from.isGemini():
		limit = provider.UsageLimit(provider.SevenDay, 3*time.Hour) // it drops the reset of any quota but its daily one
	case from.isOpencode():
		w.anthro = true
	case !from.isCodex(): // they record no header, and this provider says it in its text, in the time of Beijing
		reset := time.Now().Add(3 * time.Hour).In(time.FixedZone("", 8*60*60)).Format(time.DateTime)
		limit = provider.Answer{Status: http.StatusTooManyRequests, Type: zaiUsedUp, Message: "Usage limit reached for 5 hour. Your limit will reset at " + reset}
	}
	return w, w.stopped(limit)
}

// TestHandOver: another agent goes on at once with what Claude Code was asked, and nothing more is asked for the old session.
func TestHandOver(t *testing.T) {
	t.Parallel()
	for _, to := range []agentCase{codex171, opencode, gemini061, pi160, copilot, qwen024} {
		t.Run(to.kind, func(t *testing.T) {
			if to != codex171 {
				onlyInAll(t)
			}
			t.Parallel()
			handsOver(t, claude332, to)
		})
	}
}

// TestHandOverFrom: so does Claude Code, with what any other agent was asked.
func TestHandOverFrom(t *testing.T) {
	t.Parallel()
	for _, from := range []agentCase{codex171, opencode, gemini061, pi160, copilot, qwen024} {
		t.Run(from.kind, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			handsOver(t, from, claude332)
		})
	}
}

func handsOver(t *testing.T, from, to agentCase) {
	w, id := limitedBeside(t, from, to)
	before := len(w.provider.Main())
	c := w.startClawd(settings{to: &to})
	c.waitFor(2*agentTime, "resume_started", "session", id, "with", to.kind, "plan", "fresh")
	done := c.waitFor(2*agentTime, "session_recovered", "session", id)
	if !strings.HasPrefix(done.text("new"), to.kind+"/") {
		t.Errorf("it goes on in %q", done.text("new"))
	}
	c.wait("session_handed_over", "session", id)
	c.waitFor(2*agentTime, "run_ended", "session", id)
	c.quiet(6 * time.Second)
	w.wantMain(before + 1)
	if asked := string(w.provider.Main()[before].Body); !strings.Contains(asked, "You take over from an earlier session") || !strings.Contains(asked, "say done") {
		t.Errorf("it was asked %q", asked)
	}
	if n := c.starts(); n != 1 {
		t.Errorf("%d starts", n)
	}
}

// TestHandOverKilled: the other agent is killed when it has asked. What became of it cannot be told, so its user is told, and
// neither agent is started again.
func TestHandOverKilled(t *testing.T) {
	t.Parallel()
	for _, to := range []agentCase{codex171, gemini061} {
		t.Run(to.kind, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w, id := limitedBeside(t, claude332, to)
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
			if n := c.starts(); n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}
