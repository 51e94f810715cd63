package daemon

import (
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// A clock that is set back does not lengthen a backoff, and does not shorten the wait for a reset time.
func TestClockSetBackWhileItWaits(t *testing.T) {
	for kind, wait := range map[string]time.Duration{"limit": 30 * time.Second, "plan": 7*time.Hour + time.Minute} {
		in(t, func(r *rig) {
			r.start()
			id, _ := r.stopped(kind)
			r.wantPhase(id, state.Waiting)
			r.pass(time.Second)
			r.clock.jump(-6 * time.Hour)
			r.pass(15 * time.Second)
			r.d.loop.ask((*loop).renew) // as a new config does
			r.pass(wait - 17*time.Second)
			r.wantStarts(0)
			r.pass(wallStep + 2*time.Second)
			r.wantStarts(1)
		})
	}
}

// What is put off after that is put off for its time, and not tried without a pause.
func TestClockSetBackAndPutOff(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		r.stopped("limit")
		r.clock.jump(-6 * time.Hour)
		program := r.o.Config.Agent["claude"].Command
		if err := os.Rename(program, program+".new"); err != nil { // it updates itself
			t.Fatal(err)
		}
		r.pass(35 * time.Second)
		if n := len(r.log.events("resume_postponed")); n != 1 {
			t.Fatalf("put off %d times; log:\n%s", n, r.log)
		}
		if err := os.Rename(program+".new", program); err != nil {
			t.Fatal(err)
		}
		r.pass(50 * time.Second)
		r.wantStarts(0)
		r.pass(20 * time.Second)
		r.wantStarts(1)
	})
}

// Nor does it keep others from starting.
func TestClockSetBackBetweenStarts(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		r.stopped("limit")
		r.pass(40 * time.Second)
		r.wantStarts(1)
		r.clock.jump(-6 * time.Hour)
		id, _ := r.stopped("limit")
		r.order(id, resume.Order{Now: true})
		r.wantStarts(2)
	})
}

// Who waits for another session of its account, or for the next day's budget, does not do so in a circle.
func TestClockSetBackIsNoBusyLoop(t *testing.T) {
	t.Run("the first of the account is at work", func(t *testing.T) {
		in(t, func(r *rig) {
			var looks atomic.Int64
			r.wrapAgent(func(a whole) agent.Agent { return counter{a, &looks} })
			r.children.act = func(c *child) {
				if c.ask(); len(r.children.started()) == 1 {
					c.say("window")
					c.end()
				}
			}
			r.start()
			for range 3 {
				r.stopped("window")
			}
			r.pass(20 * time.Minute)
			r.wantStarts(1)
			r.clock.jump(-6 * time.Hour)
			r.pass(35 * time.Minute)
			r.wantStarts(2)
		})
	})
	t.Run("the budget is spent", func(t *testing.T) {
		in(t, func(r *rig) {
			var looks atomic.Int64
			r.wrapAgent(func(a whole) agent.Agent { return counter{a, &looks} })
			r.overBudget()
			r.pass(10 * time.Hour)
			looks.Store(0)
			r.clock.jump(-6 * time.Hour)
			r.pass(25 * time.Hour)
			r.wantStarts(2)
		})
	})
}
