package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
	"github.com/google/uuid"
)

// in runs a test in a bubble with a rig.
func in(t *testing.T, f func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(newRig(t)) })
}

func TestResumesOnce(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, key := r.stopped("limit")
		rec := r.wantPhase(id, state.Waiting)
		if rec.Stop.Key != key {
			t.Errorf("key %s, want %s", rec.Stop.Key, key)
		}
		r.pass(29 * time.Second)
		if n := len(r.children.started()); n != 0 {
			t.Fatalf("%d starts before the wait is over", n)
		}
		r.pass(20 * time.Minute)
		rec = r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes; want 1, 1", n, r.resumes())
		}
		if p := r.children.started()[0].claim.Plan; p.Form != resume.FormIdempotent || p.Dir != r.project {
			t.Errorf("plan %s in %s", p.Form, p.Dir)
		}
		started := r.log.events("resume_started")
		if len(started) != 1 || started[0]["message"] != "Resuming session after rate limit" || started[0]["session"] != id || started[0]["project"] != r.project {
			t.Errorf("resume_started: %v", started)
		}
		if done := r.log.events("resume_succeeded"); len(done) != 1 || done[0]["total_resumes"] != 1.0 {
			t.Errorf("resume_succeeded: %v", done)
		}
		if e := r.log.events("resume_cancelled"); len(e) != 0 {
			t.Errorf("the log says that somebody else went on: %v", e)
		}
		if strings.Contains(r.log.String(), "say done") || strings.Contains(r.log.String(), "try later") {
			t.Error("a text of the session is in the log")
		}
	})
}

// The second attempt of an episode waits longer, and by another form: after an idempotent run that
// was limited the next would send nothing.
func TestStoppedAgain(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) {
			c.ask()
			if c.claim.N < 3 {
				c.say("limit")
			} else {
				c.say("answer")
			}
			c.end()
		}
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Hour)
		all := r.children.started()
		if len(all) != 3 || r.resumes() != 1 {
			t.Fatalf("%d starts, %d resumes; want 3, 1; log:\n%s", len(all), r.resumes(), r.log)
		}
		keys := map[string]bool{}
		for i, c := range all {
			keys[c.claim.Stop.Key] = true
			if c.claim.N != i+1 {
				t.Errorf("start %d is attempt %d", i, c.claim.N)
			}
			if wait := c.claim.At.Sub(c.claim.Stop.At); wait < 30*time.Second<<i || wait > 30*time.Second<<i+15*time.Second {
				t.Errorf("attempt %d came after %v", i+1, wait)
			}
		}
		if len(keys) != 3 {
			t.Errorf("two fires for one stop: %v", keys)
		}
		if f := all[1].claim.Plan.Form; f != resume.FormPrompt {
			t.Errorf("the second form is %s", f)
		}
		r.wantPhase(id, state.Following)
	})
}

// What a run leaves behind that says nothing decides between a second fire and held.
func TestProofOfNoEffect(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  func(c *child)
		starts int
		phase  state.Phase
	}{
		{"ended before it opened the session", func(c *child) { c.end() }, 2, state.Following},
		{"another clawd made the attempt", func(c *child) { // which the shim said to a clawd that was killed
			if err := os.Remove(c.claim.Mark); err != nil {
				t.Fatal(err)
			}
			theirs := c.claim
			theirs.Token = "theirs"
			if err := marks.Make(c.claim.Mark, theirs); err != nil {
				t.Fatal(err)
			}
			c.end()
		}, 1, state.Held},
		{"its mark is torn", func(c *child) {
			if err := os.Truncate(c.claim.Mark, 0); err != nil {
				t.Fatal(err)
			}
			c.end()
		}, 2, state.Following},
		{"opened it and left nothing", func(c *child) { c.opened(); c.end() }, 1, state.Held},
		{"prompt without an answer", func(c *child) { c.opened(); c.ask(); c.end() }, 1, state.Held},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.children.act = func(ch *child) {
					if len(r.children.started()) == 1 {
						c.first(ch)
						return
					}
					ch.ask()
					ch.say("answer")
					ch.end()
				}
				r.start()
				id, _ := r.stopped("limit")
				r.pass(3 * time.Hour)
				r.wantPhase(id, c.phase)
				if n := len(r.children.started()); n != c.starts {
					t.Errorf("%d starts, want %d", n, c.starts)
				}
				proofs, err := 0, error(nil)
				err = r.d.store.History(func(e state.Entry) error {
					if e.Kind == string(resume.NoEffect) && e.Proof != "" {
						proofs++
					}
					return nil
				})
				if err != nil || proofs != c.starts-1 {
					t.Errorf("%d proofs (%v)", proofs, err)
				}
				if held := len(r.log.events("session_held")); (c.phase == state.Held) != (held == 1) {
					t.Errorf("told %d times", held)
				}
			})
		})
	}
}

