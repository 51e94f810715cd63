package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/state"
)

// TestUnsaid: an agent that ends again and again before it asks anything, and says nothing that is known, is tried again, for time may
// heal that. Its user is told once, with the file that has the agent's words, and that clawd needs him until it is over.
func TestUnsaid(t *testing.T) {
	for _, c := range []struct {
		name, said string
		told       int
	}{
		{"nothing that is known", "Error loading config.toml: the moon is in the wrong phase\n", 1},
		{"nothing at all", "", 1},
		{"a broken network", "API Error: Unable to connect to API (ECONNREFUSED)\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.children.act = func(ch *child) {
					if len(r.children.started()) < 6 {
						put(t, ch.claim.Output, c.said)
					} else {
						ch.ask()
						ch.say("answer")
					}
					ch.end()
				}
				standing := func(id string) state.Standing {
					s, _ := r.rec(id).Standing(time.Now())
					return s
				}
				r.start()
				id, _ := r.stopped("limit")
				r.pass(time.Minute)
				if got := standing(id); got != state.Waits {
					t.Errorf("after one: %s", got)
				}
				r.pass(14 * time.Minute)
				r.wantStarts(5)
				if got := standing(id); (got == state.NeedsYou) != (c.told > 0) {
					t.Errorf("after five: %s", got)
				}
				r.down()
				r.start()
				r.pass(time.Hour)
				r.wantStarts(6)
				r.wantPhase(id, state.Following)
				told := r.log.events("session_put_off")
				if len(told) != c.told {
					t.Fatalf("told: %v", told)
				}
				for _, e := range append(told, r.log.events("resume_failed")...) {
					why := e["why"].(string)
					if strings.Contains(why, "/runs/") != (c.told > 0 && c.said != "") || strings.Contains(why, "moon") {
						t.Errorf("why: %s", why)
					}
				}
				if got := standing(id); got != state.Done {
					t.Errorf("after all: %s", got)
				}
			})
		})
	}
}
