//go:build linux

package e2e

import (
	"os"
	"strings"
	"testing"
)

// Its user has queued a message for a session that nobody has open. Codex begins the next run with it, whoever starts that, so clawd
// would take it for a person at work and end it: the session is left to its user, with the message.
func TestQueuedMessage(t *testing.T) {
	t.Parallel()
	for _, a := range []agentCase{codex171, codex169} {
		t.Run(a.version, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, a)
			c := w.startClawd(settings{base: "15s"})
			id := w.stopped(w.rateLimit())
			if r := w.start(w.project, nil, "queue", "--thread", id, "--message=do this, too").wait(); r.code() != 0 {
				t.Fatalf("exit code %d\n%s", r.code(), r.output())
			}
			e := c.wait("session_left", "session", id)
			if why := e.text("why"); !strings.Contains(why, "in Codex's queue") {
				t.Errorf("why: %s", why)
			}
			if out := w.startProgram(os.Getenv(envInside), "resume", id).wait(); out.code() != 1 || !strings.Contains(out.output(), "in Codex's queue") {
				t.Errorf("clawd resume: %d, %s", out.code(), out.output())
			}
			w.wantMain(w.stops())
			if r := w.resume(id, "go on").wait(); r.code() != 0 {
				t.Fatalf("exit code %d\n%s", r.code(), r.output())
			}
			var asked []string
			for _, m := range w.provider.Main()[w.stops():] {
				asked = append(asked, m.LastUser)
			}
			if got := strings.Join(asked, "; "); got != "do this, too; go on" {
				t.Errorf("asked: %s", got)
			}
			if n := len(c.entries("resume_started")); n != 0 {
				t.Errorf("%d starts", n)
			}
		})
	}
}
