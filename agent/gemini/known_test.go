package gemini

import (
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// A record that nobody knows may say that the session went on, or that its user stopped it.
func TestUnknownRecordBehindFailure(t *testing.T) {
	const asked = `{"id":"u1","timestamp":"2026-11-21T00:00:01Z","type":"user","content":"x"}` + "\n"
	const failed = `{"id":"e1","timestamp":"2026-11-21T00:00:02Z","type":"error","content":"[API Error: You have exhausted your daily quota on this model.]"}` + "\n"
	for name, c := range map[string]struct {
		more string
		want detect.Reason
	}{
		"none":          {"", detect.UsageLimit},
		"a warning":     {`{"id":"w1","timestamp":"2026-11-21T00:00:03Z","type":"warning","content":"x"}`, detect.UsageLimit},
		"a change":      {`{"$set":{"lastUpdated":"2026-11-21T00:00:03Z"}}`, detect.UsageLimit},
		"a kind":        {`{"id":"u2","timestamp":"2026-11-21T00:00:03Z","type":"human","content":"go on"}`, detect.Unknown},
		"no kind":       {`{"id":"u2","timestamp":"2026-11-21T00:00:03Z","kind":"user","content":"go on"}`, detect.Unknown},
		"without an id": {`{"timestamp":"2026-11-21T00:00:03Z","type":"user","content":"go on"}`, detect.Unknown},
	} {
		home := t.TempDir()
		put(t, home+"/tmp/demo/chats/session-2026-11-21T00-00-df27f882.jsonl", stubLine+"\n"+asked+failed+c.more+"\n")
		g := over(home, procs{})
		if stop, _ := verdict(t, g, named(t, g, "df27f882"), detect.Gone); stop.Reason != c.want {
			t.Errorf("%s: %s, want %s", name, stop.Reason, c.want)
		}
	}
}
