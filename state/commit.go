package state

import (
	"errors"
	"fmt"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// apply writes a change, and brings its record to what is stored then.
func (t tx) apply(c *Change) error {
	errs := []error{t.save(&c.Session)}
	for i := range c.Heirs {
		errs = append(errs, t.save(&c.Heirs[i]))
	}
	for key, how := range c.Closed {
		errs = append(errs, t.put(bucketClosed, closedKey(c.Session.Session, key), how))
	}
	for _, e := range c.History {
		errs = append(errs, t.append(bucketHistory, e))
	}
	for _, n := range c.Notices {
		errs = append(errs, t.append(bucketOutbox, n))
	}
	for _, s := range c.Spent {
		errs = append(errs, t.spend(s))
	}
	if c.unknown != nil {
		errs = append(errs, t.unknown(c.Agent, c.Info.Version, *c.unknown))
	}
	if c.signs {
		errs = append(errs, t.alive())
	}
	return errors.Join(append(errs, t.counts(c.Counts))...)
}

// spend adds to the budget of a day.
func (t tx) spend(s Spent) error {
	b := t.spent(s.At)
	b.Total += s.Fires
	b.CostUSD += s.USD
	if s.Fires != 0 {
		b.Sessions[s.Root] += s.Fires
	}
	return t.put(bucketBudget, dayOf(s.At), b)
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
	return t.put(bucketStats, keyTotal, st)
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

// transition carries out one transition of a session, for a store that nobody owns yet.
func (s *Store) transition(ds detect.Session, f func(Session, Books) (*Change, error)) (Session, error) {
	var failed error
	now := s.now().UTC().Round(0)
	b := s.Books(func() time.Time { return now }, func(err error) { failed = errors.Join(failed, err) })
	rec := b.Record(ds)
	c, err := f(rec, b)
	if err = errors.Join(err, failed); err != nil || c == nil {
		return rec, err
	}
	err = s.Commit(c)
	return c.Session, err
}

// Books gives what the store says. failed is told of what could not be looked up; that counts as absent, and whoever hears
// of it must not commit what follows from it.
func (s *Store) Books(now func() time.Time, failed func(error)) Books { return desk{s, now, failed} }

type desk struct {
	s      *Store
	now    func() time.Time
	failed func(error)
}

func (d desk) Now() time.Time { return d.now() }

func (d desk) Closed(ds detect.Session, key string) (c Closed) {
	d.look(func(t tx) { c = t.closed(ds, key) })
	return c
}

func (d desk) Spent(at time.Time) (b Budget) {
	d.look(func(t tx) { b = t.spent(at) })
	return b
}

func (d desk) Record(ds detect.Session) (rec Session) {
	d.look(func(t tx) { rec = t.session(ds) })
	return rec
}

func (d desk) look(f func(tx)) {
	if err := d.s.view(func(t tx) error { f(t); return nil }); err != nil {
		d.failed(err)
	}
}
