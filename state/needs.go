package state

import (
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// needsFor: what was left to the user for so long is history.
const needsFor = 7 * 24 * time.Hour

// putOff is the event of a Notice about a wait that does not come to its end.
const putOff = "session_put_off"

// Standing is what there is to say of a session.
type Standing string

const (
	NeedsYou Standing = "needs_you" // clawd can't go on: the user has to do something
	Waits    Standing = "waiting"
	Resuming Standing = "resuming"
	OnHold   Standing = "on_hold" // by the user's own order
	Done     Standing = "done"    // at rest
)

// Standing says what comes next for the session, and with NeedsYou the notice that says why.
func (s Session) Standing(now time.Time) (Standing, Notice) {
	n := Notice{At: s.Stop.At, Reason: s.Stop.Reason, Why: s.Decision.Why}
	if s.Notice != nil && s.Notice.Key == s.Stop.Key {
		n = *s.Notice
	}
	switch old := now.Sub(n.At) > needsFor; {
	case s.Phase == Claimed || s.Phase == Fired:
		return Resuming, Notice{}
	case s.Phase == Waiting && n.open() && s.Holder.Liveness == detect.Alive && s.HolderEnd == "":
		return NeedsYou, n
	case s.Phase == Waiting && n.Event == putOff && (!s.Decision.WakeAt.After(n.At) || s.Unsaid >= maxUnsaid):
		return NeedsYou, n
	case s.Phase == Waiting:
		return Waits, Notice{}
	case s.Ignored: // also after long: who forgot about it finds it here alone
		return OnHold, Notice{}
	case old:
		return Done, Notice{}
	case s.Phase == Held && s.TakenBack():
		return OnHold, Notice{}
	case s.Phase == Held, s.Phase == GivenUp, s.Notice != nil && n.Key == s.Notice.Key && s.rests(n.At):
		return NeedsYou, n
	}
	return Done, Notice{}
}

// TakenBack tells whether its user's order to leave this stop, or to end the run, stands.
func (s Session) TakenBack() bool {
	return (s.Phase == Held || s.Phase == Fired) && !s.Cancelled.IsZero()
}

// open tells whether the notice is about a window: clawd can't type there, or not now.
func (n Notice) open() bool { return n.Event == "session_unreachable" || n.Event == "session_blocked" }

// rests tells whether nothing came after the stop that was taken in last, or since a time.
func (s Session) rests(since time.Time) bool {
	return s.EndsIn(s.Classifier.Stop()) || !s.Classifier.Last.At.After(since)
}

// EndsIn tells whether a verdict on the files is the stop that was taken in last.
func (s Session) EndsIn(now detect.Stop) bool {
	return s.Stop.Key != "" && now.Reason != detect.Completed && strings.TrimPrefix(now.Key, "cut:") == strings.TrimPrefix(s.Stop.Key, "cut:")
}
