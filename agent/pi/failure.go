package pi

import (
	"net/http"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// fields of failures, as evidence.
const (
	fieldStop = "stopReason"
	fieldRaw  = "rawStopReason"
	fieldText = "errorMessage"
)

// failure says what a record with an error means.
func (p *Pi) failure(m *message, at time.Time) *detect.Failure {
	f := &detect.Failure{Reason: detect.InvalidRequest, Source: "transcript", Field: fieldStop}
	switch {
	case m.StopReason == "length":
	case m.Raw == "refusal" || m.Raw == "content_filter":
		f.Field = fieldRaw
	default:
		read(f, m.Error, at, p.zone)
		f.Field = fieldText
	}
	if f.Reason == detect.Unknown {
		f.Text = detect.Redact(m.Error)
	}
	return f
}

// named are codes and types of providers that say more than a status and a text.
var named = map[string]detect.Reason{
	"insufficient_quota": detect.Billing,
	"billing_error":      detect.Billing,
	"subscription_sharing_workplace_individual_usage_limit_exceeded": detect.Billing, // an administrator's limit
	"subscription_sharing_usage_limit_exceeded":                      detect.UsageLimit,
	"usage_limit_reached":                                            detect.UsageLimit,
	"1308":                                                           detect.UsageLimit, // z.ai: 5 hours
	"1310":                                                           detect.UsageLimit, // z.ai: a week or month
	"1302":                                                           detect.RateLimit,  // z.ai: at the same time
	"overloaded_error":                                               detect.Overloaded,
	"context_length_exceeded":                                        detect.ContextFull,
	"authentication_error":                                           detect.Auth,
	"permission_error":                                               detect.Auth,
	"api_error":                                                      detect.ServerError,
	"server_is_overloaded":                                           detect.Overloaded,
	"budget_exceeded":                                                detect.Billing, // LiteLLM
	"exceeded_current_quota_error":                                   detect.Billing, // Moonshot
	"1113":                                                           detect.Billing, // z.ai: no balance
	"1309":                                                           detect.Billing, // z.ai: the plan has ended
	"1313":                                                           detect.Auth,    // z.ai: a person must ask for it back
}

// plain are types that every refusal of their kind has: what the text says counts more.
var plain = map[string]detect.Reason{
	"rate_limit_error":      detect.RateLimit,
	"rate_limit_exceeded":   detect.RateLimit,
	"server_error":          detect.ServerError,
	"invalid_request_error": detect.InvalidRequest,
}

// read says what the text of an error means: by what providers are known to say, by their codes, by the text where that
// says more than the status, by the status.
func read(f *detect.Failure, text string, at time.Time, zone *time.Location) {
	s := takeApart(text)
	f.Status = s.status
	if p, ok := detect.Passed(s.status, s.body, at, zone); ok {
		f.Reason, f.Window, f.ResetAt, f.ResetMinute, f.Notes = p.Reason, p.Window, p.ResetAt, p.ResetMinute, p.Notes
		if limited := f.Reason == detect.UsageLimit || f.Reason == detect.RateLimit || f.Reason == detect.Overloaded; limited && s.wait != nil && !at.IsZero() {
			f.RetryAfter, f.ResetAt, f.ResetMinute, f.Notes = s.wait, time.Time{}, false, nil
		}
		return
	}
	byText, known := messages().Failure(s.text, at, zone)
	f.Reason = s.reason(byText)
	if known && byText.Reason == f.Reason {
		f.Window = byText.Window
	}
	if s.google && f.Reason == detect.RateLimit {
		s.quota(f, at, zone)
	}
	switch f.Reason {
	case detect.UsageLimit, detect.RateLimit, detect.Overloaded:
		s.resets(f, at, zone)
	default:
	}
}

func (s *said) reason(byText *detect.Failure) detect.Reason {
	for _, w := range s.words {
		if r := named[w]; r != "" {
			return r
		}
	}
	status := detect.FromStatus(s.status)
	switch {
	case s.google && status == detect.RateLimit && noQuota.MatchString(s.text):
		return detect.Billing
	case s.google && status == detect.RateLimit: // it says of each quota what others say of money
		return status
	case byText != nil && (s.status == 0 || finer(byText.Reason, s.status)):
		return byText.Reason
	case s.status != 0:
		return status
	}
	for _, w := range s.words {
		if r := plain[w]; r != "" {
			return r
		}
	}
	if s.wait != nil {
		return detect.RateLimit
	}
	return detect.Unknown
}

// finer tells whether a text says more than its status: a 429 may be a quota or money, a 400 a full context. A
// limit is not believed beside a status that a person must look into.
func finer(by detect.Reason, status int) bool {
	switch by {
	case detect.Billing:
		return status < http.StatusInternalServerError
	case detect.UsageLimit:
		return status == http.StatusTooManyRequests || status == http.StatusForbidden
	case detect.ContextFull:
		return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity
	case detect.Overloaded:
		return status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
	default:
		return false
	}
}

// resets takes over when the limit ends: a header that the record tells counts before the provider's words.
func (s *said) resets(f *detect.Failure, at time.Time, zone *time.Location) {
	if s.wait != nil && !at.IsZero() {
		f.RetryAfter = s.wait
		return
	}
	if r, ok := detect.EpochReset(s.reset, at, f.Window); ok {
		f.ResetAt, f.Notes = r.At, r.Notes
		return
	}
	if s.rest > 0 {
		f.ResetIn(at, s.rest)
		return
	}
	r, ok := detect.ParseReset(s.text, at, zone)
	f.Notes = r.Notes
	if ok {
		f.ResetAt, f.ResetMinute = r.At, r.Minute
	}
}

// noQuota: Google's word for a model that the account has no quota of.
var noQuota = lazyregexp.New(`\blimit: 0(?:[,.\s]|$)`)

// longWait: whoever throttles requests of a minute asks for no longer wait.
const longWait = 5 * time.Minute

// quota tells Google's quota of a day from that of a minute, by its name or by the wait.
func (s *said) quota(f *detect.Failure, at time.Time, zone *time.Location) {
	if r, ok := detect.ParseReset(s.text, at, zone); ok {
		s.rest = max(s.rest, r.At.Sub(at))
	}
	if s.daily {
		f.Reason, f.Window = detect.UsageLimit, detect.Daily
	} else if s.rest > longWait {
		f.Reason = detect.UsageLimit
	}
}
