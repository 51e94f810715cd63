package claude

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

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
	text = strings.TrimSpace(quotes.Replace(text))
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
	}
	if f.Reason == detect.Unknown {
		f.Text = detect.Redact(text)
	}
	return f
}

var quotes = strings.NewReplacer("\u2019", "'", "\u00a0", " ", "\u202f", " ")

// usage fills in a usage limit. A text about spending without any reset is a matter of money.
func usage(f *detect.Failure, q *quota, text string, at time.Time, zone *time.Location) {
	f.Reason, f.Window = detect.UsageLimit, windowIn(text)
	if q != nil {
		if w := windows[q.Type]; w != "" {
			f.Window = w
		}
		if t, ok := detect.EpochReset(q.ResetsAt, at, f.Window); ok {
			f.ResetAt, f.Notes = t.At, t.Notes
			return
		}
	}
	t, ok := detect.ParseReset(text, at, zone)
	f.Notes = t.Notes
	switch {
	case ok:
		f.ResetAt, f.ResetMinute = t.At, t.Minute
	case spending.MatchString(text) && !resets.MatchString(text):
		f.Reason, f.Window = detect.Billing, ""
	}
}

// byWord goes by the field error, then by the text.
func byWord(f *detect.Failure, word, text string, r *record, zone *time.Location) {
	switch {
	case strings.HasPrefix(word, "overloaded") || r.APIErrorType == "overloaded_error":
		f.Reason = detect.Overloaded
	case word == "billing_error" || r.APIErrorType == "billing_error":
		f.Reason = detect.Billing
		if spending.MatchString(text) {
			usage(f, nil, text, r.at, zone)
		}
	case authWords[word]:
		f.Reason = detect.Auth
	case word == "model_not_found" || word == "max_output_tokens":
		f.Reason = detect.InvalidRequest
	case word == "invalid_request":
		f.Reason = detect.InvalidRequest
		if f.Status != 413 && (tooLong.MatchString(text) || tooLong.MatchString(r.ErrorDetails)) {
			f.Reason = detect.ContextFull
		}
	case word == "rate_limit":
		f.Reason = detect.RateLimit
		if limitText.MatchString(text) || spending.MatchString(text) {
			usage(f, nil, text, r.at, zone)
		}
	case word == "server_error":
		f.Reason = serverReason(f.Status, r.APIError, text)
	default:
		byText(f, text, r.at, zone)
	}
}

var authWords = map[string]bool{
	"authentication_failed": true, "authentication_error": true, "oauth_org_not_allowed": true,
	"account_on_hold": true, "verification_required": true, "cloud_credential_error": true,
}

// serverReason: the agent says server_error for an overloaded provider and a broken line too.
func serverReason(status int, apiError, text string) detect.Reason {
	switch {
	case status != 0:
		return detect.FromStatus(status)
	case apiError == "connection_failed" || broken.MatchString(text):
		return detect.Network
	case overloaded.MatchString(text):
		return detect.Overloaded
	}
	return detect.ServerError
}

// byText is for lines without a telling error field: all of 1.x and 2.0, and "unknown".
func byText(f *detect.Failure, text string, at time.Time, zone *time.Location) {
	switch {
	case reachedAPILimit.MatchString(text):
		f.Window = detect.Monthly
		t, ok := detect.ParseReset(text, at, zone)
		f.Reason, f.Notes = detect.Billing, t.Notes
		if ok {
			f.Reason, f.ResetAt, f.ResetMinute = detect.UsageLimit, t.At, t.Minute
		}
	case limitText.MatchString(text) || spending.MatchString(text):
		usage(f, nil, text, at, zone)
	case loginText.MatchString(text):
		f.Reason = detect.Auth
	case f.Status != 413 && tooLong.MatchString(text):
		f.Reason = detect.ContextFull
	case rateText.MatchString(text):
		f.Reason = detect.RateLimit
	case overloaded.MatchString(text):
		f.Reason = detect.Overloaded
	case strings.Contains(text, "no healthy upstream"):
		f.Reason = detect.ServerError // a gateway's 503, not a provider at capacity
	case f.Status != 0:
		f.Reason = detect.FromStatus(f.Status)
	case broken.MatchString(text):
		f.Reason = detect.Network
	default:
		f.Reason = detect.Unknown
	}
}

