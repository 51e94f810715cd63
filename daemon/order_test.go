package daemon

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// order has a session resumed, and lets it begin.
func (r *rig) order(id string, o resume.Order) Done {
	r.t.Helper()
	d, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: o})
	if err != nil {
		r.t.Fatalf("the order is refused: %v; log:\n%s", err, r.log)
	}
	r.pass(10 * time.Second)
	return d
}

// refused says why an order for a session is refused, and what its user can type.
func (r *rig) refused(id string) (why, command string) {
	r.t.Helper()
	before := r.rec(id)
	d, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: resume.Order{Now: true}})
	no := (*machine.OrderError)(nil)
	if !errors.As(err, &no) {
		r.t.Fatalf("the order is taken: %+v, %v", d, err)
	}
	if after := r.rec(id); after.Phase != before.Phase || after.Decision != before.Decision {
		r.t.Errorf("a refused order made %s of %s", after.Phase, before.Phase)
	}
	return err.Error(), no.Command
}

func (r *rig) wantStarts(want int) {
	r.t.Helper()
	if n := len(r.children.started()); n != want {
		r.t.Fatalf("%d starts, want %d; log:\n%s", n, want, r.log)
	}
}

func TestResumeNow(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, key := r.stopped("plan")
		r.wantPhase(id, state.Waiting)
		d := r.order(id[:8], resume.Order{Now: true})
		if d.Session != id || d.Text != "it is resumed now" {
			t.Errorf("%+v", d)
		}
		r.wantStarts(1)
		r.pass(5 * time.Hour)
		r.wantStarts(1)
		if c := r.children.started()[0].claim; c.Stop.Key != key || c.N != 1 || r.resumes() != 1 {
			t.Errorf("attempt %d for %s, %d resumes", c.N, c.Stop.Key, r.resumes())
		}
		if why, _ := r.refused(id); !strings.Contains(why, "ended well") {
			t.Errorf("why: %s", why)
		}
	})
}

// What clawd holds, has given up or leaves is resumed by an order, once for each, under a number of its own.
func TestResumeAgain(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		first      func(c *child)
		phase      state.Phase
		n          int
	}{
		{"held without a trace", "limit", func(c *child) { c.opened(); c.end() }, state.Held, 2},
		{"held after its prompt", "limit", func(c *child) { c.opened(); c.ask(); c.end() }, state.Held, 2},
		{"left", "auth", nil, state.Following, 1},
		{"waiting", "plan", nil, state.Waiting, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.seldom()
				r.children.act = func(ch *child) {
					if c.first != nil && len(r.children.started()) == 1 {
						c.first(ch)
						return
					}
					ch.ask()
					ch.say("answer")
					ch.end()
				}
				r.seldom()
				r.start()
				id, _ := r.stopped(c.kind)
				r.pass(5 * time.Minute)
				r.wantPhase(id, c.phase)
				before := len(r.children.started())
				r.order(id, resume.Order{Now: true})
				r.wantStarts(before + 1)
				if got := r.children.started()[before].claim; got.N != c.n {
					t.Errorf("attempt %d, want %d", got.N, c.n)
				}
				r.pass(26 * time.Hour)
				r.wantStarts(before + 1)
				r.wantPhase(id, state.Following)
				if r.resumes() != 1 {
					t.Errorf("%d resumes", r.resumes())
				}
			})
		})
	}
}

// A stop that was too old to be taken in when it was read can still be resumed.
func TestResumeOldStop(t *testing.T) {
	in(t, func(r *rig) {
		id, key := r.stopped("limit")
		r.pass(5 * time.Hour)
		r.start()
		r.pass(time.Minute)
		r.wantStarts(0)
		r.order(id, resume.Order{Now: true})
		r.wantStarts(1)
		if got := r.children.started()[0].claim.Stop.Key; got != key {
			t.Errorf("fired for %s, want %s", got, key)
		}
	})
}

// Two orders at once, and two in a row, make one start.
func TestResumeTwice(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened() } // lives on
		r.start()
		id, _ := r.stopped("plan")
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				_, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: resume.Order{Now: true}})
				if no := (*machine.OrderError)(nil); err != nil && !errors.As(err, &no) {
					t.Error(err)
				}
			})
		}
		both.Wait()
		r.pass(time.Minute)
		r.wantStarts(1)
		if why, _ := r.refused(id); !strings.Contains(why, "being resumed right now, attempt 1 since") {
			t.Errorf("why: %s", why)
		}
		r.pass(time.Minute)
		r.wantStarts(1)
	})
}

