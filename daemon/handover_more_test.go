package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// spent has a run of Gemini's end at its own daily quota.
func (r *rig) spent(c *child, s detect.Session) {
	handOff := string(c.claim.Plan.Stdin)
	put(r.t, filepath.Join(r.root, "tmp", "gemini-client-error-Turn.run-sendMessageStream-"+time.Now().Add(10*time.Millisecond).UTC().Format("2006-01-02T15-04-05-000")+"Z.json"),
		fmt.Sprintf(`{"error":{"message":"You have exhausted your daily quota on this model.","stack":"TerminalQuotaError: x\n"},"context":[{"role":"user","parts":[{"text":"The project's temporary directory is: %s\n"}]},{"role":"user","parts":[{"text":%q}]}]}`,
			filepath.Join(r.root, ".gemini", "tmp", "demo"), handOff))
	put(r.t, s.Path, r.chatHead(s.ID)+chatPrompt(handOff)+chatContext())
	c.end()
}

// began is what Gemini prints first.
func began(c *child) string {
	return fmt.Sprintf(`{"type":"init","timestamp":"2026-11-21T00:00:00.000Z","session_id":%q,"model":"auto"}`+"\n", c.claim.Plan.Session)
}

// handedTo counts the starts of other agents.
func (r *rig) handedTo(name string) (n int) {
	for _, c := range r.children.started() {
		if c.claim.Plan.Agent == name {
			n++
		}
	}
	return n
}

// TestHeirIsNotHandedOn: the agent that took over waits for its own limit, its user is told where the work is, and nothing is
// begun beside it.
func TestHeirIsNotHandedOn(t *testing.T) {
	in(t, func(r *rig) {
		r.handsOver(r.spent)
		_, hook := r.posts()
		r.start()
		id, _ := r.stopped("plan")
		r.pass(5 * time.Minute)
		r.wantStarts(1)
		r.wantPhase(id, state.Following)
		heir := r.chatRec(r.chat(r.children.started()[0].claim.Plan.Session, "12"))
		if heir.Phase != state.Waiting || heir.Stop.Reason != detect.UsageLimit || heir.Decision.Strategy != resume.FreshSession || heir.Decision.With != "" ||
			heir.Decision.Attempt != 2 || heir.OldSession != "claude/"+id {
			t.Errorf("%s by %s, %+v", heir.Phase, heir.Stop.Reason, heir.Decision)
		}
		if told := hook.notices(); len(told) != 1 || told[0].Event != state.HandedOver || told[0].Command != "clawd why gemini/"+heir.ID {
			t.Errorf("told %+v", told)
		}
		for _, o := range []resume.Order{{With: "gemini"}, {Now: true}} {
			_, err := r.d.Obey(r.work, machine.Resume, Order{Session: "claude/" + id, Order: o})
			if no := (*machine.OrderError)(nil); !errors.As(err, &no) || no.Command != "clawd cancel gemini/"+heir.ID {
				t.Errorf("order %+v: %v", o, err)
			}
		}
		if w, err := r.d.Why(r.work, id); err != nil || w.Command != "clawd why gemini/"+heir.ID || !strings.Contains(w.Next, "continues its work") {
			t.Errorf("why: %q, %q, %v", w.Next, w.Command, err)
		}
		cfg := r.o.Config
		cfg.Resume.WhenLimited = "handoff:claude"
		r.d.mu.Lock()
		r.d.cfg, r.d.policy = cfg, cfg.Policy()
		r.d.mu.Unlock()
		r.d.loop.ask(func(l *loop) { l.renew() })
		// Nor is another session handed to an agent that waits for its limit.
		other, _ := r.stopped("plan")
		r.pass(5 * time.Minute)
		r.wantStarts(1)
		if rec := r.wantPhase(other, state.Waiting); rec.Decision.With != "" {
			t.Errorf("%+v", rec.Decision)
		}
	})
}

