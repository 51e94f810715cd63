package opencode

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// body is what the providers' error bodies have in common. OpenRouter's code is a number.
type body struct {
	Type  string `json:"type"`
	Error struct {
		Type     string          `json:"type"`
		Code     json.RawMessage `json:"code"`
		Message  string          `json:"message"`
		ResetsAt float64         `json:"resets_at"`
		ResetsIn float64         `json:"resets_in_seconds"`
		Details  []struct {
			RetryDelay string `json:"retryDelay"` // Google's RetryInfo: seconds with an s
			Violations []struct {
				QuotaID string `json:"quotaId"`
			} `json:"violations"`
		} `json:"details"`
		Metadata struct {
			Headers map[string]string `json:"headers"` // of the provider behind OpenRouter
		} `json:"metadata"`
	} `json:"error"`
	Code     json.RawMessage `json:"code"`
	Message  string          `json:"message"`
	ResetsAt float64         `json:"resets_at"`
	Metadata struct {
		LimitName string `json:"limitName"`
	} `json:"metadata"`
}

// words are the provider's own names of the error, most exact first.
func (b *body) words() []string {
	var all []string
	add := func(v string) {
		if v != "" && v != "error" {
			all = append(all, v)
		}
	}
	for _, raw := range []json.RawMessage{b.Error.Code, b.Code} {
		var s string
		var n json.Number
		switch {
		case json.Unmarshal(raw, &s) == nil:
			add(s)
		case json.Unmarshal(raw, &n) == nil:
			add(n.String())
		}
	}
	add(b.Error.Type)
	add(b.Type)
	return all
}

// byWord is what the providers' stable words mean. Words that only repeat the HTTP status
// (invalid_request_error, requests) are not here.
var byWord = map[string]detect.Reason{
	"rate_limit_error":             detect.RateLimit,
	"rate_limit_exceeded":          detect.RateLimit,
	"exceeded_current_quota_error": detect.Billing,    // Moonshot
	"1113":                         detect.Billing,    // Z.ai: no balance
	"1308":                         detect.UsageLimit, // Z.ai: the plan's window
	"overloaded_error":             detect.Overloaded,
	"server_is_overloaded":         detect.Overloaded,
	"resource_exhausted":           detect.Overloaded, // inside a stream; opencode itself calls it so
	"unavailable":                  detect.Overloaded,
	"authentication_error":         detect.Auth,
	"permission_error":             detect.Auth,
	"invalid_api_key":              detect.Auth,
	"usage_not_included":           detect.Billing,
	"insufficient_quota":           detect.Billing,
	"billing_error":                detect.Billing,
	"CreditsError":                 detect.Billing,
	"MonthlyLimitError":            detect.Billing,
	"budget_exceeded":              detect.Billing, // LiteLLM
	"1309":                         detect.Billing, // Z.ai: the plan has ended
	"1310":                         detect.UsageLimit,
	"user_weekly_rate_limited":     detect.UsageLimit, // Copilot
	"usage_limit_reached":          detect.UsageLimit,
	"GoUsageLimitError":            detect.UsageLimit,
	"FreeUsageLimitError":          detect.UsageLimit,
	"context_length_exceeded":      detect.ContextFull,
	"request_too_large":            detect.ContextFull,
	"api_error":                    detect.ServerError,
	"server_error":                 detect.ServerError,
	"model_context_window_full":    detect.ContextFull,
}

// bodyOf reads a provider's error, which Google wraps in an array.
func bodyOf(raw string) body {
	var b body
	var list []body
	switch raw = strings.TrimSpace(raw); {
	case strings.HasPrefix(raw, "["):
		if agent.Unmarshal([]byte(raw), &list) == nil && len(list) > 0 {
			return list[0]
		}
	case agent.Unmarshal([]byte(raw), &b) == nil:
		return b
	}
	return body{}
}

// failure says in our words what message.data.error says. at is when the row was completed: the
// provider's waiting times count from there.
// zone counts for the times that a text names.
func failure(e *rowError, at time.Time, zone *time.Location, source string) *detect.Failure {
	if status, rest := answered(plain(e.Data.Message)); status != 0 && (e.Data.StatusCode == status || e.Data.StatusCode == 0 && e.Name == "UnknownError") {
		told := *e
		told.Data.StatusCode, told.Data.Message = status, rest
		e = &told
	}
	f := &detect.Failure{Status: e.Data.StatusCode, Source: source}
	raw := e.Data.Body
	if raw == "" { // an error inside a stream lies in the message, as JSON
		raw = e.Data.Message
	}
	b := bodyOf(raw)
	said := spoken(e, &b, at, zone)
	reason(e, &b, said, f)
	if p, ok := detect.Passed(f.Status, raw, at, zone); ok && (f.Field != "error.name" || f.Reason == detect.Unknown) {
		f.Reason, f.Field, said = p.Reason, "error.data.responseBody", p
	}
	h := header(e.Data.Headers)
	f.RetryAfter = retryAfter(h, at)
	if d, ok := detect.RetryAfterField(raw); ok && f.RetryAfter == nil {
		f.RetryAfter = &d
	}
	if f.Reason == detect.RateLimit {
		google(f, e, &b, at, zone)
	}
	if f.Reason == detect.RateLimit && f.RetryAfter == nil && said != nil && said.Reason == detect.RateLimit {
		f.ResetAt, f.ResetMinute, f.Notes = said.ResetAt, said.ResetMinute, said.Notes
	}
	switch f.Reason {
	case detect.RateLimit, detect.UsageLimit:
		limit(f, &b, said, h, at)
	case detect.Unknown:
		f.Text = detect.Redact(e.Name + ": " + e.Data.Message)
	}
	return f
}

