package opencode

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// messages are the texts with which opencode itself or a provider behind it reports a failure, as
// `opencode run` and the terminal print them. They are anchored: the same words further on in a
// longer text are somebody's prose. In the database these texts decide nothing; there the fields
// of the row do.
var messages = []struct {
	text   *regexp.Regexp
	reason detect.Reason
}{
	{regexp.MustCompile(`(?i)^MessageAbortedError\b`), detect.Interrupted},
	{regexp.MustCompile(`(?i)^(?:[\w -]{1,30} )?usage limit reached\b|^Free usage exceeded\b|^Subscription quota exceeded\b`), detect.UsageLimit},
	{regexp.MustCompile(`(?i)^Insufficient (?:credits|balance)\b|^Your credit balance is too low\b|^This request requires more credits\b|` +
		`^You exceeded your current quota, please check your plan\b|^Quota exceeded\. Check your plan\b|^To use Codex with your ChatGPT plan, upgrade\b`), detect.Billing},
	{regexp.MustCompile(`(?i)^(?:Rate Limited|Too Many Requests|Rate limit (?:reached|exceeded)|Concurrency limit exceeded)\b|` +
		`^This request would exceed your (?:organization|account)'s rate limit\b|^gemini is way too hot\b`), detect.RateLimit},
	{regexp.MustCompile(`(?i)^(?:Provider is )?overloaded\b|^Service Unavailable\b`), detect.Overloaded},
	{regexp.MustCompile(`(?i)^(?:Provider Server Error|Internal Server Error|Bad Gateway|Gateway Time-?out|The server had an error\b)`), detect.ServerError},
	{regexp.MustCompile(`(?i)^Cannot connect to API\b|^Connection reset by server\b|^SSE read timed out\b|^Provider response headers timed out\b|` +
		`^The socket connection was closed\b`), detect.Network},
	{regexp.MustCompile(`(?i)^Incorrect API key\b|^invalid x-api-key\b|^(?:Unauthorized|Forbidden)\b|^Your account does not have access\b`), detect.Auth},
	{regexp.MustCompile(`(?i)^Input exceeds (?:the )?context window\b|^Session too large to compact\b|^prompt is too long\b|` +
		`^This model's maximum context length is \d+ tokens\b`), detect.ContextFull},
}

var (
	rePrefix   = regexp.MustCompile(`^(?:Error: |AI_APICallError: |APIError: )+`)
	reRetrying = regexp.MustCompile(`\[retrying\b[^\]]*\]\s*$`)
	reHeaders  = regexp.MustCompile(`^(\d{3}) headers: ([A-Za-z-]+): (.*)$`)
	reWindow   = regexp.MustCompile(`(?i)^(daily|weekly|monthly) `)
)

// Message reads a text that opencode printed as its own failure. One that ends in "[retrying …]"
// is none: opencode goes on by itself.
func (o *OpenCode) Message(text string, at time.Time, zone *time.Location) (detect.Failure, bool) {
	text = strings.TrimSpace(reColour.ReplaceAllString(text, ""))
	text = rePrefix.ReplaceAllString(text, "")
	if reRetrying.MatchString(text) {
		return detect.Failure{}, false
	}
	e := rowError{Name: "UnknownError"}
	e.Data.Message = text
	if m := reHeaders.FindStringSubmatch(text); m != nil {
		e.Name = "APIError"
		e.Data.StatusCode, _ = strconv.Atoi(m[1])
		e.Data.Headers = map[string]string{m[2]: m[3]}
	}
	f := failure(&e, at, "message")
	if strings.HasPrefix(text, "{") || e.Data.StatusCode != 0 {
		f.Field = "text"
	} else {
		f = &detect.Failure{Reason: detect.Unknown, Source: "message", Field: "text", Text: detect.Redact(text)}
		for _, m := range messages {
			if m.text.MatchString(text) {
				f.Reason, f.Text = m.reason, ""
				break
			}
		}
	}
	limited := f.Reason == detect.UsageLimit || f.Reason == detect.RateLimit
	if w := reWindow.FindStringSubmatch(text); w != nil && f.Reason == detect.UsageLimit {
		f.Window = claims[strings.ToLower(w[1])]
	}
	switch r, ok := detect.ParseReset(text, at, zone); {
	case limited && f.ResetAt.IsZero() && f.RetryAfter != nil:
		f.ResetAt = at.Add(*f.RetryAfter).UTC()
	case limited && f.ResetAt.IsZero() && ok:
		f.ResetAt, f.ResetMinute, f.Notes = r.At, r.Minute, r.Notes
	}
	return *f, f.Reason != detect.Unknown
}
