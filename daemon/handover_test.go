package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// handsOver gives the rig Gemini beside Claude Code, and has it take over at a usage limit. Gemini's turns are done by turn, and
// all others end well.
func (r *rig) handsOver(turn func(c *child, s detect.Session)) {
	claude := r.o.Config.Agent["claude"]
	r.gemini()
	r.o.Config.Watch.Agents = []any{"claude", "gemini"}
	r.o.Config.Agent["claude"] = claude
	r.o.Config.Resume.WhenLimited = "handoff:gemini"
	r.children.act = func(c *child) {
		if c.claim.Plan.Agent == "gemini" {
			turn(c, r.chat(c.claim.Plan.Session, "12"))
			return
		}
		c.ask()
		c.say("answer")
		if !c.claim.Plan.Way.Live() {
			c.end()
		}
	}
}

// chats writes what a run of Gemini's does: it asks with its prompt, and answers.
func (r *rig) chats(c *child, s detect.Session) {
	put(r.t, s.Path, r.chatHead(s.ID)+chatPrompt(string(c.claim.Plan.Stdin))+chatAnswer())
	r.watch.send(fsnotify.Event{Name: s.Path, Op: fsnotify.Write})
}

// TestHandedOver: another agent goes on at once with what stopped at a usage limit, and its user is told. The old session is not
// resumed any more, neither when its limit is over nor by a clawd that has lost its store.
func TestHandedOver(t *testing.T) {
	for _, lost := range []bool{false, true} {
		in(t, func(r *rig) {
			r.seldom()
			r.handsOver(func(c *child, s detect.Session) { r.chats(c, s); c.end() })
			r.o.Config.Agent["gemini"] = agent.Config{Command: r.o.Config.Agent["gemini"].Command, ConfigDir: r.o.Config.Agent["gemini"].ConfigDir,
				Args: []string{"--approval-mode", "auto_edit"}, Env: map[string]string{"EXTRA": "1"}}
			_, hook := r.posts()
			r.start()
			id, key := r.stopped("plan")
			r.pass(time.Minute)
			r.wantStarts(1)
			c := r.children.started()[0].claim
			took := c.At.Sub(c.Stop.At)
			if argv := strings.Join(c.Plan.Argv, " "); c.Plan.Form != resume.FormFresh || took > 15*time.Second || c.Plan.Dir != r.project || c.Info.Dir != r.project ||
				!strings.HasSuffix(argv, "/gemini --output-format stream-json --approval-mode auto_edit --session-id "+c.Plan.Session) ||
				!slices.Contains(c.Plan.Env, "EXTRA=1") {
				t.Fatalf("form %s after %s in %s: %s %q", c.Plan.Form, took, c.Plan.Dir, argv, c.Plan.Env)
			}
			if text := string(c.Plan.Stdin); !strings.Contains(text, "> say done") || !strings.Contains(text, r.session(id).Path) {
				t.Errorf("the hand-off is %q", text)
			}
			old, heir := r.wantPhase(id, state.Following), r.chatRec(r.chat(c.Plan.Session, "12"))
			if old.NewSession != "gemini/"+heir.ID || heir.OldSession != "claude/"+id || heir.Root != "claude/"+id {
				t.Errorf("new %s, old %s, root %s", old.NewSession, heir.OldSession, heir.Root)
			}
			if s, _ := old.Standing(time.Now()); s != state.Done {
				t.Errorf("it is %s", s)
			}
			told := hook.notices()
			if len(told) != 1 || told[0].Event != "session_handed_over" || told[0].Session != id || told[0].Command != "clawd why gemini/"+heir.ID {
				t.Errorf("told %+v", told)
			}
			if lines := r.log.events("session_handed_over"); len(lines) != 1 || lines[0]["level"] != "info" || strings.Contains(lines[0]["message"].(string), "needs you") {
				t.Errorf("logged %v", lines)
			}
			if lost {
				r.down()
				remove(t, filepath.Join(r.root, "state", "clawd.db"))
				r.start()
			}
			r.pass(26 * time.Hour)
			r.wantStarts(1)
			if n := len(r.children.started()); r.rec(id).Stop.Key != key && !lost || n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}

// TestNotHandedOver: what keeps the other agent from taking over does not keep the session's own from going on when its limit is over.
func TestNotHandedOver(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*rig)
		starts  int
	}{
		"its program is not there":  {func(r *rig) { remove(r.t, r.o.Config.Agent["gemini"].Command) }, 1},
		"nobody can pay":            {func(r *rig) { r.o.Env.Getenv = lookup("GOOGLE_GEMINI_BASE_URL", "http://10.0.0.1") }, 1},
		"it does nothing":           {func(r *rig) { r.handsOver(func(c *child, _ detect.Session) { c.end() }) }, 2},
		"the limit is over in time": {func(r *rig) { r.o.Config.Resume.WhenLimited = "handoff:claude" }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.seldom()
				r.handsOver(func(c *child, s detect.Session) { r.chats(c, s); c.end() })
				c.prepare(r)
				r.start()
				id, _ := r.stopped("plan")
				r.pass(50 * time.Minute)
				r.wantStarts(c.starts - 1)
				r.wantPhase(id, state.Waiting)
				r.pass(15 * time.Minute)
				r.wantStarts(c.starts)
				last := r.children.started()[c.starts-1].claim
				if last.Plan.Agent != "" || last.Plan.Form == resume.FormFresh {
					t.Errorf("started %q", last.Plan.Argv)
				}
				r.wantPhase(id, state.Following)
				r.pass(26 * time.Hour)
				r.wantStarts(c.starts)
			})
		})
	}
}

