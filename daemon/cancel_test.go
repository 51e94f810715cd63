package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

func TestCancelWaiting(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.start()
		id, _ := r.stopped("plan")
		d, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id})
		if err != nil || d.Phase != state.Held {
			t.Fatalf("%+v, %v", d, err)
		}
		r.pass(26 * time.Hour)
		r.wantStarts(0)
		r.wantPhase(id, state.Held)
		if n := len(r.log.events("session_held")); n != 0 {
			t.Errorf("its user is told %d times what he did", n)
		}
		if d, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id}); err != nil || d.Phase != state.Held || len(r.log.events("resume_cancelled")) != 1 {
			t.Errorf("again: %+v, %v", d, err)
		}
		r.order(id, resume.Order{Now: true})
		r.wantStarts(1)
	})
}

// Between the claim and the start the gate stays closed.
func TestCancelClaimed(t *testing.T) {
	in(t, func(r *rig) {
		r.children.claimed = func(c resume.Claim) {
			if d, err := r.d.Obey(r.work, machine.Cancel, Order{Session: c.Session.ID}); err != nil || d.Phase != state.Held {
				t.Errorf("%+v, %v", d, err)
			}
		}
		r.start()
		id, _ := r.stopped("plan")
		r.pass(3 * time.Hour)
		r.wantStarts(0)
		if rec := r.wantPhase(id, state.Held); rec.Episode.Attempts != 0 {
			t.Errorf("%d attempts", rec.Episode.Attempts)
		}
		// Its place at the head of the window is free again.
		r.children.mu.Lock()
		r.children.claimed = nil
		r.children.mu.Unlock()
		other, _ := r.stopped("plan")
		r.pass(3 * time.Hour)
		r.wantStarts(1)
		r.wantPhase(other, state.Following)
	})
}

func TestCancelFired(t *testing.T) {
	for name, act := range map[string]func(c *child){
		"no trace yet":      func(c *child) {},
		"opened":            func(c *child) { c.opened() },
		"asked":             func(c *child) { c.opened(); c.ask() },
		"answered, at work": func(c *child) { c.opened(); c.ask(); c.say("open") },
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.o.Config.Resume.Reasons["crashed"] = resume.SameSession
				r.children.act = act
				r.seldom()
				r.start()
				id, _ := r.stopped("limit")
				r.pass(5 * time.Minute)
				c := r.children.started()[0]
				if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id}); err != nil {
					t.Fatal(err)
				}
				r.pass(time.Minute)
				if name == "answered, at work" { // its last word is no new stop
					r.add(id, r.line(id, "limit"))
				}
				r.pass(26 * time.Hour)
				if len(c.stops) != 1 || c.stops[0] {
					t.Errorf("stops of the child: %v, want one by SIGTERM", c.stops)
				}
				r.wantStarts(1)
				rec := r.rec(id)
				if want := state.Held; name != "answered, at work" && rec.Phase != want || rec.Phase == state.Waiting {
					t.Errorf("phase %s", rec.Phase)
				}
				for _, event := range []string{"session_held", "session_left", "resume_given_up"} {
					for _, e := range r.log.events(event) {
						if e["command"] != nil || e["message"] == "needs you" {
							t.Errorf("its user is told what he did: %v", e)
						}
					}
				}
			})
		})
	}
}

// A run that took over may be ended by the id of either session.
func TestCancelTheSessionThatTookOver(t *testing.T) {
	in(t, func(r *rig) {
		var fresh string
		r.children.act = func(c *child) {
			fresh = c.claim.Plan.Session
			put(t, c.claim.Output, fmt.Sprintf(`{"type":"system","subtype":"init","session_id":%q}`+"\n", fresh))
			r.add(fresh, r.record(fresh, string(c.claim.Plan.Stdin), "", "sdk-cli"), r.line(fresh, "open"))
		}
		r.start()
		id, _ := r.stopped("limit")
		r.order(id, resume.Order{Now: true, Fresh: true})
		r.pass(time.Minute)
		if rec := r.wantPhase(id, state.Following); rec.NewSession != fresh || fresh == "" {
			t.Fatalf("%q took over, want %q", rec.NewSession, fresh)
		}
		if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: fresh}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Minute)
		if c := r.children.started()[0]; len(c.stops) != 1 || c.stops[0] {
			t.Errorf("stops of the child: %v, want one by SIGTERM", c.stops)
		}
		if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: fresh}); err == nil || !strings.Contains(err.Error(), "nothing to cancel") {
			t.Errorf("again: %v", err)
		}
	})
}

// An order to end a run that a clawd did not live to carry out is carried out by the next.
func TestCancelOutlivesRestart(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened(); c.ask() }
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.write(r.session(id), func(rec state.Session, b state.Books) (*state.Change, error) { // killed before it acts
			return rec.CancelOrdered(b, false)
		})
		r.down()
		r.start()
		r.pass(10 * time.Minute)
		pid := r.children.started()[0].pid
		if _, alive := r.procs.Get(pid); alive {
			t.Error("the child lives on")
		}
		r.wantPhase(id, state.Held)
		r.wantStarts(1)
	})
}

// A person who goes on lifts a cancellation.
func TestCancelEndsWithAPrompt(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened(); c.ask(); c.say("open") }
		r.start()
		id, _ := r.stopped("limit")
		r.pass(5 * time.Minute)
		if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Minute)
		r.add(id, r.record(id, "go on", "", interactive), r.line(id, "limit"))
		r.wantPhase(id, state.Waiting)
	})
}

// What was under way or over when its user took a stop back, and is read only after that, is taken back as well: for him it
// was one stop. What is begun after it is not.
func TestCancelCoversWhatIsReadLater(t *testing.T) {
	for steps, want := range map[string]struct {
		phase  state.Phase
		starts int
	}{
		"user limit cancel": {state.Following, 0},
		"user cancel limit": {state.Following, 0},
		"cancel user limit": {state.Following, 1},
	} {
		t.Run(steps, func(t *testing.T) {
			in(t, func(r *rig) {
				r.start()
				id, _ := r.stopped("limit")
				r.wantPhase(id, state.Waiting)
				var unread []string
				for step := range strings.FieldsSeq(steps) {
					r.pass(time.Second)
					if step != "cancel" {
						unread = append(unread, r.line(id, step))
					} else if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id}); err != nil {
						t.Fatal(err)
					}
				}
				r.add(id, unread...)
				r.pass(time.Hour)
				r.wantStarts(want.starts)
				r.wantPhase(id, want.phase)
			})
		})
	}
}
