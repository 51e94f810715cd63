package opencode

import (
	"net/http"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// What providers answer is read from the agent's row as what it means: with the provider's sentence as its message, and
// with the status and the body, as the agent writes where it does not know the body's form.
func TestBodies(t *testing.T) {
	for name, message := range map[string]func(agenttest.Body) string{"opencode": sentence, "opencode-raw": unknownForm} {
		t.Run(name, func(t *testing.T) {
			agenttest.CheckBodies(t, "../../testdata/vocab/bodies.tsv", agenttest.Recorder{
				Agent: name,
				Providers: []string{"openrouter", "litellm", "zai", "bedrock", "vertex", "azure", "copilot", "dashscope", "deepseek", "moonshot", "minimax",
					"groq", "cerebras", "xai", "mistral", "ollama", "volcengine", "nvidia", "cloudflare"},
				Read: func(b agenttest.Body) (detect.Stop, agenttest.Part) {
					e := rowError{Name: "APIError"}
					e.Data.Message, e.Data.StatusCode, e.Data.Headers, e.Data.Body = message(b), b.Status, b.Headers, b.Text
					e.Data.Retryable = b.Status == http.StatusTooManyRequests || b.Status >= 500
					stop, _ := failure(&e, b.At, time.UTC, "database").Stop(b.At)
					return stop, agenttest.Everything
				},
			})
		})
	}
}

func sentence(b agenttest.Body) string {
	if said, ok := b.Sentence(); ok {
		return said
	}
	return unknownForm(b)
}

func unknownForm(b agenttest.Body) string {
	text := http.StatusText(b.Status)
	if text == "" {
		text = "Overloaded"
	}
	return text + ": " + b.Text
}
