package daemon

import (
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/state"
)

// beside gives a second clawd over the same sessions, with folders of its own, as one in a container has them. Neither sees the
// other's processes.
func (r *rig) beside() *rig {
	two := newRig(r.t)
	two.root, two.project = r.root, r.project
	two.o.Config.Agent = r.o.Config.Agent
	two.children.act = r.children.act
	return two
}

// TestNeighbors: of two clawds that do not know of each other one resumes a stop. The other one sees what became of it.
func TestNeighbors(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { // an agent takes its time until it asks
			<-time.After(4 * time.Second)
			c.ask()
			c.say("answer")
			c.end()
		}
		two := r.beside()
		r.start()
		two.start()
		id, _ := r.stopped("limit")
		two.watch.send(fsnotify.Event{Name: r.session(id).Path, Op: fsnotify.Write})
		r.pass(10 * time.Minute)
		if n, m := len(r.children.started()), len(two.children.started()); n+m != 1 {
			t.Errorf("the clawds started %d and %d", n, m)
		}
		r.wantPhase(id, state.Following)
		two.wantPhase(id, state.Following)
		if got := r.resumes() + two.resumes(); got != 1 {
			t.Errorf("%d resumes", got)
		}
	})
}

// TestNeighborGone: when the clawd that had an attempt under way has ended, the other one goes on with what is left to do.
func TestNeighborGone(t *testing.T) {
	in(t, func(r *rig) {
		two := r.beside()
		r.start()
		r.stopped("limit")
		r.pass(5 * time.Minute)
		id, _ := r.stopped("limit")
		r.pass(time.Second)
		two.start()
		r.down()
		two.pass(10 * time.Minute)
		if n := len(two.children.started()); n != 1 || two.children.started()[0].claim.Session.ID != id {
			t.Errorf("%d starts; log:\n%s", n, two.log)
		}
	})
}
