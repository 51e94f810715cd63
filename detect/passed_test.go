package detect

import (
	"strings"
	"testing"
	"time"
)

// Each row of providers' sentences is the first that matches its own example, and all of it.
func TestProviders(t *testing.T) {
	for i, m := range providers() {
		plain := strings.ReplaceAll(Plain(m.Example), "\n", " ")
		for j, other := range providers() {
			if hit := other.Pattern.FindString(plain); hit != "" {
				if j != i || hit != plain {
					t.Errorf("row %d (%s): row %d matches %q of %q", i, m.Reason, j, hit, plain)
				}
				break
			}
		}
	}
}

func TestPassed(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const daily = `{"error":{"message":"Rate limit exceeded: free-models-per-day. ","code":429,"metadata":{"headers":{"X-RateLimit-Reset":"1795219200000"}}}}`
	for _, c := range []struct {
		name   string
		status int
		body   string
		reason Reason // empty: the body says no more than the status
		reset  time.Time
	}{
		{"a quota of a day, its end in ms", 429, daily, UsageLimit, time.Unix(1795219200, 0)},
		{"its end in seconds", 429, strings.Replace(daily, "000000", "000", 1), UsageLimit, time.Unix(1795219200, 0)},
		{"a number that is no time", 429, strings.Replace(daily, "1795219200000", "60", 1), UsageLimit, time.Time{}},
		{"a limit beside a key that is refused", 401, daily, "", time.Time{}},
		{"a throttle beside a 403", 403, `{"error":{"message":"Rate limit is exceeded. Try again in 2 seconds."}}`, "", time.Time{}},
		{"no money beside a failing server", 500, `{"error":{"message":"Key limit exceeded (total limit)."}}`, "", time.Time{}},
		{"a full context beside a 429", 429, `{"error":{"message":"Prompt exceeds max length"}}`, "", time.Time{}},
		{"a wait of seconds", 429, "Rate limit is exceeded. Try again in 2 seconds.", RateLimit, at.Add(2 * time.Second)},
		{"one of a day", 429, "Rate limit is exceeded. Try again in 86400 seconds.", UsageLimit, at.Add(24 * time.Hour)},
		{"one of almost a day", 429, "Rate limit is exceeded. Try again in 86399 seconds.", RateLimit, at.Add(86399 * time.Second)},
		{"behind a body, what an agent adds", 400, `{"code":"1261","message":"Prompt exceeds max length"} · Please run /login`, ContextFull, time.Time{}},
		{"a body in a body", 413, `{"error":{"message":"{\"type\":\"error\",\"error\":{\"message\":\"Prompt is too long\"}}"}}`, ContextFull, time.Time{}},
		{"a status that is not known", 0, "The engine is currently overloaded, please try again later", Overloaded, time.Time{}},
		{"a limit that is only told of", 429, `{"error":{"message":"The user asked why \"Too many tokens per day\" came"}}`, "", time.Time{}},
		{"money of the gateway's own account", 429, `{"error":{"message":"Provider returned error","metadata":{"raw":"Insufficient balance"}}}`, "", time.Time{}},
		{"nothing", 429, "", "", time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, ok := Passed(c.status, c.body, at, time.UTC)
			if ok != (c.reason != "") {
				t.Fatalf("%v, %+v", ok, f)
			}
			if ok && (f.Reason != c.reason || !f.ResetAt.Equal(c.reset) || f.Status != c.status) {
				t.Errorf("%+v, want %s until %s", f, c.reason, c.reset)
			}
		})
	}
}

// TestResetFields: the end of a limit in fields, of all forms and spellings, and fields that name none.
func TestResetFields(t *testing.T) {
	at := utc(t, "2026-11-20T12:00:00Z")
	for body, want := range map[string]string{
		`{"error":{"type":"usage_limit_reached","resets_at":1795190400}}`:                 "2026-11-20T16:00:00Z",
		`{"error":{"resets_at":1795190400,"resets_in_seconds":14400}}`:                    "2026-11-20T16:00:00Z",
		`{"error":{"resetsAt":1795190400000}}`:                                            "2026-11-20T16:00:00Z",
		`{\"reset_at\": \"2026-11-20T17:00:00+01:00\"}`:                                   "2026-11-20T16:00:00Z",
		`{'resets_in_seconds': 90}`:                                                       "2026-11-20T12:01:30Z",
		`{"reset_after_seconds":"90"}`:                                                    "2026-11-20T12:01:30Z",
		`{"reset_after_ms":1500}`:                                                         "2026-11-20T12:00:01Z",
		`{"retryDelay":"581.5s"}`:                                                         "2026-11-20T12:09:41Z",
		`{"quotaResetDelay":"161h39m41.3s","quotaResetTimeStamp":"2026-11-27T05:39:41Z"}`: "2026-11-27T05:39:41Z",
		`{"resets_at":"2031-01-01T00:00:00Z"}`:                                            "2026-11-28T12:00:00Z", // cut
		`{"primary":{"reset_at":1795190400},"secondary":{"reset_at":1795590400}}`:         "",
		`{"resets_at":1795190400,"headers":{"X-Codex-Primary-Reset-At":"1795190400","X-Codex-Secondary-Reset-At":"1795590400"}}`: "2026-11-20T16:00:00Z",
		`{"resets_at":null}`:               "",
		`{"resets_at":0}`:                  "",
		`{"resets_at":14400}`:              "",
		`{"resets_in_seconds":-5}`:         "",
		`{"resets_in_seconds":1e300}`:      "",
		`{"resets_in_seconds":"Inf"}`:      "",
		`{"resets_at":"2026-11-20 17:00"}`: "", // in which zone?
		`{"resets_at":"tomorrow"}`:         "",
		`{"presets_at":1795190400}`:        "",
		`{"created_at":1795190400,"reset_policy":30,"latency_ms":3000,"duration":"5s"}`: "",
		`{"x-ratelimit-reset-requests":"12ms","x-ratelimit-reset-tokens":"1s"}`:         "",
		`{"used_percent":100,"limit_window_seconds":18000}`:                             "",
		`resets_at 1795190400`: "",
	} {
		got := ""
		if r, ok := ResetField(body, at, Weekly); ok {
			got = r.At.UTC().Truncate(time.Second).Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if _, ok := ResetField(`{"resets_in_seconds":90}`, time.Time{}, ""); ok {
		t.Error("without a time")
	}
}

func FuzzResetField(f *testing.F) {
	for _, body := range []string{`{"resets_at":1795190400,"resets_in_seconds":14400}`, `{"retryDelay":"1h2m3.5s"}`, `{'reset_at': '2026-11-20T17:00:00Z'}`, `{"reset_after_ms":1e99}`, `"resets_in":"-9999999h"`} {
		f.Add(body)
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, body string) {
		if r, ok := ResetField(body, at, Weekly); ok && (r.At.Before(at.Add(-justPassed)) || r.At.After(at.Add(Weekly.longest()))) {
			t.Errorf("%q: %s", body, r.At)
		}
	})
}
