package resume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// RetryPolicy says how often and when something is tried again. The zero value is sound: four
// tries, 200 ms, 400 ms and 800 ms apart, a quarter more at most, and only after errors that may pass.
type RetryPolicy struct {
	// Attempts is the number of tries, the first one among them. 0: 4. Below 0: without end.
	Attempts int
	// Backoff gives the delay after try n. Every field that is zero has its usual value: a Base of 200 ms, a
	// Cap of 10 s (or Base, when that is longer), and a Jitter that adds up to 25 %. A Cap or Jitter below 0
	// is none. With a Func nothing is filled in.
	Backoff Backoff
	// RetryIf tells whether another try may help. nil: Transient. Errors of Permanent never are tried again.
	RetryIf func(error) bool
	// OnRetry is called before each wait: attempt is the number of the try that failed.
	OnRetry func(attempt int, err error, delay time.Duration)
	// Repeat lets RetryStream begin again after items were delivered; they come once more then.
	Repeat bool
}

const defaultAttempts = 4

// Check tells what is wrong with the policy: an ErrPolicy. Retry and RetryStream return it before the first try.
func (p RetryPolicy) Check() error { return p.Backoff.check() }

// Retry calls fn until it succeeds, its error is final, or the tries are spent, and gives its last
// result. When ctx ends, so does Retry, at once: the error then holds context.Cause(ctx) and that of
// the last try.
func Retry[T any](ctx context.Context, p RetryPolicy, fn func(context.Context) (T, error)) (T, error) {
	var none T
	if err := p.Check(); err != nil {
		return none, err
	}
	for n := 1; ; n++ {
		if ctx.Err() != nil {
			return none, context.Cause(ctx)
		}
		v, err := fn(ctx)
		if err == nil {
			return v, nil
		}
		if err = p.pause(ctx, n, err); err != nil {
			return v, err
		}
	}
}

// RetryStream is Retry for a sequence: fn begins one, and an error in it ends it. A stream that
// breaks after items were delivered is not begun again unless p.Repeat says so: its receiver would
// get them twice. Then, and when the tries are spent, the error is the last element.
func RetryStream[T any](ctx context.Context, p RetryPolicy, fn func(context.Context) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		if err := p.Check(); err != nil {
			yield(none, err)
			return
		}
		for n := 1; ; n++ {
			if ctx.Err() != nil {
				yield(none, context.Cause(ctx))
				return
			}
			var broken error
			delivered := false
			for v, err := range fn(ctx) {
				if err != nil {
					broken = err
					break
				}
				delivered = true
				if !yield(v, nil) {
					return
				}
			}
			if broken == nil {
				return
			}
			if delivered && !p.Repeat {
				broken = Permanent(broken)
			}
			if err := p.pause(ctx, n, broken); err != nil {
				yield(none, err)
				return
			}
		}
	}
}

// pause waits after try n failed. An error says that there is no further one.
func (p RetryPolicy) pause(ctx context.Context, n int, err error) error {
	most := cmp.Or(p.Attempts, defaultAttempts)
	mayPass := p.RetryIf
	if mayPass == nil {
		mayPass = Transient
	}
	if final := (*permanent)(nil); errors.As(err, &final) || !mayPass(err) || most > 0 && n >= most {
		return unmark(err)
	}
	d := p.delay(n, err)
	if ctx.Err() == nil && p.OnRetry != nil {
		p.OnRetry(n, unmark(err), d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w; the last try: %w", context.Cause(ctx), unmark(err))
	case <-timer.C:
		return nil
	}
}

func (p RetryPolicy) delay(n int, err error) time.Duration {
	if told := (*toldAfter)(nil); errors.As(err, &told) {
		return max(told.after, 0)
	}
	return p.Backoff.filled().Delay(n, rand.Float64())
}

// Permanent marks an error after which nothing is tried again, whatever the policy says. What Retry
// returns is err itself.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

type permanent struct{ error }

func (e *permanent) Unwrap() error { return e.error }

// RetryAfter marks an error whose sender said how long to wait: that counts more than the backoff and
// its cap. Whether it is tried again at all is for the policy to say. What Retry returns is err itself.
func RetryAfter(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &toldAfter{err, d}
}

type toldAfter struct {
	error
	after time.Duration
}

func (e *toldAfter) Unwrap() error { return e.error }

// unmark takes off what Permanent and RetryAfter put around an error.
func unmark(err error) error {
	for {
		switch e := err.(type) { //nolint:errorlint // only the outermost layers are taken off
		case *permanent:
			err = e.error
		case *toldAfter:
			err = e.error
		default:
			return err
		}
	}
}

// lost are the errors of a broken line.
var lost = []error{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.ETIMEDOUT,
	syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH, syscall.EHOSTDOWN, io.ErrUnexpectedEOF,
}

// Transient tells whether an error may pass by itself: a network that is broken or silent, a stream
// that broke off, a provider that is overloaded or asks to wait. Errors may answer for themselves with a
// method Retryable() bool, or tell their HTTP status with StatusCode() int: 408, 425, 429 and 5xx pass, all
// others (a refused key, an invalid request, a prompt that is too long) do not. What is not known does not.
func Transient(err error) bool {
	var self interface{ Retryable() bool }
	var status interface{ StatusCode() int }
	var timeout interface{ Timeout() bool }
	var dns *net.DNSError
	var request *url.Error
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &self):
		return self.Retryable()
	case errors.As(err, &status):
		switch c := status.StatusCode(); c {
		case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
			return true
		case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
			return false
		default:
			return c >= http.StatusInternalServerError
		}
	case errors.As(err, &timeout) && timeout.Timeout(), errors.As(err, &dns):
		return true
	case errors.As(err, &request) && errors.Is(err, io.EOF): // the server hung up instead of an answer
		return true
	}
	for _, e := range lost {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
