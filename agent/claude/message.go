package claude

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

//go:embed messages.tsv
var messageTable string

//go:embed notices.tsv
var noticeTable string

// The tables take some milliseconds to compile, which a process that meets no text need not spend.
var (
	messages = sync.OnceValue(func() detect.Messages { return detect.MustMessages(messageTable) })
	notices  = sync.OnceValue(func() detect.Messages { return detect.MustMessages(noticeTable) }) // about its own continue
)

// none: the agent neither stopped nor waits nor asks.
var none = detect.Stop{State: detect.Running}

// said is the evidence of a text without a record.
var said = detect.Evidence{Source: "message", Field: "text"}

// Message reads a text that Claude Code printed as its own, or one of its records (a line of a
// transcript or of stream-json, the input of a hook). Outside a record nothing vouches for a text:
// it must begin as the agent's sentences do, and what follows may only be more of them.
func (c *Claude) Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	if zone == nil {
		zone = c.zone
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return recordMessage(text, at, zone)
	}
	if strings.HasPrefix(text, ">") || strings.HasPrefix(text, "❯") && !strings.HasPrefix(text, "❯ /rate-limit-options\n") {
		return none, false // the user typed it
	}
	plain := bare(text)
	one := flat(plain)
	if row, ok := notices().Find(one); ok {
		if row.State == detect.Running || !ours(plain[row.End(one):], plain) {
			return none, false
		}
		s, _ := notices().Match(one, at, namedZone(one, zone))
		return s, true
	}
	row, ok := messages().Find(one)
	switch {
	case ok && row.State == detect.Running,
		ok && row.State == detect.Asking && !menu(text, plain),
		ok && row.State != detect.Asking && !ours(plain[row.End(one):], plain),
		ok && row.State == detect.Stopped && row.Reason != detect.UsageLimit && !below(plain),
		!ok && (!statusText.MatchString(plain) || !below(plain)):
		return none, false
	case ok && row.State != detect.Stopped:
		return messages().Match(one, at, zone)
	}
	return failureMessage(&record{at: at}, plain, at, zone)
}

func failureMessage(r *record, text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	f := *failure(r, text, zone)
	f.Source, f.Field, f.Text = said.Source, said.Field, ""
	return f.Stop(at)
}

// recordMessage reads a record by its fields.
func recordMessage(line string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	r, err := parse([]byte(line))
	if err != nil {
		return none, false
	}
	r.at = at
	var more struct {
		Event    string  `json:"hook_event_name"`
		Last     string  `json:"last_assistant_message"` // StopFailure
		Notice   string  `json:"notification_type"`      // Notification
		DelayMs  float64 `json:"retry_delay_ms"`         // system/api_retry of stream-json
		IsError  bool    `json:"is_error"`               // result of stream-json
		Status   int     `json:"api_error_status"`
		Result   string  `json:"result"`
		LimitNow struct {
			quota
			Overage bool `json:"isUsingOverage"`
		} `json:"rate_limit_info"`
	}
	_ = json.Unmarshal([]byte(line), &more) // parse has read it
	switch {
	case more.Event == "StopFailure":
		return failureMessage(r, more.Last, at, zone)
	case more.Event == "PermissionRequest",
		more.Event == "Notification" && (more.Notice == "permission_prompt" || more.Notice == "elicitation_dialog"):
		return detect.Stop{State: detect.Asking, At: at, Evidence: said}, true
	case r.Type == "assistant" && r.IsAPIError:
		return failureMessage(r, textOf(blocks(r.Message.Content)), at, zone)
	case r.Type == "result" && more.IsError:
		r.APIErrorStatus = more.Status
		return failureMessage(r, more.Result, at, zone)
	case r.Type == "rate_limit_event" && more.LimitNow.Status == "rejected" && !more.LimitNow.Overage && windows[more.LimitNow.Type] != "":
		r.Quota, r.APIError = &more.LimitNow.quota, "usage_limit_reached"
		return failureMessage(r, "", at, zone)
	case r.Type == "system":
		if r.Subtype == "api_retry" {
			r.Subtype, r.RetryInMs = "api_error", more.DelayMs
		}
		return systemMessage(r, at, zone)
	}
	return none, false
}

// systemMessage is for the records in which the agent says that it goes on by itself, or does not.
func systemMessage(r *record, at time.Time, zone *time.Location) (detect.Stop, bool) {
	e, ok := (&Claude{zone: zone}).systemEvent(detect.Event{At: at}, r)
	switch {
	case !ok || e.Kind == detect.KindSelfResume && e.Next.Equal(at):
		return none, false
	case e.Done:
		return detect.Stop{State: detect.Stopped, Reason: detect.Interrupted, At: at, Evidence: said}, true
	case e.Kind == detect.KindSelfResume && e.Next.IsZero():
		return detect.Stop{State: detect.Stopped, Reason: detect.UsageLimit, At: at, Evidence: said}, true
	}
	return detect.Stop{State: detect.Retrying, SelfResumeAt: e.Next, At: at, Evidence: said}, true
}

// bare takes off what the terminal draws around a sentence, and what the agent puts before it when
// one of its sub-agents fails.
func bare(text string) string {
	text = strings.TrimLeft(detect.Plain(text), "· ✻✽✶✢✳")
	text = strings.TrimPrefix(text, "Error: ")
	return strings.TrimPrefix(text, "Agent terminated early due to an API error: ")
}

// flat makes one line of several, without moving a byte.
func flat(text string) string { return strings.ReplaceAll(text, "\n", " ") }

var zoneName = lazyregexp.New(`\(([A-Z][\w+-]*(?:/[\w+-]+)*)\)`)

// namedZone is the zone that a text names anywhere: the agent writes all its times in its own, and
// may say only once which that is.
func namedZone(text string, zone *time.Location) *time.Location {
	if m := zoneName.FindStringSubmatch(text); m != nil {
		if z, err := time.LoadLocation(m[1]); err == nil {
			return z
		}
	}
	return zone
}
