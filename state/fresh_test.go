package state

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// begun has an attempt under way that begins a fresh session.
func begun(t *testing.T, s *Store) resume.Claim {
	t.Helper()
	waiting(t, s, one, "k")
	c, err := s.Claim(one, "k", many, func(Session) (resume.Claim, error) {
		return resume.Claim{Token: "t", Plan: resume.Plan{Form: resume.FormFresh}}, nil
	})
	must(t, err)
	must(t, s.Fired(c))
	return c
}

func TestFreshSessionTakesOver(t *testing.T) {
	s, _ := newStore(t)
	cl := begun(t, s)
	o := outcome(resume.Resumed, "")
	o.Session = two
	rec := settle(t, s, cl, o)
	is(t, rec.NewSession, "two")
	next := get(t, s, two)
	is(t, next.OldSession, "one")
	is(t, next.Root, "claude/one")
	is(t, next.Fruitless, 1)
	is(t, next.Episode.Fresh, 1)
	st, err := s.Stats()
	must(t, err)
	is(t, st.Recovered, 1)
	// The line shares one budget, and the new session's stop keeps its place in the line.
	waiting(t, s, two, "k")
	is(t, get(t, s, two).Episode.Fresh, 1)
	_, err = s.Claim(two, "k", Limits{PerSession: 1, PerDay: 9}, free)
	refusedWith(t, err, resume.Postponed)
}

func TestStoppedAgainInAFreshSession(t *testing.T) {
	s, _ := newStore(t)
	cl := begun(t, s)
	o := outcome(resume.StoppedAgain, "new")
	o.Session = two
	rec := settle(t, s, cl, o)
	is(t, rec.Phase, Following)
	is(t, rec.Stop.Key, "k")
	is(t, get(t, s, two).OldSession, "one")
	waiting(t, s, two, "new") // its own loop takes the stop in
}

// What became of a fresh session cannot be seen, or it was cut: its own stop, when its files tell of it, is the next of the same
// episode, and the old session keeps the stop that it has.
func TestHeldFreshAttemptCounts(t *testing.T) {
	for _, v := range []resume.Verdict{resume.Unsure, resume.Cut} {
		s, _ := newStore(t)
		cl := begun(t, s)
		o := outcome(v, "cut:new")
		o.Session = two
		rec := settle(t, s, cl, o)
		is(t, rec.Phase, Held)
		is(t, rec.Stop.Key, "k")
		waiting(t, s, two, "new")
		is(t, get(t, s, two).Episode.Attempts, 1)
		is(t, get(t, s, two).root(), "claude/one")
	}
}

// A session that another one took over from needs nobody, whatever its user was told before.
func TestNothingIsLeftToDoInTheOldSession(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	must(t, s.Tell(one, "k", "session_blocked", "somebody types", ""))
	c := fire(t, s, one, "k")
	c.Plan = resume.Plan{Form: resume.FormFresh, Session: "new"}
	o := outcome(resume.Resumed, "")
	o.Session = detect.Session{Agent: one.Agent, ID: "new"}
	settle(t, s, c, o)
	how, notice := get(t, s, one).Standing(noon.Add(time.Hour))
	is(t, how, Done)
	is(t, notice.Event, "")
}
