package codex

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// The newest total counts; what is no count of the session's own does not.
func TestUsed(t *testing.T) {
	x := begin(t, "0.169.0", "")
	want := func(u agent.Usage) {
		t.Helper()
		u.Whole = true
		if got, err := x.c.Used(t.Context(), x.s); err != nil || got != u {
			t.Errorf("%+v (%v), want %+v", got, err, u)
		}
	}
	want(agent.Usage{})
	x.event("token_count", `,"info":null`)
	want(agent.Usage{})
	x.event("token_count", `,"info":{"total_token_usage":{"input_tokens":1200,"cached_input_tokens":200,"output_tokens":34,"total_tokens":1234},"last_token_usage":{"input_tokens":1}}`)
	x.event("token_count", `,"info":{"total_token_usage":{"input_tokens":2400,"cached_input_tokens":300,"cache_write_input_tokens":100,"output_tokens":68}}`)
	x.event("token_count", `,"info":null`)
	x.event("user_message", `,"message":"{\"type\":\"token_count\",\"info\":{\"total_token_usage\":{\"input_tokens\":9}}}"`)
	x.event("agent_message", `,"info":{"total_token_usage":{"input_tokens":9}}`)
	want(agent.Usage{InputTokens: 2000, CacheReadTokens: 300, CacheCreationTokens: 100, OutputTokens: 68})
	x.s.Path += ".gone"
	if _, err := x.c.Used(t.Context(), x.s); err == nil {
		t.Error("a file that is gone was read")
	}
}
