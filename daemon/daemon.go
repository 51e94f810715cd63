// Package daemon is the supervisor: it watches the agents' folders, keeps one goroutine for each
// session that has something to do, one timer for all waits, and a socket for questions. What a
// session does stands in session.go; what a resume does in package resume.
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
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/notify"
	"github.com/clawd-project/clawd/internal/shim"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Options of a Daemon. Main fills them from the machine; tests from a temporary folder.
type Options struct {
	Config     config.Config
	ConfigPath string
	Reload     func() (config.Config, error) // reads the config again; nil: SIGHUP does nothing
	Version    string
	Env        agent.Env
	Environ    []string                             // what children inherit
	StateDir   string                               // this config's store, run outputs, backups
	UserDir    string                               // the user's marks and lock: the same for every config
	Socket     string                               // path of the control socket; empty: none
	Shim       []string                             // how to start the shim
	CheckStore []string                             // how to check the store in another process; nil: not at all
	Agents     []agent.Agent                        // nil: all that the config allows
	Trigger    Trigger                              // nil: trigger.Trigger over shim.Exec
	Wraps      string                               // folder of the terminals that "clawd wrap" owns
	Watch      func() (Watcher, error)              // nil: fsnotify
	Settle     time.Duration                        // 0: 5 s, on a network file system 90 s
	GoingDown  func() bool                          // the machine is being shut down; nil: ask the service manager
	Ready      func()                               // the first scan is done
	Alive      func()                               // the main loop turns and the store can be read
	AliveEvery time.Duration                        // how often to call Alive; 0: never
	Channels   func(config.Notify) []notify.Channel // nil: notify.Channels
	Log        zerolog.Logger
}

// Daemon is one running supervisor.
type Daemon struct {
	o         Options
	log       zerolog.Logger
	store     *state.Store
	lock      *os.File
	agents    []agent.Agent
	trigger   Trigger
	sleeper   *sleeper
	procs     *procs
	lanes     *lanes
	questions *questions
	boot      string
	started   time.Time
	parted    time.Time     // when the clawd before was last there; zero: that is not known, or there was none
	absent    bool          // clawd had ended before the machine last went down, so it saw nobody's end
	leap      chan struct{} // one slot: the clock jumped
	renewed   chan struct{} // one slot: the config is a new one
	shortage  shortage
	making    sync.Mutex // held by the one who makes clawd's folders again
	reach     lag
	launches  *launches
	notices   chan struct{}   // one slot: there may be something to send
	telling   sync.Mutex      // one at a time, so that a notice is logged once
	missing   map[string]bool // channels that are not available, as told; touched by deliver alone
	wg        sync.WaitGroup
	fatal     context.CancelCauseFunc

	mu       sync.Mutex // guards what follows
	cfg      config.Config
	policy   resume.Policy
	sessions map[string]*session
	seen     map[string]state.Seen // sessions of no interest
	fresh    map[string]state.Seen // of these, not stored yet
	programs map[string]*program
	begun    map[string]bool  // sessions that clawd itself began, by key
	owners   map[string]first // agent and key of a stop: the session that had it first
	signed   time.Time        // when the store was last given a sign of life
	closing  bool
}

var (
	errShutdown = errors.New("clawd is stopping")
	errReload   = errors.New("the config was read again")
	errMoved    = errors.New("somebody went on in this session")
)

