package daemon

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/state"
)

// Thousands of sessions wait by one timer, also when they come, change and go all the time.
func TestTimersMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	at := func() time.Time { return time.Unix(rng.Int64N(3600), rng.Int64N(1e9)) }
	var all timers
	var seats []*seat
	for range 5000 {
		s := &seat{at: at(), index: -1}
		heap.Push(&all, s)
		seats = append(seats, s)
	}
	gone := 0
	for n, s := range seats {
		switch n % 3 {
		case 0:
			s.at = at()
			heap.Fix(&all, s.index)
		case 1:
			heap.Remove(&all, s.index)
			gone++
		}
	}
	var last time.Time
	for n := len(seats) - gone; n > 0; n-- {
		s := heap.Pop(&all).(*seat)
		if s.at.Before(last) || s.index != -1 {
			t.Fatalf("%s comes after %s, at place %d", s.at, last, s.index)
		}
		last = s.at
	}
	if len(all) != 0 {
		t.Errorf("%d are left", len(all))
	}
}

// listed notes when the process table is read.
type listed struct {
	*table
	mu sync.Mutex // guards at
	at []time.Time
}

func (l *listed) List() ([]agent.Proc, error) {
	l.mu.Lock()
	l.at = append(l.at, time.Now())
	l.mu.Unlock()
	return l.table.List()
}

func (l *listed) times() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.at)
}

// What a wait's end will need is read ahead, and not for one that is far off.
func TestLoopReadsAhead(t *testing.T) {
	in(t, func(r *rig) {
		table := &listed{table: r.procs}
		r.o.Env.Procs = table
		r.start()
		r.stopped("plan")
		id, _ := r.stopped("limit")
		end := r.rec(id).Decision.WakeAt
		r.pass(time.Until(end) - time.Second)
		read := len(table.times())
		r.pass(time.Second)
		r.wantStarts(1)
		if at := table.times()[read:]; !slices.ContainsFunc(at, func(at time.Time) bool { return end.Sub(at) > 0 && end.Sub(at) <= headStart }) {
			t.Errorf("read at %v, want it right before %s", at, end)
		}
	})
}

// hangs is an agent that does not answer for one session.
type hangs struct {
	whole
	id *atomic.Pointer[string]
}

func (h hangs) hang(ctx context.Context, s detect.Session) error {
	if id := h.id.Load(); id == nil || *id != s.ID {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (h hangs) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if err := h.hang(ctx, s); err != nil {
		return nil, err
	}
	return h.whole.Live(ctx, s, i)
}

func (h hangs) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	if err := h.hang(ctx, s); err != nil {
		return agent.Batch{}, err
	}
	return h.whole.Read(ctx, s, from, each)
}

// While a look at one session takes for ever the others claim, start and write as ever, and its user's word about
// it is obeyed at once.
func TestSlowLookBlocksNobody(t *testing.T) {
	in(t, func(r *rig) {
		slow := &atomic.Pointer[string]{}
		r.wrapAgent(func(a whole) agent.Agent { return hangs{a, slow} })
		r.start()
		id, _ := r.stopped("limit")
		slow.Store(&id)
		r.pass(time.Minute)
		other, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.wantStarts(1)
		r.wantPhase(other, state.Following)
		r.wantPhase(id, state.Waiting)
		if d, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id}); err != nil || d.Phase != state.Held {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// A wait costs no goroutine.
func TestWaitsRest(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		r.stopped("plan")
		r.pass(time.Minute)
		before := runtime.NumGoroutine()
		for range 50 {
			r.stopped("plan")
		}
		r.pass(time.Minute)
		if n := runtime.NumGoroutine() - before; n > 5 {
			t.Errorf("%d goroutines more for 50 sessions that wait", n)
		}
	})
}

// A holder that has just ended is no window that cannot be reached.
func TestJustEndedIsGone(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("plan")
		rec := r.rec(id)
		s := r.d.session(r.d.agents[0], r.session(id))
		out := s.seeFit(t.Context(), machine.AskFit{Rec: &rec, Live: true})
		if out.Way != nil || out.Err != nil {
			t.Errorf("%+v", out)
		}
		out = s.seeFit(t.Context(), machine.AskFit{Rec: &rec, Live: true, Facts: rules.Facts{Who: rules.Who{Holder: detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, PID: 906}}}})
		if !out.Gone || out.Way != nil || out.Err != nil {
			t.Errorf("%+v", out)
		}
	})
}
