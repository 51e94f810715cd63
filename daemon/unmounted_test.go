package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// The agent's whole folder may come later than clawd, or never: it is on a disk that is mounted after it, say. An empty
// one is the place where it is mounted.
func TestFolderComesAfterClawd(t *testing.T) {
	for name, there := range map[string]bool{"not there": false, "empty": true} {
		for _, comes := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, comes: %v", name, comes), func(t *testing.T) {
				in(t, func(r *rig) {
					r.seldom()
					r.start()
					id, _ := r.stopped("limit")
					r.down()
					r.pass(2 * time.Hour) // the wait is over meanwhile
					back := r.unmount(there)
					r.start()
					r.pass(11 * time.Hour)
					r.wantPhase(id, state.Waiting)
					if n := len(r.log.events("session_left")); n != 0 {
						t.Errorf("told %d times", n)
					}
					if comes {
						back()
					}
					r.pass(2 * time.Hour)
					r.wantPhase(id, state.Following)
					if n, told := r.resumes(), r.log.events("session_left"); (n == 1) != comes || !comes && len(told) == 0 {
						t.Errorf("%d resumes, told %v", n, told)
					}
				})
			})
		}
	}
}

// Nor is a fresh session begun for it, or given up, while the hand-off cannot be read.
func TestFreshWaitsForItsFolder(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Reasons["rate_limit"] = resume.FreshSession
		r.start()
		id, _ := r.stopped("limit")
		r.wantPhase(id, state.Waiting)
		r.unmount(false)
		r.pass(time.Hour)
		r.wantPhase(id, state.Waiting)
		if n, told := len(r.children.started()), r.log.events("session_left"); n != 0 || len(told) != 0 {
			t.Errorf("%d starts, told %v", n, told)
		}
	})
}

// unmount takes away the folder of all sessions, and leaves an empty one if it is to be there. back brings it again.
func (r *rig) unmount(there bool) (back func()) {
	r.t.Helper()
	projects := filepath.Join(r.agentDir(), "projects")
	err := os.Rename(projects, projects+".away")
	if there {
		err = errors.Join(err, os.Mkdir(projects, 0o700))
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return func() {
		if there {
			err = os.Remove(projects)
		}
		if err := errors.Join(err, os.Rename(projects+".away", projects)); err != nil {
			r.t.Fatal(err)
		}
	}
}

// What users ordered long ago is not forgotten because the folder is away for a while.
func TestOrdersOutliveAFolderThatIsAway(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.start()
		id, _ := r.stopped("limit")
		if _, err := r.d.Obey(r.work, machine.Ignore, Order{Session: id}); err != nil {
			t.Fatal(err)
		}
		r.down()
		r.pass(keepFor + 24*time.Hour)
		back := r.unmount(false)
		r.start()
		r.down()
		back()
		r.start()
		r.add(id, r.line(id, "user"), r.line(id, "limit"))
		r.pass(2 * time.Hour)
		if rec := r.rec(id); !rec.Ignored || len(r.children.started()) != 0 {
			t.Errorf("ignored: %v, %d starts", rec.Ignored, len(r.children.started()))
		}
	})
}

// What became of a fresh session is not judged while the folder of its agent is away: that its file is not there says nothing.
func TestFreshIsNotJudgedWhileAway(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		s := r.d.session(r.d.agents[0], r.session(id))
		e := newEvidence(s, resume.Claim{Session: s.ds}, detect.Info{})
		e.ds = s.a.Beside(s.ds, "5c0bd4d0-0000-4000-8000-000000000001")
		if err := e.readEvents(t.Context()); err != nil {
			t.Errorf("not begun: %v", err)
		}
		back := r.unmount(false)
		if err := e.readEvents(t.Context()); err == nil {
			t.Error("nothing is there, and that counts")
		}
		back()
	})
}
