package state

import (
	"cmp"
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// lostReach is how far back marks are looked at when the store has lost what it knew.
const lostReach = 48 * time.Hour

// recount makes good from the marks of attempts what the store has lost: the day's budget, and how often each session was
// tried.
func (s *Store) recount() error {
	return s.update("recount", func(t tx) error {
		b, marks := t.Spent(t.now), t.marked(dayOf(t.now))
		b.Total = max(b.Total, marks.Total)
		for root, n := range marks.Sessions {
			b.Sessions[root] = max(b.Sessions[root], n)
		}
		if err := t.put(bucketBudget, dayOf(t.now), b); err != nil || s.o.Fired == nil {
			return err
		}
		claims := s.o.Fired(t.now.Add(-lostReach))
		slices.SortStableFunc(claims, func(a, b resume.Claim) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.N, b.N)) })
		for _, c := range claims {
			if err := t.remember(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// remember notes an attempt that the store does not know of: a stop that follows on it, with no good end of a turn in
// between, is the same episode's.
func (t tx) remember(c resume.Claim) error {
	rec := t.session(c.Session)
	if begun := rec.Phase == Claimed && rec.Claim.Token == c.Token; begun || rec.open() && rec.Claim.At.Before(c.At) { // or a later one followed
		rec.Phase, rec.Claim, rec.Stop, rec.Episode.Attempts = Fired, &c, c.Stop, c.Attempts
		rec.Rev++
		rec.Updated = t.now
		return t.save(&rec)
	}
	ds := c.Session
	if c.Plan.Form == resume.FormFresh {
		ds = detect.Session{Agent: ds.Agent, ID: c.Plan.Session}
	}
	rec = t.session(ds)
	known := rec.Claim != nil && !rec.Claim.At.Before(c.At) || !rec.LastFire.Before(c.At)
	if ds.ID == "" || known {
		return nil
	}
	switch overtaken := c.Plan.Form != resume.FormFresh && c.Stop.Key != rec.Stop.Key; {
	case rec.Phase == Following, rec.Phase == Waiting && !overtaken:
	case overtaken && !rec.TakenBack(): // the stop that it has is over: a later one was resumed
		rec.Phase, rec.Prompt, rec.Decision = Following, "", resume.Decision{}
	default:
		return nil
	}
	if c.Plan.Form == resume.FormFresh && rec.OldSession == "" {
		rec.OldSession, rec.Root, rec.Episode.Fresh = c.Session.ID, t.session(c.Session).root(), rec.Episode.Fresh+1
	}
	if rec.Episode.Since.IsZero() || c.Attempts <= 1 {
		rec.Episode.Since = c.Stop.At
	}
	rec.Episode.Key, rec.Episode.Attempts = "", max(rec.Episode.Attempts, c.Attempts)
	rec.LastFire, rec.FirePrompt, rec.FireEnd = c.At, c.Plan.Prompt, t.now
	rec.Rev++
	rec.Updated = t.now
	return t.save(&rec)
}
