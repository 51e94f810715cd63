package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/daemon/trigger"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// promptless is an agent whose last prompt cannot be had so easily.
type promptless struct {
	whole
	last func(ctx context.Context) (string, error)
}

func (p promptless) LastPrompt(ctx context.Context, _ detect.Session) (string, error) {
	return p.last(ctx)
}

// What the first look refuses for good is written down and told, as what the claim itself refuses.
func TestRefusedByTheFirstLook(t *testing.T) {
	in(t, func(r *rig) {
		var asked atomic.Int64
		r.wrapAgent(func(a whole) agent.Agent {
			return promptless{a, func(context.Context) (string, error) { asked.Add(1); return "", errors.New("unreadable") }}
		})
		r.start()
		id, _ := r.stopped("limit")
		if _, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: resume.Order{Fresh: true}}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Hour)
		rec := r.rec(id)
		told := r.log.events("session_left")
		if rec.Phase != state.Following || len(told) == 0 {
			t.Errorf("phase %s after an hour, told %v, LastPrompt asked %d times", rec.Phase, told, asked.Load())
		}
	})
}

// A session that its user removed is left, also where a fresh one was to take over.
func TestFreshOfRemovedSession(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Reasons["rate_limit"] = resume.FreshSession
		r.start()
		id, _ := r.stopped("limit")
		r.wantPhase(id, state.Waiting)
		if err := os.Remove(r.session(id).Path); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Hour)
		rec := r.rec(id)
		if told := r.log.events("session_left"); rec.Phase != state.Following || len(told) == 0 {
			t.Errorf("phase %s after an hour, told %v", rec.Phase, told)
		}
	})
}

// Also one that was removed while clawd was not running.
func TestRemovedWhileClawdIsDown(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		r.down()
		if err := os.Remove(r.session(id).Path); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.pass(time.Hour)
		rec := r.rec(id)
		if told := r.log.events("session_left"); rec.Phase != state.Following || len(told) == 0 {
			t.Errorf("phase %s after an hour, told %v", rec.Phase, told)
		}
	})
}

// A look that fails because clawd is stopped says nothing: the wait goes on after the next start.
func TestStopInALookLeavesNothing(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Stagger = config.Duration(10 * time.Second)
		var slow atomic.Bool
		r.wrapAgent(func(a whole) agent.Agent {
			return promptless{a, func(ctx context.Context) (string, error) {
				if slow.Load() { // a big transcript or a busy database
					<-ctx.Done()
					return "", ctx.Err()
				}
				return "do it", nil
			}}
		})
		r.o.Config.Resume.Reasons["rate_limit"] = resume.FreshSession
		r.children.act = func(c *child) {}
		r.start()
		other := r.inLine()
		slow.Store(true)
		r.pass(10 * time.Second) // its turn has come, and it looks once more
		r.wantPhase(other, state.Waiting)
		r.down()
		slow.Store(false)
		r.start()
		if rec := r.rec(other); rec.Phase != state.Waiting && rec.Phase != state.Fired {
			t.Errorf("after a clean stop of clawd the session is %s: %q; log:\n%s", rec.Phase, rec.Decision.Why, r.log)
		}
	})
}

// An agent that is just replacing its program costs no session its resume.
func TestProgramAwayForAMoment(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Stagger = config.Duration(20 * time.Second)
		r.start()
		third, _ := r.stopped("plan")
		other := r.inLine()
		program := r.o.Config.Agent["claude"].Command
		if err := os.Rename(program, program+".old"); err != nil {
			t.Fatal(err)
		}
		r.order(third, resume.Order{Now: true}) // its claim looks for the program and is put off for a minute
		if err := os.Rename(program+".old", program); err != nil {
			t.Fatal(err)
		}
		r.pass(10 * time.Minute)
		if rec := r.rec(third); len(r.children.started()) != 3 {
			t.Errorf("third %s; other %s %q; %d starts", rec.Phase, r.rec(other).Phase, r.rec(other).Decision.Why, len(r.children.started()))
			for _, e := range r.log.events("session_left") {
				t.Logf("%v", e)
			}
		}
	})
}