// A budget does not hold back what its user asked for, and an order is counted in it.
func TestResumeOverBudget(t *testing.T) {
	in(t, func(r *rig) {
		id := r.overBudget()
		if w, err := r.d.Why(t.Context(), id); err != nil || !strings.Contains(w.Decision.HeldBack, "max_resumes_per_day_total") {
			t.Errorf("held back by %q (%v)", w.Decision.HeldBack, err)
		}
		r.order(id, resume.Order{Now: true})
		r.wantStarts(2)
	})
}

// A wait that was ordered outlives a restart, and is not too late then.
func TestOrderOutlivesRestart(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.start()
		id, _ := r.stopped("plan")
		r.order(id, resume.Order{})
		r.down()
		r.pass(20 * time.Hour)
		r.start()
		r.pass(time.Minute)
		r.wantStarts(1)
	})
}

// Who has the session open in a terminal out of reach goes first; then the order counts, also after a quit.
func TestResumeWhileOpen(t *testing.T) {
	in(t, func(r *rig) {
		id := r.open(resume.Exec, "plan")
		d := r.order(id, resume.Order{Now: true})
		if !strings.Contains(d.Text, "process 901 has it open") {
			t.Errorf("text %q", d.Text)
		}
		r.pass(time.Hour)
		r.wantStarts(0)
		r.end(901)
		if err := os.Remove(filepath.Join(r.agentDir(), "sessions", "901.json")); err != nil {
			t.Fatal(err)
		}
		r.pass(5 * time.Minute)
		r.wantStarts(1)
		if w, err := r.d.Why(t.Context(), id); err != nil || w.Holder.PID != 0 || !w.Decision.Asked {
			t.Errorf("%+v, %v", w, err)
		}
	})
}

// A session whose mode asks a person is not resumed headless, whoever orders it: its user is told what
// to type.
func TestResumeUnfit(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id := uuid.NewString()
		r.add(id, strings.ReplaceAll(r.record(id, "user", "", interactive), "acceptEdits", "default"), r.record(id, "plan", "", interactive))
		r.pass(time.Minute)
		why, command := r.refused(id)
		if !strings.Contains(command, "--resume") || !strings.Contains(command, id) || why == "" {
			t.Errorf("why %q, command %q", why, command)
		}
	})
}

func TestOrderRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *rig, id string)
		why    string
	}{
		"somebody went on": {func(r *rig, id string) { r.add(id, r.line(id, "more"), r.line(id, "answer")) }, "ended well"},
		"unseen":           {func(r *rig, id string) { put(r.t, r.session(id).Path, r.line(id, "more")+r.line(id, "answer")) }, "ended well"},
		"ignored": {func(r *rig, id string) {
			if _, err := r.d.Obey(r.work, machine.Ignore, Order{Session: id}); err != nil {
				r.t.Error(err)
			}
			r.pass(time.Second)
		}, "have clawd ignore it"},
		"ignored project": {func(r *rig, _ string) {
			c := r.o.Config
			c.Watch.IgnoreProjects = []string{r.root}
			r.d.o.Reload = func() (config.Config, error) { return c, nil }
			r.d.Reload()
			r.pass(time.Second)
		}, "ignore_projects"},
		"ignored project by another name": {func(r *rig, _ string) {
			c, link := r.o.Config, filepath.Join(r.root, "link")
			if err := os.Symlink(r.project, link); err != nil {
				r.t.Fatal(err)
			}
			c.Watch.IgnoreProjects = []string{link}
			r.d.o.Reload = func() (config.Config, error) { return c, nil }
			r.d.Reload()
			r.pass(time.Second)
		}, "ignore_projects"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.start()
				id, _ := r.stopped("plan")
				c.change(r, id)
				if why, _ := r.refused(id); !strings.Contains(why, c.why) {
					t.Errorf("why: %s", why)
				}
				r.pass(3 * time.Hour)
				r.wantStarts(0)
			})
		})
	}
}

