package state

import (
	"errors"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// byUser is why a stop rests that its user took back from clawd.
const byUser = "cancelled by its user"

// Order is the user's word that a stop is to be resumed: the one that the session's files end in, with what is done
// about it. rev is of the record that was looked at; ErrMoved says that it is another one by now. Only here a closed
// stop is opened again, and only as long as the decision stands. The record comes back as it is now; ErrPhase says
// that an attempt is under way.
func (s *Store) Order(ds detect.Session, rev uint64, stop detect.Stop, d resume.Decision) (Session, error) {
	var rec Session
	err := s.update("order", func(t tx) (err error) {
		rec = t.session(ds)
		switch {
		case rec.open():
			return ErrPhase
		case rec.Rev != rev:
			return ErrMoved
		}
		if stop.Key != rec.Stop.Key { // it was too old to be taken in when it was read
			rec.Stop, rec.Prompt = stop, ""
			if err := errors.Join(t.stats(func(st *Stats) { st.Stops[stop.Reason]++ }),
				t.history(rec, "stop", stop.Key, 0, string(stop.Reason), "")); err != nil {
				return err
			}
		}
		before, closed := t.closed(rec, stop.Key)
		if closed {
			reopened := before
			reopened.Reopened = t.now
			if err := t.put(bucketClosed, closedKey(ds, stop.Key), reopened); err != nil {
				return err
			}
		}
		if rec.Phase != Waiting {
			// Bounds on time count from now; attempts go on, for each has a mark of its own.
			rec.Episode.Key, rec.Episode.Since = stop.Key, t.now
			if rec.Episode.Attempts == 0 || rec.Episode.Began.IsZero() {
				rec.Episode.Began = stop.At
			}
		}
		rec.Episode.Attempts = max(rec.Episode.Attempts, before.N)
		rec.Starts, rec.Fruitless, rec.Told, rec.Cancelled = 0, 0, nil, time.Time{}
		rec.Decision = d
		rec.Decision.Attempt = rec.Episode.Attempts + 1
		return errors.Join(t.history(rec, "ordered", stop.Key, 0, "", ""), t.decided(&rec), t.note(rec, false))
	})
	return rec, err
}

// Cancel is the user's word that clawd is to leave a stop, or to end the attempt under way. ours: a run
// that has resumed the session goes on. It gives the record as it was. ErrPhase says that there is
// nothing to cancel.
func (s *Store) Cancel(ds detect.Session, ours bool) (was Session, err error) {
	err = s.update("cancel", func(t tx) error {
		rec := t.session(ds)
		was = rec
		switch {
		case was.TakenBack(): // the same order once more
			return nil
		case rec.Phase == Waiting:
			if err := t.cancelled(&rec); err != nil || !ours {
				return err
			}
			rec.Cancelled = t.now // our run had resumed it before it stopped again
			return errors.Join(t.save(rec), t.note(rec, true))
		case rec.Phase == Claimed: // nothing ran, and its gate cannot open any more
			return errors.Join(t.unclaim(&rec, byUser), t.cancelled(&rec))
		case rec.Phase == Fired, rec.Phase == Following && ours:
			rec.Cancelled = t.now
			err := t.history(rec, "cancelled", rec.Stop.Key, 0, byUser, "")
			if rec.NewSession != "" { // the run writes to the one that took over
				err = errors.Join(err, t.cancelNew(detect.Session{Agent: ds.Agent, ID: rec.NewSession}))
			}
			return errors.Join(err, t.save(rec), t.note(rec, false))
		}
		return ErrPhase
	})
	return was, err
}

func (t tx) cancelNew(ds detect.Session) error {
	rec := t.session(ds)
	rec.Cancelled = t.now
	return errors.Join(t.save(rec), t.note(rec, false))
}

// cancelled holds a stop that its user took back. He knows, so nobody is told.
func (t tx) cancelled(rec *Session) error {
	rec.Cancelled = time.Time{}
	return errors.Join(t.keep(rec, byUser), t.note(*rec, true))
}

// cancelledRun is the verdict on a run that its user wanted ended: whatever it was, no other follows.
func (t tx) cancelledRun(rec *Session, c resume.Claim, o resume.Outcome) error {
	var err error
	if c.Plan.Form == resume.FormFresh && o.Session.ID != "" {
		err = t.handOver(rec, c, o.Session)
	} else if o.Stop != nil {
		rec.Stop, rec.Prompt = *o.Stop, ""
		err = errors.Join(t.history(*rec, "stop", rec.Stop.Key, 0, string(rec.Stop.Reason), ""),
			t.stats(func(st *Stats) { st.Stops[rec.Stop.Reason]++ }))
	}
	return errors.Join(err, t.cancelled(rec))
}

// Ignore is the user's word that clawd is to leave a session, now and later; off takes it back. An
// attempt under way goes on. It gives the record as it was.
func (s *Store) Ignore(ds detect.Session, off bool) (was Session, err error) {
	err = s.update("ignore", func(t tx) error {
		rec := t.session(ds)
		was = rec
		rec.Ignored = !off
		if !off && rec.Phase == Waiting {
			const why = "its user has clawd ignore it"
			rec.Decision = resume.Decision{Strategy: resume.Leave, Why: why}
			rec.Phase, rec.Prompt = Following, ""
			err = t.history(rec, "left", rec.Stop.Key, 0, why, "")
		}
		return errors.Join(err, t.save(rec), t.note(rec, rec.Phase == Held))
	})
	return was, err
}
