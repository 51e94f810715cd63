package daemon

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
)

// effects does what may take its time, outside the loop: a few things at a time, each under a context that ends with
// clawd. A folder that hangs holds up its own sessions only.
type effects struct {
	ctx context.Context

	mu      sync.Mutex // guards what follows
	young   int        // at work for less than oldAfter
	folders map[string]int
	waiting []*task
	busy    map[string]int // sessions, by their keys, that something is at work for
	idle    chan struct{}  // closed and replaced when nothing is at work any more
	all     int
	over    bool        // nothing begins any more
	start   func(*task) // has a task carried out
}

type task struct {
	key, folder string
	f           func()
	young       bool // it counts among those; guarded by the effects' mu
}

const (
	atOnce      = 8                // that are young
	inOneFolder = 4                // of any age
	oldAfter    = 10 * time.Second // what takes longer does not count any more
)

func newEffects(ctx context.Context) *effects {
	e := &effects{ctx: ctx, folders: map[string]int{}, busy: map[string]int{}, idle: make(chan struct{})}
	e.start = func(t *task) { go e.work(t) }
	return e
}

// do carries f out soon, for a session; nil: for nobody. After the end it does nothing.
func (e *effects) do(s *session, f func()) {
	t := &task{f: f}
	if s != nil {
		t.key, t.folder = s.key, filepath.Dir(s.ds.Path)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	e.waiting = append(e.waiting, t)
	e.busy[t.key]++
	e.all++
	e.begin()
}

// begin starts what may be started. The caller holds mu.
func (e *effects) begin() {
	rest := e.waiting[:0]
	for _, t := range e.waiting {
		if e.young >= atOnce || t.folder != "" && e.folders[t.folder] >= inOneFolder {
			rest = append(rest, t)
			continue
		}
		e.young++
		t.young = true
		e.folders[t.folder]++
		e.start(t)
	}
	clear(e.waiting[len(rest):])
	e.waiting = rest
}

func (e *effects) work(t *task) {
	timer := time.AfterFunc(oldAfter, func() { e.age(t) })
	t.f()
	timer.Stop()
	e.finish(t)
}

// age: a task has taken so long that it holds up no others.
func (e *effects) age(t *task) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.old(t)
	e.begin()
}

func (e *effects) old(t *task) {
	if t.young {
		t.young = false
		e.young--
	}
}

func (e *effects) finish(t *task) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.old(t)
	if e.folders[t.folder]--; e.folders[t.folder] == 0 {
		delete(e.folders, t.folder)
	}
	if e.busy[t.key]--; e.busy[t.key] == 0 {
		delete(e.busy, t.key)
	}
	if e.all--; e.all == 0 {
		close(e.idle)
		e.idle = make(chan struct{})
	}
	e.begin()
}

// end waits until nothing is at work any more, and names the sessions for which something still is when the patience
// ends. settle takes in what came of it, which may begin more. Nothing begins after end.
func (e *effects) end(patience <-chan struct{}, settle func()) []string {
	for {
		e.mu.Lock()
		all, idle := e.all, e.idle
		e.mu.Unlock()
		if all == 0 {
			settle()
			if e.close(false) {
				return nil
			}
			continue
		}
		select {
		case <-idle:
		case <-patience:
			settle()
			e.close(true)
			e.mu.Lock()
			defer e.mu.Unlock()
			return slices.Sorted(maps.Keys(e.busy))
		}
	}
}

// close lets nothing begin any more, where nothing is at work, or in any case.
func (e *effects) close(anyway bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over = e.all == 0 || anyway; e.over {
		e.waiting = nil // their sessions stay among those that are busy
	}
	return e.over
}

// carry has the effects of a step done, but for what was stored already.
func (l *loop) carry(s *seat, all []machine.Effect) {
	d, at := l.d, s.session // as found now: the loop may move the seat while an effect is under way
	for _, e := range all {
		switch e := e.(type) {
		case machine.Ask:
			d.effects.do(at, func() {
				if a := at.answer(d.effects.ctx, e.Question); a != nil {
					l.post(mail{s: at, e: machine.Answered{Job: e.Job, Answer: a}})
				}
			})
		case machine.TurnMove:
			l.w.Turns.Move(e, l.w.Mono)
		case machine.ShortMove:
			l.short(e)
		case machine.LagMove:
			l.w.Lag.Move(e)
		case machine.Await:
			d.awaits(at, e.PID)
		case machine.Reply:
			d.orders.reply(e)
		case machine.Log:
			s.log(name{s.s.Rec}, e)
		default:
			d.runs.do(l, at, e)
		}
	}
}

func (l *loop) short(m machine.ShortMove) {
	why, tries := l.w.Short.Why, l.w.Short.Tries
	began, ended := l.w.Short.Move(m, l.w.Mono)
	if began {
		l.d.log.Warn().Str("event", "machine_short").Str("why", m.Why).
			Msg("nothing can be started now; clawd tries again by itself, less often the longer it lasts, and no attempt counts")
	}
	if ended {
		l.d.log.Info().Str("event", "machine_recovered").Str("why", why).Int("tries", tries).Msg("starts go through again")
	}
}

var levels = [...]zerolog.Level{machine.Debug: zerolog.DebugLevel, machine.Info: zerolog.InfoLevel, machine.Warn: zerolog.WarnLevel, machine.Error: zerolog.ErrorLevel}

// log writes a line about a session.
func (s *session) log(who name, l machine.Log) {
	e := s.d.log.WithLevel(levels[l.Level]).Str("event", l.Event).EmbedObject(who)
	for _, f := range l.Fields {
		switch v := f.Value.(type) {
		case string:
			said(e, f.Key, v)
		case detect.Evidence:
			e.Dict(f.Key, zerolog.Dict().Str("source", v.Source).Int64("offset", v.Offset).Str("field", v.Field))
		case machine.Total:
			if st, err := s.d.store.Stats(); err == nil {
				e.Int(f.Key, st.TotalResumes)
			}
		default:
			e.Fields([]any{f.Key, v})
		}
	}
	e.Msg(l.Text)
}
