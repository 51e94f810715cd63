package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

func TestALifeOfOneStop(t *testing.T) {
	s, c := newStore(t)
	waiting(t, s, one, "k")
	rec := get(t, s, one)
	is(t, rec.Cursor, "cur")
	is(t, rec.Episode, Episode{Key: "k", Began: noon, Since: noon})
	c.Time = noon.Add(time.Minute)
	cl := claimed(t, s, one, "k")
	is(t, cl.N, 1)
	is(t, get(t, s, one).Phase, Claimed)
	cl.PID = 42
	must(t, s.Fired(cl))
	rec = get(t, s, one)
	is(t, rec.Phase, Fired)
	is(t, rec.Claim.PID, 42)
	rec, stats, err := s.Settle(cl, outcome(resume.Resumed, ""), Read{}, again)
	must(t, err)
	is(t, rec.Phase, Following)
	is(t, rec.Fruitless, 1)
	is(t, stats.TotalResumes, 1)
	is(t, stats.SecondsWaited, 60)
	is(t, stats.Stops[detect.UsageLimit], 1)
	if diff := cmp.Diff([]string{"stop", "scheduled", "claimed", "fired", "resumed"}, kinds(t, s)); diff != "" {
		t.Error(diff)
	}
	if n := told(t, s); n != nil {
		t.Error(n)
	}
}

func TestWrongPhase(t *testing.T) {
	other := resume.Claim{Session: one, Token: "another", Stop: stopped("k")}
	calls := map[string]func(*Store, resume.Claim) error{
		"claim":   func(s *Store, _ resume.Claim) error { _, err := s.Claim(one, "k", many, free); return err },
		"fired":   func(s *Store, c resume.Claim) error { return s.Fired(c) },
		"unclaim": func(s *Store, c resume.Claim) error { _, err := s.Unclaim(c, "", true); return err },
		"settle": func(s *Store, c resume.Claim) error {
			_, _, err := s.Settle(c, outcome(resume.Resumed, ""), Read{}, again)
			return err
		},
		"leave": func(s *Store, _ resume.Claim) error { return s.Leave(one, "k", "", "") },
		"wait":  func(s *Store, _ resume.Claim) error { return s.Wait(one, "k", wait) },
		"stopped": func(s *Store, _ resume.Claim) error {
			_, err := s.Stopped(read(one), stopped("k2"), wait, nil)
			return err
		},
		"went on": func(s *Store, _ resume.Claim) error { _, err := s.WentOn(read(one), ""); return err },
	}
	for phase, c := range map[Phase]struct {
		reach func(*Store) resume.Claim
		may   string // the calls that may be made there
	}{
		Following: {func(*Store) resume.Claim { return other }, "stopped, went on"},
		Waiting:   {func(s *Store) resume.Claim { waiting(t, s, one, "k"); return other }, "stopped, went on, claim, leave, wait"},
		Claimed:   {func(s *Store) resume.Claim { waiting(t, s, one, "k"); return claimed(t, s, one, "k") }, "fired, unclaim"},
		Fired:     {func(s *Store) resume.Claim { waiting(t, s, one, "k"); return fire(t, s, one, "k") }, "unclaim, settle"},
		Held: {func(s *Store) resume.Claim {
			waiting(t, s, one, "k")
			hold(t, s, one, "k", "asked")
			return other
		}, "stopped, went on"},
	} {
		for name, call := range calls {
			s, _ := newStore(t)
			cl := c.reach(s)
			before := snapshot(t, s, one)
			err := call(s, cl)
			ok := slices.Contains(strings.Split(c.may, ", "), name)
			if (err == nil) != ok || err != nil && !errors.Is(err, ErrPhase) {
				t.Errorf("%s in %s: %v", name, phase, err)
			}
			if after := snapshot(t, s, one); err != nil && after != before {
				t.Errorf("%s in %s failed and left something behind", name, phase)
			}
			if phase == Claimed || phase == Fired {
				if name == "fired" || name == "unclaim" || name == "settle" {
					continue
				}
				if err := calls["fired"](s, other); !errors.Is(err, ErrPhase) {
					t.Errorf("another's claim in %s: %v", phase, err)
				}
			}
		}
	}
}

