package daemon

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Run works until ctx ends, then stops cleanly within 5 s. A running child is left alone.
func (d *Daemon) Run(ctx context.Context) error {
	defer d.release()
	ctx, d.fatal = context.WithCancelCause(ctx)
	defer d.fatal(nil)
	d.started = d.now()
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
	work, stopWork := context.WithCancel(ctx)
	d.effects = newEffects(work)
	var bg sync.WaitGroup
	bg.Go(func() { d.loop.run(services) })
	if err = d.restore(); err == nil {
		bg.Go(func() { d.deliver(services) })
		bg.Go(func() { d.keepLaunches(services) })
		bg.Go(func() { control.serve(services) })
		d.wg.Go(func() { d.findPrograms(work) })
		d.watch(work, w, control)
	}
	d.log.Info().Str("event", "daemon_stopping").AnErr("cause", context.Cause(ctx)).Msg("clawd stops")
	left := d.part(stopWork)
	stopServices()
	bg.Wait()
	err = errors.Join(err, d.close(w))
	if f := (*fatalError)(nil); errors.As(context.Cause(ctx), &f) {
		err = errors.Join(err, f)
	}
	e := d.log.Info().Str("event", "daemon_stopped")
	if len(left) > 0 {
		e.Strs("still_busy", left)
	}
	e.Msg("clawd stopped")
	return err
}

// part ends what has not begun, waits a little for what has, and names the sessions that something is still at work for.
func (d *Daemon) part(stopWork context.CancelFunc) []string {
	d.loop.ask(func(l *loop) {
		for _, s := range l.sorted() {
			l.step(s, machine.Stopping{})
		}
	})
	stopWork()
	patience, stop := context.WithTimeout(context.Background(), 4*time.Second)
	defer stop()
	left := d.effects.end(patience.Done(), func() { d.loop.ask(func(*loop) {}) })
	done := make(chan struct{})
	go func() { d.wg.Wait(); close(done) }() // it ends with the process, where something hangs
	select {
	case <-done:
	case <-patience.Done():
	}
	return slices.DeleteFunc(left, func(key string) bool { return key == "" })
}

// close notes the clean end and closes what New has opened.
func (d *Daemon) close(w Watcher) error {
	d.loop.end()
	d.launches.part(d.now())
	err := errors.Join(d.store.Part(state.Parting{At: d.now(), MachineDown: d.o.GoingDown()}), w.Close(), d.loop.flush(), d.launches.keep(d.store), d.store.Close())
	if d.dry() {
		err = errors.Join(err, os.Remove(d.storePath()), os.Remove(d.storePath()+".id"))
	}
	return err
}

// fatalError ends the daemon: the service manager starts it again, on a fresh look at the world.
type fatalError struct{ error }

func (e *fatalError) Unwrap() error { return e.error }

// restore takes up every session that was not at rest when clawd ended.
func (d *Daemon) restore() error {
	if err := d.remember(); err != nil {
		return err
	}
	d.cleanUp()
	d.loop.ask((*loop).restore)
	d.pruneRuns()
	d.tell()
	return nil
}

// remember reads what the clawd before knew.
func (d *Daemon) remember() (err error) {
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
	alive, err := d.store.Alive()
	if err != nil {
		return err
	}
	here := machine.Here{Boot: d.boot, Started: d.started, Parted: parting.At, Absent: ok && !parting.MachineDown, Lost: d.store.Lost, Dry: d.dry()}
	if alive.After(here.Parted) { // it crashed
		here.Parted = alive
	}
	var now map[string]time.Time
	if here.Away, now, err = d.unwatched(here.Parted); err != nil {
		return err
	}
	if len(now) > len(here.Away) {
		if err := d.store.SetUnwatched(now); err != nil { // on a full disk clawd still watches
			d.broken(err)
			d.warned.warn("state_error", "the next rescan tries again", err)
		}
	}
	d.loop.ask(func(l *loop) { l.w.Here = here })
	return nil
}

// unwatched gives since when sessions of the agents were not looked after that the clawd before did not watch, and the same with those
// that this one does not.
func (d *Daemon) unwatched(parted time.Time) (before, now map[string]time.Time, err error) {
	before, err = d.store.Unwatched()
	now = map[string]time.Time{}
	maps.Copy(now, before)
	for _, name := range all.Names() {
		if _, known := before[name]; !known && d.agent(name) == nil {
			now[name] = parted
		}
	}
	return before, now, err
}

// lookedAfter notes that nobody need remember since when the agents were not watched that are watched now.
func (d *Daemon) lookedAfter() error {
	var parted time.Time
	d.loop.ask(func(l *loop) { parted = l.w.Here.Parted })
	before, now, err := d.unwatched(parted)
	maps.DeleteFunc(now, func(name string, _ time.Time) bool { return d.agent(name) != nil })
	if err != nil || maps.Equal(before, now) {
		return err
	}
	return d.store.SetUnwatched(now)
}

