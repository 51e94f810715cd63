// Package daemon is the supervisor. One loop owns all sessions (loop.go): it gives events to the machine, which decides
// (package machine), stores what was decided, and has the rest done outside (effects.go, runs.go, answer.go). A scout for
// each agent looks for sessions (scout.go), and a socket takes questions and orders (control.go).
package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon/trigger"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/notify"
	"github.com/clawd-project/clawd/internal/shim"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Options of a Daemon. Main fills them from the machine; tests from a temporary folder.
type Options struct {
	Config     config.Config
	Reload     func() (config.Config, error) // reads the config again; nil: SIGHUP does nothing
	Moved      func() []string               // names after a Reload what asks for a restart beside the config, such as a log that was moved
	MayRestart func() error                  // says why clawd cannot start again in its process; nil: it can
	Version    string
	Env        agent.Env
	Environ    []string // what children inherit
	Shim       []string // how to start the shim
	CheckStore []string // how to check the store in another process; nil: not at all
	Log        zerolog.Logger
	Paths
	Manager
	Parts
}

// Paths are where things lie.
type Paths struct {
	ConfigPath string
	StateDir   string // this config's store, run outputs, backups
	UserDir    string // the user's marks and lock: the same for every config
	Socket     string // path of the control socket; empty: none
	Wraps      string // folder of the terminals that "clawd wrap" owns
}

// Manager is the service manager.
type Manager struct {
	GoingDown  func() bool   // the machine is being shut down; nil: ask the service manager
	Ready      func()        // the first scan is done
	Alive      func()        // the main loop turns and the store can be read
	AliveEvery time.Duration // how often to call Alive; 0: never
}

// Parts of the daemon that tests replace.
type Parts struct {
	Agents   []agent.Agent                        // nil: all that the config allows
	Trigger  Trigger                              // nil: trigger.Trigger over shim.Exec
	Watch    func() (Watcher, error)              // nil: fsnotify
	Settle   time.Duration                        // 0: 5 s, on a network file system 90 s
	Channels func(config.Notify) []notify.Channel // nil: notify.Channels
	Clock    Clock
	Lean     func() // nil: give back the memory that the start needed
}

// Clock tells the time. What is not set is this machine's.
type Clock struct {
	Wall func() time.Time
	Mono func() time.Duration // since any moment, by a clock that nobody sets; above 0
}

// Daemon is one running supervisor.
type Daemon struct {
	o       Options
	log     zerolog.Logger
	store   *state.Store
	lock    *os.File
	agents  []agent.Agent
	trigger Trigger
	loop    *loop
	effects *effects
	runs    *runs
	clock   Clock
	awaits  func(s *session, pid int)
	fatal   context.CancelCauseFunc
	wg      sync.WaitGroup
	shared
	services
}

// services are what works beside the sessions.
type services struct {
	orders    *orders
	warned    *warned
	procs     *procs
	questions *questions
	launches  *launches
	domain    domain
	boot      string
	leap      chan struct{}   // one slot: the clock jumped
	renewed   chan struct{}   // one slot: the config is a new one
	making    sync.Mutex      // held by the one who makes clawd's folders again
	notices   chan struct{}   // one slot: there may be something to send
	telling   sync.Mutex      // one at a time, so that a notice is logged once
	missing   map[string]bool // channels that are not available, as told; touched by deliver alone
	started   time.Time
}

// shared is what several parts of the daemon know.
type shared struct {
	mu       sync.Mutex // guards what follows
	cfg      config.Config
	policy   resume.Policy
	seen     map[string]state.Seen // sessions of no interest
	fresh    map[string]state.Seen // of these, not stored yet
	followed map[string]place      // the others
	programs map[string]*program
	accounts map[string]string // whose quota is used, by agent and provider
	signed   time.Time         // when the store was last given a sign of life
}

