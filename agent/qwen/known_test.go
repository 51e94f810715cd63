package qwen

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// A record that nobody knows may say that the session went on, or that its user stopped it.
func TestUnknownRecordBehindFailure(t *testing.T) {
	refused := strings.NewReplacer(`"status_code":429`, `"status_code":401`).Replace(limited("e1", "12:13:05.000"))
	for name, c := range map[string]struct {
		more string
		want detect.Reason
	}{
		"none":          {"", detect.Auth},
		"a title":       {made("t1", "12:13:09.000", "system", `,"subtype":"custom_title"`), detect.Auth},
		"a note":        {note("t1", "12:13:09.000", "qwen-code.file_operation", ""), detect.Auth},
		"a kind":        {made("t1", "12:13:09.000", "human", ""), detect.Unknown},
		"a subtype":     {made("t1", "12:13:09.000", "system", `,"subtype":"went_on"`), detect.Unknown},
		"a cancel":      {note("t1", "12:13:09.000", "qwen-code.api_cancel", ""), detect.Unknown},
		"without an id": {strings.Replace(asked, `"uuid"`, `"ident"`, 1), detect.Unknown},
	} {
		q, s := session(t, begun+refused+c.more)
		if stop, _ := verdict(t, q, s, detect.Gone); stop.Reason != c.want {
			t.Errorf("%s: %s, want %s", name, stop.Reason, c.want)
		}
	}
	q, _ := session(t, begun)
	if f := q.failure(&uiEvent{Status: 429}, at("2026-11-22T12:06:59Z")); f.Reason != detect.Unknown {
		t.Errorf("a failure without a text: %s", f.Reason)
	}
	for version, old := range map[string]bool{"0.15.6": true, "0.24.4": false, "9.9.9": false, "": false} {
		if got := (&record{Version: version}).old(); got != old {
			t.Errorf("%q is old: %v", version, got)
		}
	}
}
