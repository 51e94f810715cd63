package trigger

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// stormy is a terminal whose window is resized for some looks, before the text is typed and again after it.
// Its agent draws its box only in between.
type stormy struct {
	t           *testing.T
	looks       int
	until       int // the look at which the window comes to rest
	after       int // looks that it is resized for after the text
	box, result string
}

func (s *stormy) Look(context.Context) (agent.Screen, error) {
	s.looks++
	screen := agent.Screen{Rows: []string{"", "> " + s.box}, Row: 1, Col: 2 + len(s.box), Cols: 80}
	if s.looks < s.until {
		screen.Cols += s.looks % 7
		if s.box != "" || s.looks%2 == 0 {
			screen.Rows[1] = "half drawn"
		}
	}
	return screen, nil
}

func (s *stormy) Press(_ context.Context, keys []byte) error {
	if s.looks < s.until {
		s.t.Errorf("%q is pressed while the window is being resized", keys)
	}
	if string(keys) == enter {
		s.result, s.box = s.result+s.box+"\n", ""
		return nil
	}
	s.box += string(keys)
	s.until = s.looks + s.after
	return nil
}

// Keys wait for a window that is being resized, longer than for anything else, and Enter does, too.
func TestResizeStorm(t *testing.T) {
	for name, s := range map[string]*stormy{"at rest": {}, "before": {until: 20}, "after": {after: 60}, "both": {until: 50, after: 90}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s.t = t
				l := (&Trigger{Agents: func(string) agent.Agent { return boxAgent{room: 40} }}).live(
					resume.Claim{Session: detect.Session{Agent: "box"}, Plan: resume.Plan{Keys: "continue"}}, holder{})
				l.term = s
				if err := l.typePrompt(t.Context(), agent.View{Ready: true}); err != nil {
					t.Error(err)
				}
				if s.result != "continue\n" || s.box != "" {
					t.Errorf("submitted %q, left %q", s.result, s.box)
				}
			})
		})
	}
}
