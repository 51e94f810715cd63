package state

import (
	"errors"
	"fmt"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// apply writes a change, and brings its record to what is stored then.
func (t tx) apply(c *Change) error {
	errs := []error{t.save(&c.Session)}
	for i := range c.heirs {
		errs = append(errs, t.save(&c.heirs[i]))
	}
	for key, how := range c.closed {
		errs = append(errs, t.put(bucketClosed, closedKey(c.Session.Session, key), how))
	}
	for _, e := range c.history {
		errs = append(errs, t.append(bucketHistory, e))
	}
	for _, n := range c.notices {
		errs = append(errs, t.append(bucketOutbox, n))
	}
	for _, s := range c.spent {
		errs = append(errs, t.spend(s))
	}
	if c.unknown != nil {
		errs = append(errs, t.unknown(c.Agent, c.Info.Version, *c.unknown))
	}
	if c.signs {
		errs = append(errs, t.alive())
	}
	return errors.Join(append(errs, t.counts(c.counts))...)
}

// spend adds to the budget of a day.
func (t tx) spend(s spent) error {
	b := t.Spent(s.at)
	b.Total += s.fires
	b.CostUSD += s.usd
	if s.fires != 0 {
		b.Sessions[s.root] += s.fires
	}
	return t.put(bucketBudget, dayOf(s.at), b)
}

// counts adds to the counters.
func (t tx) counts(add Stats) error {
	if add.isZero() {
		return nil
	}
	st := t.stats()
	for reason, n := range add.Stops {
		st.Stops[reason] += n
	}
	st.TotalResumes += add.TotalResumes
	st.Failures += add.Failures
	st.GivenUp += add.GivenUp
	st.Recovered += add.Recovered
	st.SecondsWaited += add.SecondsWaited
	st.SecondsSaved += add.SecondsSaved
	if !add.LastResume.IsZero() {
		st.LastResume = add.LastResume
	}
	return t.put(bucketStats, "total", st)
}

func (s Stats) isZero() bool {
	return len(s.Stops) == 0 && s.TotalResumes == 0 && s.Failures == 0 && s.GivenUp == 0 && s.Recovered == 0 && s.SecondsWaited == 0 &&
		s.SecondsSaved == 0 && s.LastResume.IsZero()
}

// Commit stores changes in one transaction, in their order. What its user ordered stands in a file of its own before that,
// so that no transaction has to wait for it: a clawd that ends in between obeys the file.
func (s *Store) Commit(all ...*Change) error {
	for _, c := range all {
		if err := s.keepOrders(c); err != nil {
			return err
		}
	}
	name := all[0].name
	for _, c := range all {
		if name == "holder" {
			name = c.name
		}
	}
	return s.update(name, func(t tx) error {
		for _, c := range all {
			if err := t.apply(c); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) keepOrders(c *Change) error {
	for _, g := range c.notes {
		if err := s.keepGiven(g); err != nil {
			return fmt.Errorf("the order cannot be kept: %w", err)
		}
	}
	return nil
}

// change carries out one transition of a session: f is called with the record as it is now.
func (s *Store) change(name string, ds detect.Session, f func(Session, Books) (*Change, error)) (Session, error) {
	var rec Session
	err := s.update(name, func(t tx) error {
		rec = t.session(ds)
		c, err := f(rec, t)
		if err != nil || c == nil {
			return err
		}
		err = t.apply(c)
		rec = c.Session
		return err
	})
	return rec, err
}

// maxTries is how often an order is tried again, when something was written of its session meanwhile.
const maxTries = 5

// order carries out what its user ordered. It stands in a file of its own before it is in the store, so that no
// transaction has to wait for that; when it cannot be written there the order fails. A clawd that ends in between
// obeys the file.
func (s *Store) order(name string, ds detect.Session, f func(Session, Books) (*Change, error)) (was, rec Session, err error) {
	for range maxTries {
		var c *Change
		if err = s.view(func(t tx) (err error) {
			was = t.session(ds)
			t.now = s.now().UTC().Round(0)
			c, err = f(was, t)
			return err
		}); err != nil || c == nil {
			return was, was, err
		}
		if err := s.keepOrders(c); err != nil {
			return was, was, err
		}
		rec, err = s.change(name, ds, func(now Session, b Books) (*Change, error) {
			if now.Rev != was.Rev {
				return nil, ErrMoved
			}
			return f(now, b)
		})
		if !errors.Is(err, ErrMoved) {
			break
		}
	}
	return was, rec, err
}

// Progress stores how far sessions were read, with a sign of life.
func (s *Store) Progress(reads []Read) error {
	return s.update("T1", func(t tx) error {
		for _, r := range reads {
			if c := t.session(r.Session).Noted(t, r); c != nil {
				if err := t.apply(c); err != nil {
					return err
				}
			}
		}
		return t.alive()
	})
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
func (s *Store) Ended(c resume.Claim, costUSD, workedSeconds float64, blocked string) error {
	_, err := s.change("T5", c.Session, func(rec Session, b Books) (*Change, error) {
		return rec.Ended(b, c, costUSD, workedSeconds, blocked), nil
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

// Order is the user's word that a stop is to be resumed: see Session.Ordered. rev is of the record that was looked at;
// ErrMoved says that it is another one by now. The record comes back as it is now.
func (s *Store) Order(ds detect.Session, rev uint64, stop detect.Stop, d resume.Decision) (Session, error) {
	_, rec, err := s.order("order", ds, func(rec Session, b Books) (*Change, error) {
		if rec.Rev != rev && !rec.open() {
			return nil, ErrMoved
		}
		return rec.Ordered(b, stop, d)
	})
	return rec, err
}

// Cancel is the user's word that clawd is to leave a stop, or to end the attempt under way. It gives the record as it
// was.
func (s *Store) Cancel(ds detect.Session, ours bool) (was Session, err error) {
	was, _, err = s.order("cancel", ds, func(rec Session, b Books) (*Change, error) { return rec.CancelOrdered(b, ours) })
	return was, err
}

// Ignore is the user's word that clawd is to leave a session, now and later; off takes it back. It gives the record as
// it was.
func (s *Store) Ignore(ds detect.Session, off bool) (was Session, err error) {
	was, _, err = s.order("ignore", ds, func(rec Session, b Books) (*Change, error) { return rec.IgnoreOrdered(b, off), nil })
	return was, err
}
