package state

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// A run that its user has cancelled may give way to a prompt of his, or of a script, that was on its way by then: the cancel
// stands until he goes on after it.
func TestCancelStandsOverByHand(t *testing.T) {
	for name, c := range map[string]struct {
		prompt detect.Event
		ended  time.Duration
		stands bool
	}{
		"a prompt before the cancel":            {detect.Event{At: noon.Add(time.Minute)}, 0, true},
		"a script's prompt before the cancel":   {detect.Event{At: noon.Add(time.Minute), Headless: true}, 0, true},
		"a prompt after the cancel":             {detect.Event{At: noon.Add(3 * time.Minute)}, 0, false},
		"a script's prompt after the cancel":    {detect.Event{At: noon.Add(3 * time.Minute), Headless: true}, 0, false},
		"the agent's own line after it":         {detect.Event{At: noon.Add(3 * time.Minute), Meta: true}, 0, true},
		"clawd's prompt, written late":          {detect.Event{At: noon.Add(3 * time.Minute), Hash: "ours", Headless: true}, 0, true},
		"the same words after the verdict":      {detect.Event{At: noon.Add(270 * time.Second), Hash: "ours"}, 0, false},
		"a turn that ended well after it":       {detect.Event{At: noon.Add(time.Minute)}, 4 * time.Minute, true},
		"the agent's own turn after a good end": {detect.Event{At: noon.Add(3 * time.Minute), Meta: true}, 150 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, at := newStore(t)
			waiting(t, s, one, "k")
			claim := fire(t, s, one, "k")
			at.Time = noon.Add(2 * time.Minute)
			_, err := s.transition(one, func(rec Session, b Books) (*Change, error) { return rec.CancelOrdered(b, true) })
			must(t, err)
			claim.Plan.Prompt, at.Time = "ours", noon.Add(4*time.Minute)
			rec, _, err := s.Settle(claim, resume.Outcome{Verdict: resume.ByHand, Why: "it gave way"}, Read{}, again)
			must(t, err)
			at.Time = noon.Add(5 * time.Minute)
			r := read(one)
			r.Classifier.LastPrompt = c.prompt
			if c.ended > 0 {
				r.Classifier.Ended = noon.Add(c.ended)
			}
			rec.Classifier = r.Classifier
			is(t, rec.CancelStands(), c.stands)
			_, err = s.WentOn(r, "somebody went on")
			must(t, err)
			is(t, !get(t, s, one).Cancelled.IsZero(), c.stands)
		})
	}
}
