package machine

import (
	"fmt"
	"time"

	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/state"
)

const (
	// lateFor is how long something may stand in the way of a session whose wait is over, before its user is told. What
	// passes by itself has passed by then: a program that is being replaced, a turn beside it, an agent that does not answer.
	lateFor = time.Hour
	// lateLeast of it this clawd has looked itself, where the one before had seen the wait end.
	lateLeast = 10 * time.Minute
)

// late has its user told, once for a stop, of a wait that is over and that something holds back all the same, whatever it
// is. Nothing counts but time that the machine is awake for, and in which the session does not wait for its turn alone.
func (t *step) late(was *Session) {
	if _, waits := t.s.Phase.(Waiting); !waits {
		return
	}
	if was.Queued() && !t.s.Queued() {
		t.s.Late.Mono += t.w.Mono - was.Job.Turn.At
	}
	d := t.s.Rec.Decision
	switch {
	case t.w.Now.Before(d.WakeAt), t.bounded():
		t.s.Late = Deadline{}
		return
	case !t.s.Late.Wall.Equal(d.WakeAt):
		seen := max(0, t.w.Here.Parted.Sub(d.WakeAt))
		t.s.Late = Deadline{d.WakeAt, t.w.Mono + max(lateFor-seen, lateLeast) + d.Grace}
	}
	standing, _ := t.s.Rec.Standing(t.w.Now)
	if j := t.s.Job; t.w.Mono < t.s.Late.Mono || standing == state.NeedsYou || j.Turn.Queued || j.Turn.Taken {
		return
	}
	why := t.s.HeldBack()
	switch {
	case why != "":
	case t.s.Job.Open:
		why = "its files or the process table do not answer"
	default:
		why = "clawd cannot see yet who has it open"
	}
	why = fmt.Sprintf("it was to be resumed at %s and is held back: %s; clear that up, or continue by hand; clawd keeps trying", d.WakeAt.Format(time.RFC3339), why)
	if c, err := t.s.Rec.Notified(t.w.Books, t.s.Rec.Stop.Key, PutOff, why, "clawd why "+t.s.Rec.ID); err == nil {
		t.write(c)
	}
}

// bounded tells whether the session is held back by what has its own bounds: clawd's run in it, clawd exec, whose caller
// waits, and the session of its account that goes first.
func (t *step) bounded() bool {
	if t.s.Guard != nil || t.s.Said.Back == rules.ExecHas {
		return true
	}
	_, refusal, _ := t.w.may(state.Key(t.s.Rec.Session), t.w.turnWindow(&t.s.Rec), t.s.Rec.Stop.At)
	return refusal != nil
}

// HeldBack says why the session is not resumed though its time may have come; empty: nothing is known to hold it back.
func (s *Session) HeldBack() string {
	if s.Trouble.Failed && s.Said.Problem != "" {
		return s.Said.Problem
	}
	return s.Said.Back
}
