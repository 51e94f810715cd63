package resume

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clawd-project/clawd/detect"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func policy() Policy {
	return Policy{
		Backoff:     Backoff{Kind: Exponential, Base: 30 * time.Second, Cap: 5 * time.Minute},
		MaxAttempts: 3, Margin: 20 * time.Second, Probe: []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour},
		GiveUpAfter: 24 * time.Hour, MaxStopAge: time.Hour, MaxOverdue: 12 * time.Hour, Reasons: DefaultReasons(),
	}
}

func decide(p Policy, s detect.Stop, t Tried, now time.Time) Decision {
	return p.Select(s, t).Decide(s, t, now)
}

func stop(r detect.Reason, change ...func(*detect.Stop)) detect.Stop {
	s := detect.Stop{State: detect.Stopped, Reason: r, Key: "k", At: noon}
	for _, c := range change {
		c(&s)
	}
	return s
}

func reset(after time.Duration, minute bool) func(*detect.Stop) {
	return func(s *detect.Stop) { s.ResetAt, s.ResetMinute = noon.Add(after), minute }
}

func window(w detect.Window) func(*detect.Stop) {
	return func(s *detect.Stop) { s.Window = w }
}

func retryAfter(d time.Duration) func(*detect.Stop) {
	return func(s *detect.Stop) { s.RetryAfter = &d }
}

func notResumable(s *detect.Stop) { s.NotResumable = true }

