package pi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
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

// said is an error's text, taken apart. The agent puts the status and the body of the answer into it, in a form
// that depends on the provider's API:
//
//	429: {"message":"...","type":"requests","code":"rate_limit_exceeded"}
//	529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"..."}
//	503 <html>...   ·   429 Rate limit reached ... (0.73)
//	OpenAI API error (429): {"code":"...","message":"..."}\nCheck your ChatGPT usage: ...
//	{"type": "error", "error": {...}}   ·   You have hit your ChatGPT usage limit (plus plan). Try again in ~125 min.
type said struct {
	status int
	text   string // of the provider, else of the agent
	words  []string
	wait   *time.Duration // that the provider asked for by a header
	reset  float64        // in ms since 1970; 0: not told
	shaped bool           // it has the form of an error that the agent passes on
}

var (
	waitForm   = lazyregexp.New(`^Server requested (\d{1,9})s retry delay \(max: \d+s\)(?:[.:] ?|$)`)
	statusForm = lazyregexp.New(`^(?:[A-Z][\w .-]{0,40} API error \(([1-5]\d\d)\): |([1-5]\d\d)(?:: | |$))`)
)

func takeApart(text string) said {
	var s said
	if m := waitForm.FindStringSubmatch(text); m != nil {
		if d, ok := detect.ParseRetryAfter(m[1], time.Time{}); ok {
			s.wait, s.shaped = &d, true
		}
		text = text[len(m[0]):]
	}
	if m := statusForm.FindStringSubmatch(text); m != nil {
		s.status, _ = strconv.Atoi(m[1] + m[2])
		text = text[len(m[0]):]
		s.shaped = s.shaped || m[1] != "" || strings.HasPrefix(text, "<")
	}
	s.text = text
	if strings.HasPrefix(text, "{") {
		s.body(text)
	}
	return s
}

// errorBody is the object of an error, or what a provider puts around it.
type errorBody struct {
	Type     string          `json:"type"`
	Code     json.RawMessage `json:"code"` // a word or a number
	Message  string          `json:"message"`
	Metadata struct {
		Headers struct {
			Reset string `json:"X-RateLimit-Reset"` // OpenRouter: in ms since 1970
		} `json:"headers"`
	} `json:"metadata"`
}

// body reads the JSON at the beginning of a text; what the agent says itself may stand below it.
func (s *said) body(text string) {
	var raw json.RawMessage
	if json.NewDecoder(strings.NewReader(text)).Decode(&raw) != nil {
		return
	}
	var b struct {
		errorBody
		Error *errorBody `json:"error"`
	}
	if agent.Unmarshal(raw, &b) != nil {
		return
	}
	e := b.errorBody
	if b.Error != nil {
		e = *b.Error
	}
	var code string
	if json.Unmarshal(e.Code, &code) != nil {
		code = ""
	}
	s.shaped = s.shaped || e.Type != "" || len(e.Code) > 0
	s.words = []string{code, e.Type}
	s.text = e.Message
	s.reset, _ = strconv.ParseFloat(e.Metadata.Headers.Reset, 64)
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
}

// plain are types that every refusal of their kind has: what the text says counts more.
var plain = map[string]detect.Reason{
	"rate_limit_error":    detect.RateLimit,
	"rate_limit_exceeded": detect.RateLimit,
}

// read says what the text of an error means: by the provider's codes, by its text where that says more than
// the status, by the status.
func read(f *detect.Failure, text string, at time.Time, zone *time.Location) {
	s := takeApart(text)
	f.Status = s.status
	byText, known := messages().Failure(s.text, at, zone)
	f.Reason = s.reason(byText)
	if known && byText.Reason == f.Reason {
		f.Window = byText.Window
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
	r, ok := detect.ParseReset(s.text, at, zone)
	f.Notes = r.Notes
	if ok {
		f.ResetAt, f.ResetMinute = r.At, r.Minute
	}
}