// restore gives sessions their seats, and has those looked at that were not at rest.
func (l *loop) restore() {
	d := l.d
	l.w.Config, l.w.Policy = d.settings()
	l.w.Starting = forever
	var seats []*seat
	for _, rec := range l.recall() {
		if a := d.agent(rec.Agent); a != nil {
			seats = append(seats, l.sit(d.session(a, rec.Session), machine.New(rec, true)))
			d.followed[state.Key(rec.Session)] = place{path: rec.Path}
		}
	}
	for _, s := range seats {
		if c := s.s.Rec.Claim; c != nil && c.Account != "" && s.s.Rec.Phase == state.Fired {
			d.accountIs(c.Session.Agent, c.Info, c.Account)
		}
	}
	for _, s := range seats {
		c := s.s.Rec.Claim
		ours := c != nil && c.Plan.Way == resume.Exec
		alive := ours && c.Noted && s.s.Rec.Phase != state.Fired && d.trigger.Adopt(*c).Alive()
		if s.s.Rec.Phase != state.Following || ours && (!c.Noted || alive) {
			l.step(s, machine.Restored{Alive: alive})
		}
	}
}

// recall gives the sessions that are not at rest, or were not until lately.
func (l *loop) recall() (recs []state.Session) {
	d := l.d
	var resting []state.Session
	err := d.store.Sessions(func(rec state.Session) error {
		if rec.OldSession != "" {
			l.w.Peers.Begins(rec.Session)
		}
		if rec.Path == "" { // it is known by a mark alone, until its file is found
			return nil
		}
		if stop := rec.Classifier.Stop(); rec.Phase != state.Following || stop.Reason == detect.Completed || rec.EndsIn(stop) { // else it may have ended since
			d.seen[state.Key(rec.Session)] = state.Seen{Stamp: rec.Stamp}
		}
		if rec.Phase == state.Following {
			resting = append(resting, rec)
		} else {
			l.w.Peers.Claims(rec) // what waits for a stop has it, as far as that can be told
		}
		if rec.Phase != state.Following || d.now().Sub(rec.Updated) < 25*time.Hour {
			recs = append(recs, rec)
		}
		return nil
	})
	if err != nil { // the others are as good as ever
		d.log.Error().Err(err).Str("event", "state_damaged").Msg("some records cannot be read; their sessions are looked at anew")
	}
	for _, rec := range resting {
		l.w.Peers.Claims(rec)
	}
	return recs
}

// sorted are all sessions, in the order of their keys.
func (l *loop) sorted() []*seat {
	all := make([]*seat, 0, len(l.seats))
	for _, s := range l.seats {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *seat) int { return strings.Compare(a.key, b.key) })
	return all
}

// end takes no more mail.
func (l *loop) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	for _, m := range l.mail {
		if m.done != nil {
			close(m.done)
		}
	}
	l.mail = nil
}

// signEvery is how old the sign of life in the store may become. max_overdue is counted from it after a crash.
const signEvery = 10 * time.Minute

// flush stores how far sessions were read, and now and then that clawd is there, while something waits.
func (l *loop) flush() error {
	d := l.d
	d.mu.Lock()
	fresh := d.fresh
	d.fresh = map[string]state.Seen{}
	d.mu.Unlock()
	var reads []*state.Change
	waits := false
	for _, s := range l.sorted() {
		waits = waits || s.s.Rec.Phase != state.Following
		if c := s.s.Unsaved(&l.w); c != nil {
			reads = append(reads, c)
		}
	}
	writes := len(fresh)+len(reads) > 0
	sign := writes || waits && d.now().Sub(d.signed).Abs() >= signEvery
	if sign {
		d.signed = d.now()
	}
	var err error
	if len(fresh) > 0 {
		err = d.store.SetSeen(fresh)
	}
	if len(reads) > 0 {
		if e := d.store.Commit(reads...); e != nil {
			return errors.Join(err, e)
		}
		for _, c := range reads {
			s := l.seats[state.Key(c.Session.Session)]
			s.s.Saved(c)
			l.w.Peers.Put(&s.s)
		}
	}
	if sign && !writes {
		err = errors.Join(err, d.store.SignAlive())
	}
	return err
}

// those lists the sessions of which something holds.
func (d *Daemon) those(holds func(*machine.Session) bool) (all []*session) {
	d.loop.ask(func(l *loop) {
		for _, s := range l.sorted() {
			if holds(&s.s) {
				all = append(all, s.session)
			}
		}
	})
	return all
}
