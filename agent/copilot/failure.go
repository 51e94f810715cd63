package copilot

import (
	"cmp"
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
	fieldCode   = "errorCode"
	fieldType   = "errorType"
	fieldStatus = "statusCode"
	fieldText   = "message"
)

// limit is what a code of GitHub's means.
type limit struct {
	reason detect.Reason
	window detect.Window
}

// codes are those that the agent passes on, without what may stand behind a colon: the user's plan.
var codes = map[string]limit{
	"user_global_rate_limited":       {detect.UsageLimit, detect.FiveHour}, // "session rate limit" in the agent's words
	"user_weekly_rate_limited":       {detect.UsageLimit, detect.Weekly},
	"user_model_rate_limited":        {detect.UsageLimit, detect.Model},
	"integration_rate_limited":       {detect.RateLimit, ""},
	"rate_limited":                   {detect.RateLimit, ""},
	"quota_exceeded":                 {detect.Billing, ""}, // until the month ends, or its user pays
	"additional_spend_limit_reached": {detect.Billing, ""},
	"session_quota_exceeded":         {detect.Billing, ""},
	"connection_error":               {detect.Network, ""}, // a type: GitHub's gateway had no answer
}

// types are those of errors whose text and status say no more.
var types = map[string]detect.Reason{
	"quota":          detect.Billing,
	"authorization":  detect.Auth,
	"authentication": detect.Auth,
	"context_limit":  detect.ContextFull,
}

// said is an error's text, taken apart.
type said struct {
	status int    // that stands in it; 0: none does
	code   string // GitHub's
	words  string // the provider's own, else the agent's
	vain   bool   // all tries of a call failed, and of the last one the agent knows nothing
	shaped bool   // it has the form of an error that the agent passes on
	json   bool   // the words stood in an object
}

// wrap is what the agent puts before a provider's answer:
//
//	Execution failed: Failed to get response from the AI model; retried 5 times (total retry wait time: 15.47 seconds) Last error: 500 boom
//	Execution failed: Error: Failed to ... Last error: CAPIError: 500 boom (1.0.65)
//	Execution failed: Error: Failed to ... (Request-ID 9DD0:1A2B:3C4D) Last error: CAPIError: 503 {"error":{...}} (1.0.55)
//	Execution failed: Failed to get response from the AI model; stopped after 3 retries (912 seconds elapsed) because the slow-stream retry limit was reached. Last error: ... (1.0.102)
//	Execution failed: 400 invalid request body
//	429 Too many requests (the user's own provider)
//	Model call failed: {"message":"...","code":"rate_limited"} (Request ID: ...) (before 1.0)
var wrap = lazyregexp.New(`^(Execution failed: |Model call failed: )?(?:Error: )?(Failed to get response from the AI model; (?:retried \d+ times \(total retry wait time: [\d.]+ seconds\)?|stopped after \d+ \w+ \([\d.]+ seconds elapsed\) because the slow-stream retry limit was reached\.) (?:\(Request-ID [\w:-]+\) )?Last error: )?(?:CAPIError: )?(?:([1-5]\d\d) )?`)

var quoted = lazyregexp.New(`^"([^"]+)"$`)

// unnamed is an error of which the agent knows neither status nor text: a stream that broke, as it said before each try.
const unnamed = "Unknown error"

func takeApart(text string) said {
	flat := strings.Join(strings.Fields(detect.Plain(text)), " ")
	m := wrap.FindStringSubmatch(flat)
	s := said{words: flat[len(m[0]):], shaped: m[1] != "" || m[2] != ""}
	s.status, _ = strconv.Atoi(m[3])
	s.vain = m[2] != "" && s.words == unnamed
	if strings.HasPrefix(s.words, "{") {
		s.body()
	}
	if m := quoted.FindStringSubmatch(s.words); m != nil { // before 1.0
		s.words = m[1]
	}
	return s
}

