package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// spoil makes the store unreadable while clawd is not running.
func (r *rig) spoil() {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.o.StateDir, "clawd.db"), []byte(strings.Repeat("garbage ", 9000)), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// A store that comes back knows less than the marks: what was fired since is settled, and not fired for again, whatever number
// the attempt had. A snapshot, and a copy that somebody put back, are made good from the marks at once; one that another clawd makes is
// found by the last look.
func TestOldStoreKnowsLessThanMarks(t *testing.T) {
	for n := 1; n <= 3; n += 2 {
		for how, want := range map[string]state.Phase{"snapshot": state.Fired, "copy": state.Fired, "another clawd": state.Waiting} {
			t.Run(fmt.Sprintf("attempt %d, %s", n, how), func(t *testing.T) {
				in(t, func(r *rig) { oldStoreKnowsLess(t, r, n, how, want) })
			})
		}
	}
}

func oldStoreKnowsLess(t *testing.T, r *rig, n int, how string, want state.Phase) {
	r.start()
	id, key := r.stopped("plan")
	rec := r.wantPhase(id, state.Waiting)
	if err := r.d.store.Snapshot(); err != nil {
		t.Fatal(err)
	}
	c := resume.Claim{Session: r.session(id), Stop: rec.Stop, Info: rec.Info, N: n, Attempts: n, Token: "t", Boot: "boot-1", At: time.Now(), Cursor: rec.Cursor,
		Plan: resume.Plan{Form: resume.FormPrompt, Argv: []string{"claude"}}, Output: filepath.Join(r.d.outputs(), "x.out")}
	if err := marks.Make(marks.Path(r.d.marks(), r.session(id), key, n), c); err != nil {
		t.Fatal(err)
	}
	if how != "another clawd" {
		r.down()
		if how == "snapshot" {
			r.spoil()
		}
		r.start()
	}
	if damaged, lost := r.log.events("state_damaged"), r.log.events("state_lost"); how == "snapshot" &&
		(len(damaged) != 1 || len(lost) != 1 || !strings.Contains(lost[0]["snapshot"].(string), "snapshots")) {
		t.Errorf("told %v, %v", damaged, lost)
	}
	r.wantPhase(id, want)
	r.pass(2 * time.Hour)
	r.wantStarts(0)
	if rec := r.wantPhase(id, state.Held); rec.Episode.Attempts != n {
		t.Errorf("attempts %d, want %d", rec.Episode.Attempts, n)
	}
}

// A fresh session whose id its agent chose is known by what the run printed, when the store is lost: its stop is not the first of
// an episode.
func TestFreshCountsOnFromItsOutput(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		const fresh = "5c0bd4d0-0000-4000-8000-000000000001"
		c := resume.Claim{Session: r.session("5c0bd4d0-0000-4000-8000-000000000000"), Stop: detect.Stop{Key: "k", At: time.Now().Add(-time.Hour)}, N: 1, Attempts: 1, Token: "t", At: time.Now().Add(-time.Minute),
			Plan: resume.Plan{Form: resume.FormFresh, Prompt: "h"}, Output: filepath.Join(r.d.outputs(), "x.out")}
		put(t, c.Output, `{"type":"system","subtype":"init","session_id":"`+fresh+`"}`+"\n")
		if err := marks.Make(marks.Path(r.d.marks(), c.Session, "k", 1), c); err != nil {
			t.Fatal(err)
		}
		r.down()
		r.spoil()
		r.start()
		r.add(fresh, r.line(fresh, "user"), r.line(fresh, "plan"))
		if rec := r.wantPhase(fresh, state.Waiting); rec.Episode.Attempts != 1 {
			t.Errorf("%d attempts count", rec.Episode.Attempts)
		}
	})
}

// The day's budget counts what the marks say when the store has lost it.
func TestBudgetFromMarks(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.o.Config.Budget.MaxResumesPerDayTotal = 2
		r.start()
		for _, n := range []string{"a", "b"} {
			c := resume.Claim{Session: r.session(n), N: 1, Token: n, At: time.Now()}
			if err := marks.Make(marks.Path(r.d.marks(), c.Session, "k", 1), c); err != nil {
				t.Fatal(err)
			}
		}
		r.down()
		r.spoil()
		r.start()
		r.stopped("limit")
		r.pass(5 * time.Minute)
		r.wantStarts(0)
		r.pass(24 * time.Hour)
		r.wantStarts(1)
	})
}

// What its user cancelled or ignored stays so when the store is lost.
func TestOrdersOutliveTheStore(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		cancelled, _ := r.stopped("plan")
		ignored, _ := r.stopped("plan")
		waits, _ := r.stopped("plan")
		if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: cancelled}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.d.Obey(r.work, machine.Ignore, Order{Session: ignored}); err != nil {
			t.Fatal(err)
		}
		r.down()
		r.spoil()
		r.start()
		r.pass(3 * time.Hour)
		if all := r.children.started(); len(all) != 1 || all[0].claim.Session.ID != waits {
			t.Errorf("started %d, want one, for %s", len(all), waits)
		}
		r.wantPhase(cancelled, state.Held)
		r.add(ignored, r.line(ignored, "user"), r.line(ignored, "limit")) // also its next stop
		r.pass(time.Hour)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}
