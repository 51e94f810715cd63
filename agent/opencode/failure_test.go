package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestFailure(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	reset := at.Add(90 * time.Minute)
	epoch := strconv.FormatInt(reset.Unix(), 10)
	sec := func(n float64) *time.Duration { d := time.Duration(n * float64(time.Second)); return &d }
	for name, c := range map[string]struct {
		error  string
		reason detect.Reason
		window detect.Window
		after  *time.Duration
		reset  time.Time
	}{
		"plan limit of Anthropic": {
			`{"name":"APIError","data":{"message":"m","statusCode":429,"isRetryable":true,"responseHeaders":{"retry-after":"18000","anthropic-ratelimit-unified-status":"rejected","anthropic-ratelimit-unified-representative-claim":"five_hour","anthropic-ratelimit-unified-reset":"` + epoch + `"},"responseBody":"{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}"}}`,
			detect.UsageLimit, detect.FiveHour, sec(18000), reset,
		},
		"allowed by the plan, throttled": {
			`{"name":"APIError","data":{"statusCode":429,"isRetryable":true,"responseHeaders":{"anthropic-ratelimit-unified-status":"allowed","anthropic-ratelimit-unified-reset":"` + epoch + `"},"responseBody":"{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}"}}`,
			detect.RateLimit, "", nil, time.Time{},
		},
		"weekly limit of Anthropic": {
			`{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"anthropic-ratelimit-unified-status":"rejected","anthropic-ratelimit-unified-representative-claim":"seven_day","anthropic-ratelimit-unified-reset":"` + epoch + `"}}}`,
			detect.UsageLimit, detect.Weekly, nil, reset,
		},
		"ChatGPT": {
			`{"name":"APIError","data":{"statusCode":429,"isRetryable":true,"responseBody":"{\"error\":{\"type\":\"usage_limit_reached\",\"plan_type\":\"plus\",\"resets_at\":` + epoch + `,\"resets_in_seconds\":5}}"}}`,
			detect.UsageLimit, "", nil, reset,
		},
		"ChatGPT, only seconds": {
			`{"name":"APIError","data":{"statusCode":429,"responseBody":"{\"error\":{\"type\":\"usage_limit_reached\",\"resets_in_seconds\":5400}}"}}`,
			detect.UsageLimit, "", nil, reset,
		},
		"Go": {
			`{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"5400"},"responseBody":"{\"type\":\"error\",\"error\":{\"type\":\"GoUsageLimitError\"},\"metadata\":{\"limitName\":\"weekly\"}}"}}`,
			detect.UsageLimit, detect.Weekly, sec(5400), reset,
		},
		"Zen's free models": {
			`{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"5400"},"responseBody":"{\"type\":\"error\",\"error\":{\"type\":\"FreeUsageLimitError\"}}"}}`,
			detect.UsageLimit, "", sec(5400), reset,
		},
		"a spend limit of one's own has no reset": {
			`{"name":"APIError","data":{"statusCode":401,"responseBody":"{\"error\":{\"type\":\"MonthlyLimitError\"}}"}}`,
			detect.Billing, "", nil, time.Time{},
		},
		"quota of OpenAI":           {`{"name":"APIError","data":{"statusCode":429,"isRetryable":true,"responseBody":"{\"error\":{\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}"}}`, detect.Billing, "", nil, time.Time{}},
		"credit of Anthropic":       {`{"name":"APIError","data":{"message":"Your credit balance is too low to access the API.","statusCode":400,"responseBody":"{\"error\":{\"type\":\"invalid_request_error\"}}"}}`, detect.Billing, "", nil, time.Time{}},
		"milliseconds win":          {`{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after-ms":"1500","retry-after":"99"}}}`, detect.RateLimit, "", sec(1.5), time.Time{}},
		"HTTP-date":                 {`{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"Sat, 21 Nov 2026 12:00:30 GMT"}}}`, detect.RateLimit, "", sec(30), time.Time{}},
		"HTTP-date in the past":     {`{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"Sat, 21 Nov 2026 11:00:30 GMT"}}}`, detect.RateLimit, "", nil, time.Time{}},
		"prompt too long":           {`{"name":"APIError","data":{"message":"prompt is too long: 210000 tokens > 200000 maximum","statusCode":400,"responseBody":"{\"error\":{\"type\":\"invalid_request_error\"}}"}}`, detect.ContextFull, "", nil, time.Time{}},
		"tokens per minute":         {`{"name":"APIError","data":{"message":"Rate limit: too many tokens per minute","statusCode":400}}`, detect.InvalidRequest, "", nil, time.Time{}},
		"a fault that quotes":       {`{"name":"APIError","data":{"message":"failed on: too many tokens","statusCode":500}}`, detect.ServerError, "", nil, time.Time{}},
		"413":                       {`{"name":"APIError","data":{"message":"m","statusCode":413}}`, detect.ContextFull, "", nil, time.Time{}},
		"400":                       {`{"name":"APIError","data":{"message":"m","statusCode":400}}`, detect.InvalidRequest, "", nil, time.Time{}},
		"a proxy says rate limit":   {`{"name":"APIError","data":{"message":"m","statusCode":401,"responseBody":"{\"error\":{\"type\":\"rate_limit_error\"}}"}}`, detect.Auth, "", nil, time.Time{}},
		"no key":                    {`{"name":"ProviderAuthError","data":{"providerID":"x","message":"m"}}`, detect.Auth, "", nil, time.Time{}},
		"connection refused":        {`{"name":"APIError","data":{"message":"Cannot connect to API","isRetryable":true}}`, detect.Network, "", nil, time.Time{}},
		"content filter":            {`{"name":"ContentFilterError","data":{"message":"m"}}`, detect.InvalidRequest, "", nil, time.Time{}},
		"overload inside a stream":  {`{"name":"UnknownError","data":{"message":"{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}"}}`, detect.Overloaded, "", nil, time.Time{}},
		"overload only in words":    {`{"name":"UnknownError","data":{"message":"the file says overloaded_error, rate limit, 429"}}`, detect.Unknown, "", nil, time.Time{}},
		"overload in its own words": {`{"name":"UnknownError","data":{"message":"Provider is overloaded"}}`, detect.Overloaded, "", nil, time.Time{}},
		"too long, in the body":     {`{"name":"APIError","data":{"message":"Bad Request","statusCode":400,"responseBody":"{\"error\":{\"message\":\"prompt is too long: 3\"}}"}}`, detect.ContextFull, "", nil, time.Time{}},
		"too long, behind a name":   {`{"name":"APIError","data":{"message":"litellm.BadRequestError: prompt is too long: 3","statusCode":400}}`, detect.ContextFull, "", nil, time.Time{}},
		"body of another shape":     {`{"name":"APIError","data":{"statusCode":529,"responseBody":"{\"error\":\"Overloaded\"}"}}`, detect.Overloaded, "", nil, time.Time{}},
		"OpenRouter":                {`{"name":"APIError","data":{"statusCode":402,"responseBody":"{\"error\":{\"message\":\"m\",\"code\":402}}"}}`, detect.Billing, "", nil, time.Time{}},
		"a network error's finish":  {`{"name":"UnknownError","data":{"message":"Provider finish_reason: network_error"}}`, detect.Network, "", nil, time.Time{}},
		"a filter's finish":         {`{"name":"UnknownError","data":{"message":"Provider finish_reason: content_filter"}}`, detect.Unknown, "", nil, time.Time{}},
		"its own gateway throttles": {`{"name":"UnknownError","data":{"message":"Error from provider (Console): Rate limit exceeded. Please try again later."}}`, detect.RateLimit, "", nil, time.Time{}},
		"its gateway is throttled":  {`{"name":"UnknownError","data":{"message":"Error from provider (Console): Upstream request failed: [rate_limit_exceeded] Rate limit exceeded. Please retry after a brief wait."}}`, detect.RateLimit, "", nil, time.Time{}},
		"a throttle, wrong form":    {`{"name":"UnknownError","data":{"message":"AI_TypeValidationError: Type validation failed: Value: {\"text\":\"[DONE]\",\"error\":{\"error_msg\":\"Too many requests, the rate limit is 8000000 tokens per minute.\",\"error_code\":\"InferHub.ModelArts.81101.429\"},\"error_code\":\"InferHub.ModelArts.81101.429\",\"error_msg\":\"Too many requests, the rate limit is 8000000 tokens per minute.\"}."}}`, detect.RateLimit, "", nil, time.Time{}},
		"time is up":                {`{"name":"UnknownError","data":{"message":"The operation timed out."}}`, detect.Network, "", nil, time.Time{}},
		"three tries":               {`{"name":"UnknownError","data":{"message":"AI_RetryError: Failed after 3 attempts. Last error: Overloaded"}}`, detect.Overloaded, "", nil, time.Time{}},
		"three tries, a key":        {`{"name":"UnknownError","data":{"message":"AI_RetryError: Failed after 3 attempts. Last error: Incorrect API key provided: x."}}`, detect.Auth, "", nil, time.Time{}},
		"three tries, a limit":      {`{"name":"UnknownError","data":{"message":"AI_RetryError: Failed after 3 attempts. Last error: You've reached your usage limit."}}`, detect.UsageLimit, "", nil, time.Time{}},
		"three tries, no rule":      {`{"name":"UnknownError","data":{"message":"AI_RetryError: Failed after 3 attempts. Last error: Bad Request"}}`, detect.Unknown, "", nil, time.Time{}},
		"a new name":                {`{"name":"NewError","data":{"message":"no rule knows this, /home/dev/secret"}}`, detect.Unknown, "", nil, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			var e rowError
			if err := json.Unmarshal([]byte(c.error), &e); err != nil {
				t.Fatal(err)
			}
			f := failure(&e, at, time.UTC, "database")
			if f.Reason != c.reason || f.Window != c.window || !f.ResetAt.Equal(c.reset) {
				t.Errorf("%s %s reset %v, want %s %s reset %v", f.Reason, f.Window, f.ResetAt, c.reason, c.window, c.reset)
			}
			if (f.RetryAfter == nil) != (c.after == nil) || c.after != nil && *f.RetryAfter != *c.after {
				t.Errorf("retry after %v, want %v", f.RetryAfter, c.after)
			}
			if f.Field == "" || f.Source != "database" {
				t.Errorf("evidence: %q %q", f.Source, f.Field)
			}
			if (f.Text != "") != (c.reason == detect.Unknown) {
				t.Errorf("text %q", f.Text)
			}
		})
	}
}

