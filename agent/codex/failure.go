package codex

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// limits is what the provider's headers said last.
type limits struct {
	ID        string  `json:"limit_id"` // empty up to 0.80
	Primary   *window `json:"primary"`
	Secondary *window `json:"secondary"`
	Reached   string  `json:"rate_limit_reached_type"`
	Credits   struct {
		Has       bool `json:"has_credits"`
		Unlimited bool `json:"unlimited"`
	} `json:"credits"`
}

type window struct {
	Used    float64 `json:"used_percent"`
	Minutes float64 `json:"window_minutes"`
	Resets  float64 `json:"resets_at"` // epoch seconds
}

// quota is what counts of limits.
type quota struct {
	Full    bool          `json:"f,omitempty"` // a window is used up
	Resets  float64       `json:"r,omitempty"` // the latest reset among those; 0: not told
	Window  detect.Window `json:"w,omitempty"` // which one that is
	Reached string        `json:"t,omitempty"`
	Credits bool          `json:"c,omitempty"` // there are some, so a window that is used up need not stop anything
}

// blocks tells whether these limits alone say that nothing is answered.
func (q *quota) blocks() bool { return q != nil && q.Full && !q.Credits }

func (l *limits) quota() *quota {
	q := &quota{Reached: l.Reached, Credits: l.Credits.Has || l.Credits.Unlimited}
	for _, w := range []*window{l.Primary, l.Secondary} {
		if w == nil || w.Used < 100 {
			continue
		}
		if !q.Full || w.Resets > q.Resets {
			q.Resets, q.Window = w.Resets, windowOf(w.Minutes)
		}
		q.Full = true
	}
	if q.Full && l.ID != "" && l.ID != "codex" {
		q.Window = detect.Model
	}
	return q
}

// windowOf goes by length, with room for the rounding of servers.
func windowOf(minutes float64) detect.Window {
	switch near := func(want float64) bool { return minutes > want*0.95 && minutes < want*1.05 }; {
	case near(300):
		return detect.FiveHour
	case near(1440):
		return detect.Daily
	case near(10080):
		return detect.Weekly
	case near(30.5 * 1440):
		return detect.Monthly
	}
	return ""
}

// named are the values of codex_error_info that say all.
var named = map[string]detect.Reason{
	"rate_limit_exceeded":           detect.RateLimit,
	"server_overloaded":             detect.Overloaded,
	"flex_unavailable":              detect.Overloaded,
	"policy_capacity_unavailable":   detect.Overloaded,
	"internal_server_error":         detect.ServerError,
	"context_window_exceeded":       detect.ContextFull,
	"unauthorized":                  detect.Auth,
	"session_budget_exceeded":       detect.Billing,
	"model_not_found":               detect.InvalidRequest,
	"invalid_prompt":                detect.InvalidRequest,
	"bad_request":                   detect.InvalidRequest,
	"cyber_policy":                  detect.InvalidRequest,
	"misalignment_policy_violation": detect.InvalidRequest,
	"inference_hook_denied":         detect.InvalidRequest,
}

// fields of failures, as evidence.
const (
	fieldInfo    = "codex_error_info"
	fieldReached = "rate_limit_reached_type"
	fieldLimits  = "rate_limits"
	fieldText    = "message"
)

// failure says what an error of the agent means: by codex_error_info, then by the limits that it
// recorded before it, by its own text where these do not tell or tell less.
func (c *Codex) failure(e *turnError, q *quota, at time.Time) *detect.Failure {
	name, value := word(e.Info)
	name = snake(name)
	f := &detect.Failure{Reason: detect.Unknown, Source: "transcript", Field: fieldInfo}
	var status struct {
		Code int `json:"http_status_code"`
	}
	if json.Unmarshal(value, &status) == nil {
		f.Status = status.Code
	}
	said, known := texts().Failure(lookup(e.Message), at, c.zone)
	switch {
	case name == "usage_limit_exceeded":
		c.usage(f, e.Message, said, q, at)
	case named[name] != "":
		f.Reason = named[name]
		if known && f.Reason == detect.RateLimit {
			f.ResetAt, f.ResetMinute, f.Notes = said.ResetAt, said.ResetMinute, said.Notes
		}
	case f.Status >= 400 && f.Status <= 599 && (!known || !finer(said.Reason, f.Status)):
		f.Reason = detect.FromStatus(f.Status)
	case known && said.Reason == detect.UsageLimit:
		c.usage(f, e.Message, said, q, at)
		f.Field = fieldText
	case known:
		code := f.Status
		*f = *said
		f.Source, f.Field, f.Status = "transcript", fieldText, code
	case brokenLine[name] && !strings.HasPrefix(bare(e.Message), cutStream):
		f.Reason = detect.Network
	}
	if name == "other" || brokenLine[name] {
		passed(f, e.Message, at, c.zone)
	}
	if f.Reason == detect.Unknown {
		f.Text = detect.Redact(e.Message)
	}
	return f
}

