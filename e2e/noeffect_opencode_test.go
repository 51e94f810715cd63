//go:build linux

package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/internal/provider"
)

// The proofs of no effect for opencode, without clawd.

func TestOpencodeNoEffect(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for name, proof := range map[string]func(*testing.T){
		"KilledBeforeUserRow":     opencodeKilledEarly,
		"UnknownSession":          opencodeUnknownSession,
		"SameSessionAfterTheKill": opencodeSameSession,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proof(t)
		})
	}
}

// unauthorized makes a world with one session that ended at once with an error of the provider.
func unauthorized(t *testing.T) (w *world, id string) {
	t.Helper()
	w = newWorld(t, opencode)
	w.provider.Queue(provider.Unauthorized())
	r := w.prompt("say done")
	if r.code() != 1 || w.main() != 1 {
		t.Fatalf("exit code %d after %d requests, want 1 and 1\n%s", r.code(), w.main(), r.output())
	}
	return w, w.only()
}

// userRows counts the prompts of a session.
func (w *world) userRows(id string) int {
	w.t.Helper()
	return len(w.query(`select id from message where session_id = ? and json_extract(data, '$.role') = 'user'`, id))
}

// A run killed before its user row stood in the database has asked nothing.
func opencodeKilledEarly(t *testing.T) {
	w, id := unauthorized(t)
	w.killsAround(id, func() int { return w.userRows(id) }, func(k kill) bool { return !k.wrote })
}

func opencodeUnknownSession(t *testing.T) {
	w, id := unauthorized(t)
	rows := w.query("select id from message")
	r := w.resume("ses_"+strings.Repeat("0", len(id)-len("ses_")), "continue").wait()
	if r.code() != 1 || !strings.Contains(r.output(), "Session not found") {
		t.Errorf("exit code %d\n%s", r.code(), r.output())
	}
	if got := w.settledMain(); got != 1 {
		t.Errorf("%d further requests", got-1)
	}
	if after := w.query("select id from message"); len(after) != len(rows) {
		t.Errorf("%d messages, before %d", len(after), len(rows))
	}
}

// After a kill the session goes on under its own id.
func opencodeSameSession(t *testing.T) {
	w := newWorld(t, opencode)
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.Queue(held)
	r := w.startPrompt(w.project, "say done")
	w.waitMain(1)
	r.signal(syscall.SIGKILL)
	id := w.only()
	if r := w.resume(id, "continue").wait(); r.code() != 0 || w.main() != 2 || w.only() != id {
		t.Errorf("exit code %d after %d requests\n%s", r.code(), w.main(), r.output())
	}
}
