package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Attempts never fall inside an episode: not when a stop of it is told again after its user had ordered a
// newer one.
func TestAttemptsOverAnOrder(t *testing.T) {
	s, _ := newStore(t)
	order := func(key string) {
		_, err := s.Order(one, get(t, s, one).Rev, stopped(key), resume.Decision{Strategy: resume.SameSession, WakeAt: noon, Asked: true})
		must(t, err)
	}
	waiting(t, s, one, "k2")
	settle(t, s, fire(t, s, one, "k2"), outcome(resume.NoEffect, "k3")) // refined: the attempt counts under the new key
	must(t, s.Leave(one, "k3", "by rule", ""))
	order("k3")
	order("k4")
	if got := get(t, s, one); got.Episode.Key != "k3" || got.Episode.Attempts != 1 {
		t.Fatalf("before: %+v", got.Episode)
	}
	_, err := s.Stopped(read(one), stopped("k3"), wait, nil)
	must(t, err)
	if got := get(t, s, one); got.Episode.Key != "k3" || got.Episode.Attempts != 1 {
		t.Errorf("after: %+v", got.Episode)
	}
}

// TestOrderOfAStopThatIsBack: a rewind takes away what its user did after a stop that had been resumed, and its user orders that stop.
// It was counted when it was taken in.
func TestOrderOfAStopThatIsBack(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k1")
	settle(t, s, fire(t, s, one, "k1"), resume.Outcome{Verdict: resume.ByHand})
	_, err := s.Stopped(read(one), stopped("k2"), resume.Decision{Strategy: resume.Leave, Why: "interrupted"}, nil)
	must(t, err)
	_, err = s.Order(one, get(t, s, one).Rev, stopped("k1"), resume.Decision{Strategy: resume.SameSession, WakeAt: noon, Asked: true})
	must(t, err)
	is(t, get(t, s, one).Stop.Key, "k1")
	stats, err := s.Stats()
	must(t, err)
	is(t, stats.Stops[detect.UsageLimit], 2) // k1 and k2
}

// What its user ordered outlives the store: lost, damaged, or back from a snapshot that is older.
func TestOrdersOutliveTheStore(t *testing.T) {
	for name, c := range map[string]struct{ snapshot, lose, marks bool }{"gone": {false, true, false}, "older": {true, true, false}, "there": {false, false, false},
		"gone, but for marks": {false, true, true}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "clawd.db")
			clock := &clock{noon}
			o := Options{Now: clock.now, Orders: filepath.Join(dir, "orders")}
			open := func() *Store {
				t.Helper()
				clock.Time = clock.Add(time.Minute)
				s, err := Open(path, o)
				must(t, err)
				return s
			}
			id := func(id string) detect.Session { return detect.Session{Agent: "claude", ID: id, Path: "/" + id} }
			s := open()
			for _, n := range []string{"cancelled", "ignored", "noticed", "resumed", "running", "neither"} {
				waiting(t, s, id(n), "k")
			}
			_, err := s.Ignore(id("noticed"), false)
			must(t, err)
			if c.snapshot {
				must(t, s.Snapshot())
			}
			clock.Time = clock.Add(time.Minute)
			_, err = s.Cancel(id("cancelled"), false)
			must(t, err)
			_, err = s.Ignore(id("ignored"), false)
			must(t, err)
			_, err = s.Ignore(id("noticed"), true)
			must(t, err)
			_, err = s.Cancel(id("resumed"), false)
			must(t, err)
			fire(t, s, id("running"), "k")
			_, err = s.Cancel(id("running"), true)
			must(t, err)
			clock.Time = clock.Add(time.Minute)
			_, err = s.Order(id("resumed"), get(t, s, id("resumed")).Rev, stopped("k"), wait)
			must(t, err)
			must(t, s.Close())
			if c.lose {
				must(t, os.Remove(path))
			}
			if c.marks { // of attempts before the orders
				o.Fired = func(time.Time) (all []resume.Claim) {
					for _, n := range []string{"cancelled", "ignored"} {
						all = append(all, resume.Claim{Token: n, Session: id(n), Stop: stopped("before"), N: 1, Attempts: 1, At: noon, Plan: resume.Plan{Form: resume.FormPrompt}})
					}
					return all
				}
			}
			s = open()
			defer s.Close()
			is(t, get(t, s, id("cancelled")).Phase, Held)
			is(t, get(t, s, id("cancelled")).Stop.Key, "k")
			is(t, get(t, s, id("ignored")).Ignored, true)
			is(t, get(t, s, id("noticed")).Ignored, false)
			is(t, get(t, s, id("resumed")).Phase != Held, true)
			is(t, get(t, s, id("running")).Cancelled.IsZero(), false)
			rec, err := s.Stopped(read(id("cancelled")), stopped("k"), wait, nil)
			must(t, err)
			is(t, rec.Phase, Held)
			rec, err = s.Stopped(read(id("cancelled")), stopped("k2"), wait, nil) // its next stop is another matter
			must(t, err)
			is(t, rec.Phase, Waiting)
			is(t, len(told(t, s)), 0)
		})
	}
}

// Orders are kept as long as the session is, and read by their owner alone.
func TestOrdersArePruned(t *testing.T) {
	o := Options{Now: (&clock{noon}).now, Orders: filepath.Join(t.TempDir(), "orders")}
	s, err := Open(filepath.Join(t.TempDir(), "clawd.db"), o)
	must(t, err)
	defer s.Close()
	waiting(t, s, one, "k")
	_, err = s.Cancel(one, false)
	must(t, err)
	left := func() int {
		t.Helper()
		names, err := os.ReadDir(o.Orders)
		must(t, err)
		for _, e := range names {
			fi, err := e.Info()
			must(t, err)
			is(t, fi.Mode(), 0o600)
		}
		return len(names)
	}
	must(t, s.Prune(-time.Hour, func(Session) bool { return false }))
	is(t, left(), 1)
	must(t, s.Prune(time.Hour, func(Session) bool { return true }))
	is(t, left(), 1)
	must(t, s.Prune(-time.Hour, func(Session) bool { return true }))
	is(t, left(), 0)
}

// An order is kept in a file of its own, before the store is asked for: no other session waits for that disk.
func TestRaceOrderFileOutsideTheStore(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "s.db"), Options{Orders: filepath.Join(dir, "orders")})
	must(t, err)
	defer s.Close()
	waiting(t, s, one, "k")
	hangs := s.givenPath(one) + ".new" // whoever opens it waits until it is read
	must(t, os.MkdirAll(filepath.Dir(hangs), 0o700))
	must(t, syscall.Mkfifo(hangs, 0o600))
	ordered, opened := make(chan error), make(chan error)
	must(t, s.update("T1", func(tx) error { // nobody else can write now
		go func() {
			_, err := s.Cancel(one, false)
			ordered <- err
		}()
		go func() {
			r, err := os.Open(hangs)
			opened <- errors.Join(err, r.Close())
		}()
		select {
		case err := <-opened:
			return err
		case <-time.After(10 * time.Second):
			return errors.New("the order waits for the store before it is kept")
		}
	}))
	if err := <-ordered; err == nil || !strings.Contains(err.Error(), "the order cannot be kept") {
		t.Errorf("an order that cannot be kept: %v", err)
	}
	is(t, get(t, s, one).Phase, Waiting)
}
