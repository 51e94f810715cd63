package qwen

import (
	"strconv"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// What providers answer is read from the agent's record as what it means: the client puts the status and the provider's
// sentence into it, or the body where it does not know the form.
func TestBodies(t *testing.T) {
	agenttest.CheckBodies(t, "../../testdata/vocab/bodies.tsv", agenttest.Recorder{
		Agent: Name,
		Providers: []string{"openrouter", "litellm", "zai", "azure", "dashscope", "deepseek", "moonshot", "minimax",
			"groq", "cerebras", "xai", "mistral", "ollama", "volcengine", "nvidia", "cloudflare"},
		Read: func(b agenttest.Body) (detect.Stop, agenttest.Part) {
			text, has := b.Text, agenttest.WholeBody
			if said, ok := b.Sentence(); ok {
				text, has = said, agenttest.Sentence
			}
			note := uiEvent{Name: apiError, Status: b.Status, Message: strconv.Itoa(b.Status) + " " + text}
			stop, _ := (&Qwen{zone: time.UTC}).failure(&note, b.At).Stop(b.At)
			return stop, has
		},
	})
}
