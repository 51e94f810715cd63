package all

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// readAs reads a text of an agent's.
func readAs(t *testing.T, name, text string) (detect.Stop, bool) {
	t.Helper()
	k, err := Kind(name)
	if err != nil {
		t.Fatal(err)
	}
	return Message(k.Open(agent.Env{}, agent.Config{}), text, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.UTC)
}

// TestPassedOn: what a gateway or a program passes on is read behind its own words.
func TestPassedOn(t *testing.T) {
	for _, c := range []struct {
		agent, text string
		reason      detect.Reason
	}{
		{"codex", `Codex encountered an error: {"detail":"The 'demo' model is not supported when using Codex with a ChatGPT account."}`, detect.InvalidRequest},
		{"codex", `bad response status code 503, message: x, body: {"error":{"message":"Service temporarily unavailable","type":"api_error"}}`, detect.Overloaded},
		{"gemini", `gemini returned HTTP 429: {"error":{"code":429,"message":"You exceeded your spend-based rate limit."}}`, detect.RateLimit},
		{"pi", "Demo (demo_1) provider error:\n\ninvalid api key 401: {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"x\"}}", detect.Auth},
		{"opencode", "An error occurred: Error code: 403 - {'error': {'message': 'user quota is not enough'}}", detect.Billing},
		{"opencode", "An unexpected error occurred while streaming: Error code: 403 - {'error': {'message': 'user quota is not enough'}}", detect.Billing},
		{"opencode", "DemoError: Free tier requests on this model are limited (statusCode: 429, reason: maxRetriesExceeded)", detect.RateLimit},
		{"opencode", "usage_limit_reached: The usage limit has been reached", detect.UsageLimit},
		{"opencode", "Error streaming response: insufficient balance", detect.Billing},
		{"opencode", "Error code: 402 - {'error': {'message': 'x', 'type': 'invalid_request_error'}}", detect.Billing},
		{"opencode", "API Error: 503 {\"error\":{\"message\":\"用户额度不足, 剩余额度: ＄0.00\"}}", detect.Billing},
		// over an empty line, below a log's head, and above a trace:
		{"codex", "■ {\"error\":{\"message\":\"{\n\n\"x\": 1}\",\"code\":\"400\"}}", detect.InvalidRequest},
		{"opencode", "2026-11-20 12:00:01 [ERROR]\nTrying to keep the first 111 tokens when context the overflows.", detect.ContextFull},
		{"qwen", "[API Error: fetch failed][API Error: fetch failed]\nError: [API Error: fetch failed]\n    at file:///usr/lib/cli.js:1:2", detect.Network},
		// more than its status:
		{"claude", "API Error: 400 This organization has been disabled.", detect.Auth},
		{"claude", "⏺ API Error: 400 Prompt exceeds maximum context length", detect.ContextFull},
	} {
		if stop, ok := readAs(t, c.agent, c.text); !ok || stop.State != detect.Stopped || stop.Reason != c.reason {
			t.Errorf("%s, %q: %s %s, want %s", c.agent, c.text, stop.State, stop.Reason, c.reason)
		}
	}
	if stop, ok := readAs(t, "pi", "Error: Retry failed after 1 attempts: Provider requested 1800000ms wait, exceeds retry.maxDelayMs (300000ms). Original error: 429 Too Many Requests"); !ok ||
		stop.ResetAt.Format("15:04") != "12:30" {
		t.Errorf("a wait that is too long: %+v", stop)
	}
	if stop, ok := readAs(t, "claude", "Unable to connect to API (ConnectionRefused) · Retrying in 11s · attempt 8/10"); !ok || stop.State != detect.Retrying {
		t.Errorf("a try among several: %+v", stop)
	}
}

// TestNotTheAgents: what a tool, a test or another service says is no stop.
func TestNotTheAgents(t *testing.T) {
	for _, c := range []struct{ agent, text string }{
		{"claude", "⏺ Bash(curl -s localhost:4000/v1/models)\n  ⎿  {\"error\":{\"message\":\"No api key passed in.\",\"type\":\"auth_error\",\"code\":\"401\"}}"},
		{"claude", "⏺ WebFetch(https://example.com/docs)\n  ⎿  Error: Request failed with status code 403"},
		{"codex", "• Ran curl -s localhost:8080/v1/responses\n  └ {\"error\":{\"message\":\"Service temporarily unavailable\"}}"},
		{"gemini", "╭─────╮\n│ ✓  Shell curl -s localhost:9/v1/messages │\n│ {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}} │\n╰─────╯"},
		{"gemini", "retry_test.go:31: unexpected body: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}"},
		{"qwen", "422 Unprocessable Entity: the request has fields that nobody knows."},
		{"pi", "error: 422 is what the validator gives"},
		{"codex", "An error occurred: 404"},
		{"codex", "Error sending mail: 550 mailbox unavailable"},
		{"copilot", "webhook failed: {\"error\":{\"message\":\"No such customer\",\"type\":\"invalid_request_error\"}}"},
		{"copilot", "Stripe answered: {\"error\":{\"message\":\"Invalid API Key provided\",\"type\":\"invalid_request_error\"}}"},
		{"codex", "response body: {\"error\":{\"message\":\"quota exceeded\",\"code\":\"insufficient_quota\"}}"},
		{"pi", "validation_error: name is required"},
		{"pi", "rate_limit_exceeded: 0\nrequests: 12"},
		{"claude", "This project has been disabled in CI until the tests are stable."},
		{"copilot", "Your account is not eligible for a refund."},
		{"claude", "The log ends so:\nUnable to connect to API · Retrying in 1s · attempt 1/10 is its last line"},
	} {
		if stop, ok := readAs(t, c.agent, c.text); ok {
			t.Errorf("%s, %q: %s %s", c.agent, c.text, stop.State, stop.Reason)
		}
	}
}