// fired leaves the rig, down, with an attempt that was fired and of which nothing is known.
func (r *rig) fired() (id, key string) {
	r.t.Helper()
	r.children.act = func(c *child) { c.opened() } // lives on
	r.start()
	id, key = r.stopped("limit")
	r.pass(time.Minute)
	r.wantPhase(id, state.Fired)
	r.down()
	r.end(r.children.started()[0].pid) // it dies while nobody looks
	return id, key
}

func TestOtherBoot(t *testing.T) {
	in(t, func(r *rig) {
		id, _ := r.fired()
		r.procs.boot = "boot-2"
		r.start()
		r.pass(2 * time.Hour)
		rec := r.wantPhase(id, state.Held)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts", n)
		}
		held := r.log.events("session_held")
		if len(held) != 1 || !strings.Contains(held[0]["why"].(string), "machine went down") {
			t.Errorf("told %v (%s)", held, rec.Decision.Why)
		}
	})
}

// Before the mark was made nothing ran, whatever the store says: also after a power cut.
func TestOtherBootWithoutMark(t *testing.T) {
	in(t, func(r *rig) {
		id, _ := r.fired()
		first := r.children.started()[0]
		if err := errors.Join(os.Remove(first.claim.Mark), os.Truncate(first.claim.Output, 0)); err != nil {
			t.Fatal(err)
		}
		r.procs.boot = "boot-2"
		r.children.act = nil
		r.start()
		r.pass(2 * time.Hour)
		r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 2 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes; want 2, 1", n, r.resumes())
		}
	})
}

// I13: another store, the same user. The mark of the first is settled by the second.
func TestTwoStoresOneMark(t *testing.T) {
	in(t, func(r *rig) {
		id, key := r.fired()
		r.o.StateDir = filepath.Join(r.root, "other-state")
		r.children.act = nil
		r.start()
		r.pass(2 * time.Hour)
		rec := r.wantPhase(id, state.Held)
		if n := len(r.children.started()); n != 1 || rec.Stop.Key != key || r.resumes() != 0 {
			t.Errorf("%d starts, %d resumes, key %s", n, r.resumes(), rec.Stop.Key)
		}
		if marks, err := os.ReadDir(filepath.Join(r.o.UserDir, "attempts")); err != nil || len(marks) != 1 {
			t.Errorf("marks %v (%v)", marks, err)
		}
	})
}

// The lock is the user's, not the store's.
func TestSecondDaemonRefuses(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		o := r.o
		o.StateDir = filepath.Join(r.root, "other-state")
		if _, err := New(o); !errors.Is(err, ErrRunning) {
			t.Errorf("a second daemon: %v", err)
		}
		o.UserDir = filepath.Join(r.root, "other-user")
		d, err := New(o)
		if err != nil {
			t.Fatalf("another user's daemon: %v", err)
		}
		d.release()
		if err := d.store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A fork or an import has the stop's record too; one of them goes on, also after a restart.
func TestCopyOfAStop(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		one, two := uuid.NewString(), uuid.NewString()
		key := uuid.NewString()
		asked, stopped := r.line(one, "user"), r.record(one, "limit", key, "sdk-cli")
		copied := func(id string) { r.add(id, strings.ReplaceAll(asked, one, id), strings.ReplaceAll(stopped, one, id)) }
		copied(one)
		r.pass(time.Second)
		copied(two)
		r.pass(time.Second)
		r.wantPhase(one, state.Waiting)
		r.wantPhase(two, state.Following)
		r.down()
		three := uuid.NewString()
		copied(three)
		r.start()
		r.pass(10 * time.Minute)
		if all := r.children.started(); len(all) != 1 || all[0].claim.Session.ID != one {
			t.Errorf("%d starts", len(all))
		}
		for _, e := range r.log.events("session_left") {
			if e["reason"] == "rate_limit" && !strings.Contains(e["why"].(string), "is a copy") {
				t.Errorf("why: %v", e["why"])
			}
		}
	})
}

