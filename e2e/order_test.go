//go:build linux

package e2e

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// TestOrderAboutACutTurn: its user kills a run in mid turn and orders it to go on at once, more than once. What is refused says why, and
// one run follows.
func TestOrderAboutACutTurn(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	reasons := []string{"only just", "its files do not answer", "it is being resumed right now", "the session is running", "its turn ended well"}
	for _, a := range []agentCase{claude332, codex171, opencode} {
		t.Run(a.kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			c := w.startClawd(settings{})
			c.wait("agent_found")
			held, release := provider.Hold(provider.Text("late"))
			defer release()
			w.provider.Queue(held)
			r := w.startPrompt(w.project, "say done")
			w.waitMain(1)
			w.eventually(agentTime, "a session", func() bool { return len(w.sessions()) == 1 })
			id := w.only()
			r.signal(syscall.SIGKILL)
			order := func() bool {
				out := w.startProgram(os.Getenv(envInside), "resume", "--now", id).wait()
				if out.code() == 0 {
					return true
				}
				if !slices.ContainsFunc(reasons, func(why string) bool { return strings.Contains(out.output(), why) }) {
					t.Errorf("refused, as %q", out.output())
				}
				return false
			}
			w.eventually(agentTime, "the order is taken", order)
			for range 2 { // while it starts, and while it works
				order()
			}
			c.wait("resume_succeeded", "session", id)
			order() // about what has ended well by now
			c.quiet(10 * time.Second)
			w.wantMain(2)
			if n := c.starts(); n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}
