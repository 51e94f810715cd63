package agent

import (
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

const (
	// notesMax plain lines are kept, of at most noteMax bytes each.
	notesMax, noteMax = 20, 400
)

// LastWords are what a run said that tells why it ended, where it left no record: the failure that it reported, and the
// newest of its plain lines.
type LastWords struct {
	Failed Said // the last SaidFailed
	notes  []string
}

// Hear takes a thing in that the run said.
func (w *LastWords) Hear(s Said) {
	switch s.Kind {
	case SaidFailed:
		w.Failed = s
	case SaidNote:
		if len(w.notes) == notesMax {
			w.notes = append(w.notes[:0], w.notes[1:]...)
		}
		w.notes = append(w.notes, strings.Clone(s.Text[:min(len(s.Text), noteMax)]))
	}
}

// Notes are the plain lines.
func (w *LastWords) Notes() string { return strings.Join(w.notes, "\n") }

// Stop is why the run ended. Of the plain lines the last one counts with which a text begins that the agent is known for. False: they
// say nothing that is known.
func (w *LastWords) Stop(a Reader, at time.Time) (detect.Stop, bool) {
	if s := w.Failed.Stop; s != nil && s.IsStop() {
		return *s, true
	}
	for n := len(w.notes) - 1; n >= 0; n-- {
		text := strings.TrimSpace(detect.Unstyled(strings.Join(w.notes[n:], "\n")))
		if s, ok := a.Message(text, at, nil); ok && s.IsStop() {
			return s, true
		}
	}
	return detect.Stop{}, false
}