func TestIgnore(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("plan")
		d, err := r.d.Obey(r.work, machine.Ignore, Order{Session: id})
		if err != nil || d.Phase != state.Following {
			t.Fatalf("%+v, %v", d, err)
		}
		r.pass(3 * time.Hour)
		r.add(id, r.line(id, "more"), r.line(id, "limit"))
		r.pass(3 * time.Hour)
		r.wantStarts(0)
		r.down()
		r.start()
		if _, err := r.d.Obey(r.work, machine.Ignore, Order{Session: id, Off: true}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Hour)
		r.wantStarts(0) // what was left stays left
		r.add(id, r.line(id, "more"), r.line(id, "limit"))
		r.pass(time.Hour)
		r.wantStarts(1)
	})
}

// While an attempt runs, ignore lets it end and no other follows.
func TestIgnoreFired(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened(); c.ask() }
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Minute)
		if _, err := r.d.Obey(r.work, machine.Ignore, Order{Session: id}); err != nil {
			t.Fatal(err)
		}
		c := r.children.started()[0]
		c.say("limit")
		c.end()
		r.pass(3 * time.Hour)
		r.wantStarts(1)
		r.wantPhase(id, state.Following)
	})
}

// A turn that was cut looks like one that its user stopped, once its process is gone; an ordered wait for
// it goes on all the same.
func TestResumeCutLater(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) {
			c.opened()
			c.ask()
			if c.claim.N > 1 {
				c.say("answer")
			}
			c.end()
		}
		r.start()
		id, _ := r.stopped("limit")
		r.pass(5 * time.Minute)
		r.wantPhase(id, state.Held)
		program := r.o.Config.Agent["claude"].Command
		if err := os.Chmod(program, 0o600); err != nil { // it is being updated
			t.Fatal(err)
		}
		r.order(id, resume.Order{Now: true})
		r.pass(5 * time.Minute)
		r.wantStarts(1)
		r.wantPhase(id, state.Waiting)
		if err := os.Chmod(program, 0o700); err != nil {
			t.Fatal(err)
		}
		r.pass(5 * time.Minute)
		r.wantStarts(2)
	})
}

// An order stands until it came to something: what is proved to have had no effect is tried again, also
// for a stop that the config leaves.
func TestOrderStands(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) {
			if c.claim.N > 2 {
				c.ask()
				c.say("answer")
			}
			c.end()
		}
		r.start()
		id, _ := r.stopped("auth")
		r.order(id, resume.Order{Now: true})
		r.pass(time.Hour)
		r.wantStarts(3)
		r.wantPhase(id, state.Following)
		if r.resumes() != 1 {
			t.Errorf("%d resumes", r.resumes())
		}
	})
}

func TestFind(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		one := "abcd1111-0000-4000-8000-000000000000"
		two := "abcd1111-1111-4000-8000-000000000000"
		for _, id := range []string{one, two} {
			r.add(id, r.line(id, "user"), r.record(id, "auth", uuid.NewString(), "sdk-cli"))
		}
		for ref, want := range map[string]string{one: one, "abcd1111-0": one, "claude/abcd1111-1": two} {
			if _, rec, err := r.d.find(ref); err != nil || rec.ID != want {
				t.Errorf("%s is %s, %v", ref, rec.ID, err)
			}
		}
		_, _, err := r.d.find("abcd")
		if many := (*askError)(nil); !errors.As(err, &many) || len(many.sessions) != 2 {
			t.Errorf("two: %v", err)
		}
		for _, ref := range []string{"codex/abcd1111", "ffff", "/abcd"} {
			_, _, err = r.d.find(ref)
			if unknown := (*askError)(nil); (!errors.As(err, &unknown) || unknown.code != http.StatusNotFound) && ref != "/abcd" || !strings.Contains(err.Error(), ref) {
				t.Errorf("%s: %v", ref, err)
			}
		}
		if _, _, err = r.d.find("abc"); err == nil || !strings.Contains(err.Error(), "too short") {
			t.Errorf("short: %v", err)
		}
	})
}

func TestWhy(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened(); c.end() }
		r.start()
		id, _ := r.stopped("limit")
		r.pass(10 * time.Minute)
		w, err := r.d.Why(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if w.Phase != state.Held || w.Stop == nil || w.Stop.Reason != detect.RateLimit || !strings.Contains(w.Decision.Why, "left no record") || w.Command != "clawd resume "+id {
			t.Errorf("%+v", w)
		}
		var kinds []string
		for _, e := range w.History {
			kinds = append(kinds, e.Kind)
		}
		if got := strings.Join(kinds, " "); got != "stop scheduled claimed fired unknown held" {
			t.Errorf("history: %s", got)
		}
	})
}
