package pi

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// A record that nobody knows may say that the session went on, or that its user stopped it.
func TestUnknownRecordBehindFailure(t *testing.T) {
	for name, c := range map[string]struct {
		more string
		want detect.Reason
	}{
		"none":                  {"", detect.RateLimit},
		"a title":               {`{"type":"session_info","id":"b1","parentId":"a0000005","timestamp":"2026-11-22T12:06:39.300Z","name":"x"}`, detect.RateLimit},
		"a kind":                {`{"type":"tea_break","id":"b1","parentId":"a0000005","timestamp":"2026-11-22T12:06:39.300Z"}`, detect.Unknown},
		"who speaks":            {strings.Replace(asked, `"role":"user"`, `"role":"human"`, 1), detect.Unknown},
		"without an id":         {strings.Replace(asked, `"id":`, `"ident":`, 1), detect.Unknown},
		"an edit of what":       {strings.Replace(edited, `"targetId"`, `"targets"`, 1), detect.Unknown},
		"it asks again by edit": {edited, detect.Interrupted},
	} {
		p, s := session(t, begun+failed+"\n"+c.more+"\n")
		if stop, _ := verdict(t, p, s, detect.Gone); stop.Reason != c.want {
			t.Errorf("%s: %s, want %s", name, stop.Reason, c.want)
		}
	}
}