// TestLimitInWords: where neither the status nor a word of the body tells a throttle from a used-up
// quota or from money, the provider's own text does.
func TestLimitInWords(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) // a Friday
	day := func(d, h, m, s int) time.Time { return time.Date(2026, 11, d, h, m, s, 0, time.UTC) }
	error := func(status, message, body, rest string) string {
		return `{"name":"APIError","data":{"message":` + strconv.Quote(message) + `,"isRetryable":true` + status + rest + `,"responseBody":` + strconv.Quote(body) + `}}`
	}
	const s429, s403, s400, none = `,"statusCode":429`, `,"statusCode":403`, `,"statusCode":400`, ""
	const copilot = "You've reached your weekly rate limit. Please wait for your limit to reset on November 23, 2026 at 2:00 AM or switch to auto model to continue."
	const free = "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day"
	const chinese = "已达到 5 小时的使用上限。您的限额将在 2026-11-21 07:41:44 重置。"
	const balance = "Insufficient balance or no resource package. Please recharge."
	const quota = "You exceeded your current quota, please check your plan and billing details."
	const window = "Usage limit reached for 5 hour. Your limit will reset at 2026-11-20 23:34:09" // in Beijing
	const week = "You've reached your weekly usage limit for Claude. Resets Mon 9:00 AM"
	const month = "You have exceeded your premium request allowance. Resets on Dec 1."
	for name, c := range map[string]struct {
		error  string
		reason detect.Reason
		window detect.Window
		reset  time.Time
	}{
		"no balance, by code":           {error(s429, "x", `{"error":{"code":"1113","message":"x"}}`, ""), detect.Billing, "", time.Time{}},
		"no balance, by number":         {error(s429, "x", `{"error":{"code":1113,"message":"x"}}`, ""), detect.Billing, "", time.Time{}},
		"no balance, in words":          {error(s429, balance, "", ""), detect.Billing, "", time.Time{}},
		"no quota, by word":             {error(s429, "x", `{"error":{"type":"exceeded_current_quota_error"}}`, ""), detect.Billing, "", time.Time{}},
		"no quota, in words":            {error(s429, quota, "", ""), detect.Billing, "", time.Time{}},
		"no quota, behind a name":       {error(s429, "litellm.RateLimitError: "+quota, "", ""), detect.Billing, "", time.Time{}},
		"no quota, in the body":         {error(s429, "m", `{"error":{"message":"`+quota+`"}}`, ""), detect.Billing, "", time.Time{}},
		"no quota, no status":           {error(none, quota, "", ""), detect.Billing, "", time.Time{}},
		"a quota of requests a minute":  {error(s429, quota+"\n* Quota exceeded for metric: x\nPlease retry in 56s.", "", ""), detect.RateLimit, "", time.Time{}},
		"five hours, by code":           {error(s429, window, `{"error":{"code":"1308","message":"`+window+`"}}`, ""), detect.UsageLimit, detect.FiveHour, day(20, 15, 34, 9)},
		"five hours, in words":          {error(s429, window, "", ""), detect.UsageLimit, detect.FiveHour, day(20, 15, 34, 9)},
		"a week":                        {error(s429, week, "", ""), detect.UsageLimit, detect.Weekly, day(23, 9, 0, 0)},
		"a week, 403":                   {error(s403, week, "", ""), detect.UsageLimit, detect.Weekly, day(23, 9, 0, 0)},
		"a week, no status":             {error(none, week, "", ""), detect.UsageLimit, detect.Weekly, day(23, 9, 0, 0)},
		"a week, one try's wait":        {error(s429, week, "", `,"responseHeaders":{"retry-after":"60"}`), detect.UsageLimit, detect.Weekly, day(23, 9, 0, 0)},
		"a month":                       {error(s429, month, "", ""), detect.UsageLimit, "", day(31, 0, 0, 0)},
		"a key's own limit":             {error(s403, "Key limit exceeded (monthly limit). Manage it using https://openrouter.ai/settings/keys", `{"error":{"message":"x","code":403}}`, ""), detect.Billing, "", time.Time{}},
		"an account's month":            {error(s429, "Your account has exceeded its monthly quota.", "", ""), detect.UsageLimit, detect.Monthly, time.Time{}},
		"403 that quotes":               {error(s403, "Blocked: "+week, "", ""), detect.Auth, "", time.Time{}},
		"401":                           {error(`,"statusCode":401`, week, "", ""), detect.Auth, "", time.Time{}},
		"500":                           {error(`,"statusCode":500`, week, "", ""), detect.ServerError, "", time.Time{}},
		"Copilot's week":                {error(s429, copilot, `{"error":{"message":"x","code":"user_weekly_rate_limited"}}`, ""), detect.UsageLimit, detect.Weekly, day(23, 2, 0, 0)},
		"Copilot's week, in words":      {error(s429, copilot, `{"error":{"message":"x","code":"rate_limit_exceeded"}}`, ""), detect.UsageLimit, detect.Weekly, day(23, 2, 0, 0)},
		"OpenRouter's day":              {error(s429, free, `{"error":{"message":"`+free+`","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Reset":"1795219200000"}}}}`, ""), detect.UsageLimit, detect.Daily, day(21, 0, 0, 0)},
		"OpenRouter's day, by header":   {error(s429, free, "", `,"responseHeaders":{"x-ratelimit-reset":"1795219200000"}`), detect.UsageLimit, detect.Daily, day(21, 0, 0, 0)},
		"OpenRouter's minute":           {error(s429, "Rate limit exceeded: free-models-per-min", `{"error":{"message":"x","code":429,"metadata":{"headers":{"X-RateLimit-Reset":"1795219200000"}}}}`, ""), detect.RateLimit, "", time.Time{}},
		"Google's day":                  {error(s429, quota+"\nPlease retry in 14h3m2.1s.", `[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}]`, ""), detect.UsageLimit, detect.Daily, day(21, 2, 3, 2).Add(time.Second / 10)},
		"Google's day, by its delay":    {error(s429, "x", `{"error":{"code":429,"message":"`+quota+` Please retry in 50s.","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]},{"retryDelay":"7200s"}]}}`, ""), detect.UsageLimit, detect.Daily, day(20, 14, 0, 0)},
		"Google, hours":                 {error(s429, quota+" Please retry in 14h.", "", ""), detect.UsageLimit, "", day(21, 2, 0, 0)},
		"tokens of a day":               {error(s429, "Rate limit reached for gpt-5 in organization org-x on tokens per day (TPD): Limit 9, Used 9, Requested 1. Please try again in 2h.", `{"error":{"code":"rate_limit_exceeded"}}`, ""), detect.UsageLimit, detect.Daily, day(20, 14, 0, 0)},
		"tokens of a minute":            {error(s429, "Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 9, Used 9, Requested 1. Please try again in 2s.", `{"error":{"code":"rate_limit_exceeded"}}`, ""), detect.RateLimit, "", time.Time{}},
		"a workspace's month":           {error(s400, "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", `{"error":{"type":"invalid_request_error"}}`, ""), detect.UsageLimit, "", day(31, 0, 0, 0)},
		"a workspace's own limit":       {error(s400, "You have reached your specified API usage limits.", `{"error":{"type":"invalid_request_error"}}`, ""), detect.Billing, "", time.Time{}},
		"400 that quotes":               {error(s400, "Blocked: "+week, `{"error":{"type":"invalid_request_error"}}`, ""), detect.InvalidRequest, "", time.Time{}},
		"a long context's credits":      {error(s429, "Extra usage is required for long context requests.", `{"type":"error","error":{"type":"rate_limit_error"}}`, ""), detect.Billing, "", time.Time{}},
		"LiteLLM's budget":              {error(s400, "Budget has been exceeded! Current cost: 10.02, Max budget: 10.0", `{"error":{"message":"x","type":"budget_exceeded","code":"400"}}`, ""), detect.Billing, "", time.Time{}},
		"LiteLLM's budget, behind":      {error(s429, "litellm.BudgetExceededError: Budget has been exceeded! Current cost: 10.02, Max budget: 10.0", "", ""), detect.Billing, "", time.Time{}},
		"five hours, in Chinese":        {error(s429, chinese, `{"error":{"code":"1308","message":"`+chinese+`"}}`, ""), detect.UsageLimit, detect.FiveHour, day(20, 23, 41, 44)},
		"a plan that ended":             {error(s429, "x", `{"error":{"code":"1309","message":"x"}}`, ""), detect.Billing, "", time.Time{}},
		"a throttle that says how long": {error(s429, "x", `{"error":{"type":"rate_limit_error","retry_after":30}}`, ""), detect.RateLimit, "", time.Time{}},
		"a gateway's status, twice":     {error(s429, `HttpError: Invalid status code 429 Too Many Requests with message: {"error":{"code":"1308","message":"`+chinese+`"}}`, "", ""), detect.UsageLimit, detect.FiveHour, day(20, 23, 41, 44)},
		"a gateway's status":            {`{"name":"UnknownError","data":{"message":"429: {\"type\":\"FreeUsageLimitError\",\"message\":\"x\"}"}}`, detect.UsageLimit, "", time.Time{}},
		"only a throttle":               {error(s429, "Too Many Requests", "", ""), detect.RateLimit, "", time.Time{}},
	} {
		var e rowError
		if err := json.Unmarshal([]byte(c.error), &e); err != nil {
			t.Fatal(name, err)
		}
		f := failure(&e, at, time.UTC, "database")
		if f.Reason != c.reason || f.Window != c.window || !f.ResetAt.Equal(c.reset) || f.Source != "database" || f.Field == "" {
			t.Errorf("%s: %+v, want %s %s %v", name, f, c.reason, c.window, c.reset)
		}
	}
}

