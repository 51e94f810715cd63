package gemini

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// apiError is how the agent begins the error of a request.
const apiError = "[API Error: "

// longWait: the agent itself waits up to 300 s for a limit, and takes a longer one for the end of a
// quota. So does clawd: a short delay is a throttle, though the text speaks of a quota.
const longWait = 300 * time.Second

// weekWait: no daily window is that long.
const weekWait = 48 * time.Hour

// body is Google's error, as the agent prints it; also an event of stream-json, and the object that
// ends a run with json output.
type body struct {
	Type    string          `json:"type"`
	Message string          `json:"message"`
	Error   json.RawMessage `json:"error"`
}

type apiBody struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Details []detail `json:"details"`
}

type detail struct {
	Reason     string `json:"reason"`     // ErrorInfo
	RetryDelay string `json:"retryDelay"` // RetryInfo: seconds with an s
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"` // QuotaFailure
}

// byClass is what the agent's own kinds of errors mean where no text tells more.
var byClass = map[string]detect.Reason{
	"ValidationRequiredError": detect.Auth,
	"ModelNotFoundError":      detect.InvalidRequest,
	"RetryableQuotaError":     detect.RateLimit,
	"TerminalQuotaError":      detect.UsageLimit,
}

// byDetail is what Google's words mean. RATE_LIMIT_EXCEEDED and QUOTA_EXHAUSTED go by the delay, too.
var byDetail = map[string]detect.Reason{
	"API_KEY_INVALID":                 detect.Auth,
	"ACCESS_TOKEN_TYPE_UNSUPPORTED":   detect.Auth,
	"SERVICE_DISABLED":                detect.Auth,
	"VALIDATION_REQUIRED":             detect.Auth,
	"BILLING_DISABLED":                detect.Billing,
	"INSUFFICIENT_G1_CREDITS_BALANCE": detect.Billing,
	"MODEL_CAPACITY_EXHAUSTED":        detect.Overloaded,
	"QUOTA_EXHAUSTED":                 detect.UsageLimit,
	"RATE_LIMIT_EXCEEDED":             detect.RateLimit,
}

// explain says in our words what the text of one of the agent's own errors means, written at the
// given time. class is the kind of the error, where it is known.
func (g *Gemini) explain(text, class string, at time.Time) *detect.Failure {
	f := g.read(text, class, at, g.zone)
	if f.Reason == detect.Unknown {
		f.Text = detect.Redact(text)
	}
	return f
}

func (g *Gemini) read(text, class string, at time.Time, zone *time.Location) *detect.Failure {
	text = detect.Plain(text)
	short := bare(text)
	var status detect.Reason
	if strings.HasPrefix(text, apiError) {
		short, status = takeStatus(short)
	}
	a, ok := bodyOf(short)
	if !ok { // a terminal broke the lines, in the middle of a string of the body
		a, ok = bodyOf(strings.ReplaceAll(short, "\n", " "))
	}
	if ok {
		if f := a.failure(at, zone); f.Reason != detect.Unknown {
			return f
		}
		short = bare(detect.Plain(a.Message))
	}
	f, ok := messages().Failure(short, at, zone)
	switch {
	case ok:
		byDelay(f, short, at)
	case byClass[class] != "":
		f = &detect.Failure{Reason: byClass[class]}
		if r, found := detect.ParseReset(short, at, zone); found && f.Reason != detect.Auth && f.Reason != detect.InvalidRequest {
			f.ResetAt, f.ResetMinute, f.Notes = r.At, r.Minute, r.Notes
			byDelay(f, short, at)
		}
	case strings.HasPrefix(text, apiError) && strings.Contains(text, quotaAdvice):
		f = &detect.Failure{Reason: detect.RateLimit, Status: 429}
	case status != "":
		f = &detect.Failure{Reason: status}
	default:
		f = &detect.Failure{Reason: detect.Unknown}
	}
	return f
}

// byStatus is what Google's names of its statuses mean. DEADLINE_EXCEEDED is its own 504.
var byStatus = map[string]detect.Reason{
	"RESOURCE_EXHAUSTED":  detect.RateLimit,
	"UNAVAILABLE":         detect.Overloaded,
	"INTERNAL":            detect.ServerError,
	"DEADLINE_EXCEEDED":   detect.ServerError,
	"UNAUTHENTICATED":     detect.Auth,
	"PERMISSION_DENIED":   detect.Auth,
	"INVALID_ARGUMENT":    detect.InvalidRequest,
	"NOT_FOUND":           detect.InvalidRequest,
	"FAILED_PRECONDITION": detect.InvalidRequest,
}

