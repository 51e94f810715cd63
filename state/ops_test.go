package state

import (
	"errors"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// What follows are the transitions on a store, one at a time, as whoever owns all sessions carries them out.

func (s *Store) change(_ string, ds detect.Session, f func(Session, Books) (*Change, error)) (Session, error) {
	return s.transition(ds, f)
}

// Progress stores how far sessions were read.
func (s *Store) Progress(reads []Read) error {
	var errs []error
	for _, r := range reads {
		_, err := s.change("T1", r.Session, func(rec Session, b Books) (*Change, error) { return rec.Noted(b, r), nil })
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Stopped is T1: see Session.Stopped.
func (s *Store) Stopped(r Read, stop detect.Stop, d resume.Decision, adopt *resume.Claim) (Session, error) {
	return s.change("T1", r.Session, func(rec Session, b Books) (*Change, error) { return rec.Stopped(b, r, stop, d, adopt) })
}

// WentOn is T1: see Session.WentOn. It gives back the phase that the session was in.
func (s *Store) WentOn(r Read, why string) (was Phase, err error) {
	_, err = s.change("T1", r.Session, func(rec Session, b Books) (*Change, error) {
		was = rec.Phase
		return rec.WentOn(b, r, why)
	})
	return was, err
}

// Wait stores a decision for the stop that is known: see Session.Redecided.
func (s *Store) Wait(ds detect.Session, key string, d resume.Decision) error {
	_, err := s.change("T1", ds, func(rec Session, b Books) (*Change, error) { return rec.Redecided(b, key, d) })
	return err
}

// Refine stores what became known later about the stop that is waited for.
func (s *Store) Refine(ds detect.Session, stop detect.Stop, d resume.Decision) error {
	_, err := s.change("T1", ds, func(rec Session, b Books) (*Change, error) { return rec.Refined(b, stop, d) })
	return err
}

// Tell puts a notice about a stop that is waited for into the outbox, once for each event.
func (s *Store) Tell(ds detect.Session, key, event, why, command string) error {
	rec, _, err := s.Session(ds)
	if err != nil || rec.told(event, key) {
		return err
	}
	_, err = s.change("T5", ds, func(rec Session, b Books) (*Change, error) { return rec.Notified(b, key, event, why, command) })
	return err
}

// Claim is T2. check runs inside the transaction, after the store's own checks, and gives the attempt's particulars;
// its error is returned as it is and nothing is written.
func (s *Store) Claim(ds detect.Session, key string, l Limits, check func(Session) (resume.Claim, error)) (resume.Claim, error) {
	rec, err := s.change("T2", ds, func(rec Session, b Books) (*Change, error) {
		if err := rec.MayTake(b, key, l); err != nil {
			return nil, err
		}
		c, err := check(rec)
		if err != nil {
			return nil, err
		}
		return rec.Taken(b, c), nil
	})
	if err != nil {
		return resume.Claim{}, err
	}
	return *rec.Claim, nil
}

// Fired is T3.
func (s *Store) Fired(c resume.Claim) error {
	_, err := s.change("T3", c.Session, func(rec Session, b Books) (*Change, error) { return rec.Fired(b, c) })
	return err
}

// Adopt takes up an attempt that the store does not know of: see Session.Adopted.
func (s *Store) Adopt(c resume.Claim) error {
	_, err := s.change("T1", c.Session, func(rec Session, b Books) (*Change, error) { return rec.Adopted(b, c) })
	return err
}

// Unclaim gives back an attempt whose child never made its mark.
func (s *Store) Unclaim(c resume.Claim, why string, counts bool) (held bool, err error) {
	rec, err := s.change("T4", c.Session, func(rec Session, b Books) (*Change, error) { return rec.Unclaimed(b, c, why, counts) })
	return rec.Phase == Held, err
}

// Settle is T4: see Session.Settled.
func (s *Store) Settle(c resume.Claim, o resume.Outcome, r Read, next Next) (Session, Stats, error) {
	rec, err := s.change("T4", c.Session, func(rec Session, b Books) (*Change, error) { return rec.Settled(b, c, o, r, next) })
	if err != nil {
		return rec, Stats{}, err
	}
	st, err := s.Stats()
	return rec, st, err
}

// Ended notes the end of a run that had resumed its session: see Session.Ended.
func (s *Store) Ended(c resume.Claim, out resume.Output, workedSeconds float64, blocked string) error {
	_, err := s.change("T5", c.Session, func(rec Session, b Books) (*Change, error) {
		return rec.Ended(b, c, out, workedSeconds, blocked), nil
	})
	return err
}

// OutputCut notes that the output of a run no longer proves anything.
func (s *Store) OutputCut(c resume.Claim) error {
	_, err := s.change("T4", c.Session, func(rec Session, b Books) (*Change, error) { return rec.OutputCut(b, c), nil })
	return err
}

// Drop ends the wait of a stop that the user knows of, without a word to him.
func (s *Store) Drop(ds detect.Session, key, why string) error {
	_, err := s.change("T1", ds, func(rec Session, b Books) (*Change, error) { return rec.Dropped(b, key, why) })
	return err
}

// Leave ends the wait of a stop by rule, and tells the user.
func (s *Store) Leave(ds detect.Session, key, why, command string) error {
	_, err := s.change("T1", ds, func(rec Session, b Books) (*Change, error) { return rec.Left(b, key, why, command) })
	return err
}

// SetHolder remembers who holds an interactive session, or how that holder went.
func (s *Store) SetHolder(ds detect.Session, h detect.Holder, end HolderEnd) error {
	_, err := s.change("holder", ds, func(rec Session, b Books) (*Change, error) { return rec.HolderSeen(b, h, end), nil })
	return err
}

// Order is the user's word that a stop is to be resumed. rev is of the record that was looked at.
func (s *Store) Order(ds detect.Session, rev uint64, stop detect.Stop, d resume.Decision) (Session, error) {
	return s.change("order", ds, func(rec Session, b Books) (*Change, error) {
		if rec.Rev != rev && !rec.open() {
			return nil, ErrMoved
		}
		return rec.Ordered(b, stop, d)
	})
}

// Cancel is the user's word that clawd is to leave a stop, or to end the attempt under way. It gives the record as it
// was.
func (s *Store) Cancel(ds detect.Session, ours bool) (was Session, err error) {
	_, err = s.change("cancel", ds, func(rec Session, b Books) (*Change, error) { was = rec; return rec.CancelOrdered(b, ours) })
	return was, err
}

// Ignore is the user's word that clawd is to leave a session, now and later; off takes it back. It gives the record as
// it was.
func (s *Store) Ignore(ds detect.Session, off bool) (was Session, err error) {
	_, err = s.change("ignore", ds, func(rec Session, b Books) (*Change, error) { was = rec; return rec.IgnoreOrdered(b, off), nil })
	return was, err
}
