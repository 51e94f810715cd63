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

// Recorded in the terminal of 2.1.332: a prompt, its failure, and /compact. Whatever ended before it, no turn is under way behind it:
// when the process is killed then, it was not cut. Of room that a turn makes for itself that is not known.
func TestCompactedByHand(t *testing.T) {
	const id = "ecf1002b-00d4-4988-b415-b31896216510"
	b, err := os.ReadFile(filepath.Join("testdata", "compact-2.1.332.jsonl"))
	must(t, err)
	for name, c := range map[string]struct {
		pairs  []string
		reason detect.Reason
	}{
		"after a failure":    {nil, detect.Completed},
		"after a good end":   {[]string{`"isApiErrorMessage":true`, `"isApiErrorMessage":false`, `"model":"<synthetic>"`, `"model":"claude-opus-5-5"`}, detect.Completed},
		"the agent's own":    {[]string{`"trigger":"manual"`, `"trigger":"auto"`}, detect.Crashed},
		"another's boundary": {[]string{`"parentUuid":"14ba8370-`, `"parentUuid":"14ba8371-`}, detect.Crashed},
	} {
		all := strings.SplitAfter(strings.NewReplacer(c.pairs...).Replace(string(b)), "\n")
		for cut := range all {
			root := t.TempDir()
			a, s := over(root, table{}, agent.Config{}), session(root, id)
			var cl detect.Classifier
			cursor := agent.Cursor("")
			for _, part := range []string{strings.Join(all[:cut], ""), strings.Join(all[cut:], "")} {
				put(t, s.Path, part)
				got, err := agenttest.Read(t.Context(), a, s, cursor)
				must(t, err)
				cursor = got.Cursor
				for _, e := range got.Events {
					cl.Feed(e)
				}
			}
			cl.Feed(detect.Event{Kind: detect.KindHolder, Holder: &detect.Holder{Liveness: detect.LeftBehind}})
			if st := cl.Stop(); st.State != detect.Stopped || st.Reason != c.reason || !cl.LastPrompt.Meta {
				t.Fatalf("%s, first read of %d lines: %s %s, meta %v", name, cut, st.State, st.Reason, cl.LastPrompt.Meta)
			}
		}
	}
}
