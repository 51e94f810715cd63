package daemon

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// slow is an agent whose answer about who has a session open may take its time.
type slow struct {
	whole
	takes *atomic.Int64
}

func (a slow) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if d := time.Duration(a.takes.Load()); d > 0 {
		<-time.After(d)
	}
	return a.whole.Live(ctx, s, i)
}

// A look that began before the settle time was over proves nothing, however long it takes: what the run wrote last may
// have come meanwhile.
func TestSlowLookSettlesNothing(t *testing.T) {
	in(t, func(r *rig) {
		var takes atomic.Int64
		r.wrapAgent(func(a whole) agent.Agent { return slow{a, &takes} })
		var ran *child
		r.children.act = func(c *child) { ran = c }
		r.seldom()
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.wantStarts(1)
		ran.end()
		r.pass(3 * time.Second)
		takes.Store(int64(5 * time.Second))
		r.add(id, `{"type":"summary","summary":"s","leafUuid":"l"}`+"\n")
		r.pass(time.Second)
		takes.Store(0)
		ran.ask()
		ran.say("answer") // it comes late
		r.pass(30 * time.Second)
		r.watch.send(fsnotify.Event{Name: r.session(id).Path, Op: fsnotify.Write})
		r.pass(30 * time.Minute)
		r.wantStarts(1)
		if r.wantPhase(id, state.Following); r.resumes() != 1 {
			t.Errorf("%d resumes", r.resumes())
		}
	})
}

// A terminal that takes its time to show what it shows is looked at once all the same.
func TestSlowTerminal(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.views = 8 * time.Second }
		id := r.open(resume.Tmux, "limit")
		r.pass(10 * time.Minute)
		r.wantStarts(1)
		r.wantPhase(id, state.Held)
	})
}

// Nor does such a look at a session whose process is gone: its last lines may come late.
func TestSlowLookEndsNoTurn(t *testing.T) {
	in(t, func(r *rig) {
		var takes atomic.Int64
		r.wrapAgent(func(a whole) agent.Agent { return slow{a, &takes} })
		r.seldom()
		id := r.busy()
		r.pass(10 * time.Second)
		r.end(901)
		r.watch.send(fsnotify.Event{Name: r.entryGone(), Op: fsnotify.Remove})
		r.pass(3 * time.Second)
		takes.Store(int64(5 * time.Second))
		r.d.poke(r.d.session(r.d.agents[0], r.session(id)))
		r.pass(time.Second)
		takes.Store(0)
		put(t, r.session(id).Path, r.record(id, "answer", "", interactive)) // it comes late
		r.pass(20 * time.Second)
		if n := len(r.log.events("session_stopped")); n > 0 {
			t.Errorf("a turn that ended well counts as one that did not")
		}
	})
}
