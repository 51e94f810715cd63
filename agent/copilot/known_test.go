package copilot

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// A record that nobody knows may say that the session went on, or that its user stopped it.
func TestUnknownRecordBehindFailure(t *testing.T) {
	record := func(kind, data string) string {
		return `{"type":"` + kind + `","data":` + data + `,"id":"00000000-0000-4000-8000-0000000000aa","timestamp":"2026-11-22T12:06:59.300Z","parentId":null}` + "\n"
	}
	c, s := session(t, begun+failed+"\n")
	known, _ := verdict(t, c, s, detect.Gone)
	for more, want := range map[string]detect.Reason{
		record("session.title_changed", `{}`):                           known.Reason,
		record("mcp.something_new", `{}`):                               known.Reason, // of no turn
		record("session.info", `{"infoType":"mcp"}`):                    known.Reason,
		record("session.info", `{"infoType":"auto_continue"}`):          detect.Unknown,
		record("session.continues", `{}`):                               detect.Unknown,
		record("assistant.went_on", `{}`):                               detect.Unknown,
		record("abort_v2", `{}`):                                        detect.Unknown,
		strings.Replace(record("user.message", `{}`), `"id"`, `"x"`, 1): detect.Unknown,
	} {
		c, s := session(t, begun+failed+"\n"+more)
		if stop, _ := verdict(t, c, s, detect.Gone); stop.Reason != want || known.Reason == detect.Unknown {
			t.Errorf("%s: %s, want %s", more, stop.Reason, want)
		}
	}
	if f := (&Failure{Type: "rate_limit", Status: 429}).failure(at("2026-11-22T12:06:59Z"), utcOnly); f.Reason != detect.Unknown {
		t.Errorf("a failure without a text: %s", f.Reason)
	}
}