func TestSomebodyWentOn(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		r.pass(10 * time.Second)
		r.add(id, r.line(id, "another question"), r.line(id, "answer"))
		r.pass(2 * time.Hour)
		r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 0 || r.resumes() != 0 {
			t.Errorf("%d starts, %d resumes", n, r.resumes())
		}
		if e := r.log.events("resume_cancelled"); len(e) != 1 || e[0]["outcome"] != "by_hand" {
			t.Errorf("%v", e)
		}
	})
}

// Without the file event, the last look before the claim sees it.
func TestSomebodyWentOnUnseen(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Watch.Rescan *= 1000
		r.start()
		id, _ := r.stopped("limit")
		r.pass(10 * time.Second)
		put(t, r.session(id).Path, r.line(id, "another question")+r.line(id, "answer"))
		r.pass(time.Hour)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts", n)
		}
	})
}

func TestForeignPromptWhileChildRuns(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened(); c.ask() } // lives on
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.add(id, r.line(id, "a question of the user"))
		r.pass(time.Minute)
		c := r.children.started()[0]
		if len(c.stops) != 1 || !c.stops[0] {
			t.Errorf("stops of the child: %v, want one that begins with SIGINT", c.stops)
		}
		if len(r.log.events("resume_yielded")) != 1 || r.resumes() != 0 {
			t.Errorf("%d resumes", r.resumes())
		}
		r.pass(2 * time.Hour)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}

func TestLeftAlone(t *testing.T) {
	for _, kind := range []string{"answer", "auth"} {
		t.Run(kind, func(t *testing.T) {
			in(t, func(r *rig) {
				r.seldom()
				r.start()
				id, _ := r.stopped(kind)
				r.pass(26 * time.Hour)
				if n := len(r.children.started()); n != 0 {
					t.Errorf("%d starts", n)
				}
				if e := r.log.events("session_left"); len(e) != 1 || e[0]["session"] != id || e[0]["why"] == "" {
					t.Errorf("session_left: %v", e)
				}
			})
		})
	}
}

func TestStartingFails(t *testing.T) {
	in(t, func(r *rig) {
		r.children.fail = errors.New("no more processes")
		r.start()
		id, _ := r.stopped("limit")
		r.pass(2 * time.Hour)
		r.wantPhase(id, state.Held)
		if e := r.log.events("session_held"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "3 times") {
			t.Errorf("session_held: %v", e)
		}
	})
}

// A file that was rewritten (a backup tool, an editor) with the same stop at its end: looked at
// again, without haste, and resumed once.
func TestFileRewritten(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, key := r.stopped("limit")
		path := r.session(id).Path
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		r.add(id, string(b))
		r.pass(10 * time.Minute)
		if all := r.children.started(); len(all) != 1 || all[0].claim.Stop.Key != key {
			t.Errorf("%d starts, want 1; log:\n%s", len(all), r.log)
		}
	})
}

// A run that was resumed is guarded until it ends.
func TestForeignPromptAfterAnswer(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened(); c.ask(); c.say("open") } // goes on working
		r.start()
		id, _ := r.stopped("limit")
		r.pass(5 * time.Minute)
		if r.resumes() != 1 {
			t.Fatalf("%d resumes; log:\n%s", r.resumes(), r.log)
		}
		c := r.children.started()[0]
		if st, err := r.d.Status(); err != nil || len(st.Sessions) != 1 || st.Sessions[0].PID != c.pid {
			t.Errorf("the running child is not shown: %+v %v", st.Sessions, err)
		}
		r.add(id, r.line(id, "a question of the user"))
		r.pass(time.Minute)
		if len(c.stops) != 1 || !c.stops[0] || len(r.log.events("resume_yielded")) != 1 {
			t.Errorf("stops of the child: %v, want one that begins with SIGINT; log:\n%s", c.stops, r.log)
		}
	})
}