// New checks and opens everything that a Run needs.
func New(o Options) (*Daemon, error) {
	d := &Daemon{o: o, log: o.Log, cfg: o.Config, policy: o.Config.Policy(), lanes: newLanes(), questions: newQuestions(), launches: newLaunches(),
		sessions: map[string]*session{}, fresh: map[string]state.Seen{}, programs: map[string]*program{}, begun: map[string]bool{}, owners: map[string]first{},
		boot: o.Env.Procs.Boot(), agents: o.Agents, trigger: o.Trigger}
	d.renewed = make(chan struct{}, 1)
	d.sleeper, d.leap = newSleeper(d.jumped, func() { d.procs.ahead() }), make(chan struct{}, 1)
	d.notices, d.missing = make(chan struct{}, 1), map[string]bool{}
	d.reach.since = time.Since
	d.procs = &procs{Procs: o.Env.Procs}
	o.Env.Procs = d.procs
	if d.o.GoingDown == nil {
		d.o.GoingDown = goingDown
	}
	if d.agents == nil {
		agents, err := all.New(o.Env, o.Config.Agent)
		if err != nil {
			return nil, err
		}
		for _, a := range agents {
			if enabled(o.Config, a.Name()) {
				d.agents = append(d.agents, a)
			}
		}
	}
	for _, dir := range []string{o.UserDir, o.StateDir, d.marks(), d.runs(), d.backups()} {
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
	if d.trigger == nil {
		d.trigger = &trigger.Trigger{
			Exec: &shim.Exec{Self: o.Shim, Procs: d.o.Env.Procs, Environ: o.Environ,
				Config: func(name string) agent.Config { return o.Config.Agent[name] }},
			Agents: d.agent, Procs: d.o.Env.Procs, Wraps: o.Wraps, Tmux: d.tmuxServer, HTTP: &http.Transport{Proxy: nil}}
	}
	d.trigger = careful{d.trigger, d}
	return d, nil
}

func (d *Daemon) tmuxServer() string {
	cfg, _ := d.settings()
	return cfg.Terminal.TmuxServer
}

func enabled(c config.Config, name string) bool {
	for _, n := range c.Agents([]string{name}) {
		if n == name {
			e := c.Agent[name].Enabled
			return e == nil || *e
		}
	}
	return false
}

func (d *Daemon) dry() bool       { return d.o.Config.Resume.DryRun }
func (d *Daemon) marks() string   { return filepath.Join(d.o.UserDir, "attempts") }
func (d *Daemon) runs() string    { return filepath.Join(d.o.StateDir, "runs") }
func (d *Daemon) backups() string { return filepath.Join(d.o.StateDir, "backups") }

func (d *Daemon) storePath() string {
	if d.dry() { // a rehearsal must not make the real run forget a stop
		return filepath.Join(d.o.StateDir, fmt.Sprintf("dry-run-%d.db", os.Getpid()))
	}
	return filepath.Join(d.o.StateDir, "clawd.db")
}

// Run works until ctx ends, then stops cleanly within 5 s. A running child is left alone.
func (d *Daemon) Run(ctx context.Context) error {
	defer d.release()
	ctx, d.fatal = context.WithCancelCause(ctx)
	defer d.fatal(nil)
	d.started = d.sleeper.Now()
	d.log.Info().Str("event", "daemon_started").Str("version", d.o.Version).Int("pid", os.Getpid()).
		Str("config", d.o.ConfigPath).Str("state", d.o.StateDir).Bool("dry_run", d.dry()).Msg("clawd watches")
	d.warnings()
	control, err := d.listen()
	if err != nil {
		return errors.Join(err, d.store.Close())
	}
	w, err := d.newWatcher()
	if err != nil {
		return errors.Join(err, d.store.Close())
	}
	// Services outlive the sessions, so that the last transaction finds its clock and its watch.
	services, stopServices := context.WithCancel(context.WithoutCancel(ctx))
	var bg sync.WaitGroup
	bg.Go(func() { d.sleeper.run(services) })
	bg.Go(func() { d.deliver(services) })
	bg.Go(func() { d.keepLaunches(services) })
	work, stopWork := context.WithCancelCause(ctx)
	d.wg.Go(func() { d.findPrograms(work) })
	if err = d.restore(work); err == nil {
		bg.Go(func() { control.serve(services, work) })
		d.watch(work, w, control)
	}
	d.mu.Lock()
	d.closing = true
	d.mu.Unlock()
	d.log.Info().Str("event", "daemon_stopping").AnErr("cause", context.Cause(ctx)).Msg("clawd stops")
	stopWork(errShutdown)
	left := d.await(4 * time.Second)
	err = errors.Join(err, d.store.Part(state.Parting{At: d.sleeper.Now(), MachineDown: d.o.GoingDown()}))
	stopServices()
	bg.Wait()
	d.launches.part(d.sleeper.Now())
	err = errors.Join(err, w.Close(), d.flush(), d.launches.keep(d.store), d.store.Close())
	if d.dry() {
		err = errors.Join(err, os.Remove(d.storePath()), os.Remove(d.storePath()+".id"))
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		if f := (*fatalError)(nil); errors.As(cause, &f) {
			err = errors.Join(err, f)
		}
	}
	e := d.log.Info().Str("event", "daemon_stopped")
	if len(left) > 0 {
		e.Strs("still_busy", left)
	}
	e.Msg("clawd stopped")
	return err
}

// fatalError ends the daemon: the service manager starts it again, on a fresh look at the world.
type fatalError struct{ error }

func (e *fatalError) Unwrap() error { return e.error }

// await waits for all sessions to end and names those that did not.
func (d *Daemon) await(patience time.Duration) []string {
	done := make(chan struct{})
	go func() { d.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-time.After(patience):
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var left []string
	for key, s := range d.sessions {
		if s.looping || s.under.Load() {
			left = append(left, key)
		}
	}
	return left
}

// restore takes up every session that was not at rest when clawd ended.
func (d *Daemon) restore(ctx context.Context) error {
	var err error
	if d.seen, err = d.store.Seen(); err != nil {
		return err
	}
	if d.launches.all, err = d.store.Launches(); err != nil {
		return err
	}
	for _, a := range d.agents {
		if err := d.launched(a, ""); err != nil {
			d.log.Debug().Err(err).Str("event", "launches_unread").Msg("how some sessions were started cannot be seen")
		}
	}
	parting, ok, err := d.store.Parting()
	if err != nil {
		return err
	}
	d.absent, d.parted = ok && !parting.MachineDown, parting.At
	alive, err := d.store.Alive()
	if err != nil {
		return err
	}
	if alive.After(d.parted) { // it crashed
		d.parted = alive
	}
	if err := d.prune(); err != nil {
		return err
	}
	var recs []state.Session
	var resting []first // what waits for a stop has it, as far as that can be told
	err = d.store.Sessions(func(rec state.Session) error {
		d.seen[state.Key(rec.Session)] = state.Seen{Stamp: rec.Stamp}
		if rec.Phase != state.Following {
			d.claimsStop(firstOf(rec))
		} else {
			resting = append(resting, firstOf(rec))
		}
		if rec.OldSession != "" {
			d.begins(rec.Session)
		}
		if rec.Phase != state.Following || d.sleeper.Now().Sub(rec.Updated) < 25*time.Hour {
			recs = append(recs, rec)
		}
		return nil
	})
	if err != nil { // the others are as good as ever
		d.log.Error().Err(err).Str("event", "state_damaged").Msg("some records cannot be read; their sessions are looked at anew")
	}
	for _, s := range resting {
		d.claimsStop(s)
	}
	for _, rec := range recs {
		a := d.agent(rec.Agent)
		if a == nil {
			continue
		}
		s := d.session(a, rec.Session)
		s.rec, s.loaded = rec, true
		s.summarize()
		switch {
		case rec.Phase == state.Claimed, rec.Phase == state.Fired:
			if rec.Claim != nil {
				s.handsOver(*rec.Claim)
			}
			if c := rec.Claim; rec.Phase == state.Fired && c != nil && c.Plan.Way == resume.Exec {
				s.child.Store(int64(c.PID)) // what it may need is not pruned
			}
			d.poke(ctx, s)
		case rec.Claim != nil && rec.Claim.Plan.Way == resume.Exec &&
			(!rec.Claim.Noted || d.trigger.Adopt(*rec.Claim).Alive()):
			// A run that has its verdict goes on, to be guarded or ended, or its end is not noted.
			s.resume(ctx, rec.Decision, rec.Claim)
		case rec.Phase != state.Following:
			d.poke(ctx, s)
		}
	}
	d.pruneRuns()
	d.tell()
	return nil
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

// session gives the session's object. Callers must not hold mu.
func (d *Daemon) session(a agent.Agent, ds detect.Session) *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := state.Key(ds)
	s := d.sessions[key]
	if s == nil {
		s = &session{d: d, a: a, ds: ds, key: key, wake: make(chan struct{}, 1), ran: make(chan *ended, 1), news: make(chan struct{}, 1)}
		d.sessions[key] = s
	}
	return s
}

// poke makes the session look at its files soon.
func (d *Daemon) poke(ctx context.Context, s *session) {
	signal(s.wake)
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.looping || d.closing || ctx.Err() != nil {
		return
	}
	s.looping = true
	d.wg.Go(func() { s.loop(ctx) })
}

// signal puts one token into a one-slot channel.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// signEvery is how old the sign of life in the store may become. max_overdue is counted from it after a crash.
const signEvery = 10 * time.Minute

// flush stores how far sessions were read, and now and then that clawd is there, while something waits.
func (d *Daemon) flush() error {
	d.mu.Lock()
	fresh := d.fresh
	d.fresh = map[string]state.Seen{}
	var reads []state.Read
	now, waits := d.sleeper.Now(), false
	for _, s := range d.sessions {
		waits = waits || s.open.Load()
		if r := s.dirty.Swap(nil); r != nil {
			reads = append(reads, *r)
		}
	}
	writes := len(fresh)+len(reads) > 0
	sign := writes || waits && now.Sub(d.signed).Abs() >= signEvery
	if sign {
		d.signed = now
	}
	d.mu.Unlock()
	var err error
	if len(fresh) > 0 {
		err = d.store.SetSeen(fresh)
	}
	if len(reads) > 0 {
		err = errors.Join(err, d.store.Progress(reads))
	}
	if sign && !writes {
		err = d.store.SignAlive()
	}
	return err
}

// jumped is told that the machine slept or its clock was stepped: events may have been missed.
func (d *Daemon) jumped(by time.Duration) {
	d.log.Info().Str("event", "clock_jumped").Float64("by_s", seconds(by)).Msg("the machine slept or its clock was set; looking at everything again")
	signal(d.leap)
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
