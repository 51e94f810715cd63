package codex

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

var at = time.Date(2026, 11, 21, 0, 4, 41, 0, time.UTC)

const hour = `{"primary":{"used_percent":100.0,"window_minutes":300,"resets_at":1795223080},"secondary":{"used_percent":30.0,"window_minutes":10080,"resets_at":1795305880},`

// TestFailure: codex_error_info first, then the limits, then the text.
func TestFailure(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	at1, sunday := time.Unix(1795223080, 0).UTC(), time.Unix(1795305880, 0).UTC()
	for _, w := range []struct {
		name, info, text, limits string
		want                     detect.Failure
	}{
		{"limit, numbers and text agree", `"usage_limit_exceeded"`, "You’ve hit your usage limit. Try again at 1:04 AM.", hour + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: at1, Field: fieldInfo}},
		{"camel case, as the server writes it", `"usageLimitExceeded"`, "You’ve hit your usage limit. Try again at 1:04 AM.", hour + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: at1, Field: fieldInfo}},
		{"limit in words nobody knows", `"usage_limit_exceeded"`, "That was all for now.", hour + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: at1, Field: fieldInfo}},
		{"both windows: the later one", `"usage_limit_exceeded"`, "You've hit your usage limit. Try again later.",
			strings.Replace(hour, "30.0", "100", 1) + `"limit_id":null}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.Weekly, ResetAt: sunday, Field: fieldInfo}},
		{"a server that rounds a week", `"usage_limit_exceeded"`, "You've hit your usage limit.", `{"primary":{"used_percent":100,"window_minutes":10079,"resets_at":1795305880}}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.Weekly, ResetAt: sunday, Field: fieldInfo}},
		{"a day", `"usage_limit_exceeded"`, "You've hit your usage limit.", `{"primary":{"used_percent":100,"window_minutes":1440,"resets_at":1795223080}}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.Daily, ResetAt: at1, Field: fieldInfo}},
		{"the limit of one model", `"usage_limit_exceeded"`, "You’ve hit your usage limit for codex_other. Switch to another model now, or try again at 1:04 AM.",
			hour + `"limit_id":"codex_other","limit_name":"codex_other"}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.Model, ResetAt: at1, Field: fieldInfo}},
		{"the limit of one model, by number alone", `"usage_limit_exceeded"`, "You've hit your usage limit.", hour + `"limit_id":"codex_other"}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.Model, ResetAt: at1, Field: fieldInfo}},
		{"no headers: the text's time, a whole minute", `"usage_limit_exceeded"`, "You’ve hit your usage limit. Try again at 1:04 AM.", `{"primary":null}`,
			detect.Failure{Reason: detect.UsageLimit, ResetAt: at1.Truncate(time.Minute), ResetMinute: true, Field: fieldInfo}},
		{"no window is full: the text's time", `"usage_limit_exceeded"`, "You’ve hit your usage limit. Try again at 1:04 AM.", strings.Replace(hour, "100.0", "99", 1) + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.UsageLimit, ResetAt: at1.Truncate(time.Minute), ResetMinute: true, Field: fieldInfo}},
		{"a workspace out of credits, although a window resets", `"usage_limit_exceeded"`, "You’ve hit your usage limit. Try again at 1:04 AM.",
			hour + `"rate_limit_reached_type":"workspace_owner_credits_depleted"}`, detect.Failure{Reason: detect.Billing, Field: fieldReached}},
		{"a workspace's own limit", `"usage_limit_exceeded"`, "x", hour + `"rate_limit_reached_type":"workspace_member_usage_limit_reached"}`,
			detect.Failure{Reason: detect.Billing, Field: fieldReached}},
		{"the plain kind of limit", `"usage_limit_exceeded"`, "x", hour + `"rate_limit_reached_type":"rate_limit_reached"}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: at1, Field: fieldInfo}},
		{"a spend cap", `"usage_limit_exceeded"`, "You hit your spend cap set by the owner of your workspace. Ask an owner to increase your spend cap to continue.",
			hour + `"limit_id":"codex"}`, detect.Failure{Reason: detect.Billing, Field: fieldText}},
		{"money in words nobody knows", `"usage_limit_exceeded"`, "Please top up your credits.", `{}`, detect.Failure{Reason: detect.Billing, Field: fieldText}},
		{"429 beside a full window is still a 429", `{"response_too_many_failed_attempts":{"http_status_code":429}}`, "exceeded retry limit, last status: 429 Too Many Requests",
			hour + `"limit_id":"codex"}`, detect.Failure{Reason: detect.RateLimit, Status: 429, Field: fieldInfo}},
		{"429 with the text of a limit", `{"response_too_many_failed_attempts":{"http_status_code":429}}`, "You've hit your usage limit. Try again at 5:40 AM.", `{}`,
			detect.Failure{Reason: detect.UsageLimit, Status: 429, ResetAt: time.Date(2026, 11, 21, 5, 40, 0, 0, time.UTC), ResetMinute: true, Field: fieldText}},
		{"429 with the text of a limit, and numbers", `{"response_too_many_failed_attempts":{"http_status_code":429}}`, "You've hit your usage limit. Try again at 1:04 AM.", hour + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.UsageLimit, Status: 429, Window: detect.FiveHour, ResetAt: at1, Field: fieldText}},
		{"429 for want of money", `{"response_too_many_failed_attempts":{"http_status_code":429}}`, "Quota exceeded. Check your plan and billing details.", `{}`,
			detect.Failure{Reason: detect.Billing, Status: 429, Field: fieldText}},
		{"401 that speaks of a limit", `{"http_connection_failed":{"http_status_code":401}}`, "You've hit your usage limit. Try again at 5:40 AM.", `{}`,
			detect.Failure{Reason: detect.Auth, Status: 401, Field: fieldInfo}},
		{"a key, behind a cut stream", `"other"`, "stream disconnected before completion: Incorrect API key provided: x.", `{}`, detect.Failure{Reason: detect.Auth, Field: fieldText}},
		{"an account, behind a cut stream", `"other"`, "stream disconnected before completion: Your account is not active, please check your billing details on our website.", `{}`,
			detect.Failure{Reason: detect.Billing, Field: fieldText}},
		{"nobody knows, behind a cut stream", `{"response_stream_disconnected":{"http_status_code":null}}`, "stream disconnected before completion: Your connection to the lab will reset.", `{}`,
			detect.Failure{Reason: detect.Unknown, Field: fieldInfo, Text: "stream disconnected before completion: Your connection to the lab will reset."}},
		{"a limit inside the stream, with numbers", `"other"`, "stream disconnected before completion: The usage limit has been reached", hour + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: at1, Field: fieldText}},
		{"a cut stream with a full window", `"other"`, "stream disconnected before completion: error sending request", hour + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.Network, Field: fieldText}},
		{"a line that never stood", `{"response_stream_connection_failed":{"http_status_code":null}}`, "something else", `{}`, detect.Failure{Reason: detect.Network, Field: fieldInfo}},
		{"its own backend is gone", `{"http_connection_failed":{"http_status_code":404}}`, "unexpected status 404 Not Found: Unknown error, url: https://chatgpt.com/backend-api/codex/responses, cf-ray: a35595ea0c7eecbe-WAW", `{}`,
			detect.Failure{Reason: detect.ServerError, Status: 404, Field: fieldText}},
		{"another address is wrong", `{"http_connection_failed":{"http_status_code":404}}`, "unexpected status 404 Not Found: Unknown error, url: http://localhost:8317/responses", `{}`,
			detect.Failure{Reason: detect.InvalidRequest, Status: 404, Field: fieldInfo}},
		{"throttled inside a stream", `{"response_stream_disconnected":{"http_status_code":null}}`, "stream disconnected before completion: Rate limit is exceeded. Try again in 11 seconds.", `{}`,
			detect.Failure{Reason: detect.RateLimit, ResetAt: at.Add(11 * time.Second), Field: fieldText}},
		{"throttled inside a stream, other", `"other"`, "stream disconnected before completion: Rate limit is exceeded. Try again in 11 seconds.", `{}`,
			detect.Failure{Reason: detect.RateLimit, ResetAt: at.Add(11 * time.Second), Field: fieldText}},
		{"compaction, busy", `"other"`, compaction + "We're currently experiencing high demand, which may cause temporary errors.", `{}`, detect.Failure{Reason: detect.ServerError, Field: fieldText}},
		{"compaction, an error in the stream", `"other"`, compaction + "stream disconnected before completion: An error occurred while processing your request.", `{}`,
			detect.Failure{Reason: detect.ServerError, Field: fieldText}},
		{"compaction, a limit", `"other"`, compaction + "You've hit your usage limit. Try again at 5:40 AM.", `{}`,
			detect.Failure{Reason: detect.UsageLimit, ResetAt: time.Date(2026, 11, 21, 5, 40, 0, 0, time.UTC), ResetMinute: true, Field: fieldText}},
		{"compaction, a limit by its name", `"usage_limit_exceeded"`, compaction + "You've hit your usage limit. Try again at 1:04 AM.", hour + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: at1, Field: fieldInfo}},
		{"compaction, its own backend is gone", `"other"`, compaction + "unexpected status 404 Not Found: Unknown error, url: https://chatgpt.com/backend-api/codex/responses/compact, cf-ray: a3-WAW", `{}`,
			detect.Failure{Reason: detect.ServerError, Field: fieldText}},
		{"compaction, another address is wrong", `"other"`, compaction + "unexpected status 404 Not Found: Unknown error, url: http://localhost:8317/responses/compact", `{}`,
			detect.Failure{Reason: detect.InvalidRequest, Field: fieldText}},
		{"compaction, money in an answer", `"other"`, compaction + `unexpected status 402 Payment Required: {"detail":{"code":"deactivated_workspace"}}`, `{}`, detect.Failure{Reason: detect.Billing, Field: fieldText}},
		{"compaction, nobody knows", `{"response_stream_disconnected":{"http_status_code":null}}`, compaction + cutStream + "The model is decommissioned.", `{}`,
			detect.Failure{Reason: detect.Unknown, Field: fieldInfo, Text: compaction + cutStream + "The model is decommissioned."}},
		{"a request without an answer", `"other"`, "request timed out", `{}`, detect.Failure{Reason: detect.Network, Field: fieldText}},
		{"408", `{"http_connection_failed":{"http_status_code":408}}`, "x", `{}`, detect.Failure{Reason: detect.Network, Status: 408, Field: fieldInfo}},
		{"529", `{"http_connection_failed":{"http_status_code":529}}`, "x", `{}`, detect.Failure{Reason: detect.Overloaded, Status: 529, Field: fieldInfo}},
		{"flex", `"flex_unavailable"`, "x", `{}`, detect.Failure{Reason: detect.Overloaded, Field: fieldInfo}},
		{"logged out", `"unauthorized"`, "x", `{}`, detect.Failure{Reason: detect.Auth, Field: fieldInfo}},
		{"no info at all", `null`, "Quota exceeded. Check your plan and billing details.", `{}`, detect.Failure{Reason: detect.Billing, Field: fieldText}},
		{"nobody knows", `"something_new"`, "Boom for ann@example.org", hour + `"limit_id":"codex"}`,
			detect.Failure{Reason: detect.Unknown, Field: fieldInfo, Text: "Boom for <mail>"}},
	} {
		var l limits
		if err := json.Unmarshal([]byte(w.limits), &l); err != nil {
			t.Fatal(err)
		}
		w.want.Source = "transcript"
		got := c.failure(&turnError{Message: w.text, Info: json.RawMessage(w.info)}, l.quota(), at)
		if d := cmp.Diff(&w.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", w.name, d)
		}
	}
}

// TestAbsurd: a reset that no window has is cut, and one that is over is taken as over.
func TestAbsurd(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	for _, resets := range []float64{-5, 0, 1e300, 4e9} {
		q := &quota{Full: true, Resets: resets, Window: detect.FiveHour}
		f := c.failure(&turnError{Message: "x", Info: json.RawMessage(`"usage_limit_exceeded"`)}, q, at)
		if f.Reason != detect.UsageLimit || f.ResetAt.Sub(at) > 9*24*time.Hour {
			t.Errorf("%g: %+v", resets, f)
		}
	}
}