func TestDecide(t *testing.T) {
	const sec, minute, hour = time.Second, time.Minute, time.Hour
	limit, rate := detect.UsageLimit, detect.RateLimit
	for _, c := range []struct {
		name  string
		stop  detect.Stop
		tried Tried
		late  time.Duration // now, after the stop
		kind  Kind
		wait  time.Duration // wake_at, after the stop; -1: none
		probe bool
	}{
		{"reset time", stop(limit, reset(2*hour, false)), Tried{}, 0, SameSession, 2*hour + 20*sec, false},
		{"reset time to the minute", stop(limit, reset(2*hour, true)), Tried{}, 0, SameSession, 2*hour + minute, false},
		{"reset has just passed", stop(limit, reset(-5*minute, true)), Tried{}, 0, SameSession, 0, false},
		{"reset time again, backoff is longer", stop(limit, reset(-5*minute, true)), Tried{Attempts: 1, Since: noon}, 0, SameSession, minute, false},
		{"reset time again, still ahead", stop(limit, reset(hour, false)), Tried{Attempts: 2, Since: noon}, 0, SameSession, hour + 20*sec, false},
		{"reset time, however often", stop(limit, reset(hour, false)), Tried{Attempts: 9, Since: noon}, 0, SameSession, hour + 20*sec, false},
		{"Retry-After", stop(rate, retryAfter(7*sec)), Tried{}, 0, SameSession, 7 * sec, false},
		{"Retry-After of nothing", stop(rate, retryAfter(0)), Tried{}, 0, SameSession, 0, false},
		{"Retry-After was not enough", stop(rate, retryAfter(7*sec)), Tried{Attempts: 1, Since: noon}, 0, SameSession, minute, false},
		{"Retry-After longer than the backoff", stop(rate, retryAfter(hour)), Tried{Attempts: 2, Since: noon}, 0, SameSession, hour, false},
		{"reset time before Retry-After", stop(limit, reset(hour, false), retryAfter(7*sec)), Tried{}, 0, SameSession, hour + 20*sec, false},
		{"backoff", stop(rate), Tried{}, 0, SameSession, 30 * sec, false},
		{"backoff, third", stop(detect.Network), Tried{Attempts: 2, Since: noon}, 0, SameSession, 2 * minute, false},
		{"ladder after the last", stop(rate), Tried{Attempts: 3, Since: noon}, 0, SameSession, 15 * minute, true},
		{"ladder, second", stop(rate), Tried{Attempts: 4, Since: noon}, 0, SameSession, 30 * minute, true},
		{"ladder, its last step repeats", stop(rate), Tried{Attempts: 40, Since: noon}, 0, SameSession, hour, true},
		{"limit without a reset time", stop(limit), Tried{}, 0, SameSession, 15 * minute, true},
		{"limit without a reset time, second", stop(limit), Tried{Attempts: 1, Since: noon}, 0, SameSession, 30 * minute, true},
		{"give up", stop(rate), Tried{Attempts: 4, Since: noon.Add(-25 * hour)}, 0, Leave, -1, false},
		{"do not give up before the reset", stop(limit, reset(hour, false)), Tried{Attempts: 4, Since: noon.Add(-25 * hour)}, 0, SameSession, hour + 20*sec, false},
		{"do not give up while the reset waits", stop(limit, reset(9*24*hour, false)), Tried{Attempts: 1, Since: noon.Add(-hour)}, 9 * 24 * hour, SameSession, 9*24*hour + 20*sec, false},
		{"give up a day past the reset", stop(limit, reset(9*24*hour, false)), Tried{Attempts: 1, Since: noon.Add(-hour)}, 10*24*hour + sec, Leave, -1, false},
		{"give up on a short Retry-After that never helps", stop(rate, retryAfter(5*sec)), Tried{Attempts: 40, Since: noon.Add(-24*hour - minute)}, 0, Leave, -1, false},
		{"give up on a long Retry-After that comes again", stop(rate, retryAfter(30*hour)), Tried{Attempts: 2, Since: noon.Add(-60 * hour)}, 0, Leave, -1, false},
		{"do not give up while a long Retry-After runs", stop(rate, retryAfter(30*hour)), Tried{Attempts: 1, Since: noon.Add(-hour)}, 30 * hour, SameSession, 30 * hour, false},
		{"a week without a reset time", stop(limit, window(detect.Weekly)), Tried{Attempts: 30, Since: noon.Add(-6 * 24 * hour)}, 0, SameSession, 6 * hour, true},
		{"a week without a reset time, first day", stop(limit, window(detect.Weekly)), Tried{Attempts: 20, Since: noon.Add(-20 * hour)}, 0, SameSession, hour, true},
		{"a week without a reset time is over", stop(limit, window(detect.Weekly)), Tried{Attempts: 40, Since: noon.Add(-8*24*hour - sec)}, 0, Leave, -1, false},
		{"a month without a reset time", stop(limit, window(detect.Monthly)), Tried{Attempts: 99, Since: noon.Add(-30 * 24 * hour)}, 0, SameSession, 6 * hour, true},
		{"five hours without a reset time are over", stop(limit, window(detect.FiveHour)), Tried{Attempts: 20, Since: noon.Add(-29*hour - sec)}, 0, Leave, -1, false},
		{"an old first stop that was never tried", stop(rate), Tried{Since: noon.Add(-25 * hour)}, 0, SameSession, 30 * sec, false},
		{"read late", stop(rate), Tried{FirstRead: true}, hour + sec, Leave, -1, false},
		{"read in time", stop(rate), Tried{FirstRead: true}, hour, SameSession, 30 * sec, false},
		{"read late, reset in time", stop(limit, reset(2*hour, false)), Tried{FirstRead: true}, 3 * hour, SameSession, 2*hour + 20*sec, false},
		{"fruitless", stop(rate), Tried{Fruitless: 3}, 0, Leave, -1, false},
		{"nearly fruitless", stop(rate), Tried{Fruitless: 2}, 0, SameSession, 30 * sec, false},
		{"context full", stop(detect.ContextFull), Tried{}, 0, FreshSession, 0, false},
		{"context full, again", stop(detect.ContextFull), Tried{Attempts: 1, Since: noon}, 0, FreshSession, minute, false},
		{"context full in the second session", stop(detect.ContextFull), Tried{Fresh: 1}, 0, Leave, -1, false},
		{"limit in the second session", stop(rate), Tried{Fresh: 1}, 0, SameSession, 30 * sec, false},
		{"session refused", stop(rate), Tried{Attempts: 1, Since: noon, Refused: true}, hour, FreshSession, hour, false},
		{"session refused, limit still on", stop(limit, reset(2*hour, false)), Tried{Attempts: 1, Since: noon, Refused: true}, hour, FreshSession, 2 * hour, false},
		{"nothing to go back to", stop(limit, reset(2*hour, false), notResumable), Tried{}, 0, FreshSession, 2*hour + 20*sec, false},
		{"nothing to go back to, no reset", stop(rate, notResumable), Tried{}, 0, FreshSession, 30 * sec, false},
		{"nothing to go back to, needs a person", stop(detect.Auth, notResumable), Tried{}, 0, Leave, -1, false},
		{"nothing to go back to, unknown", stop(detect.Unknown, notResumable), Tried{}, 0, Leave, -1, false},
		{"fresh one failed too", stop(rate), Tried{Attempts: 2, Since: noon, Refused: true}, 0, FreshSession, 2 * minute, false},
		{"crashed", stop(detect.Crashed), Tried{}, 0, Leave, -1, false},
		{"auth", stop(detect.Auth), Tried{}, 0, Leave, -1, false},
		{"retrying", detect.Stop{State: detect.Retrying, Reason: limit, Key: "k", At: noon}, Tried{}, 0, Leave, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := decide(policy(), c.stop, c.tried, noon.Add(c.late))
			if d.Strategy != c.kind || d.Probe != c.probe || d.Why == "" {
				t.Errorf("got %+v", d)
			}
			if c.wait < 0 {
				if !d.WakeAt.IsZero() || d.Attempt != 0 {
					t.Errorf("left, and yet %+v", d)
				}
				return
			}
			if got := d.WakeAt.Sub(noon); got != c.wait || d.Attempt != c.tried.Attempts+1 {
				t.Errorf("attempt %d after %s, want %s: %s", d.Attempt, got, c.wait, d.Why)
			}
		})
	}
}

