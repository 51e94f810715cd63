package qwen

import (
	"cmp"
	_ "embed" // the table of texts
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

//go:embed messages.tsv
var table string

// A table compiles when a text is met: most runs of clawd meet none.
var messages = sync.OnceValue(func() detect.Messages { return detect.MustMessages(table) })

// evidence of a text without a record.
var evidence = detect.Evidence{Source: "message", Field: "text"}

// Message reads a text that qwen-code printed as its own, a line of --output-format stream-json, or the record of a
// failed request. Outside a record nothing vouches for a text: it must have the form of the agent's errors, or be
// a sentence that is known from its first word on.
func (q *Qwen) Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	if zone == nil {
		zone = q.zone
	}
	if line := strings.TrimSpace(text); strings.HasPrefix(line, "{") {
		return q.printed(line, at, zone)
	}
	flat := strings.ReplaceAll(detect.Plain(text), "\n", " ")
	if s, ok := messages().Match(flat, at, zone); ok {
		return s, true
	}
	status, said, shaped := takeApart(flat)
	if !shaped {
		return detect.Stop{State: detect.Running}, false
	}
	f := read(status, said, at, zone)
	f.Source, f.Field = evidence.Source, evidence.Field
	return f.Stop(at)
}

var (
	// shape is what the agent puts around an error.
	shape      = lazyregexp.New(`^\[API Error: (.*)\](?: Possible quota limitations in place.*)?(?: \([^()]{0,20}Ctrl\+Y[^()]{0,20}\))?$`)
	statusForm = lazyregexp.New(`^([1-5]\d\d) `)
)

// takeApart gives the status and the provider's words in an error that the agent prints.
func takeApart(text string) (status int, said string, ok bool) {
	m := shape.FindStringSubmatch(text)
	if m == nil {
		return 0, text, false
	}
	said = m[1]
	if m := statusForm.FindStringSubmatch(said); m != nil {
		status, _ = strconv.Atoi(m[1])
		said = said[len(m[0]):]
	}
	return status, said, true
}

// sentence is what a provider says in a body that the agent passes on whole; any other text is one itself.
func sentence(text string) string {
	var body struct {
		Message string `json:"message"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if !strings.HasPrefix(text, "{") || json.NewDecoder(strings.NewReader(text)).Decode(&body) != nil {
		return text
	}
	return cmp.Or(body.Error.Message, body.Message, text)
}

// printed reads a record, or the last line of a run.
func (q *Qwen) printed(line string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	none := detect.Stop{State: detect.Running}
	var r record
	if agent.Unmarshal([]byte(line), &r) != nil {
		return none, false
	}
	if note := r.event(); note != nil && note.Name == apiError {
		f := (&Qwen{zone: zone}).failure(note, at)
		f.Source, f.Field, f.Text = evidence.Source, evidence.Field, ""
		return f.Stop(at)
	}
	var e outputEvent
	if agent.Unmarshal([]byte(line), &e) != nil || e.Type != "result" || e.failed(true) == "" {
		return none, false
	}
	return q.Message(e.failed(true), at, zone)
}