// TestNotHandedToALimitedAgent: an agent that waits for its own limit does not take over.
func TestNotHandedToALimitedAgent(t *testing.T) {
	in(t, func(r *rig) {
		r.handsOver(r.spent)
		r.start()
		r.stopped("plan")
		r.pass(5 * time.Minute)
		r.wantStarts(1)
		other, _ := r.stopped("plan")
		r.pass(5 * time.Minute)
		r.wantStarts(1)
		r.wantPhase(other, state.Waiting)
		if lines := r.log.events("hand_over_failed"); len(lines) != 1 || !strings.Contains(lines[0]["why"].(string), "waits for its own limit") {
			t.Errorf("logged %v", lines)
		}
	})
}

// TestHandOverOutlivesItsConfig: what became of a run of an agent that is not watched any more stands in that agent's files alone.
func TestHandOverOutlivesItsConfig(t *testing.T) {
	for _, over := range []bool{false, true} {
		in(t, func(r *rig) {
			r.handsOver(func(c *child, _ detect.Session) { put(r.t, c.claim.Output, began(c)) })
			r.start()
			id, _ := r.stopped("plan")
			r.pass(time.Minute)
			r.wantPhase(id, state.Fired)
			c := r.children.started()[0]
			r.down()
			r.o.Config.Watch.Agents, r.o.Config.Resume.WhenLimited = []any{"claude"}, "wait"
			heir := r.chat(c.claim.Plan.Session, "12")
			put(t, heir.Path, r.chatHead(heir.ID)+chatPrompt(string(c.claim.Plan.Stdin))+chatAnswer())
			if over {
				c.end()
			}
			r.start()
			r.pass(time.Minute)
			if rec := r.wantPhase(id, state.Following); rec.NewSession != "gemini/"+c.claim.Plan.Session {
				t.Errorf("it went on in %q", rec.NewSession)
			}
			r.pass(3 * time.Hour)
			r.wantStarts(1)
		})
	}
}

// TestHandOverBesideAStrangeFile: what else lies in the other agent's folder does not hide its session.
func TestHandOverBesideAStrangeFile(t *testing.T) {
	in(t, func(r *rig) {
		r.handsOver(func(c *child, s detect.Session) { put(r.t, c.claim.Output, began(c)); r.chats(c, s); c.end() })
		put(t, filepath.Join(filepath.Dir(r.chat("aaaaaaaaaaaa", "1").Path), "old copy.json"), "{}")
		r.start()
		id, _ := r.stopped("plan")
		r.pass(time.Minute)
		if rec := r.wantPhase(id, state.Following); rec.NewSession == "" {
			t.Error("nobody took over")
		}
	})
}

// TestOrderForAnotherAgentAlone: where the agent that its user has named does nothing, his own session goes on as far as it would
// by itself.
func TestOrderForAnotherAgentAlone(t *testing.T) {
	for kind, want := range map[string]state.Phase{"auth": state.Following, "odd": state.Following, "plan": state.Waiting} {
		in(t, func(r *rig) {
			r.handsOver(func(c *child, _ detect.Session) { c.end() })
			r.o.Config.Resume.WhenLimited = "wait"
			r.start()
			id, _ := r.stopped(kind)
			r.pass(time.Minute)
			r.order(id, resume.Order{With: "gemini"})
			r.pass(30 * time.Minute)
			r.wantStarts(1)
			r.wantPhase(id, want)
			if n := len(r.log.events("hand_over_failed")); n != 1 {
				t.Errorf("%s: logged %d times", kind, n)
			}
			if _, n := r.rec(id).Standing(time.Now()); want == state.Following && !strings.Contains(n.Why, "gemini was to take over and did nothing") {
				t.Errorf("%s: told %+v", kind, n)
			}
		})
	}
}

// TestLimitIsOverMeanwhile: nobody takes over when the limit is over, or nearly so.
func TestLimitIsOverMeanwhile(t *testing.T) {
	for _, down := range []time.Duration{52 * time.Minute, 90 * time.Minute} {
		in(t, func(r *rig) {
			r.handsOver(func(c *child, s detect.Session) { r.chats(c, s); c.end() })
			r.start()
			r.down()
			r.stopped("plan")
			r.pass(down)
			r.start()
			r.pass(15 * time.Minute)
			if n := r.handedTo("gemini"); n != 0 || len(r.children.started()) != 1 {
				t.Errorf("after %s: %d of %d starts are of another agent", down, n, len(r.children.started()))
			}
		})
	}
}

