package resume

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

func TestHandsOver(t *testing.T) {
	claude, after := Tried{Agent: "claude"}, reset(2*time.Hour, false)
	kept, spent := claude, Tried{Agent: "claude", Attempts: 1, Since: noon.Add(-50 * time.Hour)}
	kept.Kept = true
	heir := Tried{Agent: "claude", HandedOn: true}
	retrying := func(s *detect.Stop) { s.State, s.SelfResumeAt = detect.Retrying, noon.Add(2*time.Hour) }
	for _, c := range []struct {
		name  string
		to    string
		stop  detect.Stop
		tried Tried
		want  Kind
		with  string
	}{
		{"a limit for hours", "codex", stop(detect.UsageLimit, after), claude, FreshSession, "codex"},
		{"nobody knows for how long", "codex", stop(detect.UsageLimit), claude, FreshSession, "codex"},
		{"there is no turn to go back to", "codex", stop(detect.UsageLimit, after, notResumable), claude, FreshSession, "codex"},
		{"it is over soon", "codex", stop(detect.UsageLimit, reset(9*time.Minute, false)), claude, SameSession, ""},
		{"it is the agent's own", "claude", stop(detect.UsageLimit, after), claude, SameSession, ""},
		{"it was nearly over when it was read", "codex", stop(detect.UsageLimit, reset(10*time.Minute+30*time.Second, false)), claude, SameSession, ""},
		{"it took over itself", "codex", stop(detect.UsageLimit, after), heir, SameSession, ""},
		{"it did not work", "codex", stop(detect.UsageLimit, after), kept, SameSession, ""},
		{"the agent goes on by itself", "codex", stop(detect.UsageLimit, after, retrying), claude, SameSession, ""},
		{"nobody is named", "", stop(detect.UsageLimit, after), claude, SameSession, ""},
		{"no usage limit", "codex", stop(detect.RateLimit, after), claude, SameSession, ""},
		{"it was tried for long", "codex", stop(detect.UsageLimit), spent, Leave, ""},
		{"a full context", "codex", stop(detect.ContextFull), claude, FreshSession, ""},
	} {
		p := policy()
		p.WhenLimited = c.to
		now := noon.Add(time.Minute)
		d := decide(p, c.stop, c.tried, now)
		if d.Strategy != c.want || d.With != c.with || d.With != "" && (!d.WakeAt.Equal(now) || d.Probe) {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
	p := policy()
	p.WhenLimited, p.Reasons[detect.UsageLimit] = "codex", Leave
	if d := decide(p, stop(detect.UsageLimit, after), claude, noon); d.Strategy != Leave {
		t.Errorf("what is to be left: %+v", d)
	}
}

func TestOrderedWith(t *testing.T) {
	s := stop(detect.UsageLimit, reset(2*time.Hour, false))
	now := noon.Add(time.Minute)
	for with, want := range map[string]string{"codex": "codex", "claude": ""} {
		d := policy().Ordered(s, Tried{Agent: "claude"}, now, Order{With: with})
		if d.Strategy != FreshSession || d.With != want || !d.Asked || want != "" && !d.WakeAt.Equal(now) {
			t.Errorf("with %s: %+v", with, d)
		}
	}
	if d := policy().Ordered(s, Tried{Agent: "claude", Kept: true}, now, Order{With: "codex"}); d.Strategy != SameSession || d.With != "" || !d.WakeAt.After(now) {
		t.Errorf("after it did not work: %+v", d)
	}
}
