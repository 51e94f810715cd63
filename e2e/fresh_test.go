//go:build linux

package e2e

import (
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// A fresh session whose run is killed when it has asked and printed nothing yet: what became of it cannot be told, so its user is
// told, and no second one is begun.
func TestFreshKilledAfterItAsked(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, a := range []agentCase{claude332, codex171, gemini061, opencode} {
		t.Run(a.kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			held, release := provider.Hold(provider.Text("late"))
			defer release()
			var c *clawd
			before := 1
			if a.isOpencode() { // which makes room by itself in a session that is full
				w.spoilRow(w.stopped(w.rateLimit()))
				before = w.stops()
				w.provider.Queue(held)
				c = w.startClawd(settings{})
			} else {
				c = w.startClawd(settings{})
				w.provider.Queue(provider.TooLong(), held)
				w.prompt("say done")
			}
			e := c.waitFor(2*agentTime, "resume_started", "plan", "fresh")
			w.waitMain(before + 1)
			if err := syscall.Kill(-int(e.number("pid")), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			c.wait("session_held")
			c.quiet(6 * time.Second)
			w.wantMain(before + 1)
			if n := c.starts("plan", "fresh"); n != 1 {
				t.Errorf("%d fresh sessions", n)
			}
		})
	}
}
