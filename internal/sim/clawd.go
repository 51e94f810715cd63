package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// clawd is the daemon as its machine knows it. A second one has a store of its own.
type clawd struct {
	*run
	name   string       // of its state folder
	hand   *daemon.Hand // nil: it is down
	life   int          // counts the starts
	first  bool         // the first regular look is yet to come
	tick   time.Time    // of the next one
	begun  []*daemon.Task
	agents []agent.Agent
	under  []*doing                 // tasks that wait in the middle
	doing  *doing                   // that is being done
	typing map[*window]*typed       // attempts that are being typed
	sends  *typed                   // the attempt that is being sent; nil: none is
	fuse   int                      // commits until it is killed; 0: it is not
	where  string                   // before or after that commit
	gone   bool                     // it does not come back
	last   time.Duration            // of its last start of a run; 0: there was none
	since  time.Duration            // of its own start
	due    map[string]time.Duration // sessions whose wait is over, and since when
	conf   int                      // the config that it read last
	paces  map[string]pace          // of each session, in this life
}

// killed is what a commit panics with when clawd is killed there.
var errKilled = errors.New("killed")

// config is the one in force now; a clawd may not have read it yet.
func (r *run) config() config.Config { return r.configured(r.conf) }

func (c *clawd) config() config.Config { return c.configured(c.conf) }

func (r *run) configured(which int) config.Config {
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
	configs[which](r, &cfg)
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
	var agents []agent.Agent
	for _, k := range all.Kinds() {
		if r.casts[k.Name] != nil {
			agents = append(agents, r.opens(k))
		}
	}
	return agents
}

func (r *run) opens(k agent.Kind) agent.Agent {
	return r.faulty(k.Open(r.env(), r.config().Agent[k.Name]))
}

// start starts clawd.
func (c *clawd) start() {
	if c.hand != nil || c.gone {
		return
	}
	c.life++
	c.last, c.since, c.conf, c.paces = 0, c.mono(), c.run.conf, map[string]pace{}
	c.fuse = 0
	c.trace("%s starts", c.name)
	log := zerolog.New(logs{c.run}).Level(zerolog.DebugLevel)
	c.agents = c.adapters()
	o := daemon.Options{Config: c.config(), Version: fmt.Sprint(c.life), Env: c.env(), Log: log,
		Reload: func() (config.Config, error) {
			c.conf = c.run.conf
			return c.config(), nil
		},
		Paths:   daemon.Paths{ConfigPath: "clawd.toml", StateDir: c.path(c.name), UserDir: c.path("user"), Wraps: c.path("wraps")},
		Manager: daemon.Manager{GoingDown: func() bool { return false }},
		Parts: daemon.Parts{Agents: slices.Clone(c.agents), Trigger: c.trigger(), Settle: 5 * time.Second, Clock: daemon.Clock{Wall: c.wall, Mono: c.mono},
			Channels: func(config.Notify) []notify.Channel {
				return []notify.Channel{{Name: "sim", Send: c.tells}}
			}}}
	hand, err := daemon.Take(o, daemon.Driver{Commit: c.commits, Stepped: c.stepped, Awaits: c.awaits, Ask: c.answersRoles})
	if errors.Is(err, daemon.ErrRunning) { // its service manager tries again
		c.trace("%s finds that another one runs", c.name)
		c.returns(10 * time.Minute)
		return
	}
	if err != nil {
		c.fails("start", "clawd does not start: %v", err)
		return
	}
	for name := range c.casts {
		hand.Known(name, versions[name]) // its program may be away
	}
	c.begun, c.sends, c.typing = nil, nil, map[*window]*typed{}
	c.hand, c.first = hand, true
	c.tick = time.Now().Add(30 * time.Second)
	c.after(c.soon(), "first look", func() { c.protect(hand.First) })
	c.notices()
}

var versions = map[string]string{"claude": "2.1.329", "codex": "0.169.0", "copilot": "1.0.102", "gemini": "0.61.0", "opencode": "1.1.53", "pi": "1.5.2", "qwen": "0.24.4"}

func (r *run) path(name string) string { return filepath.Join(r.Root, name) }

// ownPID is how clawd's log names its process. It differs from run to run.
var ownPID = fmt.Appendf(nil, "pid %d", os.Getpid())

// logs take clawd's log into the trace.
type logs struct{ r *run }

func (l logs) Write(p []byte) (int, error) {
	p = bytes.ReplaceAll(bytes.TrimSpace(p), ownPID, []byte("pid ..."))
	l.r.trace("  %s", p)
	l.r.logged(p)
	return len(p), nil
}

// protect does something of clawd's, which may kill it.
func (c *clawd) protect(f func()) {
	defer func() {
		switch x := recover(); x {
		case nil:
		case errKilled:
			c.dies()
			c.returns(c.soon() * 100)
		default:
			panic(x)
		}
	}()
	f()
}

