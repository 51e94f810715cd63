package qwen

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// TestTable: each row is the first one that its own example fits.
func TestTable(t *testing.T) {
	agenttest.FirstFit(t, messages(), func(text string) string { return strings.ReplaceAll(detect.Plain(text), "\n", " ") })
}

func TestMessage(t *testing.T) {
	agenttest.MessageTable(t, over(t.TempDir(), agenttest.Procs{}, agent.Config{}), "testdata/messages.tsv")
}

// TestRecordedTexts: the text of every error of a recorded run means, as the agent prints it, what the record says.
func TestRecordedTexts(t *testing.T) {
	q := over(t.TempDir(), agenttest.Procs{}, agent.Config{})
	seen := map[string]bool{}
	for name, files := range recorded(t) {
		for _, path := range files {
			for _, line := range linesOf(t, path) {
				r, err := parse([]byte(strings.TrimSpace(line)))
				if err != nil {
					t.Fatal(err)
				}
				note := r.event()
				if note == nil || note.Name != apiError || seen[note.Message] {
					continue
				}
				seen[note.Message] = true
				want := q.failure(note, r.at)
				for _, text := range []string{"[API Error: " + note.Message + "]", "✕ [API Error: " + note.Message + "] (Press Ctrl+Y to retry)",
					"[API Error: " + note.Message + "]\nPossible quota limitations in place or slow response times detected. Please wait and try again later.", strings.TrimSpace(line)} {
					got, ok := q.Message(text, r.at, time.UTC)
					if !ok || got.Reason != want.Reason || got.Window != want.Window || !got.ResetAt.Equal(want.ResetAt) || got.Status != want.Status {
						t.Errorf("%s: %q: %v %s %q %s, the record says %s %q %s", name, text, ok, got.Reason, got.Window, got.ResetAt, want.Reason, want.Window, want.ResetAt)
					}
				}
			}
		}
	}
	if len(seen) < 15 {
		t.Errorf("only %d texts", len(seen))
	}
}
