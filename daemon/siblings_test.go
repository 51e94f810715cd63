package daemon

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// subAgents is an agent that says of some sessions whose sub-agent's they are.
type subAgents struct {
	whole
	parents map[string]string
}

func (p subAgents) Read(ctx context.Context, s detect.Session, c agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	b, err := p.whole.Read(ctx, s, c, each)
	b.Info.Parent = p.parents[s.ID]
	return b, err
}

// A session that was started after the stop in the same folder tells that somebody moved on, unless it
// is a sub-agent's.
func TestSubAgentIsNobody(t *testing.T) {
	for name, c := range map[string]struct {
		parent     string
		task, last string // its first and its last record
		starts     int
	}{
		"a session":                        {"", "a task", "answer", 0},
		"a session with the same prompt":   {"", "user", "auth", 0},
		"a sub-agent":                      {"main", "a task", "answer", 1},
		"a sub-agent at work":              {"main", "a task", "open", 1},
		"a sub-agent with the same prompt": {"main", "user", "auth", 1},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				sub := uuid.NewString()
				r.wrapAgent(func(a whole) agent.Agent { return subAgents{a, map[string]string{sub: c.parent}} })
				r.start()
				r.stopped("plan")
				r.pass(56 * time.Minute)
				r.add(sub, r.line(sub, c.task), r.line(sub, c.last))
				r.pass(7 * time.Minute)
				r.wantStarts(c.starts)
			})
		})
	}
}

// takesOver lets fresh sessions answer; last is the last record that they write.
func (r *rig) takesOver(last string) {
	r.o.Config.Resume.Reasons["rate_limit"] = resume.FreshSession
	r.children.act = func(c *child) {
		if c.claim.Plan.Form != resume.FormFresh {
			c.ask()
			c.say("answer")
			c.end()
			return
		}
		f := c.claim.Plan.Session
		r.add(f, r.record(f, string(c.claim.Plan.Stdin), "", "sdk-cli")+r.line(f, last))
		if last == "answer" {
			c.end()
		}
	}
}

func (r *rig) startsOf(id string) (n int) {
	for _, c := range r.children.started() {
		if c.claim.Session.ID == id {
			n++
		}
	}
	return n
}

// A fresh session that clawd itself began for another one tells nothing of what its user did; it only goes
// first while it is at work.
func TestOwnFreshIsNobody(t *testing.T) {
	for _, restart := range []bool{false, true} {
		in(t, func(r *rig) {
			r.takesOver("answer")
			r.start()
			other := uuid.NewString()
			r.add(other, r.line(other, "another task"), r.line(other, "open"))
			r.pass(time.Minute)
			id, _ := r.stopped("plan") // waits for an hour
			r.pass(time.Minute)
			r.add(other, r.line(other, "limit"))
			r.pass(10 * time.Minute)
			if r.rec(other).NewSession == "" {
				t.Fatal("no session took over")
			}
			if restart {
				r.down()
				r.start()
			}
			r.pass(3 * time.Hour)
			if n := r.startsOf(id); n != 1 {
				t.Errorf("restart %t: %d starts of the one that waited; left: %v", restart, n, r.log.events("session_left"))
			}
		})
	}
}

// While clawd's own fresh session is at work, the next one of the folder waits.
func TestOwnFreshAtWorkGoesFirst(t *testing.T) {
	in(t, func(r *rig) {
		r.takesOver("open")
		r.start()
		other := uuid.NewString()
		r.add(other, r.line(other, "another task"), r.line(other, "open"))
		r.pass(time.Minute)
		id, _ := r.stopped("plan")
		r.pass(55 * time.Minute)
		r.add(other, r.line(other, "limit")) // taken over half a minute later
		r.pass(9 * time.Minute)              // its wait was over three minutes ago
		if n := r.startsOf(id); n != 0 {
			t.Errorf("%d starts beside a run that is at work", n)
		}
		r.wantPhase(id, state.Waiting)
		r.pass(time.Hour)
		if n := r.startsOf(id); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}

// Which session a terminal shows is not put in doubt by what its own sub-agents and clawd's fresh
// sessions write, but by those of another session.
func TestNewerButNotShown(t *testing.T) {
	for name, c := range map[string]struct {
		parent func(id string) string
		fires  int
	}{
		"its own sub-agent":   {func(id string) string { return id }, 1},
		"another's sub-agent": {func(string) string { return "another" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				sub, parents := uuid.NewString(), map[string]string{}
				r.wrapAgent(func(a whole) agent.Agent { return subAgents{a, parents} })
				r.terminal906()
				r.children.way = resume.Tmux
				r.children.act = func(c *child) { c.ask(); c.say("answer") }
				id := uuid.NewString()
				parents[sub] = c.parent(id)
				r.start()
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
				r.pass(time.Second)
				r.add(sub, r.line(sub, "a task"), r.line(sub, "answer"))
				r.pass(2 * time.Hour)
				r.wantStarts(c.fires)
			})
		})
	}
	t.Run("clawd's own", func(t *testing.T) {
		for entry, fires := range map[string]int{"sdk-cli": 1, interactive: 0} { // then its user went on in it
			in(t, func(r *rig) {
				r.start()
				r.terminal906()
				r.children.way = resume.Tmux
				id, fresh := uuid.NewString(), uuid.NewString()
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
				r.d.loop.ask(func(l *loop) { l.w.Peers.Begins(r.session(fresh)) })
				r.pass(time.Second)
				r.add(fresh, r.record(fresh, "a task", "", entry), r.record(fresh, "answer", "", entry))
				r.pass(2 * time.Hour)
				if n := len(r.children.started()); n != fires {
					t.Errorf("%q: %d starts, want %d", entry, n, fires)
				}
			})
		}
	})
}

// Two sessions of one folder run into a limit. That clawd has the later one go on says nothing of its user.
func TestResumedByClawdIsNobodyElse(t *testing.T) {
	for name, person := range map[string]bool{"by clawd": false, "and then by its user": true} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.start()
				first, _ := r.stopped("plan")
				r.pass(time.Second)
				second := uuid.NewString()
				r.add(second, r.record(second, "another task", "", "sdk-cli"), r.line(second, "limit"))
				r.pass(5 * time.Minute)
				r.wantPhase(second, state.Following)
				r.wantStarts(1)
				if person {
					r.add(second, r.record(second, "go on with this", "", interactive), r.record(second, "answer", "", interactive))
				}
				r.pass(2 * time.Hour)
				want := 2
				if person {
					want = 1
				}
				if n := len(r.children.started()); n != want {
					t.Errorf("%d starts, want %d; the first session is %s; log:\n%s", n, want, r.rec(first).Phase, r.log)
				}
			})
		})
	}
}
