package state

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// shelf are books in memory.
type shelf struct {
	now    time.Time
	closed map[string]Closed
	spent  Budget
	others map[string]Session
}

func (s shelf) Now() time.Time                              { return s.now }
func (s shelf) Closed(ds detect.Session, key string) Closed { return s.closed[closedKey(ds, key)] }
func (s shelf) Spent(time.Time) Budget                      { return s.spent }
func (s shelf) Record(ds detect.Session) (rec Session) {
	rec = s.others[Key(ds)]
	rec.Session = ds
	return rec
}
func (s shelf) of(t *testing.T) string {
	t.Helper()
	return asJSON(t, s.others) + asJSON(t, s.closed) + asJSON(t, s.spent)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

// A transition changes neither the record that it is given nor what the books say, so one whose commit fails has left
// nothing behind.
func TestTransitionsArePure(t *testing.T) {
	now := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)
	b := shelf{now: now, closed: map[string]Closed{closedKey(one, "k"): {N: 1, Verdict: resume.NoEffect}},
		spent: Budget{Sessions: map[string]int{Key(one): 1}}, others: map[string]Session{Key(two): {Session: two, Prompt: "p"}}}
	claim := resume.Claim{Session: one, Stop: stopped("k"), N: 2, Token: "token", At: now, Plan: resume.Plan{Form: resume.FormFresh}}
	rec := func(p Phase) Session {
		c := claim
		told := make([]string, 2, 8)
		copy(told, []string{"k", "session_blocked"})
		return Session{Session: one, Phase: p, Stop: stopped("k"), Claim: &c, Told: told, NewSession: two.ID, Rev: 7,
			Decision: resume.Decision{Strategy: resume.SameSession, Probe: true}, Episode: Episode{Key: "k", Attempts: 2, Since: now}}
	}
	again := stopped("k2")
	next := func(Session) resume.Decision { return resume.Decision{Strategy: resume.SameSession, WakeAt: now} }
	settled := func(s Session, v resume.Verdict) (*Change, error) {
		return s.Settled(b, claim, resume.Outcome{Verdict: v, Stop: &again, Session: two, CostUSD: 1}, Read{}, next)
	}
	moves := map[string]struct {
		from Phase
		f    func(Session) (*Change, error)
	}{
		"noted":       {Waiting, func(s Session) (*Change, error) { return s.Noted(b, read(one)), nil }},
		"stopped":     {Following, func(s Session) (*Change, error) { return s.Stopped(b, read(one), again, s.Decision, nil) }},
		"adopted":     {Waiting, func(s Session) (*Change, error) { return s.Adopted(b, claim) }},
		"went on":     {Waiting, func(s Session) (*Change, error) { return s.WentOn(b, read(one), "a prompt") }},
		"redecided":   {Waiting, func(s Session) (*Change, error) { return s.Redecided(b, "k", next(s)) }},
		"kept back":   {Waiting, func(s Session) (*Change, error) { return s.KeptBack(b, "k", "why", next(s)) }},
		"refined":     {Waiting, func(s Session) (*Change, error) { return s.Refined(b, stopped("k"), next(s)) }},
		"notified":    {Waiting, func(s Session) (*Change, error) { return s.Notified(b, "k", "session_unreachable", "why", "") }},
		"left":        {Waiting, func(s Session) (*Change, error) { return s.Left(b, "k", "why", "") }},
		"holder seen": {Waiting, func(s Session) (*Change, error) { return s.HolderSeen(b, detect.Holder{PID: 7}, HolderQuit), nil }},
		"taken":       {Waiting, func(s Session) (*Change, error) { return s.Taken(b, claim), nil }},
		"fired":       {Claimed, func(s Session) (*Change, error) { return s.Fired(b, claim) }},
		"unclaimed":   {Claimed, func(s Session) (*Change, error) { return s.Unclaimed(b, claim, "why", true) }},
		"resumed":     {Fired, func(s Session) (*Change, error) { return settled(s, resume.Resumed) }},
		"by hand":     {Fired, func(s Session) (*Change, error) { return settled(s, resume.ByHand) }},
		"again":       {Fired, func(s Session) (*Change, error) { return settled(s, resume.StoppedAgain) }},
		"no effect":   {Fired, func(s Session) (*Change, error) { return settled(s, resume.NoEffect) }},
		"unsure":      {Fired, func(s Session) (*Change, error) { return settled(s, resume.Unsure) }},
		"ended": {Following, func(s Session) (*Change, error) {
			return s.Ended(b, claim, resume.Output{CostUSD: 1}, 2, "denied"), nil
		}},
		"output cut": {Fired, func(s Session) (*Change, error) { return s.OutputCut(b, claim), nil }},
		"ordered":    {Held, func(s Session) (*Change, error) { return s.Ordered(b, again, next(s)) }},
		"canceled":   {Fired, func(s Session) (*Change, error) { return s.CancelOrdered(b, true) }},
		"taken back": {Waiting, func(s Session) (*Change, error) { return s.CancelOrdered(b, true) }},
		"ignored":    {Waiting, func(s Session) (*Change, error) { return s.IgnoreOrdered(b, false), nil }},
	}
	for name, m := range moves {
		s, books := rec(m.from), b.of(t)
		was := asJSON(t, s)
		c, err := m.f(s)
		if err != nil || c == nil {
			t.Errorf("%s: %v, %v", name, c, err)
			continue
		}
		if now := asJSON(t, s) + asJSON(t, s.Told[:cap(s.Told)]); now != was+asJSON(t, rec(m.from).Told[:8]) {
			t.Errorf("%s changed the record that it was given: %s, was %s", name, now, was)
		}
		if now := b.of(t); now != books {
			t.Errorf("%s changed the books: %s, were %s", name, now, books)
		}
	}
}
