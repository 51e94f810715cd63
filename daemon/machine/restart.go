package machine

import (
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// refused takes in that the store could not take what the step before was to write.
func (t *step) refused(e Refused) {
	job := t.s.Job
	t.s.Trouble.Failed = true
	t.endJob()
	t.unbegin() // until the next rescan
	if job.Kind == Obeying {
		t.do(Reply{ID: job.Order.ID, Err: e.Err})
	}
	for _, o := range t.s.Todo.Orders {
		t.do(Reply{ID: o.ID, Err: e.Err})
	}
	t.s.Todo.Orders = nil
	t.problem(e.Err, "clawd can't save what it decided about this session, so it does nothing; it tries again on its own")
	switch on := e.On.(type) {
	case Started: // no gate opens whose attempt is not written down
		if r, ok := t.s.run(on.Token); ok {
			t.do(Abort{on.Token})
			r.Stage, r.Watch.Ended = Undone, "the start could not be written down: "+e.Err.Error()
			t.s.keep(r)
		}
	case Opened:
		if r, ok := t.s.run(on.Token); ok { // its verdict is found by evidence
			r.Stage = Judging
			t.s.keep(r)
			t.news(on.Token)
		}
	case Sighted:
		if r, ok := t.s.run(on.Token); ok { // it is judged again, after a while
			w := &r.Watch
			w.Looking, w.Settle, w.Next = false, Timer{}, t.w.After(lookEvery)
			if w.Patience.Over(t.w) {
				w.Patience = w.Next
			}
			t.s.keep(r)
		}
	case Ordered:
		t.do(Reply{ID: on.Order.ID, Err: e.Err})
	}
	if r, ok := t.s.under(); ok && r.Stage == Undone {
		r.Watch.Next = t.w.After(lookEvery)
		t.s.keep(r)
	}
}

// stopping ends what has not begun. What runs goes on.
func (t *step) stopping() {
	if c, ok := t.s.Phase.(Claimed); ok {
		t.do(Abort{c.Run.Claim.Token})
		t.unclaim(c.Run, "canceled before the start", false)
	}
	if w, waits := t.s.Phase.(Waiting); waits && w.Begun {
		t.log(Info, "resume_cancelled", "stopping; the wait is kept", Field{"cause", "clawd is stopping"})
	}
	for _, r := range t.runs() { // what runs goes on, and somebody has to look after its session
		if r.Began {
			t.do(Forget{r.Claim.Token, true})
		}
	}
	t.s.Job, t.s.Todo = Job{}, Todo{}
}

// restored takes up a session that was not at rest when clawd ended.
func (t *step) restored(e Restored) {
	c := t.s.Rec.Claim
	switch {
	case t.s.Rec.Phase == state.Claimed && c != nil: // nothing ran. The next attempt is looked at as any other
		t.unclaim(Run{Claim: *c, Restarted: true}, "clawd ended before the start", false)
	case t.s.Rec.Phase == state.Fired && c != nil:
		r := Run{Claim: *c, Restarted: true, Began: c.Plan.Way == resume.Exec, Stage: Judging}
		t.s.Phase = Fired{r}
		t.adopt(r)
		if window := t.w.turnWindow(&t.s.Rec); window != "" && !t.w.Turns.led(window) { // the others wait for how it goes, as before
			t.do(TurnMove{Kind: TurnLeads, Session: state.Key(t.s.Rec.Session), Window: window})
		}
		return
	case c != nil && c.Plan.Way == resume.Exec && (!c.Noted || e.Alive):
		// A run that has its verdict goes on, to be guarded or ended, or its end is not noted.
		r := Run{Claim: *c, Restarted: true, Began: true, Stage: Guarding}
		if c.Noted {
			r.Stage, r.Watch.Patience = Ending, t.w.After(leaveTime)
		}
		t.s.Guard = &r
		t.adopt(r)
	}
	t.s.Todo.Look = true
}

func (t *step) adopt(r Run) {
	t.do(TurnMove{Kind: TurnTakes, Session: state.Key(t.s.Rec.Session)})
	t.do(Adopt{r.Claim, t.s.Rec.Info})
	t.news(r.Claim.Token)
}
