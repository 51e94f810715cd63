//go:build linux

package e2e

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// usedUp runs a new session of Codex 0.120 into a plan's limit, which is all that it records of a headless run that failed.
func (w *world) usedUp(in time.Duration, args ...string) (id string) {
	w.t.Helper()
	w.planLimit(in, false)
	if r := w.start(w.project, nil, append(append([]string{"exec", "--json"}, args...), "say done")...).wait(); r.code() != 1 {
		w.t.Fatalf("exit code %d, want 1\n%s", r.code(), r.output())
	}
	return w.only()
}

// A resume gets what the run had, also over a kill of clawd.
func TestCodex120Resumes(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, codex120)
	c := w.startClawd(settings{})
	id := w.usedUp(20*time.Second, "--disable", "shell_tool", "-c", `web_search="disabled"`, "-m", "demo-2")
	c.wait("resume_scheduled", "session", id, "strategy", "same_session")
	c.kill9()
	c = w.startClawd(settings{})
	c.wait("resume_started", "session", id, "flags", "seen")
	c.resumedOnce(id)
	c.quiet(5 * time.Second)
	w.wantMain(2)
	w.same(0, 1)
	if a := w.asks(1); a.model != "demo-2" {
		t.Errorf("model %s", a.model)
	}
}

// Versions before 0.150 have no lock: they let their user into a session that is being resumed. The resume gives way.
func TestCodex120ByHandDuring(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, codex120)
	c := w.startClawd(settings{})
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.Queue(held, provider.Text("for the user")) // for what comes behind the reset
	id := w.usedUp(10 * time.Second)
	c.wait("resume_scheduled", "session", id)
	w.waitMain(2) // our child has asked and waits
	if r := w.resume(id, "I go on myself").wait(); r.code() != 0 {
		t.Errorf("the user's run: exit code %d\n%s", r.code(), r.output())
	}
	c.wait("resume_yielded", "session", id)
	w.eventually(agentTime, "the end of our child", func() bool { return len(w.agents()) == 0 })
	c.quiet(5 * time.Second)
	w.wantMain(3)
	if n := len(c.entries("resume_succeeded")); n != 0 {
		t.Errorf("the user's work was counted as ours")
	}
}
