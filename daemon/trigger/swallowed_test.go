package trigger

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// typist is a terminal that takes what clawd types for commands. Later its user types into it.
type typist struct {
	*tardy
	begins      time.Time
	first, then string // what stands in the box from then on, and half a second later
}

func (s typist) Look(ctx context.Context) (agent.Screen, error) {
	switch d := time.Since(s.begins); {
	case d > 500*time.Millisecond:
		s.box, s.shows = s.then, time.Time{}
	case d > 0:
		s.box, s.shows = s.first, time.Time{}
	}
	return s.tardy.Look(ctx)
}

// The agent has taken what clawd typed for commands. Ten seconds later its user begins a sentence of his own with the same word, and rests for half a
// second behind it: Enter is not pressed.
func TestUserTypesTheSameWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := typist{&tardy{after: time.Hour}, time.Now().Add(10 * time.Second), "continue", "continue with the docs alone"}
		tr, c := tardyTrigger(s.tardy)
		tr.Reach = func(detect.Holder, resume.Way) (Terminal, error) { return s, nil }
		c.Plan.Longer = ""
		if err := attempt(t, tr, s, c); err == nil || s.result != "" {
			t.Errorf("submitted %q of what its user was typing (%v)", s.result, err)
		}
	})
}

// What stands in the box from an earlier attempt may be the beginning of what its user types by now.
func TestUserTypesTheSameWordLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := typist{&tardy{box: "continue"}, time.Now().Add(-time.Millisecond), "continue", "continue with the docs alone"}
		tr, c := tardyTrigger(s.tardy)
		tr.Reach = func(detect.Holder, resume.Way) (Terminal, error) { return s, nil }
		c.Plan.Longer = ""
		tr.unsent.add(c.Plan.Holder, c.Stop, typed{keys: "continue"})
		if err := attempt(t, tr, s, c); err == nil || s.result != "" {
			t.Errorf("submitted %q of what its user was typing (%v)", s.result, err)
		}
	})
}

// Its user's own text, typed and deleted while clawd waits for what it typed, is no sign that the agent shows what clawd types.
func TestOtherTextIsNoSign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := typist{&tardy{after: time.Hour}, time.Now().Add(10 * time.Second), "no", ""}
		tr, c := tardyTrigger(s.tardy)
		tr.Reach = func(detect.Holder, resume.Way) (Terminal, error) { return s, nil }
		c.Plan.Longer = ""
		for n := range 2 {
			err := attempt(t, tr, s, c)
			if n == 0 && err == nil || n == 1 && (err == nil || !strings.Contains(err.Error(), "did not appear")) {
				t.Errorf("attempt %d: %v", n+1, err)
			}
		}
	})
}
