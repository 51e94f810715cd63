package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/state"
)

// TestNotLoggedIn: an agent that ends before it asks anything, and says that nobody is logged in, is not started again and again: its
// user is told. The same words about what heals by itself change nothing.
func TestNotLoggedIn(t *testing.T) {
	for _, c := range []struct {
		name, said string
		left       bool
	}{
		{"not logged in", "Warning: no ripgrep\nNot logged in · Please run /login\n", true},
		{"a broken network", "API Error: Unable to connect to API (ECONNREFUSED)\n", false},
		{"nothing that is known", "the moon is in the wrong phase\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.children.act = func(ch *child) {
					if len(r.children.started()) == 1 {
						put(t, ch.claim.Output, c.said)
					} else {
						ch.ask()
						ch.say("answer")
					}
					ch.end()
				}
				r.start()
				id, _ := r.stopped("limit")
				r.pass(time.Hour)
				if !c.left {
					r.wantStarts(2)
					return
				}
				r.wantStarts(1)
				if left := r.log.events("session_left"); len(left) != 1 || left[0]["reason"] != "auth" {
					t.Errorf("told: %v", left)
				}
				if failed := r.log.events("resume_failed"); len(failed) != 1 || !strings.Contains(failed[0]["why"].(string), "auth") {
					t.Errorf("failed: %v", failed)
				}
				r.down()
				r.start()
				r.pass(24 * time.Hour)
				r.wantStarts(1)
				r.wantPhase(id, state.Following)
				r.add(id, r.line(id, "user"), r.line(id, "limit")) // its user has logged in
				r.pass(time.Hour)
				r.wantStarts(2)
			})
		})
	}
}