// lateProgram is an agent that cannot be started a few times, for what says nothing about it.
type lateProgram struct {
	whole
	err   error
	times *int
}

func (l lateProgram) TakeOver(r agent.TurnRequest) (resume.Plan, error) {
	if *l.times--; *l.times >= 0 {
		return resume.Plan{}, l.err
	}
	return l.whole.TakeOver(r)
}

// TestHandedOverLater: a machine that is short of something, or a clawd that has just started and still looks for the other agent's
// program, puts a hand-over off, and does not end it.
func TestHandedOverLater(t *testing.T) {
	for _, err := range []error{errNotYet, fmt.Errorf("folder: %w", syscall.EMFILE)} {
		t.Run(err.Error(), func(t *testing.T) {
			for times := 1; times <= 6; times++ {
				in(t, func(r *rig) {
					r.seldom()
					r.handsOver(func(c *child, s detect.Session) { r.chats(c, s); c.end() })
					left := times
					r.wrapSecond = func(a whole) agent.Agent { return lateProgram{a, err, &left} }
					r.start()
					id, _ := r.stopped("plan")
					r.pass(20 * time.Minute)
					r.wantStarts(1)
					if c := r.children.started()[0].claim; c.Plan.Agent != "gemini" || left >= 0 {
						t.Errorf("started %q, after %d of %d refusals", c.Plan.Argv, times-left, times)
					}
					if n := len(r.log.events("hand_over_failed")); n != 0 {
						t.Errorf("told %d times that nobody takes over", n)
					}
					r.wantPhase(id, state.Following)
				})
			}
		})
	}
}

func lookup(name, value string) func(string) string {
	return func(n string) string {
		if n == name {
			return value
		}
		return ""
	}
}

// TestOpenIsNotHandedOver: nobody else works beside who has the session open.
func TestOpenIsNotHandedOver(t *testing.T) {
	in(t, func(r *rig) {
		r.handsOver(r.chats)
		id := r.open(resume.Tmux, "plan")
		r.pass(50 * time.Minute)
		r.wantStarts(0)
		r.pass(15 * time.Minute)
		r.wantStarts(1)
		if p := r.children.started()[0].claim.Plan; p.Way != resume.Tmux || p.Agent != "" {
			t.Errorf("%s of %q", p.Way, p.Agent)
		}
		if n := len(r.log.events("hand_over_failed")); n != 1 {
			t.Errorf("told %d times that %s is not handed over", n, id)
		}
	})
}

