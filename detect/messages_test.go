package detect

import (
	"strings"
	"testing"
	"time"
)

func TestMessageTable(t *testing.T) {
	m, err := ParseMessages("# comment\n" +
		"@window\t(?P<window>session|weekly)\n" +
		"@limit\t(?:@window@ |(?P<model>Opus) )*limit\n" +
		"none\t\tYou've hit your fast limit\tYou've hit your fast limit\n" +
		"retrying\t\tLimit reached, going on\tLimit reached, going on at 3pm\n" +
		"usage_limit|billing\t\tYou've spent it all(?P<end>)[^\"]*\tYou've spent it all\n" +
		"usage_limit\t\tYou've hit your @limit@\tYou've hit your session limit\n")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		text   string
		ok     bool
		state  State
		reason Reason
		window Window
	}{
		{"You've hit your session limit · resets 3pm", true, Stopped, UsageLimit, FiveHour},
		{"│ You\u2019ve hit your weekly limit │", true, Stopped, UsageLimit, Weekly},
		{"You've hit your Opus weekly limit", true, Stopped, UsageLimit, Model},
		{"You've hit your weekly Opus limit", true, Stopped, UsageLimit, Model},
		{"You've hit your fast limit", false, Running, "", ""},
		{"Limit reached, going on in 5m", true, Retrying, "", ""},
		{"You've spent it all", true, Stopped, Billing, ""},
		{"You've spent it all · resets 3pm", true, Stopped, UsageLimit, ""},
		{"You've spent it all · resets 25:00", true, Stopped, UsageLimit, ""},
		{"He said: You've hit your session limit", false, Running, "", ""},
	} {
		s, ok := m.Match(c.text, at, time.UTC)
		if ok != c.ok || s.State != c.state || s.Reason != c.reason || s.Window != c.window {
			t.Errorf("%s: %v %s %s %s, want %+v", c.text, ok, s.State, s.Reason, s.Window, c)
		}
	}
	if s, _ := m.Match("Limit reached, going on in 5m", at, time.UTC); !s.SelfResumeAt.Equal(at.Add(5*time.Minute)) || !s.ResetAt.IsZero() {
		t.Errorf("goes on at %v, reset %v", s.SelfResumeAt, s.ResetAt)
	}
	if s, _ := m.Match("You've hit your session limit · resets in 9 days", at, time.UTC); !s.ResetAt.Equal(at.Add(8*24*time.Hour)) || len(s.Notes) == 0 {
		t.Errorf("a five-hour window resets at %v, %q", s.ResetAt, s.Notes)
	}
	for _, c := range []struct{ text, rest string }{
		{"You've hit your session limit · resets 3pm", " · resets 3pm"},
		{"You've spent it all · resets 3pm", " · resets 3pm"},
	} {
		if row, _ := m.Find(c.text); c.text[row.End(c.text):] != c.rest {
			t.Errorf("behind the sentence: %q, want %q", c.text[row.End(c.text):], c.rest)
		}
	}
}

func TestBadMessageTable(t *testing.T) {
	for _, c := range []struct{ table, err string }{
		{"# x\nusage_limit\t\tx\n", "line 2: 3 columns"},
		{"sad\t\tx\tx\n", `"sad" is not a reason`},
		{"usage_limit\thourly\tx\tx\n", `"hourly" is not a window`},
		{"usage_limit\t\t(x\tx\n", "missing closing )"},
	} {
		if _, err := ParseMessages(c.table); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, want %s", c.table, err, c.err)
		}
	}
}
