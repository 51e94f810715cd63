package daemon

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// clock is a wall clock that can be set.
type clock struct {
	ahead atomic.Int64
	// commits is how long it takes to get into the store.
	commits atomic.Int64
}

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) since(t time.Time) time.Duration {
	return time.Since(t) + time.Duration(c.commits.Load())
}

func (c *clock) jump(d time.Duration) { c.ahead.Add(int64(d)) }

func startSleeper(t *testing.T) (*sleeper, *clock, *atomic.Int64) {
	c, jumps := &clock{}, &atomic.Int64{}
	s := newSleeper(func(time.Duration) { jumps.Add(1) }, func() {})
	s.now = c.now
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.run(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })
	return s, c, jumps
}

// What a wait's end will need is read ahead, once for waits that end together, and not for one that is
// far off.
func TestSleeperReadsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSleeper(func(time.Duration) {}, nil)
		var soon []time.Duration
		begin := s.Now()
		s.onSoon = func() { soon = append(soon, s.Now().Sub(begin)) }
		go s.run(t.Context())
		var wg sync.WaitGroup
		for _, at := range []time.Duration{0, time.Minute, time.Minute + headStart/2, time.Hour} {
			wg.Go(func() {
				if err := s.Until(t.Context(), begin.Add(at)); err != nil || s.Now().Sub(begin) != at {
					t.Errorf("the wait for %v ended at %v: %v", at, s.Now().Sub(begin), err)
				}
			})
		}
		wg.Wait()
		if want := []time.Duration{time.Minute - headStart, time.Hour - headStart}; !slices.Equal(soon, want) {
			t.Errorf("read ahead at %v, want %v", soon, want)
		}
	})
}

func TestSleeperMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := startSleeper(t)
		rng := rand.New(rand.NewPCG(1, 2))
		const n = 5000
		var wg sync.WaitGroup
		var wrong atomic.Int64
		for range n {
			at := s.Now().Add(time.Duration(rng.Int64N(int64(time.Hour))))
			wg.Go(func() {
				if err := s.Until(t.Context(), at); err != nil || s.Now().Before(at) || s.Now().Sub(at) > 0 {
					wrong.Add(1)
				}
			})
		}
		synctest.Wait()
		s.mu.Lock()
		waiting := len(s.waits)
		s.mu.Unlock()
		if waiting != n {
			t.Errorf("%d waits in the heap, want %d", waiting, n)
		}
		wg.Wait()
		if wrong.Load() != 0 {
			t.Errorf("%d of %d waits ended at another time", wrong.Load(), n)
		}
		if len(s.waits) != 0 {
			t.Errorf("%d waits are left", len(s.waits))
		}
	})
}

func TestSleeperWakesAfterSuspend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c, jumps := startSleeper(t)
		done := make(chan time.Time, 1)
		go func() {
			_ = s.Until(t.Context(), s.Now().Add(3*time.Hour))
			done <- time.Now()
		}()
		<-time.After(time.Minute)
		synctest.Wait()
		at := time.Now()
		c.jump(4 * time.Hour) // the machine slept: only the wall clock went on
		if late := (<-done).Sub(at); late > 15*time.Second {
			t.Errorf("the wait ended %v after the jump", late)
		}
		if jumps.Load() != 1 {
			t.Errorf("%d jumps told, want 1", jumps.Load())
		}
	})
}

func TestSleeperCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := startSleeper(t)
		cause := errors.New("because")
		ctx, cancel := context.WithCancelCause(t.Context())
		got := make(chan error, 2)
		go func() { got <- s.Until(ctx, s.Now().Add(time.Hour)) }()
		go func() { got <- s.Awake(ctx, time.Hour) }()
		synctest.Wait()
		cancel(cause)
		for range 2 {
			if err := <-got; !errors.Is(err, cause) {
				t.Errorf("got %v", err)
			}
		}
		synctest.Wait()
		if len(s.waits) != 0 {
			t.Error("a cancelled wait is left in the heap")
		}
		if err := s.Until(ctx, s.Now().Add(-time.Hour)); !errors.Is(err, cause) {
			t.Errorf("a cancelled context fires a wait that is over: %v", err)
		}
	})
}

func TestAwakeStartsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c, _ := startSleeper(t)
		for _, by := range []time.Duration{2 * time.Hour, -time.Hour, 0} {
			from := time.Now()
			done := make(chan time.Duration, 1)
			go func() {
				_ = s.Awake(t.Context(), 2*time.Minute)
				done <- time.Since(from)
			}()
			<-time.After(100 * time.Second)
			c.jump(by)
			want := 2 * time.Minute
			if by != 0 {
				want += 100 * time.Second
			}
			if got := <-done; got < want || got > want+wallStep {
				t.Errorf("jump of %v: awake for %v, want %v", by, got, want)
			}
		}
	})
}