var answered = lazyregexp.New(`(?s)\Aunexpected status (\d{3})\b[^:\n]{0,60}: (.*?)(?:, url: .*)?\z`)

// passed reads what a provider says in its answer: behind the status, or alone, as the agent passes on the body of a 400.
func passed(f *detect.Failure, text string, at time.Time, zone *time.Location) {
	text = bare(text)
	var status int
	switch m := answered.FindStringSubmatch(text); {
	case m != nil:
		status, _ = strconv.Atoi(m[1])
		text = m[2]
	case strings.HasPrefix(text, `{"error":`) && json.Valid([]byte(text)):
		status = 400
	default:
		return
	}
	p, ok := detect.Passed(status, text, at, zone)
	switch {
	case ok:
		f.Reason, f.Window, f.Field = p.Reason, p.Window, fieldText
		f.ResetAt, f.ResetMinute, f.Notes = p.ResetAt, p.ResetMinute, p.Notes
	case f.Reason == detect.Unknown:
		f.Reason, f.Field = detect.FromStatus(status), fieldText
	}
}

// finer tells whether a text says more than its status: a 429 may be a quota or money, a 404 an
// outage. A limit is not believed beside a status that a person must look into.
func finer(said detect.Reason, status int) bool {
	return said == detect.Billing || said == detect.UsageLimit && status == 429 || said == detect.ServerError && status == 404
}

// brokenLine are the values that carry a status, if there was an answer at all.
var brokenLine = map[string]bool{"http_connection_failed": true, "response_stream_connection_failed": true, "response_stream_disconnected": true}

// personal is where the provider says that a person must do something, whatever resets when.
var personal = lazyregexp.New(`_credits_depleted$|^workspace_\w+_usage_limit_reached$`)

var (
	money    = lazyregexp.New(`(?i)\b(?:credits?|billing|quota|spend(?:ing)?|payment|purchase|upgrade|subscri\w+)\b`)
	tryAgain = lazyregexp.New(`(?i)\btry again\b`)
)

// usage fills in what usage_limit_exceeded means. It stands for four things, of which two never
// heal by waiting: a used-up plan window, a key without credit, a plan without the agent, and a
// workspace out of credits or over its cap. said is what the table of texts says, or nil.
func (c *Codex) usage(f *detect.Failure, text string, said *detect.Failure, q *quota, at time.Time) {
	switch {
	case q != nil && personal.MatchString(q.Reached):
		f.Reason, f.Field = detect.Billing, fieldReached
		return
	case said != nil && said.Reason == detect.Billing,
		said == nil && (q == nil || !q.Full) && money.MatchString(text) && !tryAgain.MatchString(text):
		f.Reason, f.Field = detect.Billing, fieldText
		return
	}
	f.Reason = detect.UsageLimit
	if said != nil {
		f.Window = said.Window
	}
	if q.fill(f, at) {
		return
	}
	if said != nil {
		f.ResetAt, f.ResetMinute, f.Notes = said.ResetAt, said.ResetMinute, said.Notes
		return
	}
	r, ok := detect.ParseReset(detect.Plain(text), at, c.zone)
	if !ok && (q == nil || !q.Full) { // neither words nor limits tell which of the four it is
		f.Reason = detect.Unknown
		return
	}
	f.ResetAt, f.ResetMinute, f.Notes = r.At, r.Minute, r.Notes
}

// fill takes over the window that is used up. False: there is none, or it does not say when it
// resets.
func (q *quota) fill(f *detect.Failure, at time.Time) bool {
	if q == nil || !q.Full {
		return false
	}
	if f.Window == "" {
		f.Window = q.Window
	}
	r, ok := detect.EpochReset(q.Resets, at, f.Window)
	f.ResetAt, f.Notes = r.At, r.Notes
	return ok
}

// silent is a turn that failed in a version that writes down no errors: only the limits may tell.
func silent(q *quota, at time.Time) *detect.Failure {
	f := &detect.Failure{Reason: detect.Unknown, Source: "transcript", Field: "last_agent_message"}
	switch {
	case q != nil && personal.MatchString(q.Reached):
		f.Reason, f.Field = detect.Billing, fieldReached
	case q.blocks():
		f.Reason, f.Field = detect.UsageLimit, fieldLimits
		q.fill(f, at)
	default:
		f.Notes = []string{"the turn ended without an answer, and this version of the agent does not record why"}
	}
	return f
}

// snake turns usageLimitExceeded, as the agent's server writes it, into usage_limit_exceeded.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
