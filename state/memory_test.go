package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// What is kept in memory is what a store would have kept: the same changes leave the same records, ends, budgets and
// history in both.
func TestMemoryIsAStore(t *testing.T) {
	s, c := newStore(t)
	s.db.NoSync = true // the disk is not what is tested
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		m := NewMemory(c.now)
		ds := detect.Session{Agent: "claude", ID: fmt.Sprint("s", round), Path: "/s.jsonl"}
		heir := detect.Session{Agent: "claude", ID: ds.ID + "-heir"}
		before := m.Spent(c.Time)
		stored := spentIn(t, s)
		var keys []string
		for n := range rapid.IntRange(1, 25).Draw(t, "steps") {
			rec := m.Record(ds)
			if len(keys) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 0 {
				keys = append(keys, fmt.Sprint("k", n))
			}
			stop := stopped(rapid.SampledFrom(keys).Draw(t, "key"))
			r := read(ds)
			v := rapid.SampledFrom([]resume.Verdict{resume.Resumed, resume.StoppedAgain, resume.NoEffect, resume.Unsure, resume.ByHand}).Draw(t, "verdict")
			o := outcome(v, "")
			if v == resume.StoppedAgain {
				o = outcome(v, fmt.Sprint("again", n))
			}
			o.Session, o.CostUSD = heir, 0.25
			var ch *Change
			var err error
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0:
				ch, err = rec.Stopped(m, r, stop, wait, nil)
			case 1:
				ch, err = rec.WentOn(m, r, "somebody went on")
			case 2:
				if rec.Phase == Waiting {
					form := rapid.SampledFrom([]resume.Form{resume.FormPrompt, resume.FormFresh}).Draw(t, "form")
					ch = rec.Taken(m, resume.Claim{Token: fmt.Sprint(n), Plan: resume.Plan{Form: form}})
				}
			case 3:
				if rec.Phase == Claimed {
					ch, err = rec.Fired(m, *rec.Claim)
				}
			case 4:
				if rec.Phase == Fired {
					ch, err = rec.Settled(m, *rec.Claim, o, r, again)
				}
			case 5:
				if rec.Claim != nil {
					ch, err = rec.Unclaimed(m, *rec.Claim, "no shim", true)
				}
			case 6:
				ch, err = rec.Ordered(m, stop, wait)
			case 7:
				ch, err = rec.CancelOrdered(m, true)
			default:
				if rec.Claim != nil {
					ch = rec.Ended(m, *rec.Claim, 0.5, 3, "")
				}
			}
			if err != nil || ch == nil {
				continue
			}
			must(t, m.Commit(ch))
			must(t, s.Commit(ch))
		}
		for _, ds := range []detect.Session{ds, heir} {
			want, ok, err := s.Session(ds)
			must(t, err)
			if got := m.Record(ds); ok && !cmp.Equal(got, want, cmpopts.EquateEmpty(), cmpopts.EquateComparable()) {
				t.Fatal(cmp.Diff(want, got))
			}
		}
		for _, key := range keys {
			var want Closed
			must(t, s.view(func(x tx) error { want = x.Closed(ds, key); return nil }))
			if got := m.Closed(ds, key); got != want {
				t.Fatalf("%s: %+v, stored %+v", key, got, want)
			}
		}
		now := spentIn(t, s)
		if got := m.Spent(c.Time); got.Total-before.Total != now.Total-stored.Total || got.CostUSD-before.CostUSD != now.CostUSD-stored.CostUSD || got.Sessions[Key(ds)] != now.Sessions[Key(ds)] {
			t.Fatalf("spent: %+v, stored %+v after %+v", got, now, stored)
		}
	})
}

func spentIn(t tb, s *Store) (b Budget) {
	t.Helper()
	must(t, s.view(func(x tx) error { b = x.Spent(noon); return nil }))
	return b
}

// A change that does not follow on what is kept is refused, with all that comes with it.
func TestMemoryRefusesOldRevisions(t *testing.T) {
	m := NewMemory(func() time.Time { return noon })
	first, err := m.Record(one).Stopped(m, read(one), stopped("k"), wait, nil)
	must(t, err)
	other, err := m.Record(two).Stopped(m, read(two), stopped("l"), wait, nil)
	must(t, err)
	must(t, m.Commit(first))
	late := m.Record(one).HolderSeen(m, detect.Holder{}, "")
	must(t, m.Commit(m.Record(one).HolderSeen(m, detect.Holder{}, "")))
	if err := m.Commit(other, late); err == nil || m.Record(two).Rev != 0 {
		t.Errorf("%v, and the other one has revision %d", err, m.Record(two).Rev)
	}
}
