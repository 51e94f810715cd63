package turn

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/opencode"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// clawd exec waits for what the daemon would wait for, to the same moment.
func TestWaitsAsTheDaemon(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	ten, none := 10*time.Second, time.Duration(0)
	stops := map[string]detect.Stop{
		"resets":             {Reason: detect.UsageLimit, ResetAt: at.Add(time.Hour)},
		"resets at a time":   {Reason: detect.UsageLimit, ResetAt: at.Add(time.Hour), ResetMinute: true},
		"has reset":          {Reason: detect.UsageLimit, ResetAt: at.Add(-time.Hour)},
		"no time":            {Reason: detect.UsageLimit},
		"limit, told":        {Reason: detect.UsageLimit, RetryAfter: &ten},
		"told":               {Reason: detect.RateLimit, RetryAfter: &ten},
		"told nothing":       {Reason: detect.Overloaded, RetryAfter: &none},
		"overloaded, resets": {Reason: detect.Overloaded, ResetAt: at.Add(time.Minute)},
	}
	own := resume.Policy{Margin: 7 * time.Second, Backoff: resume.Backoff{Kind: resume.Linear, Base: time.Hour}, Probe: []time.Duration{time.Second}}
	for name, s := range stops {
		s.State, s.At, s.Key = detect.Stopped, at, "k"
		for n := range 6 {
			for _, p := range []*resume.Policy{nil, &own} {
				daemon := resume.DefaultPolicy()
				if p != nil {
					daemon = *p
					daemon.GiveUpAfter = 24 * time.Hour
				}
				want := resume.Same{Policy: daemon}.Decide(s, resume.Tried{Attempts: n, Since: at}, at).WakeAt
				w := newWaits(p)
				if got := w.until(s, n); !got.Equal(want) {
					t.Errorf("%s, %d before: until %s, the daemon %s", name, n, got, want)
				}
				if end := w.end(s, n); end.After(want) || n == 0 && !s.ResetAt.IsZero() && !end.Equal(latest(at, s.ResetAt)) {
					t.Errorf("%s, %d before: it counts until %s", name, n, end)
				}
			}
		}
	}
}

// waited runs r until it waits for longer than a few seconds, and gives the end of that wait; zero: it did not wait.
func waited(t *testing.T, r Request) (time.Time, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var until time.Time
	r.OnWait = func(w Wait) {
		if time.Until(w.Until) > 5*time.Second {
			until = w.Until
			cancel()
		}
	}
	_, err := Run(ctx, r)
	return until, err
}

// The margin after a reset is the daemon's, and is not held against what the caller allows.
func TestRunWaitsWithMargin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		waits  *resume.Policy
		margin time.Duration
	}{{nil, time.Minute}, {&resume.Policy{Margin: 10 * time.Minute}, 10 * time.Minute}} {
		r := fake(t, "limited:3600")
		r.WaitLimit, r.Waits = time.Hour, c.waits
		began := time.Now().Truncate(time.Second)
		until, err := waited(t, r)
		if stop := (*StopError)(nil); !errors.As(err, &stop) || stop.Limited {
			t.Errorf("margin %s: %v", c.margin, err)
		}
		if reset := until.Add(-c.margin); reset.Before(began.Add(time.Hour)) || reset.After(time.Now().Add(time.Hour)) {
			t.Errorf("margin %s: until %s, an hour after %s and the margin", c.margin, until, began)
		}
	}
}

// A limit whose end nobody tells, and a provider that goes on to ask for time, are asked ever more rarely, as by the daemon.
func TestRunAsksMoreRarely(t *testing.T) {
	t.Parallel()
	r := fake(t, "told:1")
	r.Agent, r.Config.ConfigDir = opencode.Kind, ""
	r.Retry = &resume.RetryPolicy{Backoff: resume.Backoff{Base: time.Millisecond}}
	r.Waits = &resume.Policy{Backoff: resume.Backoff{Base: time.Hour}}
	began := time.Now()
	if until, err := waited(t, r); until.Before(began.Add(2 * time.Hour)) {
		t.Errorf("until %s (%v)", until, err)
	}
}

// A record that is stamped wrongly makes nobody ask at once, again and again, nor wait for years.
func TestRunTrustsNoStamp(t *testing.T) {
	t.Parallel()
	for _, year := range []string{"2020", "2090"} {
		r := fake(t, "limited, stamped:"+year)
		r.WaitLimit = time.Hour
		began := time.Now()
		until, err := waited(t, r)
		if stop := (*StopError)(nil); !errors.As(err, &stop) || stop.Stop.Reason != detect.UsageLimit || stop.Stop.At.Year() == began.Year() {
			t.Errorf("stamped %s: %v", year, err)
		}
		if probe := resume.DefaultPolicy().Probe[0]; until.Before(began.Add(probe)) || until.After(time.Now().Add(probe)) {
			t.Errorf("stamped %s: it waits until %s", year, until)
		}
	}
}
