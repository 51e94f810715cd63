package provider

import (
	"net/http"
	"strconv"
	"time"
)

// Answer is what one main request gets. Make one with the functions below; the zero Answer is an
// empty text. The same Answer serves all APIs: each renders it in its own words.
type Answer struct {
	Text  string // what the model says; also before a tool call, and before a cut
	Tool  string // name of a tool to call, with its namespace and a dot where the Responses API has one; empty: none
	Input any    // the tool's input, anything that encodes to a JSON object

	InputTokens int // reported usage; 0: 100

	Status  int    // HTTP status of an error; 0: no error
	Type    string // error.type of the Anthropic body, also used as error.code of the OpenAI body
	Message string // error.message
	// Header is asked when the answer goes out, so that a reset can be counted from that moment.
	Header func(now time.Time) http.Header

	// What follows says an error once more for the APIs whose words differ in more than a name.
	kind   kind
	window string                        // FiveHour, SevenDay; empty: no plan's limit
	reset  func(now time.Time) time.Time // of that window
	retry  time.Duration                 // that the provider asks to wait; 0: it does not say

	Cut    bool // the connection breaks after Text, in the middle of the answer
	Refuse bool // the connection is closed without an answer

	Delay time.Duration   // before the first byte
	Gate  <-chan struct{} // not nil: the answer waits until it is closed
}

// kind of an error.
type kind string

const (
	throttled    kind = "throttled"
	usedUp       kind = "used_up"
	overloaded   kind = "overloaded"
	broken       kind = "broken"
	unauthorized kind = "unauthorized"
	noCredit     kind = "no_credit"
	tooLong      kind = "too_long"
)

// Text is a turn that ends well.
func Text(text string) Answer { return Answer{Text: text} }

// ToolCall makes the agent run one of its tools.
func ToolCall(tool string, input any) Answer {
	return Answer{Text: "I will use a tool.", Tool: tool, Input: input}
}

// Cut begins an answer and breaks the connection in the middle of it.
func Cut(text string) Answer { return Answer{Text: text, Cut: true} }

// Refused closes the connection without an answer.
func Refused() Answer { return Answer{Refuse: true} }

// RateLimit is a 429 of the throttling kind. It has no Retry-After: add one with After,
// AfterDate or AfterMS.
func RateLimit() Answer {
	return Answer{kind: throttled, Status: http.StatusTooManyRequests, Type: "rate_limit_error",
		Message: "This request would exceed your organization's rate limit of 50,000 input tokens per minute."}
}

// After adds Retry-After in seconds.
func (a Answer) After(seconds int) Answer {
	a.retry = time.Duration(seconds) * time.Second
	return a.with(func(h http.Header, _ time.Time) { h.Set("Retry-After", strconv.Itoa(seconds)) })
}

// AfterDate adds Retry-After as an HTTP date, d from the moment of the answer. The date has
// whole seconds.
func (a Answer) AfterDate(d time.Duration) Answer {
	return a.with(func(h http.Header, now time.Time) {
		h.Set("Retry-After", now.Add(d).UTC().Format(http.TimeFormat))
	})
}

// AfterMS adds the retry-after-ms header.
func (a Answer) AfterMS(ms int) Answer {
	return a.with(func(h http.Header, _ time.Time) { h.Set("Retry-After-Ms", strconv.Itoa(ms)) })
}

// Plan windows, as the anthropic-ratelimit-unified-representative-claim header names them.
const (
	FiveHour = "five_hour"
	SevenDay = "seven_day"
)

// UsageLimit is a 429 that says that the plan's window is used up until in from the answer on.
func UsageLimit(window string, in time.Duration) Answer {
	return usageLimit(window, func(now time.Time) time.Time { return now.Add(in) })
}

// UsageLimitUntil is UsageLimit with an absolute reset.
func UsageLimitUntil(window string, reset time.Time) Answer {
	return usageLimit(window, func(time.Time) time.Time { return reset })
}

func usageLimit(window string, reset func(now time.Time) time.Time) Answer {
	a := Answer{kind: usedUp, window: window, reset: reset, Status: http.StatusTooManyRequests, Type: "rate_limit_error",
		Message: "This request would exceed your account's rate limit. Please try again later."}
	short, other := "5h", "7d"
	if window == SevenDay {
		short, other = other, short
	}
	return a.with(func(h http.Header, now time.Time) {
		at := reset(now)
		epoch := strconv.FormatInt(at.Unix(), 10)
		const p = "Anthropic-Ratelimit-Unified-"
		h.Set(p+"Status", "rejected")
		h.Set(p+"Reset", epoch)
		h.Set(p+"Representative-Claim", window)
		h.Set(p+short+"-Status", "rejected")
		h.Set(p+short+"-Reset", epoch)
		h.Set(p+short+"-Utilization", "1.0")
		h.Set(p+other+"-Status", "allowed")
		h.Set(p+other+"-Reset", strconv.FormatInt(now.Add(96*time.Hour).Unix(), 10))
		h.Set(p+other+"-Utilization", "0.42")
		h.Set(p+"Overage-Status", "rejected")
		h.Set(p+"Overage-Disabled-Reason", "org_level_disabled")
		h.Set(p+"Fallback-Percentage", "0.5")
		h.Set("Retry-After", strconv.FormatInt(max(0, int64(at.Sub(now).Seconds())), 10))
	})
}

// PlanUsedUp is the 403 of Kimi's plan. It says nothing of the time when it ends: add that with After.
func PlanUsedUp() Answer {
	return Answer{kind: usedUp, Status: http.StatusForbidden, Type: "permission_error",
		Message: "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle."}
}

// Overloaded is a 529.
func Overloaded() Answer {
	return Answer{kind: overloaded, Status: 529, Type: "overloaded_error", Message: "Overloaded"}
}

// ServerError is a 500.
func ServerError() Answer {
	return Answer{kind: broken, Status: http.StatusInternalServerError, Type: "api_error", Message: "Internal server error"}
}

// Unauthorized is a 401.
func Unauthorized() Answer {
	return Answer{kind: unauthorized, Status: http.StatusUnauthorized, Type: "authentication_error", Message: "invalid x-api-key"}
}

// NoCredit is the 400 of an empty prepaid balance.
func NoCredit() Answer {
	return Answer{kind: noCredit, Status: http.StatusBadRequest, Type: "invalid_request_error",
		Message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}
}

// TooLong is the 400 of a context that is full.
func TooLong() Answer {
	return Answer{kind: tooLong, Status: http.StatusBadRequest, Type: "invalid_request_error",
		Message: "prompt is too long: 212344 tokens > 200000 maximum"}
}

// Hold makes a wait until release is called (more than once does no harm).
func Hold(a Answer) (held Answer, release func()) {
	gate := make(chan struct{})
	a.Gate = gate
	return a, closeOnce(gate)
}

// with returns a copy that sets further headers.
func (a Answer) with(set func(h http.Header, now time.Time)) Answer {
	before := a.Header
	a.Header = func(now time.Time) http.Header {
		h := http.Header{}
		if before != nil {
			h = before(now)
		}
		set(h, now)
		return h
	}
	return a
}