// spoken is what the texts of the record say of a quota or of money; nil: nothing that could count
// against the status. Gateways write their names before a text, but a 403 that only quotes a limit
// must not look like one that ends by itself.
func spoken(e *rowError, b *body, at time.Time, zone *time.Location) *detect.Failure {
	most := 1
	switch e.Data.StatusCode {
	case http.StatusTooManyRequests:
		most = maxClauses
	case 0, http.StatusForbidden, http.StatusBadRequest: // Anthropic's answer to a workspace that spent its limit
	default:
		return nil
	}
	for _, text := range []string{e.Data.Message, b.Error.Message, b.Message} {
		row, clause := known(text, most)
		if row.Reason != detect.UsageLimit && row.Reason != detect.Billing {
			continue
		}
		if said, ok := messages().Failure(clause, at, zone); ok {
			return said
		}
	}
	return nil
}

func reason(e *rowError, b *body, said *detect.Failure, f *detect.Failure) {
	switch e.Name {
	case "ContextOverflowError":
		f.Reason, f.Field = detect.ContextFull, "error.name"
		return
	case "ProviderAuthError":
		f.Reason, f.Field = detect.Auth, "error.name"
		return
	case "ContentFilterError", "StructuredOutputError":
		f.Reason, f.Field = detect.InvalidRequest, "error.name"
		return
	}
	word := meaning(e.Data.Message)
	if full := word == detect.ContextFull || word == "" && meaning(b.Error.Message) == detect.ContextFull; full && (f.Status == 400 || f.Status == 413 || f.Status == 0) {
		f.Reason, f.Field = detect.ContextFull, "error.data.message"
		return
	}
	for _, w := range b.words() {
		r, ok := byWord[w]
		if r == detect.RateLimit && said != nil { // the word of a throttle, for whatever is used up
			break
		}
		if ok && believable(r, f.Status) {
			f.Reason, f.Field = r, "error.data.responseBody"
			return
		}
	}
	switch {
	case f.Status == 413:
		f.Reason, f.Field = detect.ContextFull, "error.data.statusCode"
	case said != nil:
		f.Reason, f.Field = said.Reason, "error.data.message"
	case f.Status == 400 && word == detect.Billing:
		f.Reason, f.Field = detect.Billing, "error.data.message"
	case e.Data.Message == "" && e.Data.Body == "" && len(e.Data.Headers) == 0: // each error has a text, and it may know better than the status
		f.Reason, f.Field = detect.Unknown, "error.data.message"
	case f.Status != 0:
		f.Reason, f.Field = detect.FromStatus(f.Status), "error.data.statusCode"
	case len(e.Data.Headers) > 0 || e.Data.Body != "": // an answer came, whose status is not where it was
		f.Reason, f.Field = detect.Unknown, "error.data.statusCode"
	case e.Name == "APIError" && e.Data.Retryable:
		f.Reason, f.Field = detect.Network, "error.data.isRetryable"
	case e.Name == "UnknownError" && plainly(e.Data.Message) != "":
		f.Reason, f.Field = plainly(e.Data.Message), "error.data.message"
	default:
		f.Reason, f.Field = detect.Unknown, "error.name"
	}
}

// believable refuses a word that contradicts the status it came with: a proxy's 401 with a body
// of its own must not look like a limit that ends by itself.
func believable(r detect.Reason, status int) bool {
	switch r {
	case detect.RateLimit, detect.UsageLimit:
		return status == 0 || status == 429 || status == 403 && r == detect.UsageLimit
	case detect.ServerError:
		return status == 0 || status >= 500
	case detect.Overloaded:
		return status == 0 || status == 429 || status >= 500
	}
	return true
}

// header makes the names canonical; opencode writes them in lower case.
func header(all map[string]string) http.Header {
	h := http.Header{}
	for k, v := range all {
		h.Set(k, v)
	}
	return h
}

