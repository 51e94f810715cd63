package state

import (
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// byUser is why a stop rests that its user took back from clawd.
const byUser = "canceled by you"

// Ordered is the user's word that a stop is to be resumed: the one that the session's files end in, with what is done
// about it. Only here a closed stop is opened again, and only as long as the decision stands.
func (s Session) Ordered(b Books, stop detect.Stop, d resume.Decision) (*Change, error) {
	if s.open() {
		return nil, ErrPhase
	}
	c := s.change(b, "order")
	before, over := c.dealt(stop.Key)
	if stop.Key != c.Stop.Key {
		c.Stop, c.Prompt = stop, ""
		if !over && before.N == 0 { // it was too old to be taken in when it was read; else a rewind brought it back
			c.count(stop)
		}
	}
	if over {
		reopened := before
		reopened.Reopened = b.Now()
		c.close(stop.Key, reopened)
	}
	if c.Phase != Waiting {
		// Bounds on time count from now; attempts go on, for each has a mark of its own.
		c.Episode.Key, c.Episode.Since = stop.Key, b.Now()
		if c.Episode.Attempts == 0 || c.Episode.Began.IsZero() {
			c.Episode.Began = stop.At
		}
	}
	c.Episode.Attempts = max(c.Episode.Attempts, before.N)
	c.Starts, c.Unsaid, c.Fruitless, c.Told, c.Kept, c.Cancelled = 0, 0, 0, nil, "", time.Time{}
	c.Decision = d
	c.Decision.Attempt = c.Episode.Attempts + 1
	c.record("ordered", stop.Key, 0, "", "")
	c.decided()
	c.note(false)
	return c, nil
}

// CancelOrdered is the user's word that clawd is to leave a stop, or to end the attempt under way. ours: a run
// that has resumed the session goes on. ErrPhase says that there is nothing to cancel.
func (s Session) CancelOrdered(b Books, ours bool) (*Change, error) {
	c := s.change(b, "cancel")
	c.Cancelled = b.Now() // what was written by then may be read later
	switch {
	case s.TakenBack(): // the same order once more, perhaps after somebody has gone on
		return s.Recalled(b), nil
	case s.Phase == Waiting:
		c.cancelled()
		return c, nil
	case s.Phase == Claimed: // nothing ran, and its gate cannot open any more
		c.unclaim(byUser)
		c.cancelled()
		return c, nil
	case s.Phase == Fired, s.Phase == Following && ours:
		c.record("cancelled", s.Stop.Key, 0, byUser, "")
		if s.NewSession != "" { // the run writes to the one that took over
			heir := b.Record(s.Named(s.NewSession))
			heir.written(b.Now())
			heir.Cancelled = c.Cancelled
			c.Heirs = append(c.Heirs, heir)
			c.notes = append(c.notes, noted(heir, b.Now(), false))
		}
		c.note(false)
		return c, nil
	}
	return nil, ErrPhase
}

// Recalled is the user's word where clawd waits for nothing and nothing runs, as an order of his to resume the session was not
// taken yet: what was written by then may be read later, and is not resumed.
func (s Session) Recalled(b Books) *Change {
	c := s.change(b, "cancel")
	c.Cancelled = b.Now()
	c.note(s.Phase == Held)
	return c
}

// IgnoreOrdered is the user's word that clawd is to leave a session, now and later; off takes it back. An
// attempt under way goes on.
func (s Session) IgnoreOrdered(b Books, off bool) *Change {
	c := s.change(b, "ignore")
	c.Ignored = !off
	if !off && c.Phase == Waiting {
		c.leave("you have clawd ignore it")
	}
	c.note(c.Phase == Held)
	return c
}
