package qwen

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// rewound is the record of turns that were taken back, below what stood before them.
func rewound(id, clock, parent string) string {
	return strings.Replace(made(id, clock, "system", `,"subtype":"rewind","systemPayload":{"truncatedCount":2}`), `"parentUuid":null`, `"parentUuid":`+parent, 1)
}

// TestRewindEndsTheStop: its user has taken the turn that failed back, and the last look before an attempt sees it.
func TestRewindEndsTheStop(t *testing.T) {
	for what, text := range map[string]string{"in a terminal": begun + shown + failing, "a headless run, in a terminal later": begun + failing} {
		q, s := session(t, text)
		endedAt(t, q.root, "2026-11-22T12:14:00Z")
		first, err := agenttest.Read(t.Context(), q, s, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := verdict(t, q, s, detect.Gone); got.Reason != detect.RateLimit {
			t.Fatalf("%s, before: %+v", what, got)
		}
		put(t, s.Path, rewound("w1", "12:20:00.000", "null")+made("s3", "12:20:00.001", "system", `,"subtype":"file_history_snapshot"`))
		endedAt(t, q.root, "2026-11-22T12:21:00Z")
		if got, _ := verdict(t, q, s, detect.Gone); got.Reason != detect.Interrupted || got.Key != "w1" {
			t.Errorf("%s: %s %s %s", what, got.State, got.Reason, got.Key)
		}
		late, err := agenttest.Read(t.Context(), q, s, first.Cursor)
		if err != nil || len(late.Events) != 1 || late.Events[0].Kind != detect.KindInterrupt {
			t.Errorf("%s, the last look: %+v, %v", what, late.Events, err)
		}
	}
}

// TestLastPromptAfterRewind: what was taken back is not sent again.
func TestLastPromptAfterRewind(t *testing.T) {
	again := prompted("p2", "12:14:00.000", "again")
	more := prompted("p3", "12:15:00.000", "more")
	for what, c := range map[string]struct{ text, want string }{
		"all":                     {begun + answered + said + again + failing + rewound("w1", "12:20:00.000", "null"), ""},
		"the last turn":           {begun + answered + said + again + failing + rewound("w1", "12:20:00.000", `"a1"`), "Say hello"},
		"two turns":               {begun + answered + said + again + failing + more + rewound("w1", "12:20:00.000", `"a1"`), "Say hello"},
		"another prompt behind":   {begun + again + rewound("w1", "12:14:30.000", `"s1"`) + more, "more"},
		"twice":                   {begun + again + rewound("w1", "12:14:30.000", `"s1"`) + more + rewound("w2", "12:20:00.000", `"w1"`), "Say hello"},
		"below what is not there": {begun + again + rewound("w1", "12:20:00.000", `"x1"`), ""},
	} {
		q, s := session(t, c.text)
		if got, err := q.LastPrompt(t.Context(), s); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", what, got, err, c.want)
		}
	}
}
