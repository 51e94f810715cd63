package state

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/resume"
)

func budget(t tb, s *Store, at time.Time) (b Budget) {
	t.Helper()
	must(t, s.view(func(tx tx) error { b = tx.spent(at); return nil }))
	return b
}

func TestBudgets(t *testing.T) {
	s, c := newStore(t)
	tomorrow := time.Date(2026, 11, 21, 0, 0, 0, 0, time.Local)
	waiting(t, s, one, "k")
	settle(t, s, fire(t, s, one, "k"), outcome(resume.NoEffect, ""))
	_, err := s.Claim(one, "k", Limits{PerSession: 1, PerDay: 9}, free)
	is(t, refusedWith(t, err, resume.Postponed).Again, tomorrow)
	waiting(t, s, two, "k")
	_, err = s.Claim(two, "k", Limits{PerSession: 1, PerDay: 1}, free)
	is(t, refusedWith(t, err, resume.Postponed).Again, tomorrow)
	_, err = s.Claim(two, "k", Limits{PerSession: 1, PerDay: 2}, free)
	must(t, err)
	c.Time = noon.Add(24 * time.Hour)
	_, err = s.Claim(one, "k", Limits{PerSession: 1, PerDay: 1}, free)
	must(t, err)
}

func TestCostBudget(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	o := outcome(resume.NoEffect, "")
	o.CostUSD = 0.5
	settle(t, s, fire(t, s, one, "k"), o)
	must(t, s.Ended(resume.Claim{Session: one}, resume.Output{CostUSD: 0.5}, 60, ""))
	l := many
	l.MaxCostUSD = 1
	_, err := s.Claim(one, "k", l, free)
	refusedWith(t, err, resume.Postponed)
	l.MaxCostUSD = 1.01
	_, err = s.Claim(one, "k", l, free)
	must(t, err)
}

// Prompts that a run gives itself are asked for like the first, and count like it.
func TestFurtherPromptsCount(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	o := outcome(resume.StoppedAgain, "k2")
	o.Prompts = 3
	settle(t, s, fire(t, s, one, "k"), o)
	is(t, budget(t, s, noon).Total, 3)
	must(t, s.Ended(resume.Claim{Session: one}, resume.Output{Prompts: 4}, 60, ""))
	is(t, budget(t, s, noon).Total, 6)
	must(t, s.Ended(resume.Claim{Session: one}, resume.Output{Prompts: 1}, 60, ""))
	must(t, s.Ended(resume.Claim{Session: one}, resume.Output{}, 60, ""))
	is(t, budget(t, s, noon).Total, 6)
}

func TestARefusedProbeCostsNothing(t *testing.T) {
	s, _ := newStore(t)
	probe := wait
	probe.Probe = true
	_, err := s.Stopped(read(one), stopped("k"), probe, nil)
	must(t, err)
	settle(t, s, fire(t, s, one, "k"), outcome(resume.StoppedAgain, "k2"))
	is(t, budget(t, s, noon).Total, 0)
	settle(t, s, fire(t, s, one, "k2"), outcome(resume.StoppedAgain, "k3")) // decided as no probe
	is(t, budget(t, s, noon).Total, 1)
}

// A probe that asked nothing is worth no more: else an agent that cannot start uses up the day on which its user mends it.
func TestAProbeWithoutEffectCostsNothing(t *testing.T) {
	s, _ := newStore(t)
	probe := wait
	probe.Probe = true
	_, err := s.Stopped(read(one), stopped("k"), probe, nil)
	must(t, err)
	settle(t, s, fire(t, s, one, "k"), outcome(resume.NoEffect, ""))
	is(t, budget(t, s, noon).Total, 0)
	settle(t, s, fire(t, s, one, "k"), outcome(resume.NoEffect, "")) // decided as no probe
	is(t, budget(t, s, noon).Total, 1)
}

// What was claimed before midnight is given back to that day.
func TestGivenBackToItsDay(t *testing.T) {
	s, c := newStore(t)
	waiting(t, s, one, "k")
	cl := claimed(t, s, one, "k")
	c.Time = noon.Add(24 * time.Hour)
	_, err := s.Unclaim(cl, "no shim", true)
	must(t, err)
	is(t, budget(t, s, noon).Total, 0)
	is(t, budget(t, s, c.Time).Total, 0)
}

// Where the clocks are put forward at midnight, the day begins later than that: a wait that ends before it ends in a day whose
// budget is used up, and again at once.
func TestTomorrowHasNoMidnight(t *testing.T) {
	was := time.Local
	t.Cleanup(func() { time.Local = was })
	var err error
	time.Local, err = time.LoadLocation("America/Santiago")
	must(t, err)
	s, c := newStore(t)
	c.Time = time.Date(2026, 9, 5, 20, 0, 0, 0, time.Local)
	waiting(t, s, one, "k")
	settle(t, s, fire(t, s, one, "k"), outcome(resume.NoEffect, ""))
	_, err = s.Claim(one, "k", Limits{PerSession: 1, PerDay: 9}, free)
	is(t, refusedWith(t, err, resume.Postponed).Again.Local(), time.Date(2026, 9, 6, 1, 0, 0, 0, time.Local))
}
