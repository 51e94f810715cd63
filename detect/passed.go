package detect

import (
	"cmp"
	_ "embed" // the table of providers' sentences
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

//go:embed providers.tsv
var providerTable string

// A table compiles when an answer is met: most runs of clawd meet none.
var providers = sync.OnceValue(func() Messages { return MustMessages(providerTable) })

// dayLong: a provider that asks for a day's wait has not throttled a request, a quota is used up.
const dayLong = 24 * time.Hour

// Passed reads the body of a provider's answer, or the sentence in it, from the record in which an agent passes it on.
// status is the answer's, 0 where it is not known. False: it says no more than the status.
func Passed(status int, body string, at time.Time, zone *time.Location) (*Failure, bool) {
	text := strings.ReplaceAll(Plain(sentence(body)), "\n", " ")
	f, ok := providers().Failure(text, at, zone)
	if !ok || !fits(f.Reason, status) {
		return nil, false
	}
	f.Status = status
	if (f.Reason == RateLimit || f.Reason == UsageLimit) && f.ResetAt.IsZero() {
		if r, ok := ResetField(body, at, f.Window); ok {
			f.ResetAt, f.Notes = r.At, append(f.Notes, r.Notes...)
		}
	}
	if f.Reason == RateLimit && f.ResetAt.Sub(at) >= dayLong {
		f.Reason = UsageLimit
	}
	return f, true
}

// sentence is what the provider says in a body of the usual forms; any other text is one itself. Behind a body may stand
// what an agent adds.
func sentence(body string) string {
	type message struct {
		Message string `json:"message"`
	}
	var said struct {
		message
		Error  json.RawMessage `json:"error"`  // an object, or the sentence itself (xAI, Ollama)
		Errors []message       `json:"errors"` // Cloudflare
	}
	body = strings.TrimSpace(body)
	if m := quoted.FindStringSubmatch(body); m != nil { // as clients show an error that is no object
		return m[1]
	}
	if !strings.HasPrefix(body, "{") || json.NewDecoder(strings.NewReader(body)).Decode(&said) != nil {
		return body
	}
	var inner message
	var alone string
	if json.Unmarshal(said.Error, &inner) != nil {
		_ = json.Unmarshal(said.Error, &alone)
	}
	if len(said.Errors) == 0 {
		said.Errors = []message{{}}
	}
	return cmp.Or(inner.Message, alone, said.Message, said.Errors[0].Message)
}

// A client may put the status before it.
var quoted = lazyregexp.New(`^(?:[45]\d\d )?"([^"\\]+)"$`)

// fits refuses what a sentence says beside a status that tells otherwise.
func fits(r Reason, status int) bool {
	switch r {
	case UsageLimit:
		return status == 0 || status == 429 || status == 403
	case RateLimit, Overloaded:
		return status == 0 || status == 429 || status >= 500
	case ContextFull:
		return status == 0 || status == 400 || status == 413
	}
	return status == 0 || status >= 400 && status <= 499
}

// resetFields are names of the end of a limit in the JSON of an error: an instant, or what is left until it.
var resetFields = lazyregexp.New(`(?i)["'](?:x-ratelimit-reset|resets?[_-]?at|reset[_-]?time(?:[_-]?stamp)?|quotaResetTimeStamp|` +
	`((?:resets?[_-]?(?:in|after)|retry[_-]?delay|quotaResetDelay)(?:[_-]?(?:s|sec|secs|seconds|(ms|millis|milliseconds)))?))` +
	`\\?["']\s*:\s*\\?["']?([\w.:+-]{1,40})(?:\\?["']|[,}\s]|$)`)

// sameReset is how far apart two fields may name one moment.
const sameReset = 2 * time.Minute

// ResetField reads the fields in which the provider behind a gateway names the end of its limit, as the gateway passes them on in
// its body: X-RateLimit-Reset and resets_at, in seconds or milliseconds since 1970 or as a date with its zone, or a span of
// seconds, milliseconds or written out. Of fields that name different moments, nobody says which limit was met.
func ResetField(body string, at time.Time, w Window) (found Reset, ok bool) {
	for _, m := range resetFields.FindAllStringSubmatch(body, 20) {
		r, usable := resetValue(m[3], at, w, m[1] != "", m[2] != "")
		switch {
		case !usable:
		case ok && r.At.Sub(found.At).Abs() > sameReset:
			return Reset{}, false
		case !ok:
			found, ok = r, true
		}
	}
	return found, ok
}

// resetValue reads one.
func resetValue(value string, at time.Time, w Window, span, milli bool) (Reset, bool) {
	n, err := strconv.ParseFloat(value, 64)
	if at.IsZero() || err == nil && (n < 0 || value[0] < '0' || value[0] > '9') {
		return Reset{}, false
	}
	switch left, bad := time.ParseDuration(value); {
	case err == nil && !span && n < 1e9: // no time of this century
		return Reset{}, false
	case err == nil && !span:
		return EpochReset(n, at, w)
	case err == nil && milli:
		n /= 1000
	case err == nil:
	case !span:
		t, err := time.Parse(time.RFC3339Nano, value)
		if err != nil {
			return Reset{}, false
		}
		t, notes := clamp(t, at, w.longest())
		return Reset{At: t.Truncate(time.Second), Notes: notes}, true
	case bad != nil || left < 0:
		return Reset{}, false
	default:
		n = left.Seconds()
	}
	if n > longestWindow.Seconds() {
		return Reset{}, false
	}
	t, notes := clamp(at.Add(time.Duration(n*float64(time.Second))), at, w.longest())
	return Reset{At: t, Notes: notes}, true
}
