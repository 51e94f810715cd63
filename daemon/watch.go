package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
)

// Watcher tells that something below a folder changed. It is only a hint to read soon: what it
// misses, the rescan finds. Tests give their own.
type Watcher interface {
	Add(path string) error
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	Close() error
}

type fsWatcher struct{ *fsnotify.Watcher }

func (w fsWatcher) Events() <-chan fsnotify.Event { return w.Watcher.Events }
func (w fsWatcher) Errors() <-chan error          { return w.Watcher.Errors }

func (d *Daemon) newWatcher() (Watcher, error) {
	if d.o.Watch != nil {
		return d.o.Watch()
	}
	w, err := fsnotify.NewBufferedWatcher(1024)
	if err != nil {
		d.log.Warn().Str("event", "watch_degraded").Err(err).Msg("no file events on this system; the rescan alone finds changes")
		return blind{}, nil
	}
	return fsWatcher{w}, nil
}

// blind is the watcher of a system that gives no events.
type blind struct{}

func (blind) Add(string) error              { return nil }
func (blind) Events() <-chan fsnotify.Event { return nil }
func (blind) Errors() <-chan error          { return nil }
func (blind) Close() error                  { return nil }

// warned are problems that were told, each once for as long as it lasts.
type warned struct {
	log zerolog.Logger
	now func() time.Time
	mu  sync.Mutex                      // guards what follows
	all map[string]map[string]time.Time // by event and text: when it was last met
}

// maxWarned bounds the problems of one kind that are told: strangers choose how many files they leave.
const maxWarned = 500

func (w *warned) warn(event, message string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.all[event]
	if of == nil {
		of = map[string]time.Time{}
		w.all[event] = of
	}
	_, known := of[err.Error()]
	if !known && len(of) > maxWarned {
		return
	}
	if of[err.Error()] = w.now(); known {
		return
	}
	if len(of) > maxWarned {
		w.log.Warn().Str("event", event).Msg("too many problems of this kind; further ones are not told")
		return
	}
	w.log.Warn().Str("event", event).Err(err).Msg(message)
}

// forget has a problem told again that comes back: clawd may run for months, and nobody has met it for a day.
func (w *warned) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, of := range w.all {
		maps.DeleteFunc(of, func(_ string, met time.Time) bool { return w.now().Sub(met).Abs() > pruneEvery })
	}
}

// watching is the main loop, which sends the scouts out.
type watching struct {
	d      *Daemon
	scouts []*scout
	away   map[*scout]<-chan struct{} // those that did not come back in time
	pruned time.Time
	looked time.Time     // for agents whose folder is not watched
	around chan struct{} // one slot, taken by who looks; nil: nobody does
	first  bool          // the first rescan is yet to come
}

// scanPatience is how long the main loop waits for the scouts at most, before it goes on without those that are not back.
const scanPatience = 10 * time.Second

// watch follows the agents' folders until ctx ends.
func (d *Daemon) watch(ctx context.Context, w Watcher, c *control) {
	v := &watching{d: d, away: map[*scout]<-chan struct{}{}, pruned: d.started, first: true, around: make(chan struct{}, 1)}
	for _, a := range d.agents {
		s := newScout(d, w, a)
		v.scouts = append(v.scouts, s)
		d.wg.Go(func() { s.run(ctx) })
	}
	v.rescan(ctx, true, false)
	d.loop.ask((*loop).found)
	d.log.Info().Str("event", "sessions_found").Int("sessions", d.watched()).Msg("these sessions are watched")
	if d.o.Ready != nil {
		d.o.Ready()
	}
	cfg, _ := d.settings()
	tick := time.NewTicker(time.Duration(cfg.Watch.Rescan))
	defer tick.Stop()
	var sign <-chan time.Time
	if d.o.AliveEvery > 0 {
		t := time.NewTicker(d.o.AliveEvery)
		defer t.Stop()
		sign = t.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Events():
			if !ok {
				d.fatal(&fatalError{errors.New("the file watcher ended")})
				return
			}
			for _, s := range v.scouts {
				s.send(func(todo *errands) { todo.events = append(todo.events, e) })
			}
		case err := <-w.Errors():
			v.failed(ctx, err)
		case <-d.leap:
			v.rescan(ctx, false, false)
			d.revisit()
		case <-d.renewed:
			d.loop.ask((*loop).renew)
		case <-sign:
			d.alive()
		case <-tick.C:
			v.tick(ctx, c)
		}
	}
}