// retryAfter reads the headers in the order in which opencode itself honours them.
func retryAfter(h http.Header, at time.Time) *time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		if d, ok := detect.ParseRetryAfter(strconv.FormatFloat(ms/1000, 'f', -1, 64), at); ok {
			return &d
		}
	}
	if d, ok := detect.ParseRetryAfter(h.Get("Retry-After"), at); ok {
		return &d
	}
	return nil
}

var claims = map[string]detect.Window{
	"five_hour": detect.FiveHour, "seven_day": detect.Weekly,
	"seven_day_opus": detect.Model, "seven_day_sonnet": detect.Model,
	"daily": detect.Daily, "weekly": detect.Weekly, "monthly": detect.Monthly,
	"5 hour": detect.FiveHour, "5-hour": detect.FiveHour,
}

// longWait: whoever throttles requests of a minute asks for no longer wait.
const longWait = 5 * time.Minute

// google tells the quota of a day from that of a minute, for which Google has one word.
func google(f *detect.Failure, e *rowError, b *body, at time.Time, zone *time.Location) {
	var wait time.Duration
	for _, text := range []string{b.Error.Message, e.Data.Message} {
		row, clause := known(text, 1)
		if r, ok := detect.ParseReset(clause, at, zone); ok && row.Reason == detect.RateLimit {
			wait = max(wait, r.At.Sub(at))
		}
	}
	for _, d := range b.Error.Details {
		if s, ok := strings.CutSuffix(d.RetryDelay, "s"); ok {
			if w, ok := detect.ParseRetryAfter(s, at); ok {
				wait = max(wait, w)
			}
		}
		for _, v := range d.Violations {
			if strings.Contains(v.QuotaID, "PerDay") || strings.Contains(v.QuotaID, "Daily") {
				f.Reason, f.Window, f.Field = detect.UsageLimit, detect.Daily, "error.data.responseBody"
			}
		}
	}
	if wait > longWait {
		if f.Reason == detect.RateLimit {
			f.Reason, f.Field = detect.UsageLimit, "error.data.message"
		}
		f.ResetIn(at, wait)
	}
}

// longThrottle: a provider that gives no other word and asks for a day's wait has not throttled a
// request, a quota is used up.
const longThrottle = 24 * time.Hour

// limit finds out which window is used up and when it ends.
func limit(f *detect.Failure, b *body, said *detect.Failure, h http.Header, at time.Time) {
	const unified, rateReset = "Anthropic-Ratelimit-Unified-", "X-Ratelimit-Reset"
	reset := func(epoch float64, field string) {
		if r, ok := detect.EpochReset(epoch, at, f.Window); ok {
			f.ResetAt, f.Notes, f.Field = r.At, append(f.Notes, r.Notes...), field
		}
	}
	if h.Get(unified+"Status") == "rejected" {
		f.Reason, f.Field = detect.UsageLimit, "error.data.responseHeaders"
		f.Window = claims[h.Get(unified+"Representative-Claim")]
		if n, err := strconv.ParseFloat(h.Get(unified+"Reset"), 64); err == nil {
			reset(n, f.Field)
		}
	}
	if f.Reason == detect.RateLimit && f.Field == "error.data.statusCode" && f.RetryAfter != nil && *f.RetryAfter >= longThrottle {
		f.Reason, f.Field = detect.UsageLimit, "error.data.responseHeaders"
	}
	if f.Reason != detect.UsageLimit {
		return
	}
	if w, ok := claims[strings.ToLower(b.Metadata.LimitName)]; ok && f.Window == "" {
		f.Window = w
	}
	for _, epoch := range []float64{b.Error.ResetsAt, b.ResetsAt} {
		if f.ResetAt.IsZero() && epoch > 0 {
			reset(epoch, "error.data.responseBody")
		}
	}
	if f.ResetAt.IsZero() && b.Error.ResetsIn > 0 && b.Error.ResetsIn < 1e9 {
		reset(float64(at.Unix())+b.Error.ResetsIn, "error.data.responseBody")
	}
	exact := !f.ResetAt.IsZero()
	if !exact && f.RetryAfter != nil && *f.RetryAfter > 0 {
		f.ResetIn(at, *f.RetryAfter)
	}
	for _, v := range []string{h.Get(rateReset), header(b.Error.Metadata.Headers).Get(rateReset)} {
		// A small number counts from now, or nobody knows.
		if n, err := strconv.ParseFloat(v, 64); err == nil && n > 1e9 && f.ResetAt.IsZero() {
			reset(n, "error.data.responseHeaders")
		}
	}
	if said == nil || said.Reason != detect.UsageLimit {
		return
	}
	if f.Window == "" {
		f.Window = said.Window
	}
	if !exact && said.ResetAt.After(f.ResetAt) { // the header may count for one try
		f.ResetAt, f.ResetMinute = said.ResetAt, said.ResetMinute
		f.Notes = append(f.Notes, said.Notes...)
	}
}
