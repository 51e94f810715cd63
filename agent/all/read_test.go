package all

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// TestTakenApart: an error is read through whatever stands around it.
func TestTakenApart(t *testing.T) {
	for _, c := range []struct {
		agent, text string
		state       detect.State
		reason      detect.Reason
		window      detect.Window
	}{
		// what people put around it:
		{"claude", "`API Error: 402 {\"error\":{\"message\":\"Insufficient Balance\"}}`", detect.Stopped, detect.Billing, ""},
		{"codex", "**■ Selected model is at capacity. Please try a different model.**", detect.Stopped, detect.Overloaded, ""},
		{"opencode", "- Error: 503 Service Unavailable", detect.Stopped, detect.Overloaded, ""},
		{"gemini", "✗ [API Error: fetch failed] again", detect.Stopped, detect.Network, ""},
		// why, below and behind it:
		{"opencode", "AI_APICallError: Failed to read the answer\n  (caused by: Error: read ECONNRESET)", detect.Stopped, detect.Network, ""},
		{"pi", "Error: Compaction failed: Summary failed: You have hit your ChatGPT usage limit (pro plan). Try again later.", detect.Stopped, detect.UsageLimit, ""},
		{"codex", "Reconnecting... 4/5\nunexpected status 502 Bad Gateway", detect.Retrying, "", ""},
		{"opencode", "litellm.RateLimitError: x\nThe provider has rate limited you.\nRetrying in 1.5 seconds...", detect.Retrying, "", ""},
		{"claude", "> a\n  ⎿  Error: x\n  ⎿  API Error: 500 {\"message\":\"Internal server error\"}", detect.Stopped, detect.ServerError, ""},
		{"copilot", "Chat completion failed.\nToo many requests. Please wait.", detect.Stopped, detect.RateLimit, ""},
		{"opencode", "[demo] Error [Zen]: HTTP 503. Come back later.", detect.Stopped, detect.Overloaded, ""},
		{"claude", "Error: serverAPI Error: Overloaded", detect.Stopped, detect.Overloaded, ""},
		{"pi", "Error: 429 Too many requests\n⠙ Retrying (2/3) in 20s… (esc to cancel)", detect.Retrying, "", ""},
		{"opencode", "→ Read README.md\nprompt is too long: 2 tokens > 1 maximum", detect.Stopped, detect.ContextFull, ""},
		{"opencode", "~ Searching...\n{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}", detect.Stopped, detect.Overloaded, ""},
		{"claude", "Strange answer: \"{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}\"", detect.Stopped, detect.Auth, ""},
		{"pi", "Error: Google API error (429): You exceeded your current quota, please check your plan. Quota exceeded for metric: generativelanguage.googleapis.com/x, limit: 9", detect.Stopped, detect.RateLimit, ""},
		// bodies that are escaped, cut off or broken:
		{"gemini", `"error":{"message":"{ \"error\": { \"code\": 400, \"message\": \"Your input exceeds the context window of this model.\"`, detect.Stopped, detect.ContextFull, ""},
		{"gemini", "✕ {\n\"error\": {\n\"code\": 503,\n\"message\": \"Try again}", detect.Stopped, detect.Overloaded, ""},
		{"opencode", `HTTP response error from Some API: status 402 Payment Required - "{\"error\":{\"message\":\"Sorry\"}}"`, detect.Stopped, detect.Billing, ""},
		{"gemini", `Error: 429 {"error":{"message":"Resource has been exhausted","details":[{"quotaId":"RequestsPerDayPerUser"}]}}`, detect.Stopped, detect.UsageLimit, detect.Daily},
		// logs, in words alone:
		{"opencode", `time=12:00 level=error msg=x error="Error: Too many tokens, please wait before trying again."`, detect.Stopped, detect.RateLimit, ""},
		{"copilot", "2026-11-20 12:00:01.000 [error] Server error: 500 Internal Server Error", detect.Stopped, detect.ServerError, ""},
		{"opencode", "12:00:01 ERROR app — Error code: 429 - {'error': {'message': 'Too many requests. Please wait.'}}", detect.Stopped, detect.RateLimit, ""},
		// other languages:
		{"copilot", "Es tut uns leid.\n\nGrund: fetch failed: TypeError: fetch failed", detect.Stopped, detect.Network, ""},
		{"copilot", "Désolé.\n\nRaison : token expired or invalid: 401", detect.Stopped, detect.Auth, ""},
		// more than its status:
		{"claude", "API Error: 400 {\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 9 + 2 > 10\"}}", detect.Stopped, detect.ContextFull, ""},
		{"copilot", "Execution failed: 413 Request Entity Too Large", detect.Stopped, detect.ContextFull, ""},
		// what other programs print, and what is said about a status:
		{"claude", "curl: (22) The requested URL returned error: 429", "", "", ""},
		{"codex", "HTTPError: 429 Client Error: Too Many Requests for url: https://example.org/data.csv", "", "", ""},
		{"pi", "E: Failed to fetch http://deb.example.org/dists/x/InRelease  503  Service Unavailable [IP: 127.0.0.1 80]", "", "", ""},
		{"opencode", "npm error 403 Forbidden - PUT https://registry.example.org/demo - You cannot publish", "", "", ""},
		{"gemini", "error: failed to download https://static.example.org/x.crate: status 500", "", "", ""},
		{"copilot", "gh: API rate limit exceeded for user ID 7.", "", "", ""},
		{"qwen", "503 Service Unavailable: they answer so while they deploy.", "", "", ""},
		{"opencode", "Build failed\n503 Service Unavailable from the registry", "", "", ""},
		{"opencode", "Test failed\nrate limit exceeded", "", "", ""},
		{"opencode", "$ cat notes\nprompt is too long: 2 tokens > 1 maximum", "", "", ""},
		{"claude", "⠙ Retrying is what it says there", "", "", ""},
		{"claude", "12:00:01 ERROR app: 503 Service Unavailable", "", "", ""},
		{"pi", "Server errors: 500 in the last hour, 3 retries", "", "", ""},
		{"opencode", "Error: expected log to contain: Rate limit exceeded. Please try again later.", "", "", ""},
		{"claude", "\"Error: 429 Too Many Requests\" is what the page shows", "", "", ""},
	} {
		k, err := Kind(c.agent)
		if err != nil {
			t.Fatal(err)
		}
		stop, ok := Message(k.Open(agent.Env{}, agent.Config{}), c.text, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.UTC)
		if !ok {
			stop = detect.Stop{}
		}
		if stop.State != c.state || stop.Reason != c.reason || stop.Window != c.window {
			t.Errorf("%s, %q:\n\tgot  %s %s %s", c.agent, c.text, stop.State, stop.Reason, stop.Window)
		}
	}
}
