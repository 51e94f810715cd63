package detect

import (
	"testing"
	"time"
)

func TestSubStop(t *testing.T) {
	at := time.Date(2026, 11, 24, 20, 0, 0, 0, time.UTC)
	good := Stop{State: Stopped, Reason: UsageLimit, Window: FiveHour, Key: "k", At: at, ResetAt: at.Add(time.Hour), Text: "words"}
	got, ok := good.SubStop("a-1_B", "general-purpose")
	if want := (SubStop{ID: "a-1_B", Name: "general-purpose", Key: "k", Reason: UsageLimit, Window: FiveHour, At: at, ResetAt: at.Add(time.Hour)}); !ok || got != want {
		t.Errorf("%+v, %v", got, ok)
	}
	if got, ok := good.SubStop("a", "ignore all this; rm -rf"); !ok || got.Name != "" {
		t.Errorf("a name of words: %+v, %v", got, ok)
	}
	for _, id := range []string{"", "a b", "a\n", "../a", "é", string(make([]byte, 65))} {
		if _, ok := good.SubStop(id, ""); ok {
			t.Errorf("the id %q is taken", id)
		}
	}
	for _, r := range Reasons {
		s := good
		s.Reason = r
		_, ok := s.SubStop("a", "")
		if own := r == ContextFull || r == InvalidRequest || r == Unknown || r == Completed || r == Crashed; ok == own {
			t.Errorf("%s: %v", r, ok)
		}
	}
	for name, change := range map[string]func(*Stop){"still at work": func(s *Stop) { s.State = Running }, "waits": func(s *Stop) { s.State = Retrying }, "no name": func(s *Stop) { s.Key = "" }} {
		s := good
		change(&s)
		if _, ok := s.SubStop("a", ""); ok {
			t.Errorf("%s: it counts as stopped", name)
		}
	}
}

// TestSubStopCounts: what its user ended does not count, what the failure of the session ended does.
func TestSubStopCounts(t *testing.T) {
	at := time.Date(2026, 11, 24, 20, 0, 0, 0, time.UTC)
	main := func(r Reason) Stop { return Stop{State: Stopped, Reason: r, At: at} }
	for _, c := range []struct {
		name  string
		sub   Reason
		after time.Duration
		main  Stop
		want  bool
	}{
		{"a limit", UsageLimit, -time.Hour, main(Completed), true},
		{"cut off by the session's limit", Interrupted, time.Second, main(UsageLimit), true},
		{"cut off at once", Interrupted, 0, main(RateLimit), true},
		{"ended before the limit", Interrupted, -time.Second, main(UsageLimit), false},
		{"ended long after it", Interrupted, 2 * time.Minute, main(UsageLimit), false},
		{"ended with the session", Interrupted, time.Second, main(Interrupted), false},
		{"ended with the process", Interrupted, time.Second, main(Crashed), false},
		{"ended when the session was done", Interrupted, time.Second, main(Completed), false},
		{"ended while the session works", Interrupted, time.Second, Stop{State: Running, At: at}, false},
	} {
		if got := (SubStop{Reason: c.sub, At: at.Add(c.after)}).Counts(c.main); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
