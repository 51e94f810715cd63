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

var quoted = lazyregexp.New(`^"([^"\\]+)"$`)

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

var rateReset = lazyregexp.New(`(?i)"x-ratelimit-reset"\s*:\s*"?(\d{10,13})\b`)

// ResetField reads the header X-RateLimit-Reset of the provider behind a gateway, which that passes on in its body: the
// end of the limit in seconds or milliseconds since 1970.
func ResetField(body string, at time.Time, w Window) (Reset, bool) {
	m := rateReset.FindStringSubmatch(body)
	if m == nil {
		return Reset{}, false
	}
	n, _ := strconv.ParseFloat(m[1], 64) // digits
	return EpochReset(n, at, w)
}
