//go:build linux

package e2e

import (
	"testing"
	"time"
)

// TestOpencode3Resumes: what 1.3 stops at is gone on with once, also over a kill of clawd.
func TestOpencode3Resumes(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, opencode3)
	c := w.startClawd(settings{})
	id := w.stopped(w.rateLimit())
	stop := c.wait("session_stopped", "session", id, "reason", w.limited())
	plan := c.wait("resume_scheduled", "session", id, "strategy", "same_session")
	if s := plan.time("wake_at").Sub(stop.time("at")); s < retryAfter*time.Second {
		t.Errorf("the wait is over %s after the stop, want %d s", s, retryAfter)
	}
	c.kill9()
	c = w.startClawd(settings{})
	c.resumedOnce(id)
	c.quiet(6 * time.Second)
	w.wantMain(w.stops() + 1)
	if got := w.only(); got != id {
		t.Errorf("session %s, want %s", got, id)
	}
}
