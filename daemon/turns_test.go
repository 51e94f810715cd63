package daemon

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

var errNoAgent = errors.New("no such program")

func (r *rig) remove(id string) {
	r.t.Helper()
	if err := os.Remove(r.session(id).Path); err != nil {
		r.t.Fatal(err)
	}
	r.watch.send(fsnotify.Event{Name: r.session(id).Path, Op: fsnotify.Remove})
	synctest.Wait()
}

// crowd gives one session at work in the only lane there is, and two that wait for it and for the same window, the first
// of them in front. finish ends the work of whichever runs.
func (r *rig) crowd(lanes int) (front, behind string, finish func()) {
	r.t.Helper()
	r.o.Config.Resume.MaxParallel = lanes
	r.children.act = (*child).ask
	r.seldom()
	r.start()
	first := uuid.NewString()
	front, behind = uuid.NewString(), uuid.NewString()
	for _, id := range []string{first, front, behind} {
		r.add(id, r.line(id, "user"), r.line(id, "answer"))
	}
	for _, id := range []string{front, behind} {
		r.pass(2 * time.Second)
		r.add(id, r.line(id, "user"), r.line(id, "plan"))
	}
	r.pass(58 * time.Minute)
	if lanes == 1 {
		r.add(first, r.line(first, "user"), r.line(first, "limit"))
	}
	r.pass(4 * time.Minute)
	r.wantStarts(1)
	return front, behind, func() {
		for _, c := range r.children.started() {
			if c.Alive() {
				c.say("answer")
				c.end()
			}
		}
	}
}

// Who goes first into a window and then does not start lets another one go first.
func TestFrontIsGivenUp(t *testing.T) {
	for name, leaves := range map[string]func(r *rig, id string){
		"cancelled": func(r *rig, id string) {
			if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id}); err != nil {
				r.t.Error(err)
			}
		},
		"ignored": func(r *rig, id string) {
			if _, err := r.d.Obey(r.work, machine.Ignore, Order{Session: id}); err != nil {
				r.t.Error(err)
			}
		},
		"ended by hand":  func(r *rig, id string) { r.add(id, r.line(id, "user"), r.line(id, "answer")) },
		"stopped anew":   func(r *rig, id string) { r.add(id, r.line(id, "user"), r.line(id, "auth")) },
		"its files gone": func(r *rig, id string) { r.remove(id) },
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				front, behind, finish := r.crowd(1)
				leaves(r, front)
				r.pass(time.Minute)
				finish()
				r.pass(10 * time.Minute)
				finish()
				r.pass(10 * time.Minute)
				finish()
				r.pass(time.Minute)
				if rec := r.rec(behind); rec.Phase != state.Following || rec.Claim == nil {
					t.Errorf("the other one is %s, claim %v", rec.Phase, rec.Claim)
				}
			})
		})
	}
}

// Who went first into a window when clawd ended is waited for by the others all the same.
func TestFrontOutlivesRestart(t *testing.T) {
	in(t, func(r *rig) {
		_, behind, finish := r.crowd(4)
		r.down()
		r.start()
		r.pass(10 * time.Minute)
		r.wantStarts(1)
		finish()
		r.pass(10 * time.Minute)
		r.wantStarts(2)
		finish()
		r.pass(time.Minute)
		if rec := r.rec(behind); rec.Phase != state.Following || rec.Claim == nil {
			t.Errorf("the other one is %s, claim %v", rec.Phase, rec.Claim)
		}
	})
}

// While one goes first the others wait without asking for the time all the while.
func TestQueueIsQuiet(t *testing.T) {
	in(t, func(r *rig) {
		_, behind, _ := r.crowd(3)
		r.wantPhase(behind, state.Waiting)
		before := r.clock.asked.Load()
		r.pass(10 * time.Minute)
		if n := r.clock.asked.Load() - before; n > 2000 {
			t.Errorf("the time was asked for %d times in ten minutes", n)
		}
		r.wantStarts(1)
	})
}

// Those that stand in the queue are looked at when their turn has come, and not whenever it is another one's.
func TestQueueIsNotLookedAt(t *testing.T) {
	in(t, func(r *rig) {
		const many = 12
		r.o.Config.Resume.MaxParallel = 100
		r.o.Config.Budget.MaxResumesPerDayTotal = 1000
		r.seldom()
		r.start()
		for range many {
			r.stopped("limit")
		}
		r.pass(10 * time.Minute)
		r.wantStarts(many)
		if n := len(r.log.events("resume_postponed")); n > 0 {
			t.Errorf("%d times not now: %v", n, r.log.events("resume_postponed")[0])
		}
	})
}

// A start that fails has its time, also where a rescan comes at the very moment of it.
func TestFailedStartHasTime(t *testing.T) {
	in(t, func(r *rig) {
		r.children.fail = errNoAgent
		var at []time.Time
		r.children.claimed = func(resume.Claim) { at = append(at, time.Now()) }
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Hour)
		r.wantPhase(id, state.Held)
		if len(at) != 3 {
			t.Fatalf("%d starts", len(at))
		}
		for i := range at[1:] {
			if d := at[i+1].Sub(at[i]); d < 15*time.Second {
				t.Errorf("start %d comes %v after the one before", i+2, d)
			}
		}
	})
}

// An attempt that clawd had claimed and not begun when it ended takes no lane, and gives none back.
func TestClaimedBeforeTheStartTakesNoLane(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.MaxParallel = 1
		r.seldom()
		r.start()
		id, _ := r.stopped("plan")
		r.pass(time.Minute)
		r.d.loop.ask(func(l *loop) {
			s := l.seats[state.Key(r.session(id))]
			if err := r.d.store.Commit(s.s.Rec.Taken(l.w.Books, resume.Claim{Token: uuid.NewString()})); err != nil {
				t.Error(err)
			}
		})
		r.down()
		r.children.act = func(c *child) { c.ask() }
		r.start()
		r.wantPhase(id, state.Waiting)
		r.stopped("limit")
		r.stopped("limit")
		r.pass(10 * time.Minute)
		r.wantStarts(1)
	})
}

// A clock that is set while the loop is at work is seen, too.
func TestClockIsSetMeanwhile(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		r.d.loop.ask(func(l *loop) { // both come with the next mail
			l.post(mail{ask: func(*loop) { r.clock.jump(time.Hour) }, done: make(chan struct{})})
			l.post(mail{ask: func(*loop) {}, done: make(chan struct{})})
		})
		r.pass(time.Minute)
		if n := len(r.log.events("clock_jumped")); n != 1 {
			t.Errorf("%d jumps seen", n)
		}
	})
}