// body reads the JSON at the beginning of the words.
func (s *said) body() {
	var raw json.RawMessage
	if json.NewDecoder(strings.NewReader(s.words)).Decode(&raw) != nil {
		return
	}
	type answer struct {
		Message string `json:"message"`
		Code    string `json:"code"`
		Type    string `json:"type"`
	}
	var b struct {
		answer
		Error *answer `json:"error"`
	}
	if agent.Unmarshal(raw, &b) != nil {
		return
	}
	if b.Error != nil {
		b.answer = *b.Error
	}
	if b.Message != "" {
		s.words, s.code, s.json = b.Message, cmp.Or(b.Code, b.Type), true
	}
}

// failure says what an error means: by GitHub's code, by the agent's word for its kind, then by status and text.
// A time in it is the latest that it may mean in one of the zones.
func (d *Failure) failure(at time.Time, zones []*time.Location) *detect.Failure {
	s := takeApart(d.Message)
	f := &detect.Failure{Status: d.Status, Source: "transcript"}
	if f.Status == 0 {
		f.Status = s.status
	}
	code := d.Code
	if code == "" {
		code = s.code
	}
	code, _, _ = strings.Cut(code, ":")
	l, coded := codes[code]
	switch t, typed := types[d.Type]; {
	case coded:
		f.Reason, f.Window, f.Field = l.reason, l.window, fieldCode
	case typed:
		f.Reason, f.Field = t, fieldType
	case d.Message == "": // each error has one, and it may know better than the status: this is a form that nobody knows
		f.Reason, f.Field = detect.Unknown, fieldText
	default:
		s.judge(f, d.Type, at, zones[0])
	}
	switch f.Reason {
	case detect.UsageLimit, detect.RateLimit, detect.Overloaded:
		resets(f, s.words, at, zones)
		if f.Reason == detect.RateLimit && f.ResetAt.Sub(at) >= dayLong {
			f.Reason = detect.UsageLimit
		}
	case detect.Unknown:
		f.Text = detect.Redact(d.Message)
	default:
	}
	return f
}

// dayLong: a wait of a day or more is for a quota, whatever the words are.
const dayLong = 24 * time.Hour

// judge goes by status and text.
func (s *said) judge(f *detect.Failure, kind string, at time.Time, zone *time.Location) {
	if by, ok := detect.Passed(f.Status, s.words, at, zone); ok {
		f.Reason, f.Window, f.ResetAt, f.Field = by.Reason, by.Window, by.ResetAt, fieldText
		return
	}
	f.Reason, f.Field = detect.FromStatus(f.Status), fieldStatus
	by, known := messages().Failure(s.words, at, zone)
	switch {
	case known && (f.Status == 0 || finer(by.Reason, f.Status)):
		f.Reason, f.Window, f.Field = by.Reason, by.Window, fieldText
	case f.Reason == detect.Unknown && kind == "rate_limit":
		f.Reason, f.Field = detect.RateLimit, fieldType
	case f.Status == 0 && s.vain:
		f.Reason, f.Field = detect.ServerError, fieldText
	}
}

// finer tells whether a text says more than its status.
func finer(by detect.Reason, status int) bool {
	switch by {
	case detect.Billing:
		return status < http.StatusInternalServerError
	case detect.UsageLimit:
		return status == http.StatusTooManyRequests
	case detect.ContextFull:
		return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge
	case detect.Overloaded:
		return status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
	default:
		return false
	}
}

// resets takes over when a limit ends: the latest time that the words may mean.
func resets(f *detect.Failure, words string, at time.Time, zones []*time.Location) {
	for _, z := range zones {
		r, ok := detect.ParseReset(words, at, z)
		switch {
		case !ok:
			f.Notes = r.Notes
		case r.At.After(f.ResetAt):
			f.ResetAt, f.ResetMinute, f.Notes = r.At, r.Minute, r.Notes
		}
	}
}
