package copilot

import (
	_ "embed" // the table of texts
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

// lead is what the terminal and plain output put before an error.
var lead = lazyregexp.New(`^(?:[✗✘×●] ?)?(?:Error: )?`)

// Message reads a text that the agent printed as its own, or the record of an error. Outside a record nothing vouches
// for a text: it must be a sentence that is known from its first word on, or have the form of the agent's errors.
func (c *Copilot) Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	if zone == nil {
		zone = c.zone
	}
	none := detect.Stop{State: detect.Running}
	d := Failure{}
	if line := strings.TrimSpace(text); strings.HasPrefix(line, `{"type":"session.error"`) {
		var r record
		if agent.Unmarshal([]byte(line), &r) != nil || r.Agent != "" {
			return none, false
		}
		d = r.Data.Failure
	} else {
		d.Message = strings.Join(strings.Fields(detect.Plain(text)), " ")
		d.Message = d.Message[len(lead.FindString(d.Message)):]
		if s, ok := messages().Match(d.Message, at, zone); ok && (s.Reason == detect.Interrupted || s.State == detect.Retrying) {
			return s, true
		}
		s := takeApart(d.Message)
		_, coded := codes[s.code]
		if _, known := messages().Find(s.words); (!known || s.json) && !s.shaped && (!coded || s.status == 0) {
			return none, false
		}
	}
	// From which version it is, is not known.
	f := d.failure(at, []*time.Location{time.UTC, zone})
	f.Source, f.Field, f.Text = evidence.Source, evidence.Field, ""
	return f.Stop(at)
}
