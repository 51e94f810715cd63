package daemon

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/state"
)

// A run that failed and does not end is ended, whatever happens in the half minute that it is given.
func TestFailedRunThatHangsIsEnded(t *testing.T) {
	for _, what := range []string{"nothing", "restart", "reload"} {
		in(t, func(r *rig) {
			restart := what
			r.children.act = func(c *child) {
				c.opened()
				c.ask()
				c.say("limit") // and hangs
			}
			r.o.Reload = func() (config.Config, error) { return r.o.Config, nil }
			r.start()
			r.stopped("limit")
			r.pass(40 * time.Second)
			r.wantStarts(1)
			switch what {
			case "restart":
				r.down()
				r.start()
			case "reload":
				r.d.Reload()
			}
			r.pass(6 * time.Hour)
			c := r.children.started()[0]
			_, alive := r.procs.Get(c.pid)
			if n := len(r.children.started()); n < 2 || alive {
				t.Errorf("%s: after 6 h the hanging run lives %t, %d starts, phase %s", restart, alive, n, r.rec(c.claim.Session.ID).Phase)
			}
		})
	}
}

// A run that had resumed its session before it stopped again is ended by its user's order.
func TestCancelEndsARunThatStoppedAgain(t *testing.T) {
	for _, restart := range []bool{false, true} {
		in(t, func(r *rig) {
			r.children.act = func(c *child) {
				c.opened()
				c.ask()
				c.say("open")
			}
			r.seldom()
			r.start()
			id, _ := r.stopped("limit")
			r.pass(40 * time.Second)
			r.wantStarts(1)
			r.wantPhase(id, state.Following)
			r.add(id, r.line(id, "limit"))
			r.pass(20 * time.Second)
			r.wantPhase(id, state.Waiting)
			if restart {
				r.down()
				r.start()
			}
			r.pass(6 * time.Hour)
			c := r.children.started()[0]
			d, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id})
			r.pass(time.Minute)
			if _, alive := r.procs.Get(c.pid); err != nil || alive || d.Text != "clawd's run is being ended; no other one follows" {
				t.Errorf("restart %t: %+v, %v, alive %t", restart, d, err, alive)
			}
			r.pass(6 * time.Hour)
			r.wantStarts(1)
			r.wantPhase(id, state.Held)
		})
	}
}

// What a run cost that ended while clawd was not running counts, once.
func TestCostOfARunThatEndedMeanwhile(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Budget.MaxCostUSD = 1
		r.children.act = func(c *child) {
			c.opened()
			c.ask()
			c.say("open")
			if len(r.children.started()) == 2 { // ends by itself
				c.say("answer")
				c.end()
			}
		}
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.wantPhase(id, state.Following)
		c := r.children.started()[0]
		r.down()
		c.say("answer")
		put(t, c.claim.Output, fmt.Sprintf(`{"type":"result","subtype":"success","is_error":false,"session_id":%q,"total_cost_usd":25.5}`+"\n", id))
		c.end()
		r.start()
		r.pass(time.Minute)
		other, _ := r.stopped("limit")
		r.pass(5 * time.Minute)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts though a run of today cost 25.50 USD and max_cost_usd is 1 (other is %s, run_ended %v)", n, r.rec(other).Phase, r.log.events("run_ended"))
		}
	})
}

// Claude Code goes on counting where its session stood: what that had cost before is not the run's.
func TestCostOfASessionIsNotTheRuns(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Budget.MaxCostUSD = 1
		r.children.act = func(c *child) {
			c.opened()
			c.ask()
			c.say("answer")
			put(t, c.claim.Output, fmt.Sprintf(`{"type":"result","subtype":"success","is_error":false,"session_id":%q,"total_cost_usd":25.75}`+"\n", c.claim.Session.ID))
			c.end()
		}
		r.start()
		id, _ := r.stopped("limit")
		r.add(id, fmt.Sprintf(`{"type":"cost-state","sessionId":%q,"totalCostUSD":25.5,"totalAPIDuration":66}`+"\n", id))
		r.pass(time.Minute)
		r.stopped("limit")
		r.pass(5 * time.Minute)
		if n := len(r.children.started()); n != 2 {
			t.Errorf("%d starts, want 2: the first run cost 0.25 USD, and max_cost_usd is 1", n)
		}
	})
}

// What a run cost counts where its session is gone, too.
func TestCostOfARunWhoseSessionIsGone(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Budget.MaxCostUSD = 1
		r.children.act = func(c *child) {
			c.opened()
			c.ask()
			put(t, c.claim.Output, fmt.Sprintf(`{"type":"result","subtype":"success","is_error":false,"session_id":%q,"total_cost_usd":25.5}`+"\n", c.claim.Session.ID))
			if err := os.Remove(c.claim.Session.Path); err != nil {
				t.Error(err)
			}
			c.end()
		}
		r.start()
		r.stopped("limit")
		r.pass(time.Hour)
		r.stopped("limit")
		r.pass(5 * time.Minute)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts though a run of today cost 25.50 USD and max_cost_usd is 1: %v", n, r.log.events("resume_failed"))
		}
	})
}
