package copilot

import (
	"strconv"
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

// TestRecordedTexts: the text of every error of a recorded run means, without its record, what the record says, but where
// only a code or a kind does.
func TestRecordedTexts(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	seen := map[string]bool{}
	for name, files := range recorded(t) {
		for _, path := range files {
			for _, line := range linesOf(t, path) {
				r, err := parse([]byte(strings.TrimSpace(line)))
				if err != nil || r.Type != typeError || r.Agent != "" || seen[r.Data.Message] {
					continue
				}
				seen[r.Data.Message] = true
				want := r.Data.failure(r.at, utcOnly)
				if got, ok := c.Message(strings.TrimSpace(line), r.at, time.UTC); !ok || got.Reason != want.Reason || !got.ResetAt.Equal(want.ResetAt) {
					t.Errorf("%s: the record as a message: %+v", name, got)
				}
				if coded[r.Data.Code] || r.Data.Status >= 400 && r.Data.Code == "" && !strings.Contains(r.Data.Message, strconv.Itoa(r.Data.Status)) {
					continue
				}
				for _, lead := range []string{"", "✗ ", "Error: "} {
					got, ok := c.Message(lead+r.Data.Message, r.at, time.UTC)
					if !ok || got.Reason != want.Reason || got.Window != want.Window || !got.ResetAt.Equal(want.ResetAt) {
						t.Errorf("%s: %q: %v %s %q %s, the record says %s %q %s", name, lead+r.Data.Message, ok, got.Reason, got.Window, got.ResetAt, want.Reason, want.Window, want.ResetAt)
					}
				}
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d texts", len(seen))
	}
}

// coded are codes whose text is that of another one.
var coded = map[string]bool{"integration_rate_limited": true}
