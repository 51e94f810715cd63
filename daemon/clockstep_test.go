package daemon

import (
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// A span ends when it is over by the wall clock or by elapsed time, whichever comes first; a reset
// time by the wall clock alone.
func TestSpanAndClockSteps(t *testing.T) {
	const hour = 60 * time.Minute
	for name, c := range map[string]struct {
		by         []time.Duration // a jump a minute
		span, wall time.Duration   // how long a wait of 10 minutes lasts
	}{
		"set back":             {[]time.Duration{-6 * hour}, 10 * time.Minute, 6*hour + 10*time.Minute},
		"set back twice":       {[]time.Duration{-6 * hour, -hour}, 10 * time.Minute, 7*hour + 10*time.Minute},
		"set back and right":   {[]time.Duration{-6 * hour, 6 * hour}, 10 * time.Minute, 10 * time.Minute},
		"asleep":               {[]time.Duration{hour}, time.Minute, time.Minute},
		"set back, and asleep": {[]time.Duration{-hour, 2 * hour}, 2 * time.Minute, 2 * time.Minute},
		"asleep, and set back": {[]time.Duration{5 * time.Minute, -hour}, 10 * time.Minute, hour + 5*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, clock, _ := startSleeper(t)
				began, end := time.Now(), s.Now().Add(10*time.Minute)
				took := func(s resume.Sleeper) chan time.Duration {
					done := make(chan time.Duration, 1)
					go func() {
						if err := s.Until(t.Context(), end); err != nil {
							t.Error(err)
						}
						done <- time.Since(began)
					}()
					return done
				}
				of := span{s, began.Add(10 * time.Minute)}
				first, wall := took(of), took(s)
				for _, by := range c.by {
					<-time.After(time.Minute)
					clock.jump(by)
				}
				synctest.Wait()
				second := took(of) // it is waited for anew
				for what, got := range map[string]time.Duration{"span": <-first, "begun anew": <-second} {
					if got < c.span || got > c.span+wallStep {
						t.Errorf("%s: %v, want %v", what, got, c.span)
					}
				}
				if got := <-wall; got < c.wall || got > c.wall+wallStep {
					t.Errorf("by the wall clock: %v, want %v", got, c.wall)
				}
			})
		})
	}
}

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
			r.d.session(r.d.agents[0], r.session(id)).again.Store(true) // as a new config does
			r.d.poke(r.work, r.d.session(r.d.agents[0], r.session(id)))
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
			r.wrapAgent(func(a agent.Agent) agent.Agent { return counter{a, &looks} })
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
			r.wrapAgent(func(a agent.Agent) agent.Agent { return counter{a, &looks} })
			r.overBudget()
			r.pass(10 * time.Hour)
			looks.Store(0)
			r.clock.jump(-6 * time.Hour)
			r.pass(25 * time.Hour)
			r.wantStarts(2)
		})
	})
}
