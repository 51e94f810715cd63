package resume

import (
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
	Cap    time.Duration // 0: none
	Jitter float64       // 0.1: plus or minus ten per cent, on the capped delay
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
	limit := float64(math.MaxInt64 / 4)
	if b.Cap > 0 {
		limit = float64(b.Cap)
	}
	d = min(max(d, 0), limit)
	if b.JitterUp {
		d *= 1 + b.Jitter*u
	} else {
		d *= 1 + b.Jitter*(2*u-1)
	}
	return max(time.Duration(d), 0)
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
