package claude

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// planField is written for the limits of a claude.ai plan alone, whatever its text says: no key has one.
const planField = "quotaLimits"

// windows of quotaLimits.rateLimitType.
var windows = map[string]detect.Window{
	"five_hour":                  detect.FiveHour,
	"seven_day":                  detect.Weekly,
	"seven_day_overage_included": detect.Weekly,
	"seven_day_opus":             detect.Model,
	"seven_day_sonnet":           detect.Model,
	"overage":                    detect.Monthly,
}

// failure says what a synthetic error line means: by its fields first, by its own text where the
// fields do not tell (versions before 2.1 write the text alone).
func failure(r *record, text string, zone *time.Location) *detect.Failure {
	f := &detect.Failure{Status: r.APIErrorStatus, Source: "transcript", Field: "isApiErrorMessage"}
	var word string
	_ = json.Unmarshal(r.Error, &word) // absent in old versions
	text = flat(bare(text))
	if f.Status == 0 {
		f.Status = statusIn(text)
	}
	q := r.Quota
	if q != nil && (q.Status != "rejected" || q.ResetsAt == 0 && q.Type == "") {
		q = nil // a rejection without window and reset is a plain 429
	}
	switch {
	case r.APIError == "usage_limit_reached" || q != nil && (word == "rate_limit" || word == ""):
		usage(f, q, text, r.at, zone)
	default:
		byWord(f, word, text, r, zone)
		passed(f, text, r.at, zone)
	}
	if f.Reason == detect.Unknown {
		f.Text = detect.Redact(text)
	}
	return f
}

// usage fills in a usage limit. A text about money without any reset is a matter of money.
func usage(f *detect.Failure, q *quota, text string, at time.Time, zone *time.Location) {
	f.Reason = detect.UsageLimit
	m, known := messages().Failure(text, at, zone)
	if known {
		f.Window = m.Window
	}
	if q != nil {
		f.Field = planField
		if w := windows[q.Type]; w != "" {
			f.Window = w
		}
		if t, ok := detect.EpochReset(q.ResetsAt, at, f.Window); ok {
			f.ResetAt, f.Notes = t.At, t.Notes
			return
		}
	}
	if known && m.Reason == detect.Billing {
		f.Reason, f.Window = detect.Billing, ""
		return
	}
	t, ok := detect.ParseReset(text, at, zone)
	f.Notes = t.Notes
	if ok {
		f.ResetAt, f.ResetMinute = t.At, t.Minute
	}
}

// byWord goes by the field error, then by the text.
func byWord(f *detect.Failure, word, text string, r *record, zone *time.Location) {
	row, known := messages().Find(text)
	switch {
	case strings.HasPrefix(word, "overloaded") || r.APIErrorType == "overloaded_error":
		f.Reason = detect.Overloaded
	case word == "billing_error" || r.APIErrorType == "billing_error":
		f.Reason = detect.Billing
		if row.Spend {
			usage(f, nil, text, r.at, zone)
		}
	case authWords[word]:
		f.Reason = detect.Auth
	case word == "model_not_found" || word == "max_output_tokens":
		f.Reason = detect.InvalidRequest
	case word == "invalid_request":
		f.Reason = detect.InvalidRequest
		details, _ := messages().Find(flat(r.ErrorDetails))
		switch {
		case row.Reason == detect.Billing:
			f.Reason = detect.Billing
		case row.Reason == detect.ContextFull && (accumulated.MatchString(text) || strings.HasPrefix(text, "Prompt is too long")),
			f.Status != 413 && (row.Reason == detect.ContextFull || details.Reason == detect.ContextFull):
			f.Reason = detect.ContextFull
		}
	case word == "rate_limit":
		f.Reason = detect.RateLimit
		limited(f, row, known, text, r.at, zone)
	case word == "server_error":
		f.Reason = serverReason(f.Status, r.APIError, text, row.Reason)
	default:
		byText(f, text, r.at, zone)
	}
}

