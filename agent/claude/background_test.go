package claude

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Recorded in the terminal of 2.1.197 and 2.1.330: a turn began an agent, or a command, in the background and
// stopped at a rate limit. What it began ended later, and that began a turn of the session's own.
func TestBackgroundEndsTheWait(t *testing.T) {
	for name, id := range map[string]string{
		"background-agent-2.1.197.jsonl": "8383d050-3230-45b3-804e-dc788b1fa227",
		"background-agent-2.1.330.jsonl": "4a257694-b509-44e5-8de0-41fe86c3a32e",
		"background-shell-2.1.330.jsonl": "089b9704-170c-4fca-8557-d371a0dd7ee5",
	} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata", name))
			must(t, err)
			root := t.TempDir()
			c, s := over(root, table{}, agent.Config{}), session(root, id)
			var cl detect.Classifier
			var cursor agent.Cursor
			var seen []detect.State
			for line := range bytes.Lines(b) {
				put(t, s.Path, string(line))
				got, err := agenttest.Read(t.Context(), c, s, cursor)
				must(t, err)
				cursor = got.Cursor
				for _, e := range got.Events {
					cl.Feed(e)
				}
				switch st := cl.Stop(); {
				case bytes.Contains(line, []byte(`"isApiErrorMessage":true`)), bytes.Contains(line, []byte(`"queue-operation"`)):
					if st.State != detect.Stopped || st.Reason != detect.RateLimit {
						t.Errorf("before it is woken: %s %s", st.State, st.Reason)
					}
				case bytes.Contains(line, []byte(`"origin":{"kind":"task-notification"`)):
					seen = append(seen, st.State)
					if p := cl.LastPrompt; st.State != detect.Running || !p.Meta || p.ID != cl.Last.ID {
						t.Errorf("woken: %s %s, prompt %+v", st.State, st.Reason, p)
					}
				}
			}
			if st := cl.Stop(); len(seen) != 1 || st.Reason != detect.Completed {
				t.Errorf("%d prompts of its own; at the end %s %s", len(seen), st.State, st.Reason)
			}
		})
	}
}