var (
	// statusBefore is how versions up to 0.5 began, statusBehind how 0.61 ends.
	statusBefore = lazyregexp.New(`\Agot status: (?:(\d{3})\b[^.{\n]*|([A-Z_]+))\. `)
	statusBehind = lazyregexp.New(` \(Status: ([A-Z_]+|\d{3})\)`)
)

// takeStatus takes the status off that the agent puts around the provider's sentence, and gives what
// it means; empty: there is none.
func takeStatus(short string) (string, detect.Reason) {
	form := statusBefore
	at := form.FindStringSubmatchIndex(short)
	if at == nil {
		form = statusBehind
		if all := form.FindAllStringSubmatchIndex(short, -1); all != nil {
			at = all[len(all)-1]
		}
	}
	if at == nil {
		return short, ""
	}
	word := strings.Join(form.FindStringSubmatch(short[at[0]:at[1]])[1:], "")
	reason := byStatus[word]
	if code, err := strconv.Atoi(word); err == nil {
		reason = detect.FromStatus(code)
	}
	return short[:at[0]] + short[at[1]:], reason
}

// quotaAdvice is what the agent puts behind each 429.
const quotaAdvice = "]\nPlease wait and try again later."

// bare takes off what the agent puts around the provider's sentence.
func bare(text string) string {
	text, wrapped := strings.CutPrefix(text, apiError)
	if wrapped {
		if i := strings.LastIndex(text, "]\n"); i >= 0 {
			text = text[:i] + text[i+1:]
		} else {
			text = strings.TrimSuffix(text, "]")
		}
	}
	return around.ReplaceAllString(text, "")
}

// around is what stands before it on stderr: where the report lies, and the class of the error.
var around = lazyregexp.New(`\A(?:Error when talking to Gemini API Full report available at: \S+ )?(?:_?[A-Z][A-Za-z]{2,30}Error: |Error: )?`)

// bodyOf takes apart an error that is printed as JSON, with what may follow on further lines. Google may wrap it in an array.
func bodyOf(text string) (apiBody, bool) {
	var b body
	var a apiBody
	text = strings.TrimLeft(text, "[ \n")
	if !strings.HasPrefix(text, "{") {
		return a, false
	}
	if json.NewDecoder(strings.NewReader(text)).Decode(&b) != nil {
		return a, false
	}
	switch {
	case b.Type != "" && b.Type != "error" && b.Type != "result": // a tool's own trouble, or an answer
	case json.Unmarshal(b.Error, &a.Message) == nil, // the login's errors
		len(b.Error) > 0 && agent.Unmarshal(b.Error, &a) == nil:
		return a, true
	case b.Type == "error" && b.Message != "":
		a.Message = b.Message
		return a, true
	}
	return a, false
}

// failure goes by the fields of Google's error.
func (a *apiBody) failure(at time.Time, zone *time.Location) *detect.Failure {
	f := &detect.Failure{Reason: detect.Unknown, Status: a.Code}
	m, known := messages().Failure(bare(detect.Plain(a.Message)), at, zone)
	var delay *time.Duration
	for _, d := range a.Details {
		if r, ok := byDetail[d.Reason]; ok {
			f.Reason = r
		}
		if s, ok := strings.CutSuffix(d.RetryDelay, "s"); ok {
			if n, ok := detect.ParseRetryAfter(s, at); ok {
				delay = &n
			}
		}
		for _, v := range d.Violations {
			if strings.Contains(v.QuotaID, "PerDay") || strings.Contains(v.QuotaID, "Daily") {
				f.Reason, f.Window = detect.UsageLimit, detect.Daily
			}
		}
	}
	switch {
	case known && (m.Reason == detect.Billing || m.Reason == detect.ContextFull || f.Reason == detect.Unknown):
		// Google has no field for these: a model outside the tier is "limit: 0", a full context a 400.
		m.Status = a.Code
		f = m
	case f.Reason == detect.Unknown && a.Code != 0:
		f.Reason = detect.FromStatus(a.Code)
	}
	if f.Reason != detect.RateLimit && f.Reason != detect.UsageLimit {
		return f
	}
	if r, ok := detect.ParseReset(a.Message, at, zone); ok && f.ResetAt.IsZero() {
		f.ResetAt, f.ResetMinute, f.Notes = r.At, r.Minute, r.Notes
	}
	if delay != nil {
		f.RetryAfter = delay
		f.ResetIn(at, *delay)
	}
	byDelay(f, a.Message, at)
	return f
}
