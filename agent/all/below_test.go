package all_test

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
)

// What is copied of a screen may begin in the middle of what a tool printed: the agent's own error below it counts.
func TestScreenBeginsInToolOutput(t *testing.T) {
	agents, err := all.New(agent.Env{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		want detect.Reason
	}{
		"claude": {"     internal/x.go:12: undefined: foo\n\n● I will fix that.\n\n  ⎿  API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n", detect.Overloaded},
		"codex":  {"src/app.ts:10:5 - error TS2304\n\n■ You've hit your usage limit. Try again in 2 hours 3 minutes.\n", detect.UsageLimit},
		"qwen":   {"x.go:1: a\nx.go:2: b\n", ""},
		"gemini": {"src/app.ts:10:5 - error\n\n✕ [API Error: You have exhausted your daily quota on this model.]\n", detect.UsageLimit},
	} {
		for _, a := range agents {
			if a.Name() != name {
				continue
			}
			if stop, ok := all.Message(a, c.text, time.Now(), time.UTC); ok != (c.want != "") || stop.Reason != c.want {
				t.Errorf("%s: %v %v, want %s", name, stop.Reason, ok, c.want)
			}
		}
	}
}
