package daemon

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// wallStep bounds how late a wait can end after the machine slept: Go's timers stand still in a
// suspend, so the wall clock is looked at anew this often while anything waits.
const wallStep = 10 * time.Second

// jump is how far wall clock and monotonic clock must part to count as a sleep or a step of the
// clock.
const jump = 2 * time.Second

// headStart is how long before the end of a wait what it will need is read ahead.
const headStart = 20 * time.Millisecond

// sleeper holds all waits in one heap and spends one timer on them. It implements resume.Sleeper.
type sleeper struct {
	now    func() time.Time // wall clock; tests put it forward
	onJump func(time.Duration)
	onSoon func() // headStart before a wait ends
	kick   chan struct{}

	mu    sync.Mutex // guards what follows
	waits waits
}

func newSleeper(onJump func(time.Duration), onSoon func()) *sleeper {
	return &sleeper{now: time.Now, onJump: onJump, onSoon: onSoon, kick: make(chan struct{}, 1)}
}

type wait struct {
	at    time.Time // by the wall clock as it goes now
	due   chan struct{}
	index int

	until  time.Time // what was asked for
	latest time.Time // it is over then, too, by the monotonic clock; zero: the wall clock alone counts
}

// reckon says when the wait is over by the wall clock, which may have been set.
func (w *wait) reckon(wall, mono time.Time) {
	w.at = w.until
	if over := wall.Add(w.latest.Sub(mono)); !w.latest.IsZero() && over.Before(w.at) {
		w.at = over
	}
}

// span is the sleeper of a wait that lasts for a time: a clock that is set back does not lengthen it. One
// for a time of day waits for that.
type span struct {
	*sleeper
	latest time.Time // by the monotonic clock
}

// deadline is a time of the wall clock, and when it is over by the monotonic clock if nobody sets the
// other one.
type deadline struct{ wall, mono time.Time }

// over gives the end by the monotonic clock. One that was asked for before stands.
func (d *deadline) over(s *sleeper, end time.Time) time.Time {
	if !d.wall.Equal(end) {
		wall := s.Now() // before the monotonic clock, so that no span ends early
		*d = deadline{end, time.Now().Add(end.Sub(wall))}
	}
	return d.mono
}

// Until waits until the wall clock has passed t, or the span is over.
func (s span) Until(ctx context.Context, t time.Time) error {
	return s.wait(ctx, &wait{until: t.Round(0), latest: s.latest})
}

type waits []*wait

func (w waits) Len() int           { return len(w) }
func (w waits) Less(i, j int) bool { return w[i].at.Before(w[j].at) }
func (w waits) Swap(i, j int)      { w[i], w[j] = w[j], w[i]; w[i].index, w[j].index = i, j }
func (w *waits) Push(x any)        { v := x.(*wait); v.index = len(*w); *w = append(*w, v) }
func (w *waits) Pop() any {
	old := *w
	v := old[len(old)-1]
	old[len(old)-1] = nil
	*w = old[:len(old)-1]
	v.index = -1
	return v
}

// Now is the wall clock.
func (s *sleeper) Now() time.Time { return s.now().Round(0) }

// Until waits until the wall clock has passed t.
func (s *sleeper) Until(ctx context.Context, t time.Time) error {
	return s.wait(ctx, &wait{until: t.Round(0)})
}

func (s *sleeper) wait(ctx context.Context, w *wait) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.due = make(chan struct{})
	mono := time.Now() // before the wall clock, so that no span ends early
	w.reckon(s.Now(), mono)
	s.mu.Lock()
	heap.Push(&s.waits, w)
	s.mu.Unlock()
	s.stir()
	select {
	case <-w.due:
		return nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		if w.index >= 0 {
			heap.Remove(&s.waits, w.index)
		}
		return context.Cause(ctx)
	}
}

// Awake waits d in which the machine neither slept nor had its clock stepped.
func (s *sleeper) Awake(ctx context.Context, d time.Duration) error {
	for left := d; left > 0; {
		wall, mono := s.Now(), time.Now()
		step := min(left, wallStep)
		timer := time.NewTimer(step)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
		left -= step
		if apart := s.Now().Sub(wall) - time.Since(mono); apart.Abs() > jump {
			left = d
		}
	}
	return nil
}

func (s *sleeper) stir() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// run serves the waits until ctx ends. It has no timer while nothing waits.
func (s *sleeper) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	mono, wall := time.Now(), s.Now()
	for soon := false; ; {
		// One look at the clocks for all that follows: a step between two would go unseen, or end a span
		// before it is reckoned anew.
		m, now := time.Now(), s.Now()
		if apart := now.Sub(wall) - m.Sub(mono); apart.Abs() > jump {
			s.reckon(now, m)
			s.onJump(apart)
		}
		wall, mono = now, m
		var tick <-chan time.Time
		left, any := s.wakeDue(now)
		switch {
		case left > headStart:
			left, soon = left-headStart, false
		case any && !soon:
			s.onSoon()
			soon = true
			left, any = s.wakeDue(now.Add(time.Since(m)))
		}
		if any {
			timer.Reset(min(left, wallStep))
			tick = timer.C
		}
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
		case <-tick:
		}
	}
}

// reckon is for a clock that has jumped.
func (s *sleeper) reckon(wall, mono time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.waits {
		w.reckon(wall, mono)
	}
	heap.Init(&s.waits)
}

// wakeDue ends the waits that are over and says how long the next one lasts.
func (s *sleeper) wakeDue(now time.Time) (left time.Duration, any bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waits) > 0 {
		if left = s.waits[0].at.Sub(now); left > 0 {
			return left, true
		}
		close(heap.Pop(&s.waits).(*wait).due)
	}
	return 0, false
}