func TestClaimIsAllOrNothing(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	before := snapshot(t, s, one)
	errHeld := errors.New("held")
	_, err := s.Claim(one, "k", many, func(rec Session) (resume.Claim, error) {
		is(t, rec.Stop.Key, "k")
		return resume.Claim{Token: "t"}, errHeld
	})
	if !errors.Is(err, errHeld) {
		t.Error(err)
	}
	is(t, snapshot(t, s, one), before)
	_, err = s.Claim(one, "k", Limits{PerSession: 1, PerDay: 1}, free) // nothing was taken from the budget
	must(t, err)
	if _, err := s.Claim(one, "another", many, free); !errors.Is(err, ErrPhase) {
		t.Error(err)
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		verdict  resume.Verdict
		newKey   string
		phase    Phase
		attempts int
		notice   string
	}{
		{resume.Resumed, "", Following, 0, ""},
		{resume.ByHand, "", Following, 0, ""},
		{resume.StoppedAgain, "k2", Waiting, 1, ""},
		{resume.NoEffect, "", Waiting, 1, ""},
		{resume.NoEffect, "k2", Waiting, 1, ""},
		{resume.Cut, "cut:k2", Held, 1, "session_held"},
		{resume.Unsure, "", Held, 1, "session_held"},
	} {
		s, _ := newStore(t)
		waiting(t, s, one, "k")
		rec := settle(t, s, fire(t, s, one, "k"), outcome(c.verdict, c.newKey))
		is(t, rec.Phase, c.phase)
		is(t, rec.Episode.Attempts, c.attempts)
		if c.newKey != "" {
			is(t, rec.Stop.Key, c.newKey)
		}
		if got := strings.Join(told(t, s), " "); got != c.notice {
			t.Errorf("%s: told %q", c.verdict, got)
		}
		st, err := s.Stats()
		must(t, err)
		is(t, st.Failures == 0, c.verdict == resume.Resumed || c.verdict == resume.ByHand)
		// A closed key takes no second claim, unless it is proved that nothing came of the first.
		rec, err = s.Stopped(read(one), stopped("k"), wait, nil)
		must(t, err)
		if rec.Stop.Key != "k" && c.newKey == "" || c.newKey != "" && rec.Stop.Key != c.newKey {
			t.Errorf("%s: the stop is %s", c.verdict, rec.Stop.Key)
		}
		if c.phase == Waiting && c.newKey != "" { // the files lost what was waited for
			c.phase = Held
		}
		is(t, rec.Phase, c.phase)
		_, err = s.Claim(one, "k", many, free)
		is(t, err == nil, c.verdict == resume.NoEffect && c.newKey == "")
	}
}

// Also a record that says otherwise does not open a closed key.
func TestClosedKeyIsRefused(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	settle(t, s, fire(t, s, one, "k"), outcome(resume.Resumed, ""))
	must(t, s.update("T1", func(tx tx) error {
		rec := tx.session(one)
		rec.Phase = Waiting
		rec.Rev++
		return tx.save(&rec)
	}))
	_, err := s.Claim(one, "k", many, free)
	refusedWith(t, err, resume.LeftAlone)
}

func TestUnclaim(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	for i := range 3 {
		held, err := s.Unclaim(claimed(t, s, one, "k"), "no shim", true)
		must(t, err)
		is(t, held, i == 2)
	}
	rec := get(t, s, one)
	is(t, rec.Phase, Held)
	is(t, rec.Episode.Attempts, 0)
	is(t, strings.Join(told(t, s), " "), "session_held")

	waiting(t, s, two, "k")
	for range 4 { // one that was cancelled says nothing against the agent
		held, err := s.Unclaim(fire(t, s, two, "k"), "cancelled", false)
		must(t, err)
		is(t, held, false)
	}
	b := budget(t, s, noon)
	is(t, b.Total, 0)
	is(t, b.Sessions["claude/two"], 0)
}

