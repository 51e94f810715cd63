package codex

import (
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// A record that nobody knows may say that the session went on, or that its user took the turn back.
func TestUnknownRecordBehindFailure(t *testing.T) {
	record := func(kind, payload string) string {
		return `{"timestamp":"2027-01-01T00:00:00.000Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	for more, want := range map[string]detect.Reason{
		"": detect.UsageLimit,
		record("event_msg", `{"type":"thread_name_updated"}`):                     detect.UsageLimit,
		record("event_msg", `{"type":"mcp_something_new"}`):                       detect.UsageLimit,
		record("token_usage_record", `{}`):                                        detect.UsageLimit,
		record("event_msg", `{"type":"sub_agent_activity","kind":"interrupted"}`): detect.UsageLimit,
		record("response_item", `{"type":"agent_message"}`):                       detect.UsageLimit,
		record("response_item", `{"type":"configuration_update"}`):                detect.UsageLimit,
		record("inter_agent_communication_metadata", `{}`):                        detect.UsageLimit,
		record("realtime_item", `{}`):                                             detect.Unknown,
		record("event_msg", `{"type":"thread_taken_back"}`):                       detect.Unknown,
		record("event_message", `{"type":"thread_rolled_back"}`):                  detect.Unknown,
		record("response_item", `{"type":"utterance"}`):                           detect.Unknown,
		`{"type":"event_msg","payload":{"type":"task_started"}}` + "\n":           detect.Unknown,
	} {
		c, s := recorded(t, "exec-json-usage-limit")
		put(t, s.Path, more)
		if stop, _ := verdict(t, c, s, true); stop.Reason != want {
			t.Errorf("%q: %s, want %s", more, stop.Reason, want)
		}
	}
	c, _ := recorded(t, "exec-json-usage-limit")
	if f := c.failure(&turnError{Message: "x", Info: []byte(`"usage_limit_exceeded"`)}, nil, at); f.Reason != detect.Unknown {
		t.Errorf("none of the four things that the word means: %s", f.Reason)
	}
}
