package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// eye sees from outside what a home's clawd and agents do: by the files that change, and /proc.
type eye struct {
	w     *world
	watch *fsnotify.Watcher
	done  chan struct{}
	read  int64 // of the ledger

	mu   sync.Mutex // guards what follows
	want moment     // empty: nothing is awaited
	left int
	hits chan sight
}

// sight is what was awaited, with the session and the attempt that it is about, if that can be seen.
type sight struct{ session, token string }

func newEye(w *world) (*eye, error) {
	f, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	e := &eye{w: w, watch: f, done: make(chan struct{}), hits: make(chan sight, 1)}
	folders, err := filepath.Glob(filepath.Join(w.agent, "projects", "*"))
	if err != nil {
		return nil, err
	}
	for _, d := range append(folders, w.dir, w.state, filepath.Join(w.state, "runs"), filepath.Join(w.state, "attempts")) {
		if err := f.Add(d); err != nil {
			return nil, err
		}
	}
	go e.run()
	return e, nil
}

func (e *eye) close() {
	_ = e.watch.Close()
	<-e.done
}

// await waits for the strike's moment; false: it did not come in time.
func (e *eye) await(s strike, long time.Duration) (sight, bool) {
	e.mu.Lock()
	e.want, e.left = s.when, s.nth
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.want = ""
		e.mu.Unlock()
		select {
		case <-e.hits:
		default:
		}
	}()
	select {
	case hit := <-e.hits:
		return hit, true
	case <-time.After(long):
		return sight{}, false
	}
}

func (e *eye) run() {
	defer close(e.done)
	for {
		select {
		case ev, ok := <-e.watch.Events:
			if !ok {
				return
			}
			e.see(ev)
		case _, ok := <-e.watch.Errors: // what is lost is a strike that comes late
			if !ok {
				return
			}
		}
	}
}

// see tells the moments that an event of the file system means.
func (e *eye) see(ev fsnotify.Event) {
	base, folder := filepath.Base(ev.Name), filepath.Base(filepath.Dir(ev.Name))
	session, token := runName(base)
	switch {
	case base == "ledger":
		e.ledger()
	case base == "clawd.db" && ev.Has(fsnotify.Write):
		e.hit(atStore, sight{})
	case base == "clawd.sock" && ev.Has(fsnotify.Create):
		e.hit(atSocket, sight{})
	case folder == "attempts" && ev.Has(fsnotify.Create):
		e.hit(atMark, sight{})
	case folder == "runs" && ev.Has(fsnotify.Create) && session != "":
		e.hit(atRun, sight{session, token})
		e.birth(sight{session, token})
	case folder == "runs" && ev.Has(fsnotify.Write):
		e.hit(atOutput, sight{session, token})
	case strings.HasSuffix(base, ".jsonl") && ev.Has(fsnotify.Write):
		e.hit(atWrite, sight{session: strings.TrimSuffix(base, ".jsonl")})
	}
}

func (e *eye) hit(m moment, s sight) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.want != m {
		return
	}
	if e.left--; e.left > 0 {
		return
	}
	e.want = ""
	e.hits <- s // its one place is free: nothing else was awaited since it was emptied
}

// birth looks for the shim whose output was made.
func (e *eye) birth(s sight) {
	e.mu.Lock()
	wanted := e.want == atBirth
	e.mu.Unlock()
	d := e.w.daemon()
	for until := time.Now().Add(30 * time.Millisecond); wanted && d != nil && time.Now().Before(until); time.Sleep(200 * time.Microsecond) {
		for _, c := range children(d.pid()) {
			if _, token := runOf(c); token == s.token {
				e.hit(atBirth, s)
				return
			}
		}
	}
}

// ledger reads its new rows.
func (e *eye) ledger() {
	f, err := os.Open(filepath.Join(e.w.dir, "ledger"))
	if err != nil {
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || fi.Size() <= e.read {
		return
	}
	b := make([]byte, fi.Size()-e.read)
	if n, err := f.ReadAt(b, e.read); err != nil || n < len(b) {
		return
	}
	rows, err := parseLedger(b)
	if err != nil {
		return
	}
	e.read = fi.Size()
	for _, r := range rows {
		if r.By == byClawd {
			e.hit(atLedger+moment(r.Ev), sight{session: r.Session})
		}
	}
}
