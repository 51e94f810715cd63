package resume

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"testing"
	"time"
)

// What a policy leaves out of its backoff is filled in, each field by itself.
func TestRetryPolicyFillsFieldByField(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		b              Backoff
		n              int
		shortest, most time.Duration
	}{
		"nothing":                     {Backoff{}, 1, 200 * ms, 250 * ms},
		"nothing, later":              {Backoff{}, 50, 8 * time.Second, 10 * time.Second},
		"a cap":                       {Backoff{Cap: 300 * ms}, 50, 240 * ms, 300 * ms},
		"a kind":                      {Backoff{Kind: Linear}, 3, 600 * ms, 750 * ms},
		"a base":                      {Backoff{Base: ms}, 1, ms, 1250 * time.Microsecond},
		"a base, later":               {Backoff{Base: ms}, 50, 8 * time.Second, 10 * time.Second},
		"a base over the usual cap":   {Backoff{Base: time.Minute}, 9, 48 * time.Second, time.Minute},
		"a jitter":                    {Backoff{Jitter: 0.5}, 1, 100 * ms, 300 * ms},
		"no cap":                      {Backoff{Cap: -1, Jitter: -1}, 11, 204800 * ms, 204800 * ms},
		"a function":                  {Backoff{Func: func(int) time.Duration { return time.Hour }}, 1, time.Hour, time.Hour},
		"a function that has its cap": {Backoff{Func: func(int) time.Duration { return time.Hour }, Cap: ms}, 1, ms, ms},
	} {
		for range 100 {
			if d := (RetryPolicy{Backoff: c.b}).delay(c.n, io.ErrUnexpectedEOF); d < c.shortest || d > c.most {
				t.Errorf("%s: %s is not within %s to %s", name, d, c.shortest, c.most)
				break
			}
		}
	}
}

func TestRetryRefusesBadPolicies(t *testing.T) {
	for name, b := range map[string]Backoff{
		"an unknown kind": {Kind: "fast"}, "a jitter over 1": {Jitter: 1.5}, "no number": {Jitter: math.NaN()}, "a negative base": {Base: -1},
	} {
		p, calls := RetryPolicy{Backoff: b}, 0
		_, err := Retry(t.Context(), p, func(context.Context) (int, error) { calls++; return 0, nil })
		if !errors.Is(err, ErrPolicy) || calls != 0 {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
		for _, serr := range RetryStream(t.Context(), p, func(context.Context) iter.Seq2[int, error] { calls++; return func(func(int, error) bool) {} }) {
			err = errors.Join(err, serr)
		}
		if calls != 0 {
			t.Errorf("%s: the stream was begun", name)
		}
	}
}