// TestHandOverOutlivesClawd: a clawd that was killed takes up the other agent's run again, and judges it by that one's files.
func TestHandOverOutlivesClawd(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.handsOver(func(*child, detect.Session) {}) // it has not begun yet
		r.start()
		id, _ := r.stopped("plan")
		r.pass(time.Minute)
		r.wantStarts(1)
		r.wantPhase(id, state.Fired)
		r.crash()
		r.start()
		r.pass(time.Minute)
		r.wantPhase(id, state.Fired)
		c := r.children.started()[0]
		heir := r.chat(c.claim.Plan.Session, "12")
		r.chats(c, heir)
		r.pass(time.Minute)
		if rec := r.wantPhase(id, state.Following); rec.NewSession != "gemini/"+heir.ID {
			t.Errorf("it went on in %q", rec.NewSession)
		}
		r.pass(26 * time.Hour)
		r.wantStarts(1)
	})
}

// TestResumeWith: its user has another agent take over, whatever the reason, the window and the config are.
func TestResumeWith(t *testing.T) {
	in(t, func(r *rig) {
		r.handsOver(r.chats)
		r.o.Config.Resume.WhenLimited = "wait"
		r.start()
		id, _ := r.stopped("limit")
		for with, why := range map[string]string{"codex": `clawd does not watch an agent named "codex"`, "nobody": "does not watch"} {
			if _, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: resume.Order{With: with}}); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("with %s: %v", with, err)
			}
		}
		d := r.order(id, resume.Order{With: "gemini"})
		if d.Text != "gemini takes over now" {
			t.Errorf("answered %q", d.Text)
		}
		r.pass(time.Minute)
		r.wantStarts(1)
		c := r.children.started()[0]
		if c.claim.Plan.Agent != "gemini" {
			t.Fatalf("started %q", c.claim.Plan.Argv)
		}
		heir := r.chatRec(r.chat(c.claim.Plan.Session, "12"))
		w, err := r.d.Why(r.work, id)
		if err != nil || w.New != "gemini/"+heir.ID || w.Decision.With != "gemini" {
			t.Errorf("why: %+v, %v", w, err)
		}
		// The run belongs to the old session, and is ended by either name.
		if done, err := r.d.Obey(r.work, machine.Cancel, Order{Session: heir.ID}); err != nil || done.Session != id {
			t.Errorf("canceled: %+v, %v", done, err)
		}
		r.pass(time.Minute)
		if len(c.stops) == 0 {
			t.Error("its run goes on")
		}
	})
}

// TestResumeWithAfterAll: an order tries the other agent once more after it could not take over.
func TestResumeWithAfterAll(t *testing.T) {
	in(t, func(r *rig) {
		r.handsOver(func(c *child, s detect.Session) { r.chats(c, s); c.end() })
		program := r.o.Config.Agent["gemini"].Command
		if err := os.Rename(program, program+".away"); err != nil {
			t.Fatal(err)
		}
		r.start()
		id, _ := r.stopped("plan")
		r.pass(time.Minute)
		r.wantStarts(0)
		if _, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: resume.Order{With: "gemini"}}); err == nil {
			t.Error("an order for a program that is not there was taken")
		}
		if err := os.Rename(program+".away", program); err != nil {
			t.Fatal(err)
		}
		r.pass(2 * time.Minute)
		r.order(id, resume.Order{With: "gemini"})
		r.pass(time.Minute)
		r.wantStarts(1)
		if c := r.children.started()[0].claim; c.Plan.Agent != "gemini" {
			t.Errorf("started %q", c.Plan.Argv)
		}
	})
}
