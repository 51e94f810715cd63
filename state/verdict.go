package state

import (
	"errors"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Next decides about a stop within T4, from the record as it will be stored.
type Next func(Session) resume.Decision

// Settle is T4: the verdict on a fired attempt, with everything that follows from it. r is how far the
// session was read; its cursor may be empty where it could not be.
func (s *Store) Settle(c resume.Claim, o resume.Outcome, r Read, next Next) (Session, Stats, error) {
	var rec Session
	var stats Stats
	err := s.update("T4", func(t tx) (err error) {
		if rec, err = t.own(c, Fired); err != nil {
			return err
		}
		key := c.Stop.Key
		if err := errors.Join(
			t.put(bucketClosed, closedKey(c.Session, key), Closed{At: t.now, N: c.N, Verdict: o.Verdict, Proof: o.Proof}),
			t.history(rec, string(o.Verdict), key, c.N, o.Why, o.Proof)); err != nil {
			return err
		}
		if o.Verdict != resume.Resumed && o.Verdict != resume.ByHand {
			if err := t.stats(func(st *Stats) { st.Failures++ }); err != nil {
				return err
			}
		}
		rec.Claim.Noted = o.Verdict != resume.Resumed
		rec.FirePrompt, rec.FireEnd = c.Plan.Prompt, t.now
		if o.CostUSD > 0 {
			if _, err := t.budget(func(b *Budget) { b.CostUSD += o.CostUSD }); err != nil {
				return err
			}
		}
		switch {
		case o.Verdict == resume.Resumed:
			err = t.resumed(&rec, c, o)
		case o.Verdict == resume.ByHand:
			rec.Phase, rec.Episode, rec.Cancelled = Following, Episode{Fresh: rec.Episode.Fresh}, time.Time{}
			err = t.save(rec)
		case !rec.Cancelled.IsZero():
			err = t.cancelledRun(&rec, c, o)
		case o.Verdict == resume.StoppedAgain:
			err = t.stoppedAgain(&rec, c, o, r, next)
		case o.Verdict == resume.NoEffect:
			err = t.noEffect(&rec, c, o, next)
		default: // Cut, Unsure
			if o.Stop != nil {
				rec.Stop = *o.Stop
			}
			err = t.hold(&rec, o.Why)
		}
		return errors.Join(err, t.stats(func(st *Stats) { stats = *st }))
	})
	return rec, stats, err
}

func (t tx) resumed(rec *Session, c resume.Claim, o resume.Outcome) error {
	err := t.stats(func(st *Stats) {
		st.TotalResumes++
		st.SecondsWaited += c.At.Sub(c.Stop.At).Seconds()
		st.LastResume = t.now
		if c.Plan.Form == resume.FormFresh {
			st.Recovered++
		}
	})
	rec.Phase, rec.LastFire = Following, c.At
	rec.Fruitless++
	rec.Episode = Episode{Fresh: rec.Episode.Fresh}
	if c.Plan.Form == resume.FormFresh && o.Session.ID != "" {
		err = errors.Join(err, t.handOver(rec, c, o.Session))
	}
	return errors.Join(err, t.save(*rec))
}

// handOver stores the lineage: the new session goes on with the old one's budget, its attempts and its
// count of fruitless resumes.
func (t tx) handOver(old *Session, c resume.Claim, ds detect.Session) error {
	old.NewSession = ds.ID
	rec := t.session(ds)
	rec.OldSession, rec.Root = old.ID, old.root()
	rec.Fruitless, rec.LastFire, rec.FirePrompt, rec.FireEnd = old.Fruitless, c.At, old.FirePrompt, old.FireEnd
	rec.Cancelled = old.Cancelled
	rec.Prompt, old.Prompt = old.Prompt, ""
	rec.Episode.Fresh = old.Episode.Fresh + 1
	if old.Episode.Attempts > 0 {
		rec.Episode.Since, rec.Episode.Attempts = old.Episode.Since, rec.Episode.Attempts+old.Episode.Attempts
	}
	return t.save(rec)
}

func (t tx) stoppedAgain(rec *Session, c resume.Claim, o resume.Outcome, r Read, next Next) error {
	var err error
	if rec.Decision.Probe {
		err = t.giveBack(*rec, c.At)
	}
	if c.Plan.Form == resume.FormFresh && o.Session.ID != "" {
		// The stop stands in the new session, whose own loop takes it in from its files.
		err = errors.Join(err, t.handOver(rec, c, o.Session))
		rec.Phase = Following
		return errors.Join(err, t.save(*rec))
	}
	rec.Stop, rec.Prompt, rec.Starts = *o.Stop, "", 0
	if r.Cursor != "" && r.Classifier.Last.ID == rec.Stop.Key { // else there is more than this stop, which its own read takes in
		rec.Info, rec.Cursor, rec.Classifier = r.Info, r.Cursor, r.Classifier
	}
	err = errors.Join(err, t.history(*rec, "stop", rec.Stop.Key, 0, string(rec.Stop.Reason), ""),
		t.stats(func(st *Stats) { st.Stops[rec.Stop.Reason]++ }))
	rec.Decision = next(*rec)
	return errors.Join(err, t.decided(rec))
}

func (t tx) noEffect(rec *Session, c resume.Claim, o resume.Outcome, next Next) error {
	rec.Starts = 0 // it did start
	if o.Stop != nil {
		rec.Stop = *o.Stop
	}
	if o.Refused {
		rec.Refused = rec.Stop.Key
	}
	if c.Plan.Form == resume.FormIdempotent {
		rec.Inert = rec.Stop.Key
	}
	rec.Decision = next(*rec)
	return t.decided(rec)
}

// Ended notes the end of a claim's run that had resumed its session: what it cost, and for how long it
// worked while nobody had to. It counts once. blocked, when not empty, says that it was refused
// permissions; that ends the episode and is told.
func (s *Store) Ended(c resume.Claim, costUSD, workedSeconds float64, blocked string) error {
	return s.update("T5", func(t tx) error {
		rec := t.session(c.Session)
		var err error
		if rec.Claim != nil && rec.Claim.Token == c.Token {
			if rec.Claim.Noted {
				return nil
			}
			rec.Claim.Noted = true
			err = t.save(rec)
		}
		_, e := t.budget(func(b *Budget) { b.CostUSD += costUSD })
		err = errors.Join(err, e, t.stats(func(st *Stats) { st.SecondsSaved += workedSeconds }))
		if blocked == "" || err != nil || rec.open() {
			return err
		}
		rec.Episode = Episode{}
		if rec.Cancelled.IsZero() { // else its user knows
			err = t.tell(&rec, "session_left", blocked, "")
		}
		return errors.Join(err, t.history(rec, "blocked", rec.Stop.Key, 0, blocked, ""), t.save(rec))
	})
}

// OutputCut notes that the output of a run no longer proves anything.
func (s *Store) OutputCut(c resume.Claim) error {
	return s.update("T4", func(t tx) error {
		rec, err := t.own(c, Fired)
		if errors.Is(err, ErrPhase) { // settled already: nothing is proved by it any more
			return nil
		}
		if err != nil {
			return err
		}
		rec.Claim.OutputCut = true
		return t.save(rec)
	})
}