// rescan has everything looked at. A scout that does not come back in time goes on by itself.
func (v *watching) rescan(ctx context.Context, cold, anew bool) {
	patience, stop := context.WithTimeout(ctx, scanPatience)
	defer stop()
	out := map[*scout]<-chan struct{}{}
	for _, s := range v.scouts {
		if done := s.rescan(cold, anew); v.back(s) {
			out[s] = done
		}
	}
	for _, s := range v.scouts {
		done := out[s]
		if done == nil {
			continue
		}
		select {
		case <-done:
			continue
		case <-patience.Done():
		}
		if ctx.Err() != nil {
			return
		}
		if v.away[s] = done; !v.back(s) {
			v.d.log.Warn().Str("event", "scan_hangs").Str("agent", s.a.Name()).Msg("this agent's folders do not answer; those of the others are watched")
		}
	}
}

// back tells whether a scout is there. One that is away is not waited for.
func (v *watching) back(s *scout) bool {
	select {
	case <-v.away[s]:
		delete(v.away, s)
	default:
	}
	_, away := v.away[s]
	return !away
}

// failed acts on an error of the watcher.
func (v *watching) failed(ctx context.Context, err error) {
	overflow := errors.Is(err, fsnotify.ErrEventOverflow)
	if overflow {
		v.d.log.Warn().Str("event", "watch_overflow").Msg("more changes than the system could tell; looking at everything")
	} else {
		v.d.warned.warn("watch_error", "the regular rescan still finds changes", err)
	}
	v.rescan(ctx, false, overflow)
}

// tick is the regular look at everything.
func (v *watching) tick(ctx context.Context, c *control) {
	d, began := v.d, time.Now()
	if err := errors.Join(d.folders(), d.relock(), c.renew()); err != nil { // somebody may have removed what is clawd's own
		d.warned.warn("upkeep_failed", "the next rescan tries again", err)
	}
	v.rescan(ctx, false, false)
	d.revisit()
	d.askAgain(ctx)
	var err error
	d.loop.ask(func(l *loop) { err = l.flush() })
	if err != nil {
		d.broken(err)
		d.warned.warn("state_error", "the regular rescan still finds changes", err)
	}
	if v.first && v.settled(ctx) {
		v.first = false
		d.o.Lean()
	}
	v.pruneDaily(ctx)
	v.lookAround()
	d.log.Debug().Str("event", "rescanned").Float64("took_s", machine.Seconds(time.Since(began))).Msg("looked at everything")
}

// lookAroundEvery: an agent with a folder of its own runs for hours, as one of a second account.
const lookAroundEvery = 10 * time.Minute

// lookAround tells once of each folder in which an agent that runs keeps its sessions, and where clawd does not look. Such a folder may
// hang.
func (v *watching) lookAround() {
	d := v.d
	if now := d.now(); now.Sub(v.looked).Abs() < lookAroundEvery {
		return
	}
	v.looked = d.now()
	select {
	case v.around <- struct{}{}:
	default:
		return
	}
	go func() {
		for _, u := range all.FindUnwatched(d.o.Env, d.agents) {
			d.warned.warn("sessions_unwatched", "an agent keeps its sessions in a folder that clawd doesn't watch; stops there go unseen",
				fmt.Errorf("%s keeps sessions in %s; clawd watches one folder per agent, set by [agent.%s] config_dir", u.Agent, u.Dir, u.Agent))
		}
		<-v.around
	}()
}

// settled does what is done once, when the first look is stored, and what that left is not needed again. False: the store refused.
func (v *watching) settled(ctx context.Context) bool {
	if err := errors.Join(v.d.store.ForgetParting(), v.d.lookedAfter()); err != nil {
		v.d.broken(err)
		v.d.warned.warn("state_error", "the next rescan tries again", err)
		return false
	}
	v.d.keepYoung(ctx)
	v.d.tellOld()
	return true
}

// revisit looks again at every session whose fate hangs on a process: nothing is written when one
// ends.
func (d *Daemon) revisit() {
	d.loop.ask(func(l *loop) {
		for _, s := range l.sorted() {
			if s.s.Hangs(&l.w) {
				l.step(s, machine.Touched{})
			}
		}
	})
}

// alive tells the service manager that the main loop turns, after a look at the store.
func (d *Daemon) alive() {
	if _, _, err := d.store.Session(detect.Session{Agent: "self", ID: "check"}); err == nil {
		d.o.Alive()
	}
}