// All of these are matched against the agent's own error record, from its first word on.
var (
	limitText = regexp.MustCompile(`(?i)^(?:You've (?:hit|reached) your (?:[\w.'-]+ ){0,5}limit\b` +
		`|You're out of (?:extra )?usage\b` +
		`|(?:Claude (?:AI )?usage|Session|Weekly|Usage|5-hour|\w+ weekly) limit reached\b` +
		`|limit reached (?:[·∙-] |\()resets )`)
	resets   = regexp.MustCompile(`(?i)\bresets? (?:at |in\b|\w+ \d|\d)`)
	spending = regexp.MustCompile(`(?i)^(?:You've (?:hit|reached) your (?:[\w.'-]+ ){0,3}(?:spend|credit) limit\b` +
		`|You're out of (?:extra )?usage(?: credits)?\b` +
		`|Your (?:org|organization) is out of usage\b` +
		`|Your group's usage limit is set to` +
		`|Your usage allocation has been disabled` +
		`|Your seat type doesn't include` +
		`|This service is disabled for your org` +
		`|\w+ [\d.]+ requires usage credits` +
		`|API Error: Usage credits required` +
		`|Credit balance (?:is )?too low` +
		`|Spending cap reached)`)
	reachedAPILimit = regexp.MustCompile(`^API Error: 400 .*You have reached your specified API usage limits`)
	loginText       = regexp.MustCompile(`^(?:Invalid API key|Not logged in|OAuth token revoked|Login expired|Session expired|Failed to authenticate|Your account does not have access|Please run /login|Could not resolve authentication|Claude Design rejected your /design-login)`)
	tooLong         = regexp.MustCompile(`(?i)^(?:Prompt is too long|Context limit reached|400 .*prompt is too long|API Error: 400 .*prompt is too long)`)
	rateText        = regexp.MustCompile(`^API Error: (?:Rate limit reached|Request rejected \(429\)|Server is temporarily limiting requests)`)
	overloaded      = regexp.MustCompile(`^(?:API Error: (?:Repeated )?529\b|Repeated server overload\b|\w+ is experiencing high load\b|API Error: .*overloaded_error)`)
	broken          = regexp.MustCompile(`(?i)^(?:Request timed out|(?:API Error: )?(?:Unable to connect|Connection (?:refused|dropped|error|closed|reset|timed out)|Stream ended|Response stalled|.*\((?:E[A-Z]{5,}|ConnectionRefused)\)|Request timed out|fetch failed|socket hang up|terminated))`)
	statusText      = regexp.MustCompile(`^API Error: ?(?:Repeated |Request rejected \()?([1-5]\d\d)\b`)
	modelWindow     = regexp.MustCompile(`(?i)\b(?:opus|sonnet|haiku|fable)\b[^·∙|]*\blimit\b`)
	hourWindow      = regexp.MustCompile(`(?i)\b(?:session|5-hour) limit\b`)
	weekWindow      = regexp.MustCompile(`(?i)\bweekly limit\b`)
	monthWindow     = regexp.MustCompile(`(?i)\bmonthly\b`)
)

// statusIn reads the status that the agent printed at the very beginning of its text.
func statusIn(text string) int {
	m := statusText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// windowIn: a text about spending may name the plan's window behind it, and that is what resets.
func windowIn(text string) detect.Window {
	switch {
	case modelWindow.MatchString(text):
		return detect.Model
	case hourWindow.MatchString(text):
		return detect.FiveHour
	case weekWindow.MatchString(text):
		return detect.Weekly
	case monthWindow.MatchString(text):
		return detect.Monthly
	}
	return ""
}
