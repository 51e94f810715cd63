//go:build linux

package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// TestQwenPromptIsKept: a prompt that got no answer stands in the request of the next one, so the constant prompt is
// enough: after a limit, and when the run was killed a moment after it asked.
func TestQwenPromptIsKept(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, qwen024)
	id := w.stopped(w.rateLimit())
	continued := func(task string) {
		t.Helper()
		if r := w.resume(id, "continue").wait(); r.code() != 0 {
			t.Fatalf("exit code %d\n%s", r.code(), r.output())
		}
		main := w.provider.Main()
		if n := strings.Count(string(main[len(main)-1].Body), task); n != 1 {
			t.Errorf("%q stands %d times in the request", task, n)
		}
	}
	continued("say done")

	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.Queue(held)
	before := w.main()
	r := w.resume(id, "second task")
	w.waitMain(before + 1)
	w.eventually(agentTime, "its record", func() bool { return w.begun(id) == 3 })
	for _, pid := range w.agents() {
		_ = syscall.Kill(pid, syscall.SIGKILL) // the launcher may have gone with its child
	}
	r.wait()
	continued("second task")
}

// TestQwen015Resumes: what 0.15 gives up on is gone on with once, also over a kill of clawd.
func TestQwen015Resumes(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, qwen015)
	s := settings{base: "15s"}
	c := w.startClawd(s)
	id := w.stopped(provider.ServerError())
	c.wait("session_stopped", "session", id, "reason", "server_error")
	c.wait("resume_scheduled", "session", id, "strategy", "same_session")
	c.kill9()
	c = w.startClawd(s)
	c.resumedOnce(id)
	c.quiet(6 * time.Second)
	w.wantMain(w.stops() + 1)
}
