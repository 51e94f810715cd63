package state

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// lostReach is how far back marks are looked at when the store has lost what it knew.
const lostReach = 48 * time.Hour

// unheard gives the attempts, by their marks and in their order, that the store may not know of: it was lost, or an older copy of it
// was put back.
func (s *Store) unheard() ([]resume.Claim, error) {
	if s.o.Fired == nil {
		return nil, nil
	}
	claims := s.o.Fired(s.now().Add(-lostReach))
	slices.SortStableFunc(claims, func(a, b resume.Claim) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.N, b.N)) })
	if s.Lost {
		return claims, nil
	}
	var errs []error
	claims = slices.DeleteFunc(claims, func(c resume.Claim) bool {
		rec, _, err := s.Session(c.Session)
		errs = append(errs, err)
		return rec.Phase != Claimed && rec.Updated.After(c.At) // no mark is made before the attempt is stored as fired
	})
	return claims, errors.Join(errs...)
}

// recount makes good from the marks of attempts what the store has lost: the day's budget, and how often each session was
// tried.
func (s *Store) recount(claims []resume.Claim) error {
	if len(claims) == 0 {
		return nil
	}
	return s.update("recount", func(t tx) error {
		for _, c := range claims {
			if err := t.remember(c); err != nil {
				return err
			}
		}
		b, marks := t.spent(t.now), t.marked(dayOf(t.now)) // when it is known which sessions are of one line
		b.Total = max(b.Total, marks.Total)
		for root, n := range marks.Sessions {
			b.Sessions[root] = max(b.Sessions[root], n)
		}
		return t.put(bucketBudget, dayOf(t.now), b)
	})
}

// remember notes an attempt that the store does not know of: it is under way until it is judged. One that began a fresh session
// that went on since counts for that one.
func (t tx) remember(c resume.Claim) error {
	rec := t.session(c.Session)
	if rec.Path == "" { // only the attempt that began it is known, which does not tell where it lies
		rec.Session = c.Session
	}
	judged := t.closed(c.Session, c.Stop.Key).N >= c.N || !rec.LastFire.Before(c.At)
	begun := rec.Phase == Claimed && rec.Claim.Token == c.Token
	switch known := judged || rec.Claim != nil && !rec.Claim.At.Before(c.At); {
	case begun:
		return t.underWay(rec, c)
	case known && !judged && c.Plan.Form == resume.FormFresh: // a later one may take its place before it has its verdict
		return t.inherit(c)
	case known:
		return nil
	case rec.open(), rec.Phase == Waiting,
		rec.Phase == Held && rec.Stop.Key == c.Stop.Key && !rec.TakenBack(),                                        // its user has ordered it since
		rec.Phase != Following && rec.Stop.Key != c.Stop.Key && (!rec.TakenBack() || c.Stop.At.After(rec.Stop.At)), // the order was about an earlier stop
		rec.Phase == Following && c.Plan.Form != resume.FormFresh && !rec.Stop.At.After(c.At):                      // else what came of it was left already
		return t.underWay(rec, c)
	case c.Plan.Form == resume.FormFresh:
		return t.inherit(c)
	}
	return nil
}

func (t tx) underWay(rec Session, c resume.Claim) error {
	if rec.Stop.Key != c.Stop.Key { // what was decided about the older stop, and was kept for it, is not this one's
		rec.Decision = resume.Decision{Strategy: resume.SameSession, WakeAt: c.At, Attempt: c.N, Why: "clawd had started this before its store was lost"}
		if c.Plan.Form == resume.FormFresh {
			rec.Decision.Strategy, rec.Decision.With = resume.FreshSession, c.Plan.Agent
		}
		rec.Prompt, rec.Told, rec.Starts, rec.Unsaid = "", nil, 0, 0
	}
	if rec.Cursor == "" { // it was never read, as far as the store knows
		rec.Info = c.Info
	}
	rec.Episode.Key = c.Stop.Key
	rec.Episode.tried(c)
	rec.Phase, rec.Claim, rec.Stop, rec.Episode.Attempts = Fired, &c, c.Stop, c.Attempts
	if c.At.After(rec.Cancelled) { // its user went on after the cancel, else it would not have been made
		rec.Cancelled = time.Time{}
	}
	rec.written(t.now)
	if err := t.save(&rec); err != nil || c.Plan.Form != resume.FormFresh {
		return err
	}
	return t.inherit(c) // whose stop may be read before the verdict
}

// inherit counts an attempt for the fresh session that it began.
func (t tx) inherit(c resume.Claim) error {
	rec, old := t.session(c.Begins()), t.session(c.Session)
	if rec.ID == "" || rec.Phase != Following || !rec.LastFire.Before(c.At) {
		return nil
	}
	if old.Cancelled.After(c.At) { // what the run writes there may be read before the verdict
		rec.Cancelled = old.Cancelled
	}
	if rec.OldSession == "" {
		rec.OldSession, rec.Root, rec.Episode.Fresh = rec.NameOf(c.Session), old.root(), rec.Episode.Fresh+fresh(c)
	}
	rec.Episode.tried(c)
	rec.Episode.Key, rec.Episode.Attempts = "", max(rec.Episode.Attempts, c.Attempts)
	rec.LastFire, rec.FirePrompt, rec.FireEnd = c.At, c.Plan.Prompt, time.Time{}
	rec.written(t.now)
	return t.save(&rec)
}

// tried notes since when an episode has been tried, by one of its attempts.
func (e *Episode) tried(c resume.Claim) {
	switch {
	case c.Attempts <= 1:
		e.Since = c.At
	case e.Since.IsZero():
		e.Since = c.Stop.At
	}
}