// turn has clawd do what there is to do.
func (c *clawd) turn() {
	if c.hand == nil {
		return
	}
	c.protect(func() {
		if err := c.hand.Turn(); err != nil {
			c.trace("%s ends by itself", c.name)
			c.leaves()
			c.returns(5 * time.Second)
			return
		}
		for _, t := range c.hand.Tasks() {
			name, id, _ := strings.Cut(t.Session, "/")
			wait := c.soon()
			if of := c.of(name, id); of != nil && c == c.clawds[0] {
				wait = max(wait, time.Until(of.stall))
			}
			c.after(wait, "begin "+t.Session, func() { c.begins(t) })
		}
		if c.hand.Leapt() {
			c.after(c.soon(), "leapt", func() { c.protect(func() { c.hand.Tick(false); c.hand.Revisit() }) })
		}
	})
}

func (c *clawd) begins(t *daemon.Task) {
	c.does(t, func() {
		c.begun = append(c.begun, t)
		took := c.soon()
		if c.is(hangs) && c.chance.IntN(8) == 0 { // its folder does not answer
			took = time.Duration(c.chance.Int64N(int64(time.Hour)))
		}
		if took > 10*time.Second {
			c.after(10*time.Second, "old "+t.Session, func() { c.hand.Age(t) })
		}
		c.after(took, "end "+t.Session, func() {
			c.begun = slices.DeleteFunc(c.begun, func(x *daemon.Task) bool { return x == t })
			c.hand.Deliver(t)
		})
	})
}

// soon is how long something takes.
func (r *run) soon() time.Duration {
	switch n := r.chance.IntN(40); {
	case r.Slow && !r.calm:
		return drawer{r.chance}.span(time.Millisecond, 1500*time.Millisecond)
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
func (c *clawd) looks() {
	c.tick = time.Now().Add(time.Duration(2+c.chance.Int64N(4)) * time.Hour)
	c.trace("tick")
	c.late()
	c.protect(func() {
		c.hand.Tick(c.first)
		if c.first {
			c.tick = time.Now().Add(30 * time.Second)
		}
		c.first = false
	})
	c.notices()
}

// notices brings out what is to be told.
func (c *clawd) notices() {
	if c.hand == nil {
		return
	}
	c.protect(func() {
		next := c.hand.Notices()
		if !next.IsZero() {
			c.after(max(time.Second, next.Sub(c.wall())), "", c.notices)
		}
	})
}

func (c *clawd) tells(_ context.Context, n notify.Notice) error {
	if !c.calm && c.chance.IntN(5) == 0 {
		return errors.New("the channel does not answer")
	}
	c.trace("told %s %s/%s %s", n.Event, n.Agent, n.Session, n.Why)
	c.told[n.Agent+"/"+n.Session] = append(c.told[n.Agent+"/"+n.Session], n.Event)
	return nil
}

// commits is around each commit: it may fail, or clawd may be killed before or after it.
func (c *clawd) commits(commit func() error) error {
	if c.is(refuses) {
		return fmt.Errorf("write: %w", syscall.ENOSPC)
	}
	blows := c.fuse == 1
	if c.fuse > 0 {
		c.fuse--
	}
	if blows && c.where == "before" {
		panic(errKilled)
	}
	err := commit()
	if blows {
		panic(errKilled)
	}
	return err
}

func (c *clawd) awaits(agentName, session string, pid int) {
	life := c.life
	for _, b := range c.bodies() {
		if b.PID() == pid {
			b.ends = append(b.ends, func() {
				if c.life == life && c.hand != nil {
					c.after(time.Second+c.soon(), "poke "+session, func() { c.hand.Poke(agentName, session) })
				}
			})
		}
	}
}

func (r *run) answersRoles(p resume.Plan) ([]byte, error) {
	if p.Argv[0] == "/bin/sh" {
		return nil, nil // it asks for the login, which stays
	}
	if c := r.casts["opencode"]; c != nil {
		if l, ok := c.Agent.(interface{ AgentList() string }); ok {
			return []byte(l.AgentList()), nil
		}
	}
	return nil, errors.New("it does not answer")
}

// dies: clawd is killed.
func (c *clawd) dies() {
	if c.hand == nil {
		return
	}
	c.trace("%s is killed", c.name)
	c.drops()
	c.hand.Kill()
	c.hand = nil
	for _, x := range c.runs {
		x.orphaned(c)
	}
}

// leaves: clawd ends cleanly.
func (c *clawd) leaves() {
	if c.hand == nil {
		return
	}
	c.trace("%s stops", c.name)
	c.fuse = 0
	c.finishes()
	if err := c.hand.Stop(c.begun); err != nil {
		c.trace("the stop: %v", err)
	}
	c.hand = nil
	for _, x := range c.runs {
		x.orphaned(c)
	}
}

// returns has clawd start again after a while.
func (c *clawd) returns(after time.Duration) {
	c.at(time.Now().Add(after), "", c.start)
}
