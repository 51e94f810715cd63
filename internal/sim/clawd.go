package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/notify"
	"github.com/clawd-project/clawd/resume"
)

// killed is what a commit panics with when clawd is killed there.
var errKilled = errors.New("killed")

func (r *run) config() config.Config {
	cfg := config.Default()
	cfg.Resume.Jitter = 0 // it would be drawn from no seed
	cfg.Agent = map[string]agent.Config{}
	var names []any
	for name, c := range r.casts {
		names = append(names, name)
		cfg.Agent[name] = agent.Config{Command: c.program, ConfigDir: c.Root()}
	}
	slices.SortFunc(names, func(a, b any) int { return bytes.Compare([]byte(a.(string)), []byte(b.(string))) })
	cfg.Watch.Agents = names
	return cfg
}

func (r *run) env() agent.Env {
	getenv := func(name string) string {
		if name == "TMPDIR" {
			return r.world.Tmp()
		}
		return ""
	}
	return agent.Env{Home: r.world.Home, Getenv: getenv, Procs: r.world.Procs, Zone: time.UTC}
}

// adapters are the real ones, as a process has them that has just been started.
func (r *run) adapters() []agent.Agent {
	env := r.env()
	agents, err := all.New(env, r.config().Agent)
	must(err)
	agents = slices.DeleteFunc(agents, func(a agent.Agent) bool { return r.casts[a.Name()] == nil })
	for i, a := range agents {
		agents[i] = r.faulty(a)
	}
	return agents
}

// start starts clawd.
func (r *run) start() {
	if r.hand != nil || r.down > 0 {
		return
	}
	r.life++
	r.fuse = 0
	r.trace("clawd starts")
	log := zerolog.New(logs{r}).Level(zerolog.DebugLevel)
	o := daemon.Options{Config: r.config(), Version: fmt.Sprint(r.life), Env: r.env(), Log: log,
		Reload:  func() (config.Config, error) { return r.config(), nil },
		Paths:   daemon.Paths{ConfigPath: "clawd.toml", StateDir: r.path("state"), UserDir: r.path("user"), Wraps: r.path("wraps")},
		Manager: daemon.Manager{GoingDown: func() bool { return false }},
		Parts: daemon.Parts{Agents: r.adapters(), Trigger: trigger{r}, Settle: 5 * time.Second, Clock: daemon.Clock{Wall: r.wall, Mono: r.mono},
			Channels: func(config.Notify) []notify.Channel {
				return []notify.Channel{{Name: "sim", Send: r.tells}}
			}}}
	hand, err := daemon.Take(o, daemon.Driver{Commit: r.commits, Stepped: r.stepped, Awaits: r.awaits, Ask: r.answersRoles})
	if err != nil {
		r.fails("start", "clawd does not start: %v", err)
		return
	}
	for name := range r.casts {
		must(hand.Known(name, versions[name]))
	}
	r.begun = nil
	r.hand, r.first = hand, true
	r.tick = time.Now().Add(30 * time.Second)
	r.after(r.soon(), "first look", func() { r.protect(hand.First) })
	r.notices()
}

var versions = map[string]string{"claude": "2.1.329", "codex": "0.169.0", "gemini": "0.61.0", "opencode": "1.1.53"}

func (r *run) path(name string) string { return filepath.Join(r.Root, name) }

// logs take clawd's log into the trace.
type logs struct{ r *run }

func (l logs) Write(p []byte) (int, error) {
	p = bytes.ReplaceAll(bytes.TrimSpace(p), []byte(l.r.Root), []byte("~"))
	l.r.trace("  %s", p)
	l.r.logged(p)
	return len(p), nil
}

// protect does something of clawd's, which may kill it.
func (r *run) protect(f func()) {
	defer func() {
		switch x := recover(); x {
		case nil:
		case errKilled:
			r.dies()
			r.returns(r.soon() * 100)
		default:
			panic(x)
		}
	}()
	f()
}

// turn has clawd do what there is to do.
func (r *run) turn() {
	if r.hand == nil {
		return
	}
	r.protect(func() {
		if err := r.hand.Turn(); err != nil {
			r.trace("clawd ends: %v", err)
			r.leaves()
			r.returns(5 * time.Second)
			return
		}
		for _, t := range r.hand.Tasks() {
			r.after(r.soon(), "begin "+t.Session, func() { r.begins(t) })
		}
		if r.hand.Leapt() {
			r.after(r.soon(), "leapt", func() { r.protect(func() { r.hand.Tick(false); r.hand.Revisit() }) })
		}
	})
}

