package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/state"
)

// scout looks at the folders of one agent, in a goroutine of its own: one that hangs holds up no other agent.
type scout struct {
	d       *Daemon
	w       Watcher
	a       agent.Agent
	opens   bool // a watch opens what lies in its folder, as kqueue's does
	added   map[string]bool
	folders map[string]int       // by path: how deep they are watched
	failed  map[string]time.Time // problems of a scan, and when they were seen first
	late    map[string]bool      // changed paths that are looked at once more
	due     *time.Timer          // of these

	mu   sync.Mutex // guards what follows
	todo errands
	kick chan struct{} // one slot: there is something to do
}

// errands are what a scout is to do, the rescan first.
type errands struct {
	rescan, cold bool
	anew         bool // a folder may have been removed and made again
	events       []fsnotify.Event
	done         chan struct{} // closed then; nil: nobody waits
}

// maxEvents bounds the changes that wait for a scout whose folders take their time: instead it looks at everything.
const maxEvents = 10_000

func newScout(d *Daemon, w Watcher, a agent.Agent) *scout {
	v := &scout{d: d, w: w, a: a, opens: runtime.GOOS != "linux", added: map[string]bool{}, folders: map[string]int{}, failed: map[string]time.Time{},
		late: map[string]bool{}, due: time.NewTimer(0), kick: make(chan struct{}, 1)}
	<-v.due.C
	return v
}

// send gives the scout something more to do. It never waits.
func (v *scout) send(f func(*errands)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f(&v.todo)
	if len(v.todo.events) > maxEvents {
		v.todo.events, v.todo.rescan = nil, true
	}
	signal(v.kick)
}

// rescan has the scout look at everything, and gives a channel that is closed then.
func (v *scout) rescan(cold, anew bool) <-chan struct{} {
	done := make(chan struct{})
	v.send(func(e *errands) {
		e.rescan, e.cold, e.anew = true, e.cold || cold, e.anew || anew
		if e.done != nil {
			done = e.done // the rescan before has not begun yet
		}
		e.done = done
	})
	return done
}

// run does what there is to do until ctx ends.
func (v *scout) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.due.C:
			v.again(ctx)
		case <-v.kick:
			v.mu.Lock()
			todo := v.todo
			v.todo = errands{}
			v.mu.Unlock()
			if todo.anew {
				clear(v.added)
			}
			if todo.rescan {
				v.all(ctx, todo.cold)
			}
			for _, e := range todo.events {
				v.event(ctx, e)
			}
			if todo.done != nil {
				close(todo.done)
			}
		}
	}
}

// again looks once more at what was changed a moment ago.
func (v *scout) again(ctx context.Context) {
	for path := range v.late {
		if v.scan(ctx, path, false) == nil {
			delete(v.late, path)
		}
	}
	if len(v.late) > 0 { // it was locked, say; the rescan ends this
		v.due.Reset(time.Second)
	}
}

// all adds watches for folders that have appeared, and then looks at all sessions. The order
// matters: what is written after the watch gives an event, what was written before is seen.
func (v *scout) all(ctx context.Context, cold bool) {
	clear(v.late)
	for _, f := range v.a.Folders() {
		v.add(f.Path, f.Depth)
	}
	v.launches("")
	_ = v.scan(ctx, "", cold)
}

// add watches a folder and those below it. A folder that is not there is waited for: its nearest
// parent is watched instead.
func (v *scout) add(path string, depth int) {
	if _, known := v.folders[path]; depth == 0 && known && v.added[path] { // else it is watched as the way to another one
		return
	}
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		v.folders[path] = depth
		v.watchParent(path)
		return
	}
	if err != nil || !fi.IsDir() {
		return
	}
	v.folders[path] = depth
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
			v.add(filepath.Join(path, e.Name()), depth-1)
		}
	}
}

// watchParent stops short of the user's home where a watch opens all that lies in a folder: some of that asks the user first, on a Mac, and
// what is made there the rescan finds.
func (v *scout) watchParent(path string) {
	for parent := filepath.Dir(path); !v.opens || !holds(parent, v.d.o.Env.Home); parent = filepath.Dir(parent) {
		if fi, err := os.Stat(parent); err == nil && fi.IsDir() {
			v.watch(parent)
			return
		}
		if parent == filepath.Dir(parent) {
			return
		}
	}
}

// holds tells whether a folder is another one or lies above it.
func holds(dir, other string) bool {
	rel, err := filepath.Rel(dir, other)
	return err == nil && filepath.IsLocal(rel)
}