func TestEpisodeCountsOverStops(t *testing.T) {
	s, c := newStore(t)
	waiting(t, s, one, "k1")
	for n := 1; n <= 3; n++ {
		c.Time = c.Add(time.Hour)
		rec := settle(t, s, fire(t, s, one, fmt.Sprint("k", n)), outcome(resume.StoppedAgain, fmt.Sprint("k", n+1)))
		is(t, rec.Episode, Episode{Key: "k1", Began: noon, Since: noon.Add(time.Hour), Attempts: n})
	}
	was, err := s.WentOn(read(one), "somebody went on")
	must(t, err)
	is(t, was, Waiting)
	is(t, get(t, s, one).Episode, Episode{})
}

func TestSettleGivesUp(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	rec, st, err := s.Settle(fire(t, s, one, "k"), outcome(resume.StoppedAgain, "k2"), Read{}, func(rec Session) resume.Decision {
		is(t, rec.Stop.Key, "k2")
		is(t, rec.Episode.Attempts, 1)
		return resume.Decision{Strategy: resume.Leave, GivenUp: true, Tell: true, Why: "enough"}
	})
	must(t, err)
	is(t, rec.Phase, GivenUp)
	is(t, st.GivenUp, 1)
	is(t, strings.Join(told(t, s), " "), "resume_given_up")
}