// TestHandOverIsTurnedOff: the config in force when it is due counts, and so does the limit.
func TestHandOverIsTurnedOff(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.handsOver(func(c *child, s detect.Session) { r.chats(c, s); c.end() })
		r.o.Config.Budget.MaxResumesPerDayTotal = 1
		r.start()
		r.stopped("limit")
		r.pass(5 * time.Minute)
		r.wantStarts(1)
		id, _ := r.stopped("plan")
		r.pass(5 * time.Minute)
		if rec := r.wantPhase(id, state.Waiting); rec.Decision.With != "gemini" {
			t.Fatalf("%+v", rec.Decision)
		}
		r.down()
		r.o.Config.Resume.WhenLimited = "wait"
		r.start()
		r.pass(25 * time.Hour)
		r.wantStarts(2)
		if n := r.handedTo("gemini"); n != 0 {
			t.Errorf("%d of them of another agent", n)
		}
	})
}

// TestBlockedHeir: what the other agent was refused is told of its session, and the old one stays at rest.
func TestBlockedHeir(t *testing.T) {
	in(t, func(r *rig) {
		r.handsOver(func(c *child, s detect.Session) {
			put(r.t, c.claim.Output, began(c)+`{"type":"tool_result","status":"error","error":{"type":"tool_not_registered"}}`+"\n")
			r.chats(c, s)
			c.end()
		})
		_, hook := r.posts()
		r.start()
		id, _ := r.stopped("plan")
		r.pass(5 * time.Minute)
		if how, _ := r.rec(id).Standing(time.Now()); how != state.Done {
			t.Errorf("the old session is %s", how)
		}
		heir := r.chatRec(r.chat(r.children.started()[0].claim.Plan.Session, "12"))
		if how, n := heir.Standing(time.Now()); how != state.NeedsYou || n.Event != "session_left" {
			t.Errorf("the new one is %s: %+v", how, n)
		}
		if told := hook.notices(); len(told) != 2 || told[1].Session != heir.ID || told[1].Agent != "gemini" {
			t.Errorf("told %+v", told)
		}
	})
}

// TestTwoAreHandedOver: the session that another agent begins for one is no sign that somebody moved on from the other one.
func TestTwoAreHandedOver(t *testing.T) {
	in(t, func(r *rig) {
		r.handsOver(func(c *child, s detect.Session) {
			go func() {
				<-time.After(3 * time.Second)
				r.chats(c, s)
				<-time.After(time.Minute)
				c.end()
			}()
		})
		r.start()
		first, _ := r.stopped("plan")
		second, _ := r.stopped("plan")
		r.pass(3 * time.Hour)
		r.wantStarts(2)
		for _, id := range []string{first, second} {
			if rec := r.rec(id); rec.NewSession == "" {
				t.Errorf("%s, %+v", rec.Phase, rec.Notice)
			}
		}
	})
}

// TestLateHeir: what another agent has begun belongs to the line, also when its files come only after the verdict.
func TestLateHeir(t *testing.T) {
	in(t, func(r *rig) {
		var late string
		r.handsOver(func(c *child, s detect.Session) {
			put(r.t, c.claim.Output, began(c))
			r.spent(c, s)
			text, err := os.ReadFile(s.Path)
			if err != nil {
				t.Error(err)
			}
			late = string(text)
			remove(t, s.Path)
		})
		r.start()
		id, _ := r.stopped("plan")
		r.pass(time.Minute)
		r.wantStarts(1)
		r.wantPhase(id, state.Held)
		heir := r.chat(r.children.started()[0].claim.Plan.Session, "12")
		put(t, heir.Path, late)
		r.watch.send(fsnotify.Event{Name: heir.Path, Op: fsnotify.Write})
		r.pass(time.Minute)
		if rec := r.chatRec(heir); rec.OldSession != "claude/"+id || rec.Root != "claude/"+id || rec.Episode.Attempts != 1 || rec.Path != heir.Path {
			t.Errorf("%s: of %q, line %q, %d attempts, at %s", rec.Phase, rec.OldSession, rec.Root, rec.Episode.Attempts, rec.Path)
		}
	})
}