// FuzzRow feeds strangers' bytes to all that reads a row, its parts, and a line of the log.
func FuzzRow(f *testing.F) {
	f.Add([]byte(`{"role":"assistant","parentID":"msg_1","time":{"created":1795219748900,"completed":1795219766497},"finish":"stop"}`), []byte(`{"type":"text","text":"x"}`), int64(1795219748900),
		`timestamp=2026-11-21T00:09:20.757Z level=ERROR run=1 message="stream error" session.id=`+testID+` small=false error.error="x"`)
	f.Add([]byte(`{"role":"assistant","time":{"completed":1e300},"error":{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"1e400"},"responseBody":"{\"error\":{\"resets_at\":1e300}}"}}}`), []byte(`{"type":"tool","status":"running"}`), int64(-1),
		`ERROR 9999-12-31T00:39:30 +36ms service=llm sessionID=`+testID+` small=false error={"error":{"responseHeaders":{"retry-after":"1e400"}}}`)
	f.Add([]byte(`{"role":"assistant","error":{"name":"APIError","data":{"statusCode":429,"responseBody":"{\"error\":{\"type\":\"usage_limit_reached\",\"resets_at\":1795190400}}"}}}`), []byte(`{}`), int64(0), "")
	f.Add([]byte(`{"role":"assistant","error":{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"90000"},"responseBody":"{\"error\":{\"code\":\"1308\"}}"}}}`), []byte(`{}`), int64(0), "")
	f.Add([]byte(`{"role":"user","summary":{"diffs":[]}}`), []byte(`{"type":"compaction","auto":1}`), int64(1<<62), "")
	for row, part := range recordedRows(f) {
		f.Add([]byte(row), []byte(part), int64(1795219748900), "")
	}
	f.Fuzz(func(t *testing.T, row, p []byte, created int64, log string) {
		m := message{ID: "msg_1", Created: created}
		m.fill(row)
		m.addPart(p, created)
		r := reader{source: "database"}
		if m.Strange {
			return
		}
		e := r.event(&m)
		if again := r.event(&m); !cmp.Equal(e, again) || e.ID == "" {
			t.Fatal("not the same twice")
		}
		events := []detect.Event{e}
		if _, at, ok := parseRetry(log); ok {
			events = append(events, detect.Event{Kind: detect.KindRetry, ID: "msg_1", At: at, Next: nextTry(log, at)})
		}
		agenttest.CheckEvents(t, events)
		if x := e.Failure; x != nil && x.Field == "" {
			t.Fatalf("a failure without a field: %+v", x)
		}
	})
}

// recordedRows are messages of the recorded databases, each with a part of the same database.
func recordedRows(f *testing.F) map[string]string {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join(cases, "*", "db.sql"))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no recorded databases (%v)", err)
	}
	rows := map[string]string{}
	for _, path := range paths {
		dump, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		var messages, parts []string
		for line := range strings.Lines(string(dump)) {
			_, data, ok := strings.Cut(line, ",'{")
			data = "{" + strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(data), "');"), "''", "'")
			switch {
			case !ok || len(data) > 2000: // long seeds take the fuzzer a minute each to make shorter
			case strings.HasPrefix(line, `INSERT INTO "message"`):
				messages = append(messages, data)
			case strings.HasPrefix(line, `INSERT INTO "part"`):
				parts = append(parts, data)
			}
		}
		for n, m := range messages {
			if len(parts) > 0 {
				rows[m] = parts[n%len(parts)]
			}
		}
	}
	if len(rows) < len(paths) {
		f.Fatalf("%d rows of %d databases", len(rows), len(paths))
	}
	return rows
}
