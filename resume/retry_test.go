package resume

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

type status int

func (s status) Error() string   { return fmt.Sprintf("status %d", int(s)) }
func (s status) StatusCode() int { return int(s) }

// plain is the default without its jitter.
func plain(p RetryPolicy) RetryPolicy {
	p.Backoff.Jitter = -1
	if p.Backoff.Base == 0 {
		p.Backoff.Base, p.Backoff.Cap = 200*time.Millisecond, 10*time.Second
	}
	return p
}

func TestRetry(t *testing.T) {
	refused := fmt.Errorf("call: %w", syscall.ECONNREFUSED)
	s := time.Second
	for _, c := range []struct {
		name  string
		p     RetryPolicy
		errs  []error // of the tries, in order; then success
		want  error
		waits []time.Duration
	}{
		{name: "at once"},
		{name: "three failures", errs: []error{refused, status(503), status(429)}, waits: []time.Duration{s / 5, 2 * s / 5, 4 * s / 5}},
		{name: "four failures", errs: []error{refused, refused, refused, status(500)}, want: status(500), waits: []time.Duration{s / 5, 2 * s / 5, 4 * s / 5}},
		{name: "one try", p: RetryPolicy{Attempts: 1}, errs: []error{refused}, want: refused},
		{name: "linear", p: RetryPolicy{Backoff: Backoff{Kind: Linear, Base: s, Jitter: -1}}, errs: []error{refused, refused}, waits: []time.Duration{s, 2 * s}},
		{name: "constant", p: RetryPolicy{Backoff: Backoff{Kind: Constant, Base: s, Jitter: -1}}, errs: []error{refused, refused}, waits: []time.Duration{s, s}},
		{name: "custom", p: RetryPolicy{Backoff: Backoff{Base: 1, Func: func(n int) time.Duration { return time.Duration(n*n) * s }}},
			errs: []error{refused, refused}, waits: []time.Duration{s, 4 * s}},
		{name: "capped", p: RetryPolicy{Attempts: -1}, errs: slices.Repeat([]error{refused}, 8), waits: []time.Duration{s / 5, 2 * s / 5, 4 * s / 5, 8 * s / 5, 16 * s / 5, 32 * s / 5, 10 * s, 10 * s}},
		{name: "auth", errs: []error{status(401)}, want: status(401)},
		{name: "permanent", errs: []error{Permanent(refused)}, want: refused},
		{name: "a wait that was told", errs: []error{RetryAfter(status(429), time.Hour)}, waits: []time.Duration{time.Hour}},
		{name: "a wait that was told is no promise", errs: []error{RetryAfter(status(400), time.Hour)}, want: status(400)},
		{name: "a wait within an error", errs: []error{fmt.Errorf("x: %w", RetryAfter(status(429), s))}, waits: []time.Duration{s}},
		{name: "predicate", p: RetryPolicy{RetryIf: func(err error) bool { return errors.Is(err, io.EOF) }}, errs: []error{io.EOF, refused}, want: refused, waits: []time.Duration{s / 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plain(c.p)
				var waits []time.Duration
				p.OnRetry = func(n int, err error, d time.Duration) {
					if waits = append(waits, d); n != len(waits) || err == nil {
						t.Errorf("OnRetry(%d, %v, %s) as call %d", n, err, d, len(waits))
					}
				}
				tries, began := 0, time.Now()
				got, err := Retry(t.Context(), p, func(context.Context) (int, error) {
					if tries++; tries <= len(c.errs) {
						return 0, c.errs[tries-1]
					}
					return tries, nil
				})
				if err != c.want { //nolint:errorlint // it is to be the very error
					t.Errorf("error %v, want %v", err, c.want)
				}
				if c.want == nil && got != len(c.errs)+1 {
					t.Errorf("result %d, want that of try %d", got, len(c.errs)+1)
				}
				if !slices.Equal(waits, c.waits) {
					t.Errorf("waits %v, want %v", waits, c.waits)
				}
				var all time.Duration
				for _, d := range c.waits {
					all += d
				}
				if took := time.Since(began); took != all {
					t.Errorf("took %s, want %s", took, all)
				}
			})
		})
	}
}

func TestRetryDefaultJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[time.Duration]bool{}
		for range 50 {
			_, _ = Retry(t.Context(), RetryPolicy{Attempts: 2, OnRetry: func(_ int, _ error, d time.Duration) {
				if seen[d] = true; d < 200*time.Millisecond || d > 250*time.Millisecond {
					t.Errorf("a first wait of %s, want 200 to 250 ms", d)
				}
			}}, func(context.Context) (int, error) { return 0, syscall.ECONNRESET })
		}
		if len(seen) < 10 {
			t.Errorf("%d different waits in 50", len(seen))
		}
	})
}

func TestRaceRetryIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(100*time.Millisecond, func() { cancel(stop) })
		tries, began := 0, time.Now()
		call := func(context.Context) (int, error) { tries++; return 0, syscall.ECONNRESET }
		_, err := Retry(ctx, RetryPolicy{}, call)
		if !errors.Is(err, stop) || !errors.Is(err, syscall.ECONNRESET) || tries != 1 || time.Since(began) != 100*time.Millisecond {
			t.Errorf("%v after %d tries and %s", err, tries, time.Since(began))
		}
		if _, err := Retry(ctx, RetryPolicy{}, call); !errors.Is(err, stop) || tries != 1 {
			t.Errorf("%v; it was tried with a context that had ended", err)
		}
		for _, err := range RetryStream(ctx, RetryPolicy{}, func(context.Context) iter.Seq2[int, error] { tries++; return nil }) {
			if !errors.Is(err, stop) || tries != 1 {
				t.Errorf("%v; a stream was begun with a context that had ended", err)
			}
		}
	})
}

func TestRetryStream(t *testing.T) {
	// Each try is what it delivers before it breaks; the last one ends well.
	for _, c := range []struct {
		name   string
		repeat bool
		tries  [][]int
		want   []int
		broken bool
		began  int
	}{
		{"whole", false, [][]int{{1, 2}}, []int{1, 2}, false, 1},
		{"breaks before the first item", false, [][]int{{}, {}, {1, 2}}, []int{1, 2}, false, 3},
		{"breaks in the middle", false, [][]int{{1}, {1, 2}}, []int{1}, true, 1},
		{"may repeat", true, [][]int{{1}, {}, {1, 2}}, []int{1, 1, 2}, false, 3},
		{"breaks for good", true, [][]int{{1}, {}, {}, {}, {1}}, []int{1}, true, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := 0
				var got []int
				var failed error
				for v, err := range RetryStream(t.Context(), RetryPolicy{Repeat: c.repeat}, func(context.Context) iter.Seq2[int, error] {
					began++
					n := began
					return func(yield func(int, error) bool) {
						for _, v := range c.tries[n-1] {
							if !yield(v, nil) {
								return
							}
						}
						if n < len(c.tries) {
							yield(0, io.ErrUnexpectedEOF)
						}
					}
				}) {
					if failed = err; err == nil {
						got = append(got, v)
					}
				}
				if !slices.Equal(got, c.want) || (failed == io.ErrUnexpectedEOF) != c.broken || began != c.began { //nolint:errorlint // the very error
					t.Errorf("got %v, error %v, %d streams; want %v, broken %v, %d streams", got, failed, began, c.want, c.broken, c.began)
				}
			})
		})
	}
}

func TestRetryStreamIsLeft(t *testing.T) {
	ended := false
	for _, err := range RetryStream(t.Context(), RetryPolicy{}, func(context.Context) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			defer func() { ended = true }()
			for yield(1, nil) {
				if ended {
					t.Fatal("it goes on")
				}
			}
		}
	}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if !ended {
		t.Error("the stream was not ended with its loop")
	}
}

func TestTransient(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("something else"), false},
		{context.Canceled, false},
		{context.DeadlineExceeded, true}, // of the call: the end of Retry's own context is looked at first
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		{&net.DNSError{Err: "no such host", Name: "x"}, true},
		{&url.Error{Op: "Get", Err: io.EOF}, true},
		{io.EOF, false},
		{io.ErrUnexpectedEOF, true},
		{syscall.ENOENT, false},
		{status(http.StatusOK), false}, {status(400), false}, {status(401), false}, {status(402), false}, {status(403), false}, {status(404), false},
		{status(408), true}, {status(413), false}, {status(429), true}, {status(500), true}, {status(501), false}, {status(502), true}, {status(503), true}, {status(529), true},
		{fmt.Errorf("a: %w", &net.OpError{Op: "read", Err: fmt.Errorf("b: %w", syscall.ECONNRESET)}), true},
	} {
		if got := Transient(c.err); got != c.want {
			t.Errorf("Transient(%v) = %v", c.err, got)
		}
	}
}
