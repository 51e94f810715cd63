package codex

import (
	_ "embed" // the table of texts
	"encoding/json"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

//go:embed messages.tsv
var table string

// A table compiles when a text is met: most runs of clawd meet none.
var texts = sync.OnceValue(func() detect.Messages { return detect.MustMessages(table) })

// shellWords are what stands before the agent's own sentence in a shell or a log.
var shellWords = lazyregexp.New(`(?i)\A(?:exit status:? \d+: |error: |\[error\]:? )+`)

// compaction is what a compaction by the provider puts before whatever ended it.
const compaction = "Error running remote compact task: "

func bare(text string) string { return strings.TrimPrefix(spoken(text), compaction) }

// spoken is a text without what stands before the agent's own sentence.
func spoken(text string) string { return shellWords.ReplaceAllString(detect.Plain(text), "") }

// cutStream is how the agent passes on whatever ended a stream: a fault of the line, and any error of
// the provider that it has no name for.
const cutStream = "stream disconnected before completion: "

// streamError is how versions up to 0.50 began instead; also before what they try again.
const streamError = "stream error: "

// lookup gives a text as the table is to be asked: without cutStream, if it knows what is behind it.
func lookup(text string) string {
	if whole := spoken(text); strings.HasPrefix(whole, compaction) {
		if _, ok := texts().Find(whole); ok { // a tool may say the rest of it
			return whole
		}
	}
	text = bare(text)
	rest, cut := strings.CutPrefix(text, cutStream)
	if !cut {
		if _, ok := texts().Find(text); ok {
			return text
		}
		rest = strings.TrimPrefix(text, streamError)
	}
	rest = bare(rest)
	if _, ok := texts().Find(rest); ok {
		return rest
	}
	return text
}

// narrowest is the width below which no terminal cuts a sentence of the agent.
const narrowest = 40

// uncut joins lines that a terminal cut at its width, in the middle of a word.
func uncut(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	width := utf8.RuneCountInString(lines[0])
	for _, l := range lines[:len(lines)-1] {
		if width < narrowest || utf8.RuneCountInString(l) != width {
			return text
		}
	}
	if utf8.RuneCountInString(lines[len(lines)-1]) > width {
		return text
	}
	return strings.Join(lines, "")
}

// Message reads a text that Codex printed as its own, a line of `codex exec --json`, or the record
// of a failed turn. Outside a record nothing vouches for a text: it must be one of the agent's own
// sentences from its first word on.
func (c *Codex) Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	if zone == nil {
		zone = c.zone
	}
	if line := strings.TrimSpace(text); strings.HasPrefix(line, "{") {
		r, err := parse([]byte(line))
		if err == nil && r.Type != "" {
			return c.printed(r, line, at, zone)
		}
	}
	if s, ok := texts().Match(lookup(text), at, zone); ok {
		return s, true
	}
	return texts().Match(lookup(uncut(text)), at, zone)
}

// printed reads a line of JSON that has a type.
func (c *Codex) printed(r *record, line string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	var e struct {
		Message string    `json:"message"`
		Error   turnError `json:"error"`
	}
	_ = json.Unmarshal([]byte(line), &e) // parse has read it
	p := &r.Payload
	switch {
	case r.Type == "turn.failed":
		return texts().Match(lookup(e.Error.Message), at, zone)
	case r.Type == "error":
		return texts().Match(lookup(e.Message), at, zone)
	case r.Type == "event_msg" && (p.Type == "task_complete" || p.Type == "turn_complete") && p.Error != nil:
		f := c.in(zone).failure(p.Error, nil, at)
		f.Source, f.Text = "message", ""
		return f.Stop(at)
	}
	return detect.Stop{State: detect.Running}, false
}

// in gives the agent with another zone, to read one text.
func (c *Codex) in(zone *time.Location) *Codex { return &Codex{zone: zone} }