func (v *scout) watch(path string) {
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
func (v *scout) once(event string, err error) {
	v.d.warned.warn(event, "the regular rescan still finds changes", err)
}

// told logs what a scan could not look at, a line for each the first time it comes.
func (v *scout) told(err error) {
	if many, ok := err.(interface{ Unwrap() []error }); ok { // joined; what a wrapped one holds stays whole
		for _, e := range many.Unwrap() {
			v.told(e)
		}
		return
	}
	event, message := "scan_error", "the regular rescan still finds changes"
	if errors.As(err, new(*agent.Refused)) {
		event, message = "file_refused", "a file or folder that the agent would not have left so; the others are read"
	} else if !v.lasting(err) {
		return
	}
	v.d.warned.warn(event, message, err)
}

// lasting tells whether a problem was there some time ago, too: an agent that starts for the first time has its
// database locked, or without tables, for a moment.
func (v *scout) lasting(err error) bool {
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
func (v *scout) event(ctx context.Context, e fsnotify.Event) {
	if e.Op == fsnotify.Chmod { // nothing was written; reading SQLite as root itself does this
		return
	}
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		delete(v.added, e.Name)
	}
	if depth, ok := v.folders[filepath.Dir(e.Name)]; ok {
		v.changed(ctx, e, depth)
	}
	for path, depth := range v.folders { // a folder that was waited for, or a part of the way to it
		if e.Has(fsnotify.Create) && (path == e.Name || strings.HasPrefix(path, e.Name+"/")) {
			v.add(path, depth)
			v.d.procs.anew() // whoever made it may be younger than the list, and gone before there is another event
			v.launches("")
			_ = v.scan(ctx, "", false)
		}
	}
}

// changed acts on a change in a watched folder, below which others are watched down to depth.
func (v *scout) changed(ctx context.Context, e fsnotify.Event, depth int) {
	if e.Has(fsnotify.Create) {
		v.d.procs.anew() // a process may have just become the agent
	}
	v.launches(e.Name)
	if e.Has(fsnotify.Create) && depth > 0 {
		if fi, err := os.Lstat(e.Name); err == nil && fi.IsDir() {
			v.add(e.Name, depth-1)
		}
	}
	if e.Has(fsnotify.Remove) {
		v.d.procs.anew() // a registry entry may be gone, and with it a holder
		v.d.revisit()
	}
	_ = v.scan(ctx, e.Name, false)
	if l, ok := v.a.(agent.Lagger); ok {
		v.late[e.Name] = true
		v.due.Reset(l.Lag())
	}
}

// launches looks how sessions were started, before anything that takes time: the process may end at once.
func (v *scout) launches(hint string) {
	if err := v.d.launched(v.a, hint); err != nil {
		v.once("launches_unread", err)
	}
}

// oldest: a transcript that was not written for so long cannot end in a limit that is still to
// reset.
const oldest = 40 * 24 * time.Hour

// scan looks at the sessions that a change can have touched; hint is empty for all. Its error has been told.
func (v *scout) scan(ctx context.Context, hint string, cold bool) error {
	touched, err := v.a.Scan(ctx, hint)
	if err != nil && ctx.Err() == nil {
		v.told(err)
	}
	if !cold {
		for _, t := range touched {
			v.d.touched(v.a, t, nil, v.d.loop.post)
		}
		return err
	}
	// The first look opens every file, so every core takes part, and those that want a closer one
	// wait for it.
	work := make(chan agent.Touched)
	found := &finds{post: v.d.loop.post}
	defer found.release()
	defer time.AfterFunc(scanPatience, found.release).Stop() // a file may hang
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for t := range work {
				v.d.touched(v.a, t, func() (bool, string) { return v.d.worth(ctx, v.a, t) }, found.add)
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

// finds are sessions that the loop does not hear of before all are found: one of them may tell that somebody moved on
// from another one.
type finds struct {
	post func(mail)
	mu   sync.Mutex // guards what follows
	all  []mail
	free bool // they are not held back any more
}

func (f *finds) add(m mail) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.free {
		f.post(m)
		return
	}
	f.all = append(f.all, m)
}

func (f *finds) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.all {
		f.post(m)
	}
	f.all, f.free = nil, true
}

// place is where a session that is followed was found last, and the stamp that was seen of it.
type place struct{ path, stamp string }

// copied tells whether what was found now is a copy of that, and no longer: a backup of a project's folder, say. Of two files with one
// id the longer one is the session: a person who has copied a project went on there. A file of another name is a new form of the
// agent's, and one outside of its folders is no session of it any more.
func (p place) copied(a agent.Agent, now string) bool {
	watched := func(f agent.Folder) bool { return strings.HasPrefix(p.path, f.Path+string(filepath.Separator)) }
	if p.path == now || filepath.Base(p.path) != filepath.Base(now) || !slices.ContainsFunc(a.Folders(), watched) {
		return false
	}
	was, err := os.Lstat(p.path)
	if err != nil {
		return false
	}
	is, err := os.Lstat(now)
	return err != nil || !os.SameFile(was, is) && is.Size() <= was.Size()
}

// touched has the loop look at a session that has changed. worth, when set, is asked about one that may have been there for
// long: whether a closer look is worth it, and where it ends if not.
func (d *Daemon) touched(a agent.Agent, t agent.Touched, worth func() (bool, string), post func(mail)) {
	key := state.Key(t.Session)
	d.mu.Lock()
	was, followed := d.followed[key]
	seen := d.seen[key]
	d.mu.Unlock()
	switch {
	case followed && was.stamp == t.Stamp, !followed && seen.Stamp == t.Stamp, was.copied(a, t.Session.Path):
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
	d.followed[key] = place{t.Session.Path, t.Stamp}
	d.mu.Unlock()
	post(mail{s: d.session(a, t.Session), e: machine.Touched{Stamp: t.Stamp}, from: seen.Cursor})
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
