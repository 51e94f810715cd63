package claude

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// What providers answer is read from the agent's records of it as what it means.
func TestBodies(t *testing.T) {
	c := &Claude{zone: time.UTC}
	for name, write := range map[string]func(agenttest.Body) (map[string]any, string, agenttest.Part){"claude": written, "claude-1": pasted} {
		t.Run(name, func(t *testing.T) {
			agenttest.CheckBodies(t, "../../testdata/vocab/bodies.tsv", agenttest.Recorder{
				Agent: name,
				Providers: []string{"openrouter", "litellm", "zai", "bedrock", "vertex", "azure", "dashscope", "deepseek", "moonshot", "minimax",
					"ollama", "volcengine", "nvidia"},
				Read: func(b agenttest.Body) (detect.Stop, agenttest.Part) {
					record, text, has := write(b)
					record["type"], record["isApiErrorMessage"] = "assistant", true
					record["message"] = map[string]any{"role": "assistant", "model": "<synthetic>", "content": []any{map[string]any{"type": "text", "text": text}}}
					line, err := json.Marshal(record)
					if err != nil {
						t.Fatal(err)
					}
					stop, _ := c.Message(string(line), b.At, time.UTC)
					return stop, has
				},
			})
		})
	}
}

// written is how versions since 2.1 write down an answer (read in the bundle of 2.1.330, and recorded runs).
func written(b agenttest.Body) (record map[string]any, text string, has agenttest.Part) {
	said, ok := b.Sentence()
	if has = agenttest.Sentence; !ok {
		said, has = b.Text, agenttest.WholeBody
	}
	record = map[string]any{"apiErrorStatus": b.Status}
	word := "unknown"
	text = fmt.Sprintf("API Error: %d %s", b.Status, said)
	low := strings.ToLower(said)
	switch {
	case b.Status == http.StatusTooManyRequests:
		word, text = "rate_limit", "API Error: Request rejected (429) · "+said
	case strings.Contains(low, "prompt is too long"), strings.Contains(low, "input is too long for requested model"):
		word, text = "invalid_request", "Prompt is too long"
		record["errorDetails"] = fmt.Sprintf("%d %s", b.Status, b.Text)
	case b.Status == http.StatusUnauthorized, b.Status == http.StatusForbidden:
		word, text = "authentication_failed", "Failed to authenticate. "+text
		if b.Provider == "bedrock" {
			text = "AWS credentials expired or invalid · refresh your AWS credentials (SSO sign-in, access keys, API key or proxy token) and retry" +
				strings.TrimPrefix(text, "Failed to authenticate.")
		}
	case b.Status == http.StatusNotFound:
		word, text, has = "model_not_found", "There's an issue with the selected model (demo-1). It may not exist or you may not have access to it. Run /model to pick a different model.", agenttest.OnlyStatus
	case b.Status >= 500:
		word = "server_error"
		text = strings.TrimRight(text, ".!?…") + ". This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8787)."
	}
	record["error"] = word
	return record, text, has
}

// pasted is how versions before wrote it down, as they do in users' reports: the body behind the status.
func pasted(b agenttest.Body) (record map[string]any, text string, has agenttest.Part) {
	said := b.Text
	if strings.HasPrefix(said, `{"message":`) || strings.HasPrefix(said, `{ "statusCode"`) {
		said, _ = b.Sentence()
	}
	text = fmt.Sprintf("API Error: %d %s", b.Status, said)
	if b.Status == http.StatusUnauthorized {
		text += " · Please run /login"
	}
	return map[string]any{}, text, agenttest.WholeBody
}
