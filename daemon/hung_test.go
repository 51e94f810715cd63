package daemon

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// hung is an agent whose folder does not answer any more once it hangs.
type hung struct {
	whole
	hangs *atomic.Pointer[chan struct{}] // until it is closed; nil: it does not hang
}

func (a hung) Account(i detect.Info) string {
	if c := a.hangs.Load(); c != nil {
		<-*c
	}
	return a.whole.Account(i)
}

// A folder of an agent that hangs holds up the sessions that need it, and nothing else.
func TestHungFolderHoldsUpItsOwn(t *testing.T) {
	in(t, func(r *rig) {
		var hangs atomic.Pointer[chan struct{}]
		r.wrapAgent(func(a whole) agent.Agent { return hung{a, &hangs} })
		r.start()
		r.stopped("plan")
		r.pass(time.Minute)
		c := make(chan struct{})
		hangs.Store(&c)
		r.pass(time.Hour)
		other := uuid.NewString() // with a prompt of its own, or somebody would have moved on
		r.add(other, r.line(other, "another task"), r.line(other, "plan"))
		r.pass(time.Minute)
		answered := false
		go func() {
			if _, err := r.d.Status(); err != nil {
				t.Error(err)
			}
			answered = true
		}()
		synctest.Wait()
		if !answered {
			t.Error("clawd does not answer while the folder hangs")
		}
		close(c)
		r.pass(2 * time.Hour)
		r.wantStarts(2)
	})
}

// lateTail is an agent that takes its time to look at the end of one session.
type lateTail struct {
	whole
	id    string
	shows chan struct{}
}

func (l lateTail) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	if s.ID == l.id {
		<-l.shows
	}
	return l.whole.Tail(ctx, s)
}

// The first look finds all sessions before it takes one up: another one of the folder may say that somebody moved on.
func TestFirstLookIsWhole(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one to hang, and one to go on
	in(t, func(r *rig) {
		old, late := uuid.NewString(), uuid.NewString()
		r.add(old, r.line(old, "user"), r.line(old, "limit"))
		r.add(late, r.line(late, "another task"), r.line(late, "answer"))
		shows := make(chan struct{})
		r.wrapAgent(func(a whole) agent.Agent { return lateTail{a, late, shows} })
		r.start()
		if n := len(r.log.events("session_stopped")); n > 0 {
			t.Error("one is taken up before all are found")
		}
		r.pass(time.Minute) // but one that hangs does not hold up the others for long
		if n := len(r.log.events("session_stopped")); n != 1 {
			t.Errorf("%d are taken up", n)
		}
		close(shows)
		r.pass(10 * time.Minute)
		r.wantStarts(1)
	})
}

// lateRead is an agent that takes its time to read one session.
type lateRead struct{ lateTail }

func (l lateRead) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	return l.whole.Tail(ctx, s)
}

func (l lateRead) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	if s.ID == l.id {
		<-l.shows
	}
	return l.whole.Read(ctx, s, from, each)
}

// Nor is one resumed before all that were found are read.
func TestFirstLookIsRead(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		old, _ := r.stopped("limit")
		r.pass(time.Second)
		r.wantPhase(old, state.Waiting)
		r.down()
		r.pass(time.Hour)
		late, shows := uuid.NewString(), make(chan struct{})
		r.add(late, r.line(late, "user"), r.line(late, "limit")) // its user gave the same prompt once more
		r.wrapAgent(func(a whole) agent.Agent { return lateRead{lateTail{a, late, shows}} })
		r.start()
		r.wantStarts(0)
		close(shows)
		r.pass(20 * time.Second)
		r.wantStarts(0)
		r.pass(time.Minute)
		if s := r.children.started(); len(s) != 1 || s[0].claim.Session.ID != late {
			t.Errorf("started %v", s)
		}
	})
}

// An order that comes before the gate was opened keeps it closed, and so does the end of clawd.
func TestGateStaysClosed(t *testing.T) {
	for name, c := range map[string]struct {
		ends  func(r *rig, id string)
		phase state.Phase
	}{
		"cancel": {func(r *rig, id string) {
			if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id}); err != nil {
				r.t.Error(err)
			}
		}, state.Held},
		"the end of clawd": {func(r *rig, _ string) { r.stop() }, state.Following}, // and the next one resumes it
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				busy := make(chan struct{})
				r.children.claimed = func(resume.Claim) {
					for range atOnce { // what is begun now has to wait
						r.d.effects.do(nil, func() { <-busy })
					}
				}
				r.seldom()
				r.start()
				id, _ := r.stopped("limit")
				r.pass(31 * time.Second)
				r.wantPhase(id, state.Fired)
				c.ends(r, id)
				synctest.Wait()
				close(busy)
				r.pass(time.Second)
				r.wantStarts(0)
				if r.work.Err() == nil {
					r.wantPhase(id, c.phase)
					return
				}
				r.down()
				r.start()
				r.wantPhase(id, c.phase)
				r.wantStarts(1)
			})
		})
	}
}
