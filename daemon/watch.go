package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
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

// watching is the state of the watch loop, touched by it alone.
type watching struct {
	d       *Daemon
	w       Watcher
	added   map[string]bool
	folders map[string]watchedFolder // by path
	warned  map[string]bool
	failed  map[string]time.Time // problems of a scan, and when they were seen first
	pruned  time.Time
	late    map[string]agent.Agent // changed paths that are looked at once more
	due     *time.Timer            // of these
}

type watchedFolder struct {
	a     agent.Agent
	depth int
}

// watch follows the agents' folders until ctx ends.
func (d *Daemon) watch(ctx context.Context, w Watcher, c *control) {
	v := &watching{d: d, w: w, added: map[string]bool{}, folders: map[string]watchedFolder{}, warned: map[string]bool{}, failed: map[string]time.Time{}, pruned: d.started,
		late: map[string]agent.Agent{}, due: time.NewTimer(0)}
	<-v.due.C
	v.rescan(ctx, true)
	d.log.Info().Str("event", "sessions_found").Int("sessions", d.watched()).Msg("these sessions are watched")
	first := true
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
			v.event(ctx, e)
		case err := <-w.Errors():
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				clear(v.added) // a folder may have been removed and made again
				d.log.Warn().Str("event", "watch_overflow").Msg("more changes than the system could tell; looking at everything")
			} else {
				v.once("watch_error", err)
			}
			v.rescan(ctx, false)
		case <-v.due.C:
			for path, a := range v.late {
				if v.scan(ctx, a, path, false) == nil {
					delete(v.late, path)
				}
			}
			if len(v.late) > 0 { // it was locked, say; the rescan ends this
				v.due.Reset(time.Second)
			}
		case <-d.leap:
			v.rescan(ctx, false)
			d.revisit()
		case <-d.renewed:
			d.loop.ask((*loop).renew)
		case <-sign:
			d.alive()
		case <-tick.C:
			began := time.Now()
			if err := d.keepUp(c); err != nil {
				v.warn("upkeep_failed", "the next rescan tries again", err)
			}
			v.rescan(ctx, false)
			d.revisit()
			d.askAgain(ctx)
			if err := d.flush(); err != nil {
				d.broken(err)
				v.once("state_error", err)
			}
			if first { // the first look read everything and is stored; what that left is not needed again
				first = false
				if err := d.store.ForgetParting(); err != nil {
					v.once("state_error", err)
				}
				footprint()
				d.keepYoung(ctx)
				d.tellOld()
			}
			v.pruneDaily(ctx)
			d.log.Debug().Str("event", "rescanned").Float64("took_s", seconds(time.Since(began))).Msg("looked at everything")
		}
	}
}

// rescan adds watches for folders that have appeared, and then looks at all sessions. The order
// matters: what is written after the watch gives an event, what was written before is seen.
func (v *watching) rescan(ctx context.Context, cold bool) {
	clear(v.late)
	for _, a := range v.d.agents {
		for _, f := range a.Folders() {
			v.add(a, f.Path, f.Depth)
		}
		v.launches(a, "")
		_ = v.scan(ctx, a, "", cold)
	}
}

// add watches a folder and those below it. A folder that is not there is waited for: its nearest
// parent is watched instead.
func (v *watching) add(a agent.Agent, path string, depth int) {
	if depth == 0 && v.added[path] {
		return
	}
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		v.folders[path] = watchedFolder{a, depth}
		for parent := filepath.Dir(path); ; parent = filepath.Dir(parent) {
			if fi, err := os.Stat(parent); err == nil && fi.IsDir() {
				v.watch(parent)
				return
			}
			if parent == filepath.Dir(parent) {
				return
			}
		}
	}
	if err != nil || !fi.IsDir() {
		return
	}
	v.folders[path] = watchedFolder{a, depth}
	v.watch(path)
	if depth == 0 {
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		v.once("watch_error", err)
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			v.add(a, filepath.Join(path, e.Name()), depth-1)
		}
	}
}

func (v *watching) watch(path string) {
	if v.added[path] {
		return
	}
	if err := v.w.Add(path); err != nil {
		v.once("watch_degraded", err)
		return
	}
	v.added[path] = true
}

// once logs a problem of the watch the first time it comes.
func (v *watching) once(event string, err error) {
	v.warn(event, "the rescan goes on finding changes", err)
}

// maxWarned bounds the problems that are told: strangers choose how many files they leave.
const maxWarned = 500

func (v *watching) warn(event, message string, err error) {
	if v.warned[err.Error()] || len(v.warned) > maxWarned {
		return
	}
	v.warned[err.Error()] = true
	if len(v.warned) > maxWarned {
		v.d.log.Warn().Str("event", event).Msg("too many problems with files; further ones are not told")
		return
	}
	v.d.log.Warn().Str("event", event).Err(err).Msg(message)
}

// told logs what a scan could not look at, a line for each the first time it comes.
func (v *watching) told(err error) {
	if many, ok := err.(interface{ Unwrap() []error }); ok { // joined; what a wrapped one holds stays whole
		for _, e := range many.Unwrap() {
			v.told(e)
		}
		return
	}
	event, message := "scan_error", "the rescan goes on finding changes"
	var refused *agent.Refused
	if errors.As(err, &refused) {
		event, message = "file_refused", "a file or folder that the agent would not have left so; the others are read"
	} else if !v.lasting(err) {
		return
	}
	v.warn(event, message, err)
}

