package codex

import (
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// What providers answer is read from the agent's record of it as what it means.
func TestBodies(t *testing.T) {
	c := &Codex{zone: time.UTC}
	agenttest.CheckBodies(t, "../../testdata/vocab/bodies.tsv", agenttest.Recorder{
		Agent: "codex",
		Providers: []string{"openrouter", "litellm", "azure", "minimax",
			"groq", "xai", "ollama"},
		Read: func(b agenttest.Body) (detect.Stop, agenttest.Part) {
			message, info, has := written(b)
			line, err := json.Marshal(map[string]any{"type": "event_msg", "payload": map[string]any{"type": "task_complete",
				"error": map[string]any{"message": message, "codex_error_info": info}}})
			if err != nil {
				t.Fatal(err)
			}
			stop, _ := c.Message(string(line), b.At, time.UTC)
			return stop, has
		},
	})
}

// written is how 0.169 writes down an answer: of a 429 it keeps nothing but the status, unless its code is one that it knows.
func written(b agenttest.Body) (message string, info any, has agenttest.Part) {
	said, ok := b.Sentence()
	if has = agenttest.Sentence; !ok {
		said, has = b.Text, agenttest.WholeBody
	}
	switch {
	case b.Status == nethttp.StatusTooManyRequests:
		return "exceeded retry limit, last status: 429 Too Many Requests, request id: req_0001",
			map[string]any{"response_too_many_failed_attempts": map[string]any{"http_status_code": 429}}, agenttest.OnlyStatus
	case strings.Contains(b.Text, `"code":"context_length_exceeded"`):
		return "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.", "context_window_exceeded", has
	case b.Status == nethttp.StatusBadRequest:
		return b.Text, "other", agenttest.WholeBody
	}
	return fmt.Sprintf("unexpected status %d %s: %s, url: http://127.0.0.1:8317/v1/responses, request id: req_0001", b.Status, nethttp.StatusText(b.Status), said),
		map[string]any{"http_connection_failed": map[string]any{"http_status_code": b.Status}}, has
}
