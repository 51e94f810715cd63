package state

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// TestQuitAndClockSetBack: a terminal that was quit had the session open after what was read of it by then, whatever the clock says, and not
// after a later prompt.
func TestQuitAndClockSetBack(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		asked, stopped time.Duration // from noon; 0: no prompt was read
		quit           time.Duration
		next           time.Duration // a prompt after that
		want           bool
	}{
		"after the prompt":            {asked: time.Minute, stopped: 2 * time.Minute, quit: time.Hour, want: true},
		"the clock was set back":      {asked: time.Minute, stopped: 2 * time.Minute, quit: -12 * time.Hour, want: true},
		"set back, no prompt is read": {stopped: 2 * time.Minute, quit: -12 * time.Hour, want: true},
		"before the next prompt":      {asked: time.Minute, stopped: 2 * time.Minute, quit: time.Hour, next: 2 * time.Hour},
		"set back, then a prompt":     {asked: time.Minute, stopped: 2 * time.Minute, quit: -12 * time.Hour, next: 2 * time.Hour},
	} {
		s := Session{Stop: detect.Stop{Key: "k", At: noon.Add(c.stopped)}}
		if c.asked != 0 {
			s.Classifier.LastPrompt = detect.Event{ID: "a", At: noon.Add(c.asked)}
		}
		h := detect.Holder{PID: 7, Kind: detect.Interactive, Liveness: detect.Alive}
		got := s.HolderSeen(shelf{now: noon.Add(c.quit)}, h, HolderQuit).Session
		if c.next != 0 {
			got.Classifier.LastPrompt = detect.Event{ID: "b", At: noon.Add(c.next)}
		}
		if got.InTerminal() != c.want {
			t.Errorf("%s: in a terminal: %t", name, !c.want)
		}
	}
}