// lasting tells whether a problem was there some time ago, too: an agent that starts for the first time has its
// database locked, or without tables, for a moment.
func (v *watching) lasting(err error) bool {
	now := v.d.now()
	since, known := v.failed[err.Error()]
	if !known && len(v.failed) <= maxWarned {
		v.failed[err.Error()] = now
	}
	return known && now.Sub(since) >= passing
}

// passing is how long a problem may last that is not told.
const passing = 10 * time.Second

// event acts on one change.
func (v *watching) event(ctx context.Context, e fsnotify.Event) {
	if e.Op == fsnotify.Chmod { // nothing was written; reading SQLite as root itself does this
		return
	}
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		delete(v.added, e.Name)
	}
	dir := filepath.Dir(e.Name)
	if f, ok := v.folders[dir]; ok {
		if e.Has(fsnotify.Create) {
			v.d.procs.anew() // a process may have just become the agent
		}
		v.launches(f.a, e.Name)
		if fi, err := os.Lstat(e.Name); e.Has(fsnotify.Create) && err == nil && fi.IsDir() {
			if f.depth > 0 {
				v.add(f.a, e.Name, f.depth-1)
			}
		}
		if e.Has(fsnotify.Remove) {
			v.d.procs.anew() // a registry entry may be gone, and with it a holder
			v.d.revisit()
		}
		_ = v.scan(ctx, f.a, e.Name, false)
		if l, ok := f.a.(agent.Lagger); ok {
			v.late[e.Name] = f.a
			v.due.Reset(l.Lag())
		}
	}
	for path, f := range v.folders { // a folder that was waited for, or a part of the way to it
		if e.Has(fsnotify.Create) && (path == e.Name || strings.HasPrefix(path, e.Name+"/")) {
			v.add(f.a, path, f.depth)
			v.launches(f.a, "")
			_ = v.scan(ctx, f.a, "", false)
		}
	}
}

// launches looks how sessions were started, before anything that takes time: the process may end at once.
func (v *watching) launches(a agent.Agent, hint string) {
	if err := v.d.launched(a, hint); err != nil {
		v.once("launches_unread", err)
	}
}

// oldest: a transcript that was not written for so long cannot end in a limit that is still to
// reset.
const oldest = 40 * 24 * time.Hour

// scan looks at the sessions that a change can have touched; hint is empty for all. Its error has been told.
func (v *watching) scan(ctx context.Context, a agent.Agent, hint string, cold bool) error {
	touched, err := a.Scan(ctx, hint)
	if err != nil && ctx.Err() == nil {
		v.told(err)
	}
	if !cold {
		for _, t := range touched {
			v.d.touched(a, t, nil)
		}
		return err
	}
	// The first look opens every file, so every core takes part, and those that want a closer one
	// wait for it.
	work := make(chan agent.Touched)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for t := range work {
				v.d.touched(a, t, func() (bool, string) { return v.d.worth(ctx, a, t) })
			}
		})
	}
	for _, t := range touched {
		work <- t
	}
	close(work)
	wg.Wait()
	return err
}

// touched has the loop look at a session that has changed. worth, when set, is asked about one that may have been there for
// long: whether a closer look is worth it, and where it ends if not.
func (d *Daemon) touched(a agent.Agent, t agent.Touched, worth func() (bool, string)) {
	key := state.Key(t.Session)
	d.mu.Lock()
	stamp, followed := d.followed[key]
	seen := d.seen[key]
	d.mu.Unlock()
	switch {
	case followed && stamp == t.Stamp, !followed && seen.Stamp == t.Stamp:
		return
	case !followed && worth != nil:
		if is, end := worth(); !is {
			d.mu.Lock()
			d.seen[key] = state.Seen{Stamp: t.Stamp, Cursor: end}
			d.fresh[key] = d.seen[key]
			d.mu.Unlock()
			return
		}
	}
	d.mu.Lock()
	d.followed[key] = t.Stamp
	d.mu.Unlock()
	d.loop.post(mail{s: d.session(a, t.Session), e: machine.Touched{Stamp: t.Stamp}, from: seen.Cursor})
}

// unfollow has the next rescan find a session again.
func (d *Daemon) unfollow(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.followed, key)
	delete(d.seen, key)
}

// worth tells whether a session that was never followed may end in a stop; if not, where it ends.
func (d *Daemon) worth(ctx context.Context, a agent.Agent, t agent.Touched) (bool, string) {
	if d.now().Sub(t.ModTime) > oldest {
		return false, ""
	}
	maybe, end, err := a.Tail(ctx, t.Session)
	return maybe || err != nil, string(end) // what cannot be read is told by the session's own loop
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

// flush stores how far sessions were read.
func (d *Daemon) flush() (err error) {
	d.loop.ask(func(l *loop) { err = l.flush() })
	return err
}

// alive tells the service manager that the main loop turns, after a look at the store.
func (d *Daemon) alive() {
	if _, _, err := d.store.Session(detect.Session{Agent: "self", ID: "check"}); err == nil {
		d.o.Alive()
	}
}
