package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// seldom lets the store learn late what was read: it is written with the rescan.
func (r *rig) seldom() { r.o.Config.Watch.Rescan = config.Duration(5 * time.Minute) }

// The second attempt takes the other form also when the store has not heard of the first one's records.
func TestStoppedAgainIsPlannedFromTheFiles(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.children.act = func(c *child) {
			c.ask()
			if c.claim.N < 4 {
				c.say("limit")
			} else {
				c.say("answer")
			}
			c.end()
		}
		r.start()
		r.stopped("limit")
		r.pass(time.Hour)
		var forms []string
		for _, c := range r.children.started() {
			forms = append(forms, string(c.claim.Plan.Form))
		}
		if got := strings.Join(forms, " "); got != "idempotent prompt idempotent prompt" {
			t.Errorf("forms: %s", got)
		}
	})
}

// What the agent wrote after the store's last word counts, too, though no event told of it.
func TestPlanIsMadeFromTheFilesOfThatMoment(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.start()
		id, _ := r.stopped("limit")
		put(t, r.session(id).Path, `{"type":"permission-mode","permissionMode":"plan","sessionId":"`+id+`"}`+"\n")
		r.pass(time.Minute)
		started := r.children.started()
		if len(started) != 1 {
			t.Fatalf("%d starts", len(started))
		}
		c := started[0].claim
		if argv := strings.Join(c.Plan.Argv, " "); !strings.Contains(argv, "--permission-mode plan") || c.Info.Mode != "plan" {
			t.Errorf("planned %s, with mode %q", argv, c.Info.Mode)
		}
	})
}

// The verdict's transaction has what the next plan needs: clawd may be killed right after it.
func TestVerdictStoresWhatThePlanNeeds(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.children.act = func(c *child) {
			c.ask()
			c.say("limit")
			c.end()
		}
		r.start()
		id, key := r.stopped("limit")
		r.pass(45 * time.Second)
		rec := r.wantPhase(id, state.Waiting)
		if rec.Stop.Key == key || rec.Classifier.Last.ID != rec.Stop.Key || !rec.Classifier.LastPrompt.Meta {
			t.Errorf("stop %s; the store's newest record is %s, below a prompt that is the agent's own: %v", rec.Stop.Key, rec.Classifier.Last.ID, rec.Classifier.LastPrompt.Meta)
		}
	})
}

// An idempotent run that opened the session and asked nothing: the next attempt sends the prompt, also
// after a restart, and the log says what happened.
func TestIdempotentWithoutEffect(t *testing.T) {
	for _, restart := range []bool{false, true} {
		in(t, func(r *rig) {
			r.children.act = func(c *child) {
				if c.claim.N < 3 {
					put(t, c.claim.Session.Path, `{"type":"mode","mode":"normal","sessionId":"`+c.claim.Session.ID+`"}`+"\n")
					c.end()
					return
				}
				c.ask()
				c.say("answer")
				c.end()
			}
			r.start()
			id, _ := r.stopped("limit")
			r.pass(45 * time.Second)
			if restart {
				r.down()
				r.start()
			}
			r.pass(time.Hour)
			r.wantPhase(id, state.Following)
			all := r.children.started()
			if len(all) != 3 || r.resumes() != 1 {
				t.Fatalf("%d starts, %d resumes; want 3, 1", len(all), r.resumes())
			}
			for i, want := range []resume.Form{resume.FormIdempotent, resume.FormPrompt, resume.FormPrompt} {
				if got := all[i].claim.Plan.Form; got != want {
					t.Errorf("restart %v: attempt %d took the form %s, want %s", restart, i+1, got, want)
				}
			}
			failed := r.log.events("resume_failed")
			if len(failed) != 2 || failed[0]["outcome"] != "no_effect" || !strings.Contains(failed[0]["why"].(string), "opened the session") || !strings.Contains(failed[0]["why"].(string), "asked nothing") {
				t.Errorf("resume_failed: %v", failed)
			}
		})
	}
}
