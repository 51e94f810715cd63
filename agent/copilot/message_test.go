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

// TestRetriedInVain reads the records of calls that failed five times, as users sent them in: copilot-cli#3562 (1.0.55), and
// #3588, #1645, #3363 (1.0.36), whose agent knew no status.
func TestRetriedInVain(t *testing.T) {
	const (
		tried  = "Execution failed: Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 6.05 seconds) "
		asked  = tried + "(Request-ID 9DD0:329977:76A6DF:80D0C6:6A18A998) "
		nobody = "Last error: Unknown error"
	)
	for _, c := range []struct {
		message string
		status  int
		want    detect.Reason
	}{
		{asked + `Last error: CAPIError: 503 {"error":{"message":"Claude Opus 4.8 is currently experiencing issues.","code":"model_degraded"}}`, 0, detect.Overloaded},
		{asked + `Last error: CAPIError: 500 {"message":"x","code":"y"}`, 0, detect.ServerError},
		{asked + `Last error: CAPIError: 429 {"message":"x","code":"rate_limited"}`, 0, detect.RateLimit},
		{asked + `Last error: CAPIError: 403 {"message":"x","code":"y"}`, 0, detect.Auth},
		{asked + "Last error: Failed native model HTTP request: error decoding response body: operation timed out", 0, detect.Network},
		{tried + nobody, 0, detect.ServerError},
		{asked + nobody, 0, detect.ServerError},
		{tried + nobody, 400, detect.InvalidRequest},
		{tried + nobody, 402, detect.Billing},
		{tried + nobody + " of the user's", 0, detect.Unknown},
		{"Execution failed: Unknown error", 0, detect.Unknown},
		{"Unknown error", 0, detect.Unknown},
	} {
		if got := read(Failure{Type: "query", Status: c.status, Message: c.message}, at("2026-11-20T12:00:00Z")); got.Reason != c.want {
			t.Errorf("%d %q: %s, want %s", c.status, c.message, got.Reason, c.want)
		}
	}
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
