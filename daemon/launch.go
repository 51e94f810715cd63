package daemon

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// launches remembers how sessions were started: a process shows its options while it lives, and a run
// that is limited at once lives for half a second. Asking costs no transaction.
type launches struct {
	mu    sync.Mutex
	all   map[string]detect.Launch // by session
	own   map[string]bool          // this clawd has seen the process alive
	fresh map[string]bool          // not stored yet
	news  chan struct{}            // one slot: there is something to store
}

func newLaunches() *launches {
	return &launches{all: map[string]detect.Launch{}, own: map[string]bool{}, fresh: map[string]bool{}, news: make(chan struct{}, 1)}
}

// of gives the launch of the process in which a session stopped at the given time; nil: nobody saw it. A
// process that was seen to end before stands for another one that nobody saw. Where it ended while nobody looked, the stop may be
// either's: then perhaps is true.
func (l *launches) of(key string, at time.Time) (launch *detect.Launch, perhaps bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen, ok := l.all[key]
	after := ok && seen.Over && at.After(seen.Seen)
	if !ok || after && at.After(seen.Gone) {
		return nil, false
	}
	if !after { // then it is this one, whatever became of it
		seen.Gone = time.Time{}
	}
	return &seen, after
}

// saw takes in a process that lives.
func (l *launches) saw(key string, seen detect.Launch, now time.Time) {
	seen.Seen = now
	l.mu.Lock()
	defer l.mu.Unlock()
	old, known := l.all[key]
	if known && old.Same(seen) && !old.Over {
		all := grown(old, seen)
		if l.own[key] = true; now.Sub(old.Seen).Abs() < signEvery && reflect.DeepEqual(all, old) {
			return // what is stored is new enough; that it still lives is known from own
		}
		all.Seen = now
		seen = all
	}
	l.all[key], l.own[key], l.fresh[key] = seen, true, true
	signal(l.news)
}

// grown is a launch by the first look at it, with what a later one showed besides: to an older clawd, which did not look at all of it, or of a
// wrapper that became the agent. What a later look lacks was there all the same: a process may change what it shows of itself.
func grown(old, seen detect.Launch) detect.Launch {
	if len(old.Flags)+len(old.Lost) == 0 {
		old.Flags, old.Lost = seen.Flags, seen.Lost
	}
	old.Flags = slices.Clone(old.Flags)
	for n, f := range old.Flags {
		old.Flags[n].Limits = f.Limits || slices.ContainsFunc(seen.Flags, func(s detect.Flag) bool { return s.Name == f.Name && s.Limits })
	}
	bounds := maps.Clone(old.Bounds)
	for name, value := range seen.Bounds {
		if bounds == nil {
			bounds = map[string]string{}
		}
		if was, ok := bounds[name]; !ok || was == "" || value != "" {
			bounds[name] = value
		}
	}
	old.Bounds = bounds
	old.Inside = cmp.Or(old.Inside, seen.Inside) // what started it may have ended since
	return old
}

// ended notes which processes of an agent are gone.
func (l *launches) ended(agentName string, lives func(detect.Launch) bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, seen := range l.all {
		name, _, _ := strings.Cut(key, "/")
		switch {
		case name != agentName || seen.Over:
			continue
		case lives(seen):
			l.own[key] = true
			continue
		}
		if seen.Over = true; l.own[key] {
			if seen.Seen.After(now) { // the clock was set back: a stop in between may be its own
				seen.Gone = seen.Seen
			}
			seen.Seen = now
		} else {
			seen.Gone = now
		}
		l.all[key], l.fresh[key] = seen, true
		signal(l.news)
	}
}

// stopped notes, before a stop is stored, that the session's process was there until now: a kill of clawd must
// not make of it one that nobody saw.
func (l *launches) stopped(key string, lives func(detect.Launch) bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen, ok := l.all[key]
	if !ok || seen.Over || !l.own[key] {
		return
	}
	seen.Seen, seen.Over = now, !lives(seen)
	l.all[key], l.fresh[key] = seen, true
}

// seenUntil stores that the session's process was there until now.
func (d *Daemon) seenUntil(key string) error {
	d.launches.stopped(key, d.lives, d.now())
	err := d.launches.keep(d.store)
	if err != nil {
		d.broken(err)
	}
	return err
}

// part notes that the processes that live were seen until now.
func (l *launches) part(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, seen := range l.all {
		if l.own[key] && !seen.Over {
			seen.Seen = now
			l.all[key], l.fresh[key] = seen, true
		}
	}
}

// keep stores what is not stored yet.
func (l *launches) keep(store *state.Store) error {
	l.mu.Lock()
	write := map[string]detect.Launch{}
	for key := range l.fresh {
		write[key] = l.all[key]
	}
	clear(l.fresh)
	l.mu.Unlock()
	if len(write) == 0 {
		return nil
	}
	err := store.SetLaunches(write)
	if err != nil {
		l.mu.Lock()
		for key := range write {
			l.fresh[key] = true
		}
		l.mu.Unlock()
	}
	return err
}

// launched looks how the sessions of an agent were started that a change can have begun; hint is empty
// for all, and then it is also noted which processes have ended.
func (d *Daemon) launched(a agent.Agent, hint string) error {
	l, ok := a.(agent.Launcher)
	if !ok {
		return nil
	}
	found, err := l.Launches(hint)
	for _, f := range found {
		f.Inside = inside(d.o.Env.Procs, a.Name(), f.PID)
		d.launches.saw(state.Key(detect.Session{Agent: a.Name(), ID: f.Session}), f.Launch, d.now())
	}
	if hint == "" {
		d.launches.ended(a.Name(), d.lives, d.now())
	}
	return err
}

func (d *Daemon) lives(l detect.Launch) bool {
	return l.Boot == d.boot && agent.Lives(d.o.Env.Procs, agent.Proc{PID: l.PID, Start: l.Start})
}

// launch is how the process was started in which a session stopped. What clawd's own runs had came from
// it, so it is the one before the first of them that counts.
func (s *session) launch(rec *state.Session) *detect.Launch {
	at := rec.Stop.At
	if began := rec.Episode.Began; rec.Episode.Attempts > 0 && !began.IsZero() && began.Before(at) {
		at = began
	}
	l, perhaps := s.d.launches.of(s.key, at)
	switch {
	case l != nil && rec.Decision.Asked && slices.Equal(l.Lost, []string{hadItDo}): // whoever orders it knows of that, and nothing else is known
		return nil
	case !perhaps:
		return l
	}
	return doubtful(*l, s.d.o.Config.Agent[rec.Session.Agent].Unlike(s.d.o.Env, l.Bounds))
}

// doubtful is what counts of a launch that may not be the one: what took from what the process may do keeps its session from being resumed.
// nil: nothing did, so it is as if nobody had seen it.
func doubtful(l detect.Launch, unlike []string) *detect.Launch {
	lost := slices.Concat(l.Lost, unlike)
	for _, f := range l.Flags {
		if f.Limits {
			lost = append(lost, f.Name)
		}
	}
	if l.Inside != 0 {
		lost = append(lost, hadItDo)
	}
	if len(lost) == 0 {
		return nil
	}
	l.Flags, l.Lost = nil, lost
	return &l
}

// keepLaunches stores what was seen as soon as it was.
func (d *Daemon) keepLaunches(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.launches.news:
			if err := d.launches.keep(d.store); err != nil { // the next one, or the end, tries again
				d.broken(err)
			}
		}
	}
}