// overBudget starts a day with one resume and spends it; id waits for another.
func (r *rig) overBudget() (id string) {
	r.t.Helper()
	r.o.Config.Budget.MaxResumesPerDayTotal = 1
	r.start()
	r.stopped("limit")
	r.pass(5 * time.Minute)
	r.wantStarts(1)
	id, _ = r.stopped("limit")
	r.pass(5 * time.Minute)
	r.wantStarts(1)
	return id
}

// A wait that clawd itself lengthened, for the day's budget, is not overdue the next day.
func TestPutOffIsNotOverdue(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		id := r.overBudget()
		r.wantPhase(id, state.Waiting)
		r.pass(25 * time.Hour)
		rec := r.rec(id)
		if n := len(r.children.started()); n != 2 {
			t.Errorf("%d starts, want the second one today; phase %s: %s", n, rec.Phase, rec.Decision.Why)
		}
	})
}

// crash ends the daemon without a word: its store stays as it is now.
func (r *rig) crash() {
	r.t.Helper()
	path := filepath.Join(r.o.StateDir, "clawd.db")
	now, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.down()
	if err := os.WriteFile(path, now, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// A wait that clawd itself lengthened is not overdue after a crash either, but one that ended while clawd was
// down for long is, and so is the lengthened one then.
func TestPutOffThenCrash(t *testing.T) {
	for name, c := range map[string]struct {
		down   time.Duration
		starts int
	}{"started again at once": {0, 2}, "down for long": {13 * time.Hour, 1}} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.seldom()
				id := r.overBudget()
				r.pass(14 * time.Hour) // put off until tomorrow
				r.wantPhase(id, state.Waiting)
				r.crash()
				r.pass(c.down)
				r.start()
				r.pass(24 * time.Hour)
				if n := len(r.children.started()); n != c.starts {
					rec := r.rec(id)
					t.Errorf("%d starts, want %d; phase %s: %s", n, c.starts, rec.Phase, rec.Decision.Why)
				}
			})
		})
	}
}

// The sign of life costs an idle machine next to nothing: one write in ten minutes while something waits,
// and none while nothing does.
func TestSignOfLifeIsRare(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		signs := func(d time.Duration) (n int) {
			last := time.Time{}
			for range d / (30 * time.Second) {
				r.pass(30 * time.Second)
				at, err := r.d.store.Alive()
				if err != nil {
					t.Fatal(err)
				}
				if !at.Equal(last) {
					n, last = n+1, at
				}
			}
			return n
		}
		if n := signs(time.Hour); n != 0 {
			t.Errorf("%d writes in an hour in which nothing waits", n)
		}
		r.stopped("plan")
		if n := signs(50 * time.Minute); n < 4 || n > 6 {
			t.Errorf("%d writes in 50 minutes", n)
		}
		at, err := r.d.store.Alive()
		if age := r.d.now().Sub(at); err != nil || age > signEvery+time.Minute {
			t.Errorf("the last sign of life is %s old: %v", age, err)
		}
	})
}

// A budget that its user raises counts from then on, not from the next day.
func TestRaisedBudget(t *testing.T) {
	in(t, func(r *rig) {
		cfg := r.o.Config
		cfg.Budget.MaxResumesPerDayTotal = 1
		r.o.Config = cfg
		r.o.Reload = func() (config.Config, error) { return cfg, nil }
		r.start()
		r.stopped("limit")
		r.pass(2 * time.Minute)
		r.wantStarts(1)
		r.stopped("limit")
		r.pass(2 * time.Minute)
		r.wantStarts(1)
		cfg.Budget.MaxResumesPerDayTotal = 10
		r.d.Reload()
		r.pass(time.Minute)
		r.wantStarts(2)
	})
}

