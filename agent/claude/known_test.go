package claude

import (
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// A record that nobody knows may say that the session went on, or that its user stopped it. A note on the session does not.
func TestUnknownRecordBehindFailure(t *testing.T) {
	limit := prompt(1, "x") + failed(2, limitSentence, map[string]any{"error": "rate_limit", "apiErrorStatus": 429})
	for name, c := range map[string]struct {
		text string
		want detect.Reason
	}{
		"none":                {limit, detect.UsageLimit},
		"a note":              {limit + `{"type":"tea-break","sessionId":"` + sid + `","minutes":5}` + "\n", detect.UsageLimit},
		"a known notice":      {limit + rec("system", 3, map[string]any{"subtype": "turn_duration"}), detect.UsageLimit},
		"a kind":              {limit + rec("user-v2", 3, map[string]any{"message": map[string]any{"content": "go on"}}), detect.Unknown},
		"without a kind":      {limit + `{"kind":"user","uuid":"x","sessionId":"` + sid + `"}` + "\n", detect.Unknown},
		"a kind of system":    {limit + rec("system", 3, map[string]any{"subtype": "continues", "content": "Going on"}), detect.Unknown},
		"a figure of system":  {limit + rec("system", 3, map[string]any{"subtype": "tea_duration", "durationMs": 5}), detect.UsageLimit},
		"a file's history":    {limit + `{"type":"file-history-snapshot","messageId":"x","snapshot":{"type":"user","isApiErrorMessage":true}}` + "\n", detect.UsageLimit},
		"a reworded notice":   {limit + rec("system", 3, map[string]any{"subtype": "informational", "level": "notice", "content": "See you at 3pm"}), detect.Unknown},
		"slept over a reset":  {limit + rec("system", 3, map[string]any{"subtype": "informational", "level": "notice", "content": "Usage limit has reset · press enter to continue"}), detect.UsageLimit},
		"no continue at all":  {limit + rec("system", 3, map[string]any{"subtype": "informational", "level": "warning", "content": "Automatic continue stopped after repeated usage limit hits · This task will not resume on its own (/rate-limit-options to try again)"}), detect.UsageLimit},
		"a goal that waits":   {limit + rec("system", 3, map[string]any{"subtype": "informational", "level": "notice", "content": "Goal paused · the request was rate limited · send a message to retry"}), detect.UsageLimit},
		"a goal that goes on": {limit + rec("system", 3, map[string]any{"subtype": "informational", "level": "notice", "content": "Goal still active · the API returned an unexpected response · retrying in 1 min (1/3) · send a message to retry now"}), detect.UsageLimit},
		"another warning":     {limit + rec("system", 3, map[string]any{"subtype": "informational", "level": "warning", "content": "See you at 3pm"}), detect.UsageLimit},
		"a continue in a tip": {limit + rec("system", 3, map[string]any{"subtype": "informational", "level": "suggestion", "content": "Continuing automatically at 3pm"}), detect.Unknown},
		"an answer behind it": {limit + rec("user-v2", 3, nil) + failed(4, limitSentence, map[string]any{"error": "rate_limit", "apiErrorStatus": 429}), detect.UsageLimit},
		"no text":             {prompt(1, "x") + failed(2, "", map[string]any{"error": "rate_limit", "apiErrorStatus": 429}), detect.Unknown},
		"which server error":  {prompt(1, "x") + failed(2, "API Error: the penguins are asleep", map[string]any{"error": "server_error"}), detect.Unknown},
	} {
		if stop, _ := readText(t, c.text); stop.Reason != c.want {
			t.Errorf("%s: %s, want %s", name, stop.Reason, c.want)
		}
	}
}
