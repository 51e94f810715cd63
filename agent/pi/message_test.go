package pi

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
	agenttest.FirstFit(t, messages(), detect.Plain)
}

func TestMessage(t *testing.T) {
	agenttest.MessageTable(t, over(t.TempDir(), procTable{}, agent.Config{}), "testdata/messages.tsv")
}

// TestRecordedTexts: the text of every error of a recorded run means, without its record, what the record says.
func TestRecordedTexts(t *testing.T) {
	p := over(t.TempDir(), procTable{}, agent.Config{})
	seen := map[string]bool{}
	for name, files := range recorded(t) {
		for _, path := range files {
			for _, line := range linesOf(t, path) {
				r, err := parse([]byte(strings.TrimSpace(line)))
				if err != nil || r.Message.StopReason != "error" || seen[r.Message.Error] {
					continue
				}
				seen[r.Message.Error] = true
				want := p.failure(&r.Message, r.at)
				for _, lead := range []string{"", "Error: ", "Error: Retry failed after 3 attempts: "} {
					got, ok := p.Message(lead+r.Message.Error, r.at, time.UTC)
					if !ok || got.Reason != want.Reason || got.Window != want.Window || !got.ResetAt.Equal(want.ResetAt) {
						t.Errorf("%s: %q: %v %s %q %s, the record says %s %q %s", name, lead+r.Message.Error, ok, got.Reason, got.Window, got.ResetAt, want.Reason, want.Window, want.ResetAt)
					}
				}
				if got, ok := p.Message(strings.TrimSpace(line), r.at, time.UTC); !ok || got.Reason != want.Reason {
					t.Errorf("%s: the record as a message: %+v", name, got)
				}
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d texts", len(seen))
	}
}
