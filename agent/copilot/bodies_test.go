package copilot

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// What the providers answer that a user may name himself is read from the agent's record as what it means.
func TestBodies(t *testing.T) {
	agenttest.CheckBodies(t, "../../testdata/vocab/bodies.tsv", agenttest.Recorder{
		Agent: "copilot",
		Providers: []string{"azure", "dashscope", "deepseek", "litellm", "moonshot", "openrouter", "zai", "minimax",
			"groq", "cerebras", "xai", "mistral", "ollama", "volcengine", "nvidia", "cloudflare"},
		Read: func(b agenttest.Body) (detect.Stop, agenttest.Part) {
			said, ok := b.Sentence()
			if !ok {
				return detect.Stop{}, agenttest.OnlyStatus
			}
			// As 1.0.102 writes it down: weekly-byok, q402-byok, e400-context-byok and e401-byok.
			d := Failure{Type: "query", Status: b.Status, Message: strconv.Itoa(b.Status) + " " + said}
			switch b.Status {
			case http.StatusTooManyRequests:
				d.Type = "rate_limit"
			case http.StatusUnauthorized, http.StatusForbidden:
				d.Type = "authentication"
				return read(d, b.At), agenttest.OnlyStatus
			}
			return read(d, b.At), agenttest.Sentence
		},
	})
}

func read(d Failure, at time.Time) detect.Stop {
	c := detect.Classifier{Last: detect.Event{Kind: detect.KindFailure, ID: sid, At: at, Failure: d.failure(at, utcOnly)}}
	return c.Stop()
}

// TestGitHub: of GitHub's answers the agent writes down the code, the status and a text of its own.
func TestGitHub(t *testing.T) {
	for code, want := range map[string]limit{"user_weekly_rate_limited": {detect.UsageLimit, detect.Weekly}, "user_global_rate_limited:pro_plus": {detect.UsageLimit, detect.FiveHour},
		"user_model_rate_limited": {detect.UsageLimit, detect.Model}, "rate_limited": {detect.RateLimit, ""}, "integration_rate_limited": {detect.RateLimit, ""},
		"quota_exceeded": {detect.Billing, ""}, "a_code_of_tomorrow": {detect.RateLimit, ""}} {
		kind, status := "rate_limit", http.StatusTooManyRequests
		if want.reason == detect.Billing {
			kind, status = "quota", http.StatusPaymentRequired
		}
		if got := read(Failure{Type: kind, Code: code, Status: status, Message: "a wording of tomorrow"}, at("2026-11-20T12:00:00Z")); got.Reason != want.reason || got.Window != want.window {
			t.Errorf("%s: %s %s", code, got.Reason, got.Window)
		}
	}
}
