package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

func TestShutdownWhileWaiting(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("plan")
		r.wantPhase(id, state.Waiting)
		at := time.Now()
		r.down()
		if took := time.Since(at); took >= 5*time.Second {
			t.Errorf("the stop took %v", took)
		}
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts", n)
		}
		if len(r.log.events("resume_cancelled")) != 1 || len(r.log.events("daemon_stopped")) != 1 {
			t.Error("the log does not tell of the end")
		}
		<-time.After(3 * time.Hour) // overdue now
		r.start()
		r.pass(time.Minute)
		r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts after the next start, want 1", n)
		}
	})
}

// max_stop_age holds for every stop that was written while clawd did not run.
func TestStopDuringDowntime(t *testing.T) {
	for _, c := range []struct {
		down   time.Duration
		starts int
	}{{30 * time.Minute, 1}, {2 * time.Hour, 0}} {
		in(t, func(r *rig) {
			r.start()
			id := uuid.NewString()
			r.add(id, r.line(id, "user"), r.line(id, "answer"))
			r.pass(time.Minute)
			r.down()
			r.add(id, r.line(id, "user"), r.line(id, "limit"))
			r.pass(c.down)
			r.start()
			r.pass(10 * time.Minute)
			if n := len(r.children.started()); n != c.starts {
				t.Errorf("down for %s: %d starts, want %d", c.down, n, c.starts)
			}
			told := 0
			for _, e := range r.log.events("session_left") {
				if e["reason"] == "rate_limit" {
					told++
				}
			}
			if told != 1-c.starts {
				t.Errorf("down for %s: told %d times", c.down, told)
			}
		})
	}
}

// A turn that was cut long before clawd first saw its session is no news, whatever the config says.
func TestOldCutTurn(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Reasons = map[string]resume.Kind{"crashed": resume.SameSession}
		id := uuid.NewString()
		put(t, filepath.Join(r.agentDir(), "sessions", "901.json"), fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli"}`, id, r.project))
		r.add(id, r.line(id, "user"), r.line(id, "open"))
		r.pass(3 * time.Hour)
		r.start()
		r.pass(time.Hour)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts", n)
		}
	})
}

// A crash that clawd saw is resumed where the config says so.
func TestCrashed(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Reasons = map[string]resume.Kind{"crashed": resume.SameSession}
		if err := os.MkdirAll(filepath.Join(r.agentDir(), "sessions"), 0o700); err != nil {
			t.Fatal(err)
		}
		r.start()
		id, _ := r.terminal()
		entry := filepath.Join(r.agentDir(), "sessions", "901.json")
		if err := os.Truncate(entry, 0); err != nil {
			t.Fatal(err)
		}
		put(t, entry, fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli","status":"busy"}`, id, r.project))
		r.add(id, r.line(id, "user"), r.line(id, "open"))
		r.pass(time.Minute)
		r.end(901)
		r.pass(10 * time.Minute)
		if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes; want one; log:\n%s", n, r.resumes(), r.log)
		}
	})
}

func TestShutdownLeavesChildAlone(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened() }
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.down()
		c := r.children.started()[0]
		if len(c.stops) != 0 || !c.Alive() {
			t.Error("the child was stopped with clawd")
		}
		r.start() // and is taken up
		r.pass(time.Minute)
		r.wantPhase(id, state.Fired)
		c.ask()
		c.say("answer")
		r.pass(time.Minute)
		if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes; want 1, 1", n, r.resumes())
		}
	})
}

// What the end itself begins is waited for as well: nothing writes after Run has returned.
func TestNothingBeginsAfterTheEnd(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		d, wrote, late := r.d, false, false
		d.effects.do(nil, func() {
			<-d.effects.ctx.Done()
			d.loop.post(mail{done: make(chan struct{}), ask: func(*loop) {
				d.effects.do(nil, func() { <-time.After(time.Second); wrote = true })
			}})
		})
		r.down()
		if !wrote {
			t.Error("the daemon ended before what had begun at its end")
		}
		d.effects.do(nil, func() { late = true })
		synctest.Wait()
		if late {
			t.Error("something began after the end")
		}
	})
}
