package machine

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

var goesOn = resume.Decision{Strategy: resume.SameSession, WakeAt: noon, Attempt: 1, Why: "backoff"}

func stopBy(key string) detect.Stop {
	return detect.Stop{State: detect.Stopped, Reason: detect.UsageLimit, Window: detect.FiveHour, Key: key, At: noon, ResetAt: noon.Add(time.Hour)}
}

func readOf(ds detect.Session) state.Read {
	return state.Read{Session: ds, Info: detect.Info{Dir: "/work"}, Stamp: "st", Cursor: "cur"}
}

// What the kit keeps in memory is what a store would have kept: the same changes leave the same records, ends and budgets in
// both.
func TestMemoryIsAStore(t *testing.T) {
	now := func() time.Time { return noon }
	s, err := state.Open(filepath.Join(t.TempDir(), "clawd.db"), state.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	stored := s.Books(now, func(err error) { t.Error(err) })
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		m := newMemory(now)
		ds := detect.Session{Agent: "claude", ID: fmt.Sprint("s", round), Path: "/s.jsonl"}
		heir := detect.Session{Agent: "claude", ID: ds.ID + "-heir"}
		m0, s0 := m.Spent(noon), stored.Spent(noon)
		var keys []string
		for n := range rapid.IntRange(1, 25).Draw(t, "steps") {
			if len(keys) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 0 {
				keys = append(keys, fmt.Sprint("k", n))
			}
			c := drawChange(t, m, m.Record(ds), heir, stopBy(rapid.SampledFrom(keys).Draw(t, "key")), n)
			if c == nil {
				continue
			}
			if a, b := m.Commit(c), s.Commit(c); a != nil || b != nil {
				t.Fatal(a, b)
			}
		}
		for _, ds := range []detect.Session{ds, heir} {
			want, ok, err := s.Session(ds)
			if got := m.Record(ds); err != nil || ok && !gocmp.Equal(got, want, cmpopts.EquateEmpty(), cmpopts.EquateComparable()) {
				t.Fatal(err, gocmp.Diff(want, got))
			}
		}
		for _, key := range keys {
			if got, want := m.Closed(ds, key), stored.Closed(ds, key); got != want {
				t.Fatalf("%s: %+v, stored %+v", key, got, want)
			}
		}
		m1, s1 := m.Spent(noon), stored.Spent(noon)
		if m1.Total-m0.Total != s1.Total-s0.Total || m1.CostUSD-m0.CostUSD != s1.CostUSD-s0.CostUSD || m1.Sessions[state.Key(ds)] != s1.Sessions[state.Key(ds)] {
			t.Fatalf("spent: %+v, stored %+v after %+v", m1, s1, s0)
		}
	})
}

// drawChange gives one of the transitions that a record allows; nil: the one that was drawn it does not.
func drawChange(t *rapid.T, b state.Books, rec state.Session, heir detect.Session, stop detect.Stop, n int) (c *state.Change) {
	r := readOf(rec.Session)
	out := resume.Outcome{Verdict: rapid.SampledFrom([]resume.Verdict{resume.Resumed, resume.StoppedAgain, resume.NoEffect, resume.Unsure, resume.ByHand}).Draw(t, "verdict"),
		Why: "why", Session: heir, CostUSD: 0.25}
	if out.Verdict == resume.StoppedAgain {
		again := stopBy(fmt.Sprint("again", n))
		out.Stop = &again
	}
	var err error
	what := rapid.IntRange(0, 8).Draw(t, "what")
	switch {
	case what == 0:
		c, err = rec.Stopped(b, r, stop, goesOn, nil)
	case what == 1:
		c, err = rec.WentOn(b, r, "somebody went on")
	case what == 2 && rec.Phase == state.Waiting:
		form := rapid.SampledFrom([]resume.Form{resume.FormPrompt, resume.FormFresh}).Draw(t, "form")
		c = rec.Taken(b, resume.Claim{Token: fmt.Sprint(n), Plan: resume.Plan{Form: form}})
	case what == 3 && rec.Phase == state.Claimed:
		c, err = rec.Fired(b, *rec.Claim)
	case what == 4 && rec.Phase == state.Fired:
		c, err = rec.Settled(b, *rec.Claim, out, r, func(state.Session) resume.Decision { return goesOn })
	case what == 5 && rec.Claim != nil:
		c, err = rec.Unclaimed(b, *rec.Claim, "no shim", true)
	case what == 6:
		c, err = rec.Ordered(b, stop, goesOn)
	case what == 7:
		c, err = rec.CancelOrdered(b, true)
	case what == 8 && rec.Claim != nil:
		c = rec.Ended(b, *rec.Claim, resume.Output{CostUSD: 0.5}, 3, "")
	}
	if err != nil {
		return nil
	}
	return c
}

// A change that does not follow on what is kept is refused, with all that comes with it.
func TestMemoryRefusesOldRevisions(t *testing.T) {
	m := newMemory(func() time.Time { return noon })
	one, two := detect.Session{Agent: "claude", ID: "one"}, detect.Session{Agent: "claude", ID: "two"}
	first, err := m.Record(one).Stopped(m, readOf(one), stopBy("k"), goesOn, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.Record(two).Stopped(m, readOf(two), stopBy("l"), goesOn, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Commit(first); err != nil {
		t.Fatal(err)
	}
	late := m.Record(one).HolderSeen(m, detect.Holder{}, "")
	if err := m.Commit(m.Record(one).HolderSeen(m, detect.Holder{}, "")); err != nil {
		t.Fatal(err)
	}
	if err := m.Commit(other, late); err == nil || m.Record(two).Rev != 0 {
		t.Errorf("%v, and the other one has revision %d", err, m.Record(two).Rev)
	}
}
