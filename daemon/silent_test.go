package daemon

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon/trigger"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// whole is what most agents are, for those of tests that change a part of one.
type whole interface {
	agent.Agent
	agent.Terminal
	agent.Starter
}

// drawer is an agent that draws limits on its screen alone.
type drawer struct{ whole }

func (drawer) DrawsLimits() {}

// waiter is an agent that waits by itself, and whose server can be told to end that.
type waiter struct {
	whole
	until time.Time
}

func (w waiter) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	all, err := w.whole.Live(ctx, s, i)
	for n := range all {
		all[n].Kind, all[n].URL = detect.Server, "http://127.0.0.1:4096"
	}
	return all, err
}

func (w waiter) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	var last *detect.Event
	b, err := w.whole.Read(ctx, s, from, func(e detect.Event) { last = &e; each(e) })
	if last != nil {
		each(detect.Event{Kind: detect.KindRetry, ID: "retry", At: last.At, Offset: last.Offset, Next: w.until})
	}
	return b, err
}

func (w waiter) Wake(r agent.Request) (resume.Plan, error) {
	p := resume.Plan{Way: resume.HTTP, Form: resume.FormPrompt, Prompt: detect.HashText(r.Prompt)}
	if r.Stop.State == detect.Retrying {
		p.Abort = r.Holder.URL + "/abort"
	}
	return p, nil
}

func (r *rig) wrapAgent(wrap func(whole) agent.Agent) {
	r.t.Helper()
	agents, err := all.New(r.o.Env, r.o.Config.Agent)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, a := range agents {
		if a.Name() == "claude" {
			r.o.Agents = []agent.Agent{wrap(a.(whole))}
		}
	}
}

// busy gives a session in a terminal in the middle of a turn.
func (r *rig) busy() string {
	r.t.Helper()
	id := uuid.NewString()
	r.openAs(id, resume.Tmux, "busy")
	r.add(id, r.record(id, "user", "", interactive))
	return id
}

func TestLimitOnTheScreen(t *testing.T) {
	in(t, func(r *rig) {
		r.wrapAgent(func(a whole) agent.Agent { return drawer{a} })
		r.children.dialog = "You've hit your 5-hour limit · resets 1:00am (UTC)"
		r.children.act = func(c *child) { c.say("answer") } // its own key: no prompt of ours
		r.children.blocked = &trigger.BlockedError{Why: "the dialog is open"}
		id := r.busy()
		r.pass(50 * time.Second)
		if n := len(r.log.events("session_stopped")); n != 0 {
			t.Fatalf("stopped %d times while it may still work", n)
		}
		r.pass(2 * time.Minute)
		e := r.log.events("session_stopped")
		if len(e) != 1 || e[0]["reason"] != "usage_limit" || e[0]["evidence"].(map[string]any)["source"] != "screen" || e[0]["reset_at"] != "2000-01-01T01:00:00Z" {
			t.Fatalf("session_stopped: %v; log:\n%s", e, r.log)
		}
		r.wantPhase(id, state.Waiting)
		// Its user chooses by hand.
		r.add(id, r.record(id, "answer", "", interactive))
		r.pass(2 * time.Hour)
		r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts", n)
		}
	})
}

// Other agents' screens are not looked at while they work.
func TestScreenOfOthers(t *testing.T) {
	in(t, func(r *rig) {
		r.children.dialog = "You've hit your 5-hour limit · resets 1:00am (UTC)"
		r.busy()
		r.pass(time.Hour)
		if n := len(r.log.events("session_stopped")); n != 0 {
			t.Errorf("stopped %d times", n)
		}
	})
}

func TestInlineWait(t *testing.T) {
	for _, c := range []struct {
		name        string
		most, wait  time.Duration
		starts      int
		goesOnAfter time.Duration // the agent by itself; 0: never
	}{
		{name: "too long", most: 10 * time.Minute, wait: time.Hour, starts: 1},
		{name: "short enough", most: 10 * time.Minute, wait: 9 * time.Minute},
		{name: "no bound", wait: time.Hour},
		{name: "it goes on before", most: 10 * time.Minute, wait: time.Hour, goesOnAfter: 5 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.o.Config.Resume.MaxInlineWait = config.Duration(c.most)
				r.wrapAgent(func(a whole) agent.Agent { return waiter{a, time.Now().Add(c.wait)} })
				id := r.busy()
				if c.goesOnAfter > 0 {
					r.pass(c.goesOnAfter)
					r.add(id, r.record(id, "answer", "", interactive))
				}
				r.pass(11 * time.Minute)
				all := r.children.started()
				if len(all) != c.starts || r.resumes() != c.starts {
					t.Fatalf("%d starts, %d resumes, want %d; log:\n%s", len(all), r.resumes(), c.starts, r.log)
				}
				if c.starts > 0 && (all[0].claim.Plan.Abort == "" || all[0].claim.At.Sub(all[0].claim.Stop.At) != c.most) {
					t.Errorf("claim %+v", all[0].claim)
				}
				if e := r.log.events("resume_scheduled"); c.starts > 0 && !strings.Contains(e[0]["why"].(string), "max_inline_wait") {
					t.Errorf("why: %v", e)
				}
			})
		})
	}
}