// What put off one stop does not put off the next one of the session.
func TestNextStopIsNotPutOff(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		program := r.o.Config.Agent["claude"].Command
		if err := os.Rename(program, program+".old"); err != nil {
			t.Fatal(err)
		}
		r.pass(31 * time.Second) // put off for a minute
		if err := os.Rename(program+".old", program); err != nil {
			t.Fatal(err)
		}
		if n := len(r.log.events("resume_postponed")); n != 1 {
			t.Fatalf("put off %d times", n)
		}
		r.add(id, r.line(id, "user"), r.line(id, "limit"))
		r.pass(35 * time.Second)
		r.wantStarts(1)
	})
}

// A machine that sleeps over the end of a wait changes nothing, however long.
func TestSleptThroughIsNotOverdue(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("plan")
		r.wantPhase(id, state.Waiting)
		r.clock.jump(14 * time.Hour)
		r.pass(10 * time.Minute)
		rec := r.rec(id)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts after a sleep of 14 h; phase %s: %s", n, rec.Phase, rec.Decision.Why)
		}
	})
}

// realReady is what the real trigger says to a look at a server that takes its time, when clawd is stopped meanwhile.
type realReady struct{ *children }

func (r realReady) Ready(ctx context.Context, s detect.Session, stop detect.Stop, p resume.Plan) (resume.Plan, error) {
	<-ctx.Done() // the server takes its time (3 s and 15 s are allowed)
	q := p
	q.Way, q.Health, q.Status = resume.HTTP, "http://127.0.0.1:1/health", "http://127.0.0.1:1/status"
	_, err := (&trigger.Trigger{HTTP: &http.Transport{}}).Ready(ctx, s, stop, q)
	return p, err
}

// Nobody is told of a hindrance that is only clawd being stopped in the middle of a look.
func TestStopIsNoHindrance(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Trigger = realReady{r.children}
		r.o.Config.Watch.Rescan *= 10000
		id := r.open(resume.Tmux, "plan")
		r.pass(62 * time.Minute)
		r.wantPhase(id, state.Waiting)
		r.down()
		told := r.log.events("session_blocked")
		for _, e := range told {
			t.Errorf("its user is told because clawd stops: %v", e["why"])
		}
		r.start()
		if told := r.rec(id).Told; len(told) != 0 {
			t.Errorf("told %v", told)
		}
	})
}

// A stop that was found late is not overdue after a reload either.
func TestFoundLateAndReloaded(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.o.Config.Watch.MaxStopAge = config.Duration(48 * time.Hour)
		r.o.Reload = func() (config.Config, error) { return r.o.Config, nil }
		id, _ := r.stopped("limit")
		r.procs.all = []agent.Proc{{PID: 901, Group: 901, Leader: 901, Start: 91, Comm: "claude"}}
		r.procs.argv[901] = []string{"claude", "-p", "--resume", id, "go on"}
		put(t, filepath.Join(r.agentDir(), "sessions", "901.json"),
			fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli","status":"idle"}`, id, r.project))
		r.pass(14 * time.Hour)
		r.start()
		r.d.Reload()
		r.pass(time.Minute)
		r.end(901)
		r.pass(24 * time.Hour)
		r.wantStarts(1)
	})
}

// An agent that clawd is told not to watch, and to watch again weeks later, does not go on then with what it waited for: nobody looked
// after that meanwhile, as if clawd had not run.
func TestUnwatchedForWeeksIsOverdue(t *testing.T) {
	for _, killed := range []bool{false, true} {
		in(t, func(r *rig) {
			watches := func(agents ...any) {
				r.down()
				r.o.Config.Watch.Agents = agents
				r.start()
			}
			r.start()
			id, _ := r.stopped("plan")
			r.pass(time.Minute)
			watches("codex")
			r.pass(20 * time.Minute)
			watches("codex")
			r.pass(14 * time.Hour)
			if killed {
				r.crash()
			}
			watches("claude")
			r.pass(10 * time.Minute)
			rec := r.wantPhase(id, state.Following)
			if n := len(r.children.started()); n != 0 || !strings.Contains(rec.Decision.Why, "max_overdue") {
				t.Errorf("killed %v: %d starts: %s", killed, n, rec.Decision.Why)
			}
		})
	}
}
