package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/state"
)

// A wait that lasts longer than the agent keeps sessions: its file never gets old enough to be deleted,
// and is resumed once, in the end. One that is open, and one that does not wait, are left as they are.
func TestWaitOutlastsTheAgentsMemory(t *testing.T) {
	in(t, func(r *rig) {
		put(t, filepath.Join(r.agentDir(), "settings.json"), `{"cleanupPeriodDays":3}`)
		r.seldom()
		r.start()
		id, _ := r.stopped("limit")
		rec := r.wantPhase(id, state.Waiting)
		rec.Decision.WakeAt = time.Now().Add(6 * 24 * time.Hour)
		r.down()
		r.start()
		r.write(r.session(id), func(now state.Session, b state.Books) (*state.Change, error) {
			return now.Redecided(b, rec.Stop.Key, rec.Decision)
		})
		r.down()
		path := r.session(id).Path
		age := func() time.Duration {
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			return time.Since(fi.ModTime())
		}
		if err := os.Chtimes(path, time.Time{}, time.Now()); err != nil { // by the clock of this test
			t.Fatal(err)
		}
		r.start()
		for range 11 {
			r.pass(12 * time.Hour)
			if a := age(); a > 72*time.Hour {
				t.Fatalf("its file is %s old", a)
			}
		}
		r.wantPhase(id, state.Waiting)
		for _, e := range r.log.events("resume_cancelled") {
			if e["outcome"] == "by_hand" {
				t.Errorf("the touch was taken for somebody's work: %v", e)
			}
		}
		r.pass(2 * 24 * time.Hour)
		if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes; want 1, 1", n, r.resumes())
		}
	})
}

// One that somebody has open is left as it is.
func TestAnOpenSessionKeepsItsAge(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Base = config.Duration(2 * time.Minute)
		r.seldom()
		r.start()
		id, _ := r.stopped("limit")
		r.procs.set(func() {
			r.procs.all = append(r.procs.all, agent.Proc{PID: 700, Start: 7, Group: 700, Leader: 700, Comm: "claude"})
			r.procs.argv[700] = []string{"claude", "--resume", id}
		})
		path := r.session(id).Path
		was := time.Now().Add(-25 * 24 * time.Hour)
		if err := os.Chtimes(path, time.Time{}, was); err != nil {
			t.Fatal(err)
		}
		r.pass(50 * time.Hour)
		r.wantPhase(id, state.Waiting)
		if fi, err := os.Stat(path); err != nil || !fi.ModTime().Equal(was) {
			t.Errorf("its time was changed: %v", err)
		}
	})
}
