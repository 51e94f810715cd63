package daemon

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// A config that takes a project out ends its waits: nothing is announced, and nobody is told what he did himself.
func TestReloadIgnoresTheProject(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		next := r.o.Config
		r.o.Reload = func() (config.Config, error) { return next, nil }
		r.start()
		id, _ := r.stopped("limit")
		r.wantPhase(id, state.Waiting)
		next.Watch.IgnoreProjects = []string{r.project}
		r.d.Reload()
		r.pass(26 * time.Hour)
		r.wantPhase(id, state.Following)
		r.wantStarts(0)
		r.wantUntold(id)
		if n := len(r.log.events("resume_scheduled")); n != 1 {
			t.Errorf("%d resumes are announced, want the one before the reload", n)
		}
		ended := r.log.events("resume_cancelled")
		if len(ended) != 1 || !strings.Contains(ended[0]["why"].(string), "ignore_projects") {
			t.Errorf("the log does not say why the wait ended: %v", ended)
		}
	})
}

// A copy is not resumed by an order either: the same work would be done twice.
func TestOrderOnACopy(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		one, key := r.stopped("auth")
		two := uuid.NewString()
		r.add(two, r.line(two, "user"), r.record(two, "auth", key, "sdk-cli"))
		r.pass(time.Second)
		_, err := r.d.Obey(r.work, machine.Resume, Order{Session: two, Order: resume.Order{Now: true}})
		refused := (*machine.OrderError)(nil)
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "is a copy") || refused.Command != "clawd resume "+one {
			t.Errorf("%v", err)
		}
		r.pass(time.Hour)
		r.wantStarts(0)
	})
}

// The session that was begun first has the stop, in whichever order the two are read.
func TestTheOriginalIsResumed(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		original, fork, key := uuid.NewString(), uuid.NewString(), uuid.NewString()
		begun := r.line(original, "user")
		r.pass(time.Minute)
		asked, stopped := r.line(fork, "user"), r.record(fork, "limit", key, "sdk-cli")
		r.add(fork, asked, stopped) // read first
		r.pass(time.Second)
		r.wantPhase(fork, state.Waiting)
		r.add(original, begun, strings.ReplaceAll(stopped, fork, original))
		r.pass(10 * time.Minute)
		if all := r.children.started(); len(all) != 1 || all[0].claim.Session.ID != original {
			t.Errorf("%d starts, want one of the original; log:\n%s", len(all), r.log)
		}
		r.wantUntold(fork)
		r.wantPhase(fork, state.Following)
	})
}

// What was begun first is not resumed any more once its copy was.
func TestTheCopyWasResumed(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		original, fork := uuid.NewString(), uuid.NewString()
		begun := r.line(original, "user")
		r.pass(time.Minute)
		asked, stopped := r.line(fork, "user"), r.line(fork, "limit")
		r.add(fork, asked, stopped)
		r.pass(10 * time.Minute)
		r.wantStarts(1)
		for range 2 { // also after a restart
			r.add(original, begun, strings.ReplaceAll(stopped, fork, original))
			r.pass(10 * time.Minute)
			r.wantStarts(1)
			r.down()
			original = uuid.NewString()
			r.start()
		}
	})
}

// A project folder that is away for a while is waited for, as the look before the wait promises.
func TestProjectFolderIsAway(t *testing.T) {
	for name, away := range map[string]time.Duration{"for a while": 10 * time.Minute, "for good": 48 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.seldom()
				r.start()
				r.stopped("limit")
				if err := os.Rename(r.project, r.project+"-away"); err != nil {
					t.Fatal(err)
				}
				r.pass(away)
				r.wantStarts(0)
				left := r.log.events("session_left")
				if back := os.Rename(r.project+"-away", r.project); back != nil {
					t.Fatal(back)
				}
				r.pass(10 * time.Minute)
				if away > time.Hour {
					r.wantStarts(0)
					if len(left) != 1 || left[0]["level"] != "warn" || !strings.Contains(left[0]["why"].(string), "is gone") {
						t.Errorf("its user is not told once: %v", left)
					}
					return
				}
				r.wantStarts(1)
				if len(left) != 0 {
					t.Errorf("left: %v", left)
				}
			})
		})
	}
}