func (r *run) begins(t *daemon.Task) {
	r.protect(func() {
		r.hand.Begin(t)
		if r.hand == nil {
			return
		}
		r.begun = append(r.begun, t)
		took := r.soon()
		if took > 10*time.Second {
			r.after(10*time.Second, "old "+t.Session, func() { r.hand.Age(t) })
		}
		r.after(took, "end "+t.Session, func() {
			r.begun = slices.DeleteFunc(r.begun, func(x *daemon.Task) bool { return x == t })
			r.hand.Deliver(t)
		})
	})
}

// soon is how long something takes.
func (r *run) soon() time.Duration {
	switch n := r.chance.IntN(40); {
	case r.is(slows) && n < 10:
		return time.Duration(r.chance.Int64N(int64(time.Minute)))
	case n == 0:
		return time.Duration(r.chance.Int64N(int64(3 * time.Second)))
	case n < 8:
		return time.Duration(r.chance.Int64N(int64(100 * time.Millisecond)))
	}
	return time.Duration(r.chance.Int64N(int64(2 * time.Millisecond)))
}

// is tells whether a fault lasts now.
func (r *run) is(w What) bool { return !r.calm && time.Now().Before(r.until[w]) }

// looks is the regular look at everything.
func (r *run) looks() {
	r.tick = time.Now().Add(time.Duration(2+r.chance.Int64N(4)) * time.Hour)
	r.trace("tick")
	r.protect(func() {
		r.hand.Tick(r.first)
		if r.first {
			r.tick = time.Now().Add(30 * time.Second)
		}
		r.first = false
	})
	r.notices()
}

// notices brings out what is to be told.
func (r *run) notices() {
	if r.hand == nil {
		return
	}
	r.protect(func() {
		next := r.hand.Notices()
		if !next.IsZero() {
			r.after(max(time.Second, next.Sub(r.wall())), "", r.notices)
		}
	})
}

func (r *run) tells(_ context.Context, n notify.Notice) error {
	r.trace("told %s %s/%s %s", n.Event, n.Agent, n.Session, n.Why)
	r.told[n.Agent+"/"+n.Session] = append(r.told[n.Agent+"/"+n.Session], n.Event)
	return nil
}

// commits is around each commit: it may fail, or clawd may be killed before or after it.
func (r *run) commits(commit func() error) error {
	if r.is(refuses) {
		return fmt.Errorf("write: %w", syscall.ENOSPC)
	}
	blows := r.fuse == 1
	if r.fuse > 0 {
		r.fuse--
	}
	if blows && r.where == "before" {
		panic(errKilled)
	}
	err := commit()
	if blows {
		panic(errKilled)
	}
	return err
}

func (r *run) awaits(agentName, session string, pid int) {
	life := r.life
	for _, b := range r.bodies() {
		if b.PID() == pid {
			b.ends = append(b.ends, func() {
				if r.life == life && r.hand != nil {
					r.after(time.Second+r.soon(), "poke "+session, func() { r.hand.Poke(agentName, session) })
				}
			})
		}
	}
}

func (r *run) answersRoles(resume.Plan) ([]byte, error) {
	if c := r.casts["opencode"]; c != nil {
		if l, ok := c.Agent.(interface{ AgentList() string }); ok {
			return []byte(l.AgentList()), nil
		}
	}
	return nil, errors.New("it does not answer")
}

// dies: clawd is killed.
func (r *run) dies() {
	if r.hand == nil {
		return
	}
	r.trace("clawd is killed")
	r.hand.Kill()
	r.hand = nil
	for _, c := range r.runs {
		c.orphaned()
	}
}

// leaves: clawd ends cleanly.
func (r *run) leaves() {
	if r.hand == nil {
		return
	}
	r.trace("clawd stops")
	hand := r.hand
	if err := hand.Stop(r.begun); err != nil {
		r.trace("the stop: %v", err)
	}
	r.hand = nil
	for _, c := range r.runs {
		c.orphaned()
	}
}

// returns has clawd start again after a while.
func (r *run) returns(after time.Duration) {
	r.at(time.Now().Add(after), "", r.start)
}

// faulty is an agent whose files cannot always be read.
func (r *run) faulty(a agent.Agent) agent.Agent { return a }
