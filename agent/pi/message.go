package pi

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

// lead is what the agent puts before the text of an error, and its spinner.
var lead = lazyregexp.New(`^(?:[\x{2801}-\x{28ff}] )?(?:Error: )?(?:Retry failed after \d+ attempts?: |Auto-compaction failed: |Context overflow recovery failed: )?`)

// gaveUp: the user has ended the agent's own waiting.
const gaveUp = "Retry cancelled"

// Message reads a text that pi printed as its own, a line of --mode json, or the record of a failed answer. Outside
// a record nothing vouches for a text: it must have the form of the agent's errors, or be a sentence that is
// known from its first word on.
func (p *Pi) Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	if zone == nil {
		zone = p.zone
	}
	if line := strings.TrimSpace(text); strings.HasPrefix(line, `{"type":"message`) {
		return p.printed(line, at, zone)
	}
	flat := strings.ReplaceAll(detect.Plain(text), "\n", " ")
	flat = flat[len(lead.FindString(flat)):]
	if flat == gaveUp {
		return detect.Stop{State: detect.Stopped, Reason: detect.Interrupted, At: at, Evidence: evidence}, true
	}
	if s, ok := messages().Match(flat, at, zone); ok && s.State != detect.Stopped || ok && s.Reason == detect.Interrupted {
		return s, true
	}
	s := takeApart(flat)
	_, known := messages().Find(s.text)
	if !known && s.status != 0 { // a provider's own sentence behind a status
		_, known = detect.Passed(s.status, s.body, at, zone)
	}
	if !known && !s.shaped {
		return detect.Stop{State: detect.Running}, false
	}
	f := detect.Failure{}
	read(&f, flat, at, zone)
	f.Source, f.Field = evidence.Source, evidence.Field
	return f.Stop(at)
}

// printed reads an event with a message, or a record.
func (p *Pi) printed(line string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	var r record
	none := detect.Stop{State: detect.Running}
	if agent.Unmarshal([]byte(line), &r) != nil || r.Message.Role != "assistant" {
		return none, false
	}
	switch m := &r.Message; m.StopReason {
	case "error", "length":
		f := (&Pi{zone: zone}).failure(m, at)
		f.Source, f.Field, f.Text = evidence.Source, evidence.Field, ""
		return f.Stop(at)
	case "aborted":
		return detect.Stop{State: detect.Stopped, Reason: detect.Interrupted, At: at, Evidence: evidence}, true
	}
	return none, false
}
