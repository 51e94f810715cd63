package resume

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"time"
)

// BackoffKind names how delays grow.
type BackoffKind string

const (
	Exponential BackoffKind = "exponential" // base * 2^(n-1)
	Linear      BackoffKind = "linear"      // base * n
	Constant    BackoffKind = "constant"    // base
)

// UnmarshalText takes one of the three names.
func (k *BackoffKind) UnmarshalText(b []byte) error {
	switch v := BackoffKind(b); v {
	case Exponential, Linear, Constant:
		*k = v
		return nil
	}
	return fmt.Errorf("%q is not one of exponential, linear, constant", b)
}

// Backoff gives the delay before attempt n.
type Backoff struct {
	Kind   BackoffKind
	Base   time.Duration
	Cap    time.Duration // the longest delay, jitter included; 0 or below: none
	Jitter float64       // 0.1: plus or minus ten per cent; 0 or below: none
	// JitterUp lets the jitter only add.
	JitterUp bool
	// Func, when set, replaces Kind and Base. It gets n from 1 on; negative results count as 0.
	Func func(n int) time.Duration
}

// Delay is the time to wait before attempt n (from 1). u in [0, 1) picks the place within the
// jitter. It is never negative.
func (b Backoff) Delay(n int, u float64) time.Duration {
	n = max(n, 1)
	var d float64
	switch {
	case b.Func != nil:
		d = float64(b.Func(n))
	case b.Kind == Linear:
		d = float64(b.Base) * float64(n)
	case b.Kind == Constant:
		d = float64(b.Base)
	default:
		d = float64(b.Base) * math.Pow(2, float64(n-1))
	}
	limit, jitter := float64(math.MaxInt64/4), max(b.Jitter, 0)
	if b.Cap > 0 { // the delays at the cap are spread, too
		limit = min(limit, float64(b.Cap)/(1+jitter))
	}
	d = min(max(d, 0), limit)
	if b.JitterUp {
		d *= 1 + jitter*u
	} else {
		d *= 1 + jitter*(2*u-1)
	}
	return max(time.Duration(d), 0)
}

// ErrPolicy says that a RetryPolicy cannot be carried out as it is.
var ErrPolicy = errors.New("the retry policy is wrong")

// check tells what is wrong with b.
func (b Backoff) check() error {
	switch b.Kind {
	case Exponential, Linear, Constant, "":
	default:
		return fmt.Errorf("%w: the backoff %q is not one of exponential, linear, constant", ErrPolicy, b.Kind)
	}
	switch {
	case b.Base < 0:
		return fmt.Errorf("%w: the backoff's base %s is negative", ErrPolicy, b.Base)
	case math.IsNaN(b.Jitter), b.Jitter > 1:
		return fmt.Errorf("%w: the backoff's jitter %v is over 1", ErrPolicy, b.Jitter)
	}
	return nil
}

// filled is b with the usual value in every field that is zero. A Func is the whole delay: only its own
// Cap and Jitter count.
func (b Backoff) filled() Backoff {
	if b.Func != nil {
		return b
	}
	if b.Base == 0 {
		b.Base = 200 * time.Millisecond
	}
	if b.Cap == 0 {
		b.Cap = max(10*time.Second, b.Base)
	}
	if b.Jitter == 0 {
		b.Jitter, b.JitterUp = 0.25, true
	}
	return b
}

// spread is a number in [0, 1) that depends on the words only, so that a decision taken again
// after a restart comes out the same.
func spread(words ...any) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, words...)
	return float64(h.Sum64()>>11) / (1 << 53)
}

// human prints a duration without the zeros of time.Duration's own form.
func human(d time.Duration) string {
	if d >= time.Second {
		d = d.Round(time.Second)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}