// accumulated: it is the conversation that became too large, not one picture in it.
var accumulated = lazyregexp.New(`(?i)\baccumulated\b`)

// naming: a wording that is not known yet, in a record of a 429, is a plan's limit if it names when
// that resets; a throttled request names none.
var naming = lazyregexp.New(`(?i)\bresets?\b`)

var authWords = map[string]bool{
	"authentication_failed": true, "authentication_error": true, "oauth_org_not_allowed": true,
	"account_on_hold": true, "verification_required": true, "cloud_credential_error": true,
}

// serverReason: the agent says server_error for an overloaded provider and a broken line too.
func serverReason(status int, apiError, text string, byText detect.Reason) detect.Reason {
	switch {
	case status >= 400: // of a whole answer with 200 the text says what was wrong
		return detect.FromStatus(status)
	case apiError == "connection_failed" || byText == detect.Network:
		return detect.Network
	case byText == detect.Overloaded:
		return detect.Overloaded
	case byText == "" && text != "": // the word is the agent's for all three, and the text says in new words which
		return detect.Unknown
	}
	return detect.ServerError
}

// byText is for lines without a telling error field: all of 1.x and 2.0, and "unknown".
func byText(f *detect.Failure, text string, at time.Time, zone *time.Location) {
	row, ok := messages().Find(text)
	switch {
	case !ok || row.State != detect.Stopped,
		f.Status != 0 && row.Reason == detect.Network,                                         // a server that answered may speak of connections
		f.Status == 413 && row.Reason == detect.ContextFull && !accumulated.MatchString(text): // the size of a picture, not of the context
		f.Reason = detect.FromStatus(f.Status)
	case row.Reason == detect.UsageLimit:
		usage(f, nil, text, at, zone)
	default:
		f.Reason = row.Reason
	}
	if f.Reason == detect.RateLimit {
		throttled(f, text, at)
	}
}

// limited is for the record of a 429: a quota that is used up, money, or a throttle.
func limited(f *detect.Failure, row detect.Message, known bool, text string, at time.Time, zone *time.Location) {
	f.Reason = detect.RateLimit
	switch {
	case row.Reason == detect.Billing:
		f.Reason = detect.Billing
		return
	case row.Reason == detect.UsageLimit, !known && naming.MatchString(text):
		usage(f, nil, text, at, zone)
	}
	if !known && f.ResetAt.IsZero() {
		f.Reason = detect.RateLimit
	}
	if f.Reason == detect.RateLimit {
		throttled(f, text, at)
	}
}

var passedOn = lazyregexp.New(`^.{0,200}?\bAPI Error: ?(?:Request rejected \(\d{3}\) [·-] |\d{3} )(.*)`)

// passed reads what the provider says in its answer, behind the agent's own words. A 403 is a matter of access, unless it
// is one of money or of a quota.
func passed(f *detect.Failure, text string, at time.Time, zone *time.Location) {
	m := passedOn.FindStringSubmatch(text)
	if m == nil {
		return
	}
	p, ok := detect.Passed(f.Status, m[1], at, zone)
	if !ok || f.Reason == detect.Auth && p.Reason != detect.Billing && p.Reason != detect.UsageLimit {
		return
	}
	f.Reason, f.Window = p.Reason, p.Window
	if f.RetryAfter == nil || f.Reason == detect.UsageLimit {
		f.ResetAt, f.ResetMinute, f.Notes = p.ResetAt, p.ResetMinute, p.Notes
	}
}

// throttled takes over how long a provider asks to wait in the JSON of its error.
func throttled(f *detect.Failure, text string, at time.Time) {
	if d, ok := detect.RetryAfterField(text); ok && !at.IsZero() {
		f.RetryAfter = &d
	}
}

var statusText = lazyregexp.New(`^API Error: ?(?:Repeated |Request rejected \()?([1-5]\d\d)\b`)

// statusIn reads the status that the agent printed at the very beginning of its text.
func statusIn(text string) int {
	m := statusText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}