// New checks and opens everything that a Run needs.
func New(o Options) (*Daemon, error) {
	if o.Lean == nil {
		o.Lean = footprint
	}
	d := &Daemon{o: o, log: o.Log, agents: o.Agents, trigger: o.Trigger, clock: o.Clock}
	if d.clock.Wall == nil {
		d.clock.Wall = func() time.Time { return time.Now().Round(0) }
	}
	if d.clock.Mono == nil {
		born := time.Now()
		d.clock.Mono = func() time.Duration { return time.Since(born) + 1 }
	}
	d.awaits = func(s *session, pid int) { d.wg.Go(func() { s.awaitExit(d.effects.ctx, pid, exited) }) }
	d.shared = shared{cfg: o.Config, policy: o.Config.Policy(), fresh: map[string]state.Seen{}, followed: map[string]place{}, programs: map[string]*program{}, accounts: map[string]string{}}
	d.services = services{orders: newOrders(), warned: &warned{log: o.Log, now: d.now, all: map[string]map[string]time.Time{}}, questions: newQuestions(o.Environ), launches: newLaunches(), boot: o.Env.Procs.Boot(), procs: &procs{Procs: o.Env.Procs},
		renewed: make(chan struct{}, 1), leap: make(chan struct{}, 1), notices: make(chan struct{}, 1), missing: map[string]bool{}}
	d.loop, d.runs = newLoop(d), newRuns(d)
	o.Env.Procs = d.procs
	if d.o.GoingDown == nil {
		d.o.GoingDown = goingDown
	}
	if err := d.adapt(o); err != nil {
		return nil, err
	}
	for _, dir := range []string{o.UserDir, o.StateDir, d.marks(), d.outputs(), d.backups()} {
		if err := ownDir(dir); err != nil {
			return nil, err
		}
	}
	if err := d.acquire(); err != nil {
		return nil, err
	}
	store, err := state.Open(d.storePath(), d.storeOptions())
	if err != nil {
		d.release()
		return nil, err
	}
	d.store, store.Broken = store, d.broken
	d.loop.write = store.Commit
	d.loop.w.Books = books{store.Books(func() time.Time { return d.loop.w.Now.UTC() }, d.broken), d.loop}
	if d.trigger == nil {
		d.trigger = &trigger.Trigger{
			Exec: &shim.Exec{Self: o.Shim, Procs: d.o.Env.Procs, Environ: o.Environ,
				Config: func(name string) agent.Config { return o.Config.Agent[name] }},
			Agents: d.agent, Procs: d.o.Env.Procs, Wraps: o.Wraps, Tmux: d.tmuxServer, HTTP: &http.Transport{Proxy: nil},
			LastLook: func(ctx context.Context, c resume.Claim) string {
				return LastLook(ctx, d.agent(c.Session.Agent), c, d.held())
			}}
	}
	return d, nil
}

// adapt has an adapter for each agent that is enabled, unless they are given.
func (d *Daemon) adapt(o Options) error {
	if d.agents != nil {
		return nil
	}
	agents, err := all.New(o.Env, o.Config.Agent)
	if err != nil {
		return err
	}
	for _, a := range agents {
		if o.Config.Watches(a.Name()) {
			d.agents = append(d.agents, a)
		}
	}
	return nil
}

func (d *Daemon) now() time.Time      { return d.clock.Wall() }
func (d *Daemon) mono() time.Duration { return d.clock.Mono() }

func (d *Daemon) tmuxServer() string {
	cfg, _ := d.settings()
	return cfg.Terminal.TmuxServer
}

func (d *Daemon) dry() bool       { return d.o.Config.Resume.DryRun }
func (d *Daemon) marks() string   { return filepath.Join(d.o.UserDir, "attempts") }
func (d *Daemon) outputs() string { return filepath.Join(d.o.StateDir, "runs") }
func (d *Daemon) backups() string { return filepath.Join(d.o.StateDir, "backups") }

func (d *Daemon) storePath() string {
	if d.dry() { // a rehearsal must not make the real run forget a stop
		return filepath.Join(d.o.StateDir, fmt.Sprintf("dry-run-%d.db", os.Getpid()))
	}
	return filepath.Join(d.o.StateDir, "clawd.db")
}

// agent gives an agent that is watched.
func (d *Daemon) agent(name string) agent.Agent {
	for _, a := range d.agents {
		if a.Name() == name {
			return a
		}
	}
	return nil
}

// runnerOf gives the agent that an attempt runs, also one that is not watched any more: what became of the attempt stands in its
// files alone. Nil: this clawd does not know it.
func (d *Daemon) runnerOf(c resume.Claim) agent.Agent {
	name := c.Begins().Agent
	if a := d.agent(name); a != nil {
		return a
	}
	kind, err := all.Kind(name)
	if err != nil {
		return nil
	}
	return kind.Open(d.o.Env, d.o.Config.Agent[name])
}

// signal puts one token into a one-slot channel.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// settings gives the config in force.
func (d *Daemon) settings() (config.Config, resume.Policy) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cfg, d.policy
}

// broken ends the daemon when the store can no longer be trusted.
func (d *Daemon) broken(err error) {
	if errors.Is(err, state.ErrReplaced) || errors.Is(err, state.ErrBroken) || errors.Is(err, state.ErrDamaged) {
		d.fatal(&fatalError{fmt.Errorf("%w; start clawd again", err)})
	}
}
