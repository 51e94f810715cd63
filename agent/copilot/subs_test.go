package copilot

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestSubStops(t *testing.T) {
	all := recorded(t)
	for _, name := range []string{"subagent", "subagent-429", "subagent-429-main", "subagent-bg-401", "weekly"} {
		t.Run(name, func(t *testing.T) {
			agenttest.SubStops(t, filepath.Join(recordings, name), func(t *testing.T, _ string) (agent.Parent, detect.Session) {
				return copied(t, all[name][0])
			})
		})
	}
}

// TestSubStopsSentOn: a sub-agent that was asked once more, or has answered since, has not stopped.
func TestSubStopsSentOn(t *testing.T) {
	for _, kind := range []string{typePrompt, typeAnswer} {
		c, s := copied(t, recorded(t)["subagent-bg-401"][0])
		put(t, s.Path, `{"type":"`+kind+`","data":{"content":"again"},"agentId":"4f71beca-2e28-4a2e-a512-7d0c346cb050",`+
			`"id":"00000000-0000-4000-8000-000000000001","timestamp":"2026-11-24T20:01:00.000Z","parentId":null}`+"\n")
		if got, err := c.SubStops(t.Context(), s, time.Time{}); err != nil || len(got) != 0 {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
	}
	c, s := copied(t, recorded(t)["subagent-bg-401"][0])
	s.ID = strings.Replace(s.ID, "9", "8", 1)
	if _, err := c.SubStops(t.Context(), s, time.Time{}); err == nil {
		t.Error("a session that is not its file's is taken")
	}
}