func TestLeftTells(t *testing.T) {
	p := policy()
	p.Reasons[detect.Network] = Leave
	p.Reasons[detect.Interrupted], p.Reasons[detect.Completed] = SameSession, FreshSession // always left all the same
	got := map[detect.Reason]bool{}
	for _, r := range detect.Reasons {
		if d := decide(p, stop(r), Tried{}, noon); d.Strategy == Leave {
			got[r] = d.Tell
		}
	}
	want := map[detect.Reason]bool{detect.Crashed: true, detect.Auth: true, detect.Billing: true, detect.InvalidRequest: true,
		detect.Unknown: true, detect.Network: true, detect.Interrupted: false, detect.Completed: false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecideHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policy()
		p.Backoff = drawBackoff(t)
		p.Backoff.Jitter = rapid.Float64Range(0, 1).Draw(t, "jitter")
		p.Margin = time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "margin"))
		s := stop(rapid.SampledFrom(detect.Reasons).Draw(t, "reason"))
		if rapid.Bool().Draw(t, "limit") {
			s.Reason = detect.UsageLimit
		}
		s.Key = rapid.StringN(1, 8, -1).Draw(t, "key")
		s.Window = rapid.SampledFrom([]detect.Window{"", detect.FiveHour, detect.Weekly}).Draw(t, "window")
		if rapid.Bool().Draw(t, "reset") {
			reset(time.Duration(rapid.Int64Range(-int64(11*time.Minute), int64(40*24*time.Hour)).Draw(t, "reset at")), rapid.Bool().Draw(t, "minute"))(&s)
		}
		asked := time.Duration(rapid.Int64Range(0, int64(10*24*time.Hour)).Draw(t, "retry after"))
		if rapid.Bool().Draw(t, "asked") {
			s.RetryAfter = &asked
		}
		tried := Tried{Attempts: rapid.IntRange(0, 60).Draw(t, "attempts"), Since: noon.Add(-rapid.SampledFrom([]time.Duration{0, 25 * time.Hour, 6 * 24 * time.Hour, 9 * 24 * time.Hour}).Draw(t, "days") - time.Duration(rapid.Int64Range(0, int64(23*time.Hour)).Draw(t, "since"))),
			Fresh: rapid.IntRange(0, 2).Draw(t, "fresh"), Refused: rapid.Bool().Draw(t, "refused"), Fruitless: rapid.IntRange(0, 4).Draw(t, "fruitless"),
			FirstRead: rapid.Bool().Draw(t, "first")}
		now := noon.Add(time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "late")))
		d := decide(p, s, tried, now)
		if again := decide(p, s, tried, now); again != d {
			t.Fatalf("two answers: %+v %+v", d, again)
		}
		if d.Strategy == Leave {
			if !d.WakeAt.IsZero() {
				t.Fatalf("left, and yet %+v", d)
			}
			if limited := s.Reason == detect.UsageLimit && tried.Fruitless < maxFruitless; limited && d.GivenUp &&
				(now.Before(s.ResetAt) || s.ResetAt.IsZero() && s.RetryAfter == nil && s.Window == detect.Weekly && now.Sub(tried.Since) < 7*24*time.Hour) {
				t.Fatalf("given up before the limit ended: %+v", d)
			}
			return
		}
		if d.GivenUp || d.Attempt != tried.Attempts+1 || d.WakeAt.Location() != time.UTC {
			t.Fatalf("got %+v", d)
		}
		if d.WakeAt.Before(s.At) || d.WakeAt.Before(s.ResetAt) {
			t.Fatalf("%s is before the stop or the reset time %s", d.WakeAt, s.ResetAt)
		}
		if d.Strategy == SameSession && s.RetryAfter != nil && s.ResetAt.IsZero() {
			if at := s.At.Add(asked); d.WakeAt.Before(at) || tried.Attempts == 0 && !d.WakeAt.Equal(at) {
				t.Fatalf("Retry-After %s, and yet %s", asked, d.WakeAt.Sub(s.At))
			}
		}
		if tried.Fruitless >= maxFruitless || s.Reason == detect.Interrupted || s.Reason == detect.Completed {
			t.Fatalf("fires at %s", d.WakeAt)
		}
	})
}
