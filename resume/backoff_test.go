package resume

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func drawBackoff(t *rapid.T) Backoff {
	return Backoff{
		Kind: rapid.SampledFrom([]BackoffKind{Exponential, Linear, Constant}).Draw(t, "kind"),
		Base: time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "base")),
		Cap:  time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "cap")),
	}
}

func TestBackoffDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBackoff(t)
		n := rapid.IntRange(-3, 5000).Draw(t, "n")
		plain := b.Delay(n, 0.5)
		if next := b.Delay(n+1, 0.5); next < plain {
			t.Fatalf("%s after attempt %d, %s after the one before it", next, n+1, plain)
		}
		b.Jitter = rapid.Float64Range(0, 1).Draw(t, "jitter")
		u := rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(t, "u")
		d := b.Delay(n, u)
		limit := float64(plain)
		if b.Cap > 0 && limit > float64(b.Cap) {
			t.Fatalf("%s is over the cap %s", plain, b.Cap)
		}
		if b.Cap > 0 {
			limit = min(limit, float64(b.Cap)/(1+b.Jitter))
			if d > b.Cap {
				t.Fatalf("%s with its jitter is over the cap %s", d, b.Cap)
			}
		}
		if d < 0 || float64(d) > limit*(1+b.Jitter)+1 || float64(d) < limit*(1-b.Jitter)-1 {
			t.Fatalf("%s for %s with a jitter of %v", d, plain, b.Jitter)
		}
	})
}

func TestBackoffKinds(t *testing.T) {
	s := time.Second
	for _, c := range []struct {
		name string
		b    Backoff
		want []time.Duration // from attempt 1 on
	}{
		{"exponential", Backoff{Kind: Exponential, Base: 30 * s, Cap: 5 * time.Minute}, []time.Duration{30 * s, 60 * s, 120 * s, 240 * s, 300 * s, 300 * s}},
		{"linear", Backoff{Kind: Linear, Base: 30 * s, Cap: 80 * s}, []time.Duration{30 * s, 60 * s, 80 * s}},
		{"constant", Backoff{Kind: Constant, Base: 30 * s}, []time.Duration{30 * s, 30 * s}},
		{"func", Backoff{Func: func(n int) time.Duration { return time.Duration(n*n) * s }, Cap: 5 * s}, []time.Duration{s, 4 * s, 5 * s}},
		{"func below zero", Backoff{Func: func(int) time.Duration { return -s }}, []time.Duration{0, 0}},
		{"zero", Backoff{}, []time.Duration{0, 0}},
	} {
		for i, want := range c.want {
			if got := c.b.Delay(i+1, 0.5); got != want {
				t.Errorf("%s, attempt %d: %s, want %s", c.name, i+1, got, want)
			}
		}
	}
	if got := (Backoff{Base: s}).Delay(1<<40, 0.5); got <= 0 {
		t.Errorf("overflow: %s", got)
	}
}

func TestNames(t *testing.T) {
	var b BackoffKind
	var k Kind
	for _, name := range []string{"exponential", "linear", "constant"} {
		if err := b.UnmarshalText([]byte(name)); err != nil || string(b) != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"same_session", "fresh_session", "leave"} {
		if err := k.UnmarshalText([]byte(name)); err != nil || string(k) != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b.UnmarshalText([]byte("fast")) == nil || k.UnmarshalText([]byte("")) == nil {
		t.Error("a name that is none was taken")
	}
}

func TestSpread(t *testing.T) {
	seen := map[float64]bool{}
	for n := range 1000 {
		u := spread("key", n)
		if u < 0 || u >= 1 || u != spread("key", n) {
			t.Fatalf("spread is %v", u)
		}
		seen[u] = true
	}
	if len(seen) < 990 {
		t.Errorf("%d different places of 1000", len(seen))
	}
}

func TestHuman(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1500 * time.Millisecond: "2s", time.Minute: "1m", 90 * time.Second: "1m30s", 24 * time.Hour: "24h",
		time.Hour + time.Second: "1h0m1s", 20 * time.Millisecond: "20ms",
	} {
		if got := human(d); got != want {
			t.Errorf("human(%v) = %q, want %q", int64(d), got, want)
		}
	}
}
