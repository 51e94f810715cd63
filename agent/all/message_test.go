package all

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// TestCopied: what a person copies from a screen says what the bare text does, and a text about an error says nothing.
func TestCopied(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		agent, text string
		reason      detect.Reason
		window      detect.Window
		reset       string
	}{
		{"claude", "❯ test\nYou've hit your session limit · resets 3pm (UTC)\n/upgrade to increase your usage limit.\n\n✻ Crunched for 0s", detect.UsageLimit, detect.FiveHour, "15:00"},
		{"claude", "> go on\n  ⎿  API Error: 402 {\"error\":{\"message\":\"This request requires more credits,\n      or fewer max_tokens.\"}}", detect.Billing, "", ""},
		{"claude", "│ Error: 529 Upstream provider NIM returned an error. │", detect.Overloaded, "", ""},
		{"opencode", "LLM provider error: Error code: 429 - {'error': {'message': 'Your account org-x / proj-x <ak-x> request reached organization TPD rate limit, current: 1'}}", detect.UsageLimit, detect.Daily, ""},
		{"copilot", "● Request failed due to a transient API error. Retrying...\n\n✗ Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make\n  within a specific time period. Please try again in 1 minute. Please review our Terms of Service", detect.RateLimit, "", "12:01"},
		{"codex", "stream disconnected before completion: Too Many Requests", detect.RateLimit, "", ""},
		{"pi", "HTTP 418: a status that means nothing", detect.InvalidRequest, "", ""},
		// None of these is an error:
		{"claude", "⏺ Grep(\"limit\")\n  ⎿ You've hit your limit · resets 3pm (UTC)\n  ⎿ 3 matches found", "", "", ""},
		{"claude", "⏺ The banner says:\n\n  You've hit your session limit · resets 3pm (UTC)", "", "", ""},
		{"claude", "I saw this error: 429 Too Many Requests", "", "", ""},
		{"claude", "❯ why does it say Error: 429 Too Many Requests", "", "", ""},
		{"claude", "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"allowed\"}}", "", "", ""},
		{"codex", "⎿ ok\n\nThe docs: Error: 429 comes from the gateway", "", "", ""},
		{"copilot", "✗ Error: 429 Too Many Requests\n\n● All tests pass now.", "", "", ""},
		{"claude", "> go on\n  ⎿  API Error: 529 Overloaded\n\n⏺ Done.", "", "", ""},
		{"opencode", "", "", "", ""},
		{"opencode", "500 tests passed", "", "", ""},
		{"codex", "429 of them are errors", "", "", ""},
	} {
		k, err := Kind(c.agent)
		if err != nil {
			t.Fatal(err)
		}
		stop, ok := Message(k.Open(agent.Env{}, agent.Config{}), c.text, at, time.UTC)
		reset := ""
		if !stop.ResetAt.IsZero() {
			reset = stop.ResetAt.Format("15:04")
		}
		if ok != (c.reason != "") || stop.Reason != c.reason || stop.Window != c.window || reset != c.reset {
			t.Errorf("%s, %q: %s %s %s, want %s %s %s", c.agent, c.text, stop.Reason, stop.Window, reset, c.reason, c.window, c.reset)
		}
	}
}

// TestCopiedRetries: the agent goes on by itself.
func TestCopiedRetries(t *testing.T) {
	k, err := Kind("copilot")
	if err != nil {
		t.Fatal(err)
	}
	stop, ok := Message(k.Open(agent.Env{}, agent.Config{}), "● Response was interrupted due to a server error. Retrying...", time.Now(), time.UTC)
	if !ok || stop.State != detect.Retrying {
		t.Errorf("%+v, %v", stop, ok)
	}
}

func FuzzCopied(f *testing.F) {
	for _, text := range []string{"❯ a\n⎿ API Error: 429 {\"error\":{\"message\":\"{\\\"message\\\":\\\"x\\\"}\"}}", "│ ✗ Error: Error: 500 (", "\x00\xff", "undefined: undefined: undefined: 429",
		"Error: 429 x\nإعادة المحاولة خلال ٤٥ ثانية - المحاولة رقم ٢", "✗ 429 制限は午後9時にリセット 2026年99月99日", "• Reconnecting... 1/5 (5s • esc to interrupt)\n└ retrying 5/5 in 99999999999999s"} {
		f.Add(text)
	}
	k, err := Kind("opencode")
	if err != nil {
		f.Fatal(err)
	}
	a := k.Open(agent.Env{}, agent.Config{})
	f.Fuzz(func(t *testing.T, text string) {
		if stop, ok := Message(a, text, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.UTC); ok && stop.Reason == "" && stop.State != detect.Retrying {
			t.Errorf("%q: %+v", text, stop)
		}
	})
}
