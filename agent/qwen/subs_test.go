package qwen

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestSubStops(t *testing.T) {
	for _, name := range []string{"sub-failed", "subagent-429", "subagent", "finished"} {
		t.Run(name, func(t *testing.T) {
			agenttest.SubStops(t, filepath.Join(recordings, name), func(t *testing.T, id string) (agent.Parent, detect.Session) {
				q, s := copied(t, filepath.Join(recordings, name, "home", "projects", "-home-dev-work-demo", "chats", id+ext))
				return q, s
			})
		})
	}
}

// TestSubStopsAlone: it counts as stopped when it has failed, or its run ended while it was at work, and its newest request failed.
func TestSubStopsAlone(t *testing.T) {
	const id = "look-1"
	for name, c := range map[string]struct {
		status string
		asked  string // the session's newest request of that sub-agent
		ended  bool
		want   bool
	}{
		"failed":                         {status: "failed", asked: apiError, want: true},
		"at work, the run has ended":     {status: "running", asked: apiError, ended: true, want: true},
		"at work":                        {status: "running", asked: apiError},
		"done after a failed request":    {status: "completed", asked: apiError},
		"its user ended it":              {status: "cancelled", asked: apiError},
		"failed by itself":               {status: "failed", asked: apiResponse},
		"of another session's sub-agent": {status: "failed"},
	} {
		root := t.TempDir()
		q := over(root, agenttest.Procs{}, agent.Config{})
		s := fileOf(root, sid)
		prompt := sid + "#" + id + "#0"
		if c.asked == "" {
			c.asked, prompt = apiError, "00000000-0000-4000-8000-000000000000#"+id+"#0"
		}
		at := time.Date(2026, 11, 25, 15, 0, 0, 0, time.UTC)
		put(t, s.Path, `{"uuid":"u1","sessionId":"`+sid+`","timestamp":"`+at.Format(time.RFC3339)+`","type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"`+
			c.asked+`","prompt_id":"`+prompt+`","status_code":429,"error_message":"429 Rate limit reached","error_type":"RateLimitError"}}}`+"\n")
		put(t, filepath.Join(filepath.Dir(filepath.Dir(s.Path)), "subagents", sid, "agent-"+id+subMeta), `{"agentId":"`+id+`","agentType":"look","status":"`+c.status+`"}`)
		if c.ended {
			put(t, filepath.Join(root, usageFile), `{"sessionId":"`+sid+`","timestamp":1795620144272}`+"\n")
		}
		got, err := q.SubStops(t.Context(), s, at)
		if err != nil || (len(got) == 1) != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
