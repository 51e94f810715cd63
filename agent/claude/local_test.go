package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Recorded in the terminal of 2.1.197 and 2.1.330: a prompt, its failure, /rename and /context. Neither
// asks the model anything, so the stop stands; but the agent itself no longer goes on without a prompt.
func TestLocalCommandsEndNoWait(t *testing.T) {
	for name, id := range map[string]string{"local-2.1.197.jsonl": "0857f4c0-967b-40fe-8a59-60f14757ba91", "local-2.1.330.jsonl": "583454b9-4556-4e27-9076-c5637b22e5c2"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		must(t, err)
		all := strings.SplitAfter(string(b), "\n")
		for cut := range all {
			root := t.TempDir()
			c, s := over(root, table{}, agent.Config{}), session(root, id)
			var cl detect.Classifier
			cursor := agent.Cursor("")
			for _, part := range []string{strings.Join(all[:cut], ""), strings.Join(all[cut:], "")} {
				put(t, s.Path, part)
				got, err := agenttest.Read(t.Context(), c, s, cursor)
				must(t, err)
				cursor = got.Cursor
				for _, e := range got.Events {
					cl.Feed(e)
				}
			}
			if st := cl.Stop(); st.State != detect.Stopped || st.Reason != detect.RateLimit || !cl.Aside || cl.LastPrompt.Meta {
				t.Fatalf("%s, first read of %d lines: %s %s, aside %v, meta %v", name, cut, st.State, st.Reason, cl.Aside, cl.LastPrompt.Meta)
			}
			if maybe, _, err := c.Tail(t.Context(), s); err != nil || !maybe {
				t.Errorf("%s: Tail %v, %v", name, maybe, err)
			}
		}
	}
}

// A line of the agent's own that stands below no command of the terminal begins a turn.
func TestMetaPromptIsNoAside(t *testing.T) {
	root := t.TempDir()
	c, s := over(root, table{}, agent.Config{}), session(root, sid)
	put(t, s.Path, `{"type":"user","isMeta":true,"uuid":"a","parentUuid":"z","timestamp":"2026-11-21T00:00:00Z","sessionId":"`+sid+`","message":{"role":"user","content":"Continue from where you left off."}}`+"\n")
	b, err := agenttest.Read(t.Context(), c, s, "")
	must(t, err)
	if len(b.Events) != 1 || b.Events[0].Kind != detect.KindPrompt || !b.Events[0].Meta {
		t.Errorf("%+v", b.Events)
	}
}
