//go:build linux

package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// The proofs of no effect for Claude Code. Each allows clawd a second fire for the same stop, so
// each is checked on every pinned version, without clawd.

func TestClaude332NoEffect(t *testing.T) { claudeNoEffect(t, claude332) }
func TestClaude329NoEffect(t *testing.T) { claudeNoEffect(t, claude329) }
func TestClaude197NoEffect(t *testing.T) { claudeNoEffect(t, claude197) }

func claudeNoEffect(t *testing.T, a agentCase) {
	t.Parallel()
	for name, proof := range map[string]func(*testing.T, agentCase){
		"KilledBeforeInit":               claudeKilledBeforeInit,
		"UnknownSession":                 claudeUnknownSession,
		"IdempotentGoesOn":               claudeIdempotentGoesOn,
		"SecondIdempotentAfterLimit":     claudeSecondAfterLimit,
		"SecondIdempotentAfterCut":       claudeSecondAfterCut,
		"IdempotentOnFinishedSession":    claudeIdempotentFinished,
		"IdempotentOnInterruptedSession": claudeIdempotentInterrupted,
		"IdempotentOnOldStop":            claudeIdempotentOld,
		"IdempotentHeldForPlan":          claudeIdempotentPlan,
		"FreshIDInUse":                   claudeFreshIDInUse,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proof(t, a)
		})
	}
}

// limited makes a world with one session that a rate limit stopped.
func limited(t *testing.T, a agentCase) (w *world, id string) {
	t.Helper()
	w = newWorld(t, a)
	w.provider.Queue(provider.RateLimit())
	r := w.prompt("say done")
	if r.code() != 1 || w.main() != 1 {
		t.Fatalf("exit code %d after %d requests, want 1 and 1\n%s", r.code(), w.main(), r.output())
	}
	return w, w.only()
}

func began(r *run) bool {
	return strings.Contains(r.stdout(), `"type":"system","subtype":"init"`)
}

// A run killed before it printed system/init has asked nothing.
func claudeKilledBeforeInit(t *testing.T, a agentCase) {
	w, id := limited(t, a)
	w.killsAround(id, func() int { return 0 }, func(k kill) bool { return !began(k.run) })
}

func claudeUnknownSession(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	const id = "00000000-0000-4000-8000-000000000000"
	for _, r := range []*run{w.resume(id, "continue").wait(), w.idempotent(id).wait()} {
		if r.code() != 1 || !strings.Contains(r.output(), "No conversation found with session ID: "+id) {
			t.Errorf("%v: exit code %d\n%s", r.cmd.Args, r.code(), r.output())
		}
	}
	if n := w.settledMain(); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func claudeIdempotentGoesOn(t *testing.T, a agentCase) {
	w, id := limited(t, a)
	r := w.idempotent(id).wait()
	if got := w.settledMain(); r.code() != 0 || got != 2 || w.only() != id {
		t.Errorf("exit code %d, %d requests, session %s, want 0, 2, %s\n%s", r.code(), got, w.only(), id, r.output())
	}
}

// nothing runs the idempotent form and wants no request, and exit code 0.
func nothing(w *world, id string) {
	w.t.Helper()
	before := w.settledMain()
	r := w.idempotent(id).wait()
	if got := w.settledMain(); r.code() != 0 || got != before {
		w.t.Errorf("exit code %d and %d further requests, want 0 and 0\n%s", r.code(), got-before, r.output())
	}
}

func claudeSecondAfterLimit(t *testing.T, a agentCase) {
	w, id := limited(t, a)
	w.provider.Queue(provider.RateLimit())
	if r := w.idempotent(id).wait(); r.code() != 1 || w.main() != 2 {
		t.Fatalf("exit code %d after %d requests, want 1 and 2\n%s", r.code(), w.main(), r.output())
	}
	nothing(w, id)
	// The plain form still goes on.
	if r := w.resume(id, "continue").wait(); r.code() != 0 || w.main() != 3 {
		t.Errorf("exit code %d after %d requests, want 0 and 3\n%s", r.code(), w.main(), r.output())
	}
}

func claudeSecondAfterCut(t *testing.T, a agentCase) {
	w, id := limited(t, a)
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.Queue(held)
	r := w.idempotent(id)
	w.waitMain(2)
	// Lines are batched: without the wait the run may leave not one of its lines.
	w.eventually(agentTime, "the run's own user line", func() bool { return strings.Contains(w.transcript(id), `"isMeta":true`) })
	r.signal(syscall.SIGKILL)
	nothing(w, id)
}

func claudeIdempotentFinished(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	if r := w.prompt("say done"); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	nothing(w, w.only())
}

func claudeIdempotentInterrupted(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	nothing(w, w.interrupted())
}

// From 2.1.269 on the form does nothing for a stop that is older than six hours, unless the agent's own
// variable lifts that bound. What it does then is a proof: the session grows, and nothing was begun.
func claudeIdempotentOld(t *testing.T, a agentCase) {
	w, id := limited(t, a)
	w.makeOld(id, 7*time.Hour)
	if a != claude197 {
		before := len(w.transcript(id))
		nothing(w, id)
		if len(w.transcript(id)) == before {
			t.Error("the session was opened and did not grow")
		}
	}
	r := w.start(w.project, []string{"CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1", "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS=31536000000"},
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--resume", id).wait()
	if got := w.settledMain(); r.code() != 0 || got != 2 || !began(r) {
		t.Errorf("exit code %d, %d requests, want 0, 2\n%s", r.code(), got, r.output())
	}
}

// From some version on the form holds a session in plan mode, and says so, when it is started in
// another mode.
func claudeIdempotentPlan(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	w.provider.Queue(provider.RateLimit())
	w.start(w.project, nil, "-p", "say done", "--permission-mode", "plan", "--output-format", "stream-json", "--verbose").wait()
	id := w.only()
	if a == claude197 {
		return
	}
	nothing(w, id)
	r := w.idempotent(id).wait()
	if !strings.Contains(r.stdout(), `"resume_held_for_plan":true`) || began(r) {
		t.Errorf("it does not say that it holds the session:\n%s", r.output())
	}
}

// A fresh session whose id is taken is refused without a request.
func claudeFreshIDInUse(t *testing.T, a agentCase) {
	w, id := limited(t, a)
	r := w.start(w.project, nil, "-p", "hello", "--session-id", id).wait()
	if got := w.settledMain(); r.code() != 1 || got != 1 || !strings.Contains(r.output(), "is already in use") {
		t.Errorf("exit code %d after %d requests\n%s", r.code(), got, r.output())
	}
}
