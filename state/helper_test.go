package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

var (
	noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	one  = detect.Session{Agent: "claude", ID: "one", Path: "/one.jsonl"}
	two  = detect.Session{Agent: "claude", ID: "two", Path: "/two.jsonl"}
	many = Limits{PerSession: 1000, PerDay: 1000}
	wait = resume.Decision{Strategy: resume.SameSession, WakeAt: noon, Attempt: 1, Why: "backoff"}
)

// tb is what a test and a property have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Error(args ...any)
	Errorf(format string, args ...any)
}

func must(t tb, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func is[T comparable](t tb, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// clock is a store's time, set by hand.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

// openAt opens the store at path with a clock that stands at noon.
func openAt(t testing.TB, path string) (*Store, *clock) {
	t.Helper()
	c := &clock{noon}
	s, err := Open(path, Options{Now: c.now})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s, c
}

func newStore(t testing.TB) (*Store, *clock) {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "clawd.db"))
}

func stopped(key string) detect.Stop {
	return detect.Stop{State: detect.Stopped, Reason: detect.UsageLimit, Window: detect.FiveHour, Key: key, At: noon, ResetAt: noon.Add(time.Hour)}
}

func read(ds detect.Session) Read {
	return Read{Session: ds, Info: detect.Info{Dir: "/work"}, Stamp: "st", Cursor: "cur"}
}

var tokens atomic.Int64

// free is a check of a claim that finds nothing against it.
func free(Session) (resume.Claim, error) {
	return resume.Claim{Token: fmt.Sprint("token", tokens.Add(1)), Boot: "boot", Cursor: "cur", Plan: resume.Plan{Form: resume.FormPrompt}}, nil
}

// waiting puts a session into phase waiting, fire on into fired.
func waiting(t tb, s *Store, ds detect.Session, key string) {
	t.Helper()
	rec, err := s.Stopped(read(ds), stopped(key), wait, nil)
	must(t, err)
	is(t, rec.Phase, Waiting)
}

func claimed(t tb, s *Store, ds detect.Session, key string) resume.Claim {
	t.Helper()
	c, err := s.Claim(ds, key, many, free)
	must(t, err)
	return c
}

func fire(t tb, s *Store, ds detect.Session, key string) resume.Claim {
	t.Helper()
	c := claimed(t, s, ds, key)
	c.PID, c.Start = 42, 7
	must(t, s.Fired(c))
	return c
}

// hold has a stop that waits held, as an attempt does that nobody can judge.
func hold(t tb, s *Store, ds detect.Session, key, why string) {
	t.Helper()
	_, _, err := s.Settle(fire(t, s, ds, key), resume.Outcome{Verdict: resume.Unsure, Why: why}, Read{}, again)
	must(t, err)
}

func again(Session) resume.Decision { return wait }

func outcome(v resume.Verdict, newKey string) resume.Outcome {
	o := resume.Outcome{Verdict: v, Why: "why"}
	if v == resume.NoEffect {
		o.Proof = "no mark"
	}
	if newKey != "" {
		st := stopped(newKey)
		o.Stop = &st
	}
	return o
}

func settle(t tb, s *Store, c resume.Claim, o resume.Outcome) Session {
	t.Helper()
	rec, _, err := s.Settle(c, o, Read{}, again)
	must(t, err)
	return rec
}

func get(t tb, s *Store, ds detect.Session) Session {
	t.Helper()
	rec, _, err := s.Session(ds)
	must(t, err)
	return rec
}

func kinds(t tb, s *Store) (all []string) {
	t.Helper()
	must(t, s.History(func(e Entry) error { all = append(all, e.Kind); return nil }))
	return all
}

func told(t tb, s *Store) (all []string) {
	t.Helper()
	notices, err := s.Outbox()
	must(t, err)
	for _, n := range notices {
		all = append(all, n.Event)
	}
	return all
}

func refusedWith(t tb, err error, v resume.Verdict) resume.Outcome {
	t.Helper()
	r := (*resume.Refusal)(nil)
	if !errors.As(err, &r) || r.Outcome.Verdict != v {
		t.Fatalf("got %v, want a refusal with %s", err, v)
	}
	return r.Outcome
}

// snapshot is all that the store says of a session, to be compared.
func snapshot(t tb, s *Store, ds detect.Session) string {
	t.Helper()
	b, err := json.Marshal([]any{get(t, s, ds), kinds(t, s), told(t, s)})
	must(t, err)
	return string(b)
}