func TestFruitlessEnds(t *testing.T) {
	resumed := func() *Store {
		s, _ := newStore(t)
		waiting(t, s, one, "k")
		settle(t, s, fire(t, s, one, "k"), outcome(resume.Resumed, ""))
		return s
	}
	for name, c := range map[string]struct {
		change func(*detect.Classifier)
		want   int
	}{
		"nothing new":     {func(*detect.Classifier) {}, 1},
		"ended well":      {func(c *detect.Classifier) { c.Ended = noon.Add(time.Second) }, 0},
		"a person":        {func(c *detect.Classifier) { c.LastPrompt.At = noon.Add(time.Second) }, 0},
		"our own prompt":  {func(c *detect.Classifier) { c.LastPrompt.At, c.LastPrompt.Headless = noon.Add(time.Second), true }, 1},
		"ended before it": {func(c *detect.Classifier) { c.Ended = noon.Add(-time.Second) }, 1},
	} {
		s := resumed()
		r := read(one)
		c.change(&r.Classifier)
		must(t, s.Progress([]Read{r}))
		if got := get(t, s, one).Fruitless; got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestProgressLeavesAnOpenAttemptAlone(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	fire(t, s, one, "k")
	r := read(one)
	r.Cursor = "further"
	must(t, s.Progress([]Read{r, {Session: two, Cursor: "two"}}))
	is(t, get(t, s, one).Cursor, "cur")
	is(t, get(t, s, two).Cursor, "two")
}

func TestAdoptedAttempt(t *testing.T) {
	s, _ := newStore(t)
	cl := resume.Claim{Session: one, Stop: stopped("k"), Token: "old", N: 2, Attempts: 2, At: noon}
	rec, err := s.Stopped(read(one), stopped("k"), wait, &cl)
	must(t, err)
	is(t, rec.Phase, Fired)
	is(t, rec.Episode.Attempts, 2)
	is(t, settle(t, s, cl, outcome(resume.NoEffect, "")).Episode.Attempts, 2)
	is(t, claimed(t, s, one, "k").N, 3)
}

func TestLeftStops(t *testing.T) {
	s, _ := newStore(t)
	_, err := s.Stopped(read(one), stopped("k"), resume.Decision{Strategy: resume.Leave, Why: "archived"}, nil)
	must(t, err)
	_, err = s.Stopped(read(two), stopped("k"), resume.Decision{Strategy: resume.Leave, Tell: true, Why: "auth"}, nil)
	must(t, err)
	is(t, get(t, s, one).Phase, Following)
	is(t, strings.Join(kinds(t, s), " "), "stop left stop left")
	waiting(t, s, one, "k2")
	must(t, s.Leave(one, "k2", "a person must", "claude --resume one"))
	notices, err := s.Outbox()
	must(t, err)
	is(t, len(notices), 2)
	is(t, notices[1].Command, "claude --resume one")
	must(t, s.Told(notices[:1]))
	left, err := s.Outbox()
	must(t, err)
	if diff := cmp.Diff(notices[1:], left); diff != "" {
		t.Error(diff)
	}
}

func TestBlockedRunIsTold(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	settle(t, s, fire(t, s, one, "k"), outcome(resume.Resumed, ""))
	must(t, s.Ended(resume.Claim{Session: one}, resume.Output{}, 90, "it was refused permissions"))
	is(t, strings.Join(told(t, s), " "), "session_left")
	st, err := s.Stats()
	must(t, err)
	is(t, st.SecondsSaved, 90)
}

func TestOutputCut(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	c := fire(t, s, one, "k")
	must(t, s.OutputCut(c))
	is(t, get(t, s, one).Claim.OutputCut, true)
	settle(t, s, c, outcome(resume.Resumed, ""))
	must(t, s.OutputCut(c)) // settled: nothing is proved by it any more
}

// A wait that began before an order, be it for an older one, does not write its decision over it.
func TestWaitKeepsTheOrder(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	order := func(at time.Time) {
		t.Helper()
		rec := get(t, s, one)
		_, err := s.Order(one, rec.Rev, rec.Stop, resume.Decision{Strategy: resume.SameSession, WakeAt: at, Asked: true})
		must(t, err)
	}
	order(noon.Add(time.Hour))
	older := get(t, s, one).Decision
	must(t, s.Wait(one, "k", older))
	order(noon)
	for _, d := range []resume.Decision{wait, older} {
		if err := s.Wait(one, "k", d); !errors.Is(err, ErrPhase) {
			t.Error(err)
		}
	}
	is(t, get(t, s, one).Decision.WakeAt, noon)
}

// The number names the mark: after an attempt without an effect the next one is the second, also
// when somebody seemed to go on in between.
// A stop of clawd's own attempt that is read only after the attempt was held for it belongs to the same episode.
func TestAttemptsCountAfterAHold(t *testing.T) {
	for name, c := range map[string]struct {
		prompt detect.Event // the newest one
		n      int          // of the next attempt
	}{
		"by the attempt": {detect.Event{Kind: detect.KindPrompt, At: noon.Add(time.Minute), Hash: "ours", Headless: true}, 2},
		"by a script":    {detect.Event{Kind: detect.KindPrompt, At: noon.Add(time.Minute), Hash: "other", Headless: true}, 1},
		"by a person":    {detect.Event{Kind: detect.KindPrompt, At: noon.Add(time.Minute), Hash: "other"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock := newStore(t)
			waiting(t, s, one, "k")
			claim, err := s.Claim(one, "k", many, func(Session) (resume.Claim, error) {
				return resume.Claim{Token: "t", Plan: resume.Plan{Form: resume.FormPrompt, Prompt: "ours"}}, nil
			})
			must(t, err)
			must(t, s.Fired(claim))
			is(t, settle(t, s, claim, outcome(resume.Unsure, "")).Phase, Held)
			clock.Time = noon.Add(2 * time.Minute)
			r, stop := read(one), stopped("late")
			r.Classifier.Feed(c.prompt)
			stop.At = noon.Add(90 * time.Second)
			rec, err := s.Stopped(r, stop, wait, nil)
			must(t, err)
			is(t, rec.Phase, Waiting)
			is(t, claimed(t, s, one, "late").N, c.n)
		})
	}
}

func TestAttemptsKeepTheirNumbers(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	settle(t, s, fire(t, s, one, "k"), outcome(resume.NoEffect, ""))
	_, err := s.WentOn(read(one), "somebody went on")
	must(t, err)
	waiting(t, s, one, "k")
	is(t, claimed(t, s, one, "k").N, 2)
}
