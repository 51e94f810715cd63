package claude

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Message reads a text that Claude Code printed as its own failure, or one of its records (a line
// of a transcript, the input of a StopFailure hook). Outside a record nothing vouches for a text:
// it must begin as the agent's sentences do, and what follows may only be more of them.
func (c *Claude) Message(text string, at time.Time, zone *time.Location) (detect.Failure, bool) {
	if zone == nil {
		zone = c.zone
	}
	r := &record{at: at}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		var ok bool
		if r, text, ok = printedRecord(text); !ok {
			return detect.Failure{}, false
		}
		r.at = at
	} else if text = bare(text); notOurs.MatchString(text) {
		return detect.Failure{}, false
	}
	if next, _, ok := selfResume(text, at, zone); ok && !next.IsZero() {
		return detect.Failure{}, false // it goes on by itself
	}
	f := *failure(r, text, zone)
	if len(r.Error) == 0 && f.Reason == detect.Unknown && dropped.MatchString(text) {
		f.Reason = detect.UsageLimit
	}
	f.Source, f.Field, f.Text = "message", "text", ""
	return f, f.Reason != detect.Unknown
}

// printedRecord takes a failure record apart; false: the record is none.
func printedRecord(line string) (*record, string, bool) {
	r, err := parse([]byte(line))
	if err != nil {
		return nil, "", false
	}
	var hook struct {
		Event string `json:"hook_event_name"`
		Last  string `json:"last_assistant_message"`
	}
	_ = json.Unmarshal([]byte(line), &hook) // parse has read it
	switch {
	case hook.Event == "StopFailure":
		return r, hook.Last, true
	case r.Type == "assistant" && r.IsAPIError:
		return r, textOf(blocks(r.Message.Content)), true
	}
	return nil, "", false
}

// bare takes off what the terminal draws around a sentence: a box, a bullet, the line breaks of a
// narrow window.
func bare(text string) string {
	var lines []string
	for line := range strings.Lines(quotes.Replace(text)) {
		line = strings.Trim(line, " \t\r\n│|╭╮╰╯─┌┐└┘⎿⏺●⚠❯")
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), "Agent terminated early due to an API error: ")
}

var (
	// notOurs: a limit that stops no session, or a second line of prose below the sentence.
	notOurs = regexp.MustCompile(`(?i)^You've hit your fast limit|^Fast limit reached` +
		`|\n(?:[^·/]*\b(?:docs|worker|agent|session) (?:say|process|resumed|is)\b|Opening your options)`)
	// dropped: the agent's word that it will not go on by itself at a usage limit.
	dropped = regexp.MustCompile(`^Automatic continue |will not resume on its own`)
)
