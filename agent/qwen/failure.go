package qwen

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// As evidence.
const (
	source      = "transcript"
	fieldStatus = "status_code"
	fieldText   = "error_message"
)

// triesInARow is how often the agent asks before it gives up, or before it waits for minutes where it is throttled.
const triesInARow = 7

// triesInAll is how often it asks where it is throttled, as long as its settings say nothing else. Of fewer nobody can tell
// from the files of 0.15 whether its user has ended the wait.
const triesInAll = 11 * triesInARow

// throttled: then it waits for minutes and begins anew, ten times.
func throttled(note *uiEvent) bool {
	return note.Status == http.StatusTooManyRequests || note.Status == http.StatusServiceUnavailable || note.Status == statusOverloaded
}

const statusOverloaded = 529

// pause is how long the agent waits at most before it asks again after so many tries, with the time that a request takes.
// The provider may have asked for more, which no record tells; then a terminal still shows that it is busy.
func pause(note *uiEvent, tries int) time.Duration {
	switch round := tries / triesInARow; {
	case tries%triesInARow != 0:
		return time.Minute
	case !throttled(note):
		return 10 * time.Second // after the last one it begins anew at once, or not at all
	default:
		return time.Minute + min(5*time.Minute, time.Minute<<min(round-1, 3))
	}
}

// quotaUsed are the texts after which the agent asks no more: a quota and when it ends.
var quotaUsed = lazyregexp.New(`(?i)quota.*(?:exhausted|exceeded).*(?:will reset|reset at)|(?:exhausted|exceeded).*quota.*(?:will reset|reset at)`)

// final tells whether the agent does not ask again after an error.
func final(note *uiEvent) bool {
	switch note.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return quotaUsed.MatchString(note.Message)
	}
	return note.Status >= 400 && note.Status < 500
}

// failure says what an error means: by what providers are known to say, by its text where that says more than the
// status, by the status.
func (q *Qwen) failure(note *uiEvent, at time.Time) *detect.Failure {
	text := note.Message
	if lead := strconv.Itoa(note.Status) + " "; note.Status != 0 {
		text = strings.TrimPrefix(text, lead)
	}
	f := read(note.Status, text, at, q.zone)
	f.Source = source
	if note.Message == "" { // each error has one, and it may know better than the status: this is a form that nobody knows
		*f = detect.Failure{Status: note.Status, Reason: detect.Unknown, Source: source, Field: fieldText}
	}
	if f.Reason == detect.Unknown && note.Type == "APIConnectionError" {
		f.Reason, f.Field = detect.Network, "error_type"
	}
	if f.Reason == detect.Unknown {
		f.Text = detect.Redact(note.Message)
	}
	return f
}

// read says what a text means that came with a status; 0: none is known.
func read(status int, text string, at time.Time, zone *time.Location) *detect.Failure {
	if f, ok := detect.Passed(status, text, at, zone); ok {
		f.Field = fieldText
		return f
	}
	said := strings.ReplaceAll(detect.Plain(sentence(text)), "\n", " ")
	if f, ok := messages().Failure(said, at, zone); ok && fits(f.Reason, status) {
		f.Status, f.Field = status, fieldText
		return f
	}
	f := &detect.Failure{Status: status, Reason: detect.Unknown, Field: fieldStatus}
	if status != 0 {
		f.Reason = detect.FromStatus(status)
	}
	return f
}

// fits refuses what a text says beside a status that tells otherwise: a limit is not believed beside a status that a
// person must look into.
func fits(r detect.Reason, status int) bool {
	switch r {
	case detect.UsageLimit, detect.RateLimit:
		return status == 0 || status == http.StatusTooManyRequests
	case detect.Billing:
		return status < http.StatusInternalServerError
	case detect.ContextFull:
		return status == 0 || status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge
	case detect.Overloaded, detect.ServerError, detect.Network:
		return status == 0 || status >= http.StatusInternalServerError
	}
	return status == 0
}
