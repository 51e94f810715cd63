package trigger

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

const longPrompt = "continue (sub-agent 1 stopped early: check its work)"

// tardy is a terminal that shows what was typed only after a while, as on a busy machine.
type tardy struct {
	after  time.Duration
	shows  time.Time
	box    string
	result string
}

func (s *tardy) Look(context.Context) (agent.Screen, error) {
	shown := s.box
	if time.Now().Before(s.shows) {
		shown = ""
	}
	return agent.Screen{Rows: []string{"", "> " + shown}, Row: 1, Col: 2 + len(shown), Cols: 80}, nil
}

func (s *tardy) Press(_ context.Context, keys []byte) error {
	if string(keys) == enter {
		s.result, s.box = s.result+s.box+"\n", ""
		return nil
	}
	s.box, s.shows = s.box+string(keys), time.Now().Add(s.after)
	return nil
}

// attempt is made on a terminal of the test's own. The error says why Enter was not pressed.
func attempt(t *testing.T, tr *Trigger, term Terminal, c resume.Claim) error {
	t.Helper()
	p, err := tr.Ready(t.Context(), c.Session, c.Stop, c.Plan)
	if err != nil {
		return err
	}
	c.Plan = p
	l := tr.live(c, holder{})
	act, err := l.prepare(t.Context())
	if err != nil {
		return err
	}
	return act(t.Context())
}

func tardyTrigger(s *tardy) (*Trigger, resume.Claim) {
	tr := &Trigger{Agents: func(string) agent.Agent { return boxAgent{room: 70} },
		Reach: func(detect.Holder, resume.Way) (Terminal, error) { return s, nil }}
	return tr, resume.Claim{Session: detect.Session{Agent: "box"}, Stop: detect.Stop{Key: "k"},
		Plan: resume.Plan{Way: resume.Tmux, Form: resume.FormPrompt, Keys: "continue", Longer: longPrompt, Holder: detect.Holder{PID: 7, Start: 8, Sure: true}}}
}

// An agent on a busy machine draws a long prompt seconds after it was typed.
func TestShowsLate(t *testing.T) {
	for after, first := range map[time.Duration]bool{0: true, 18 * time.Second: true, 25 * time.Second: false} {
		t.Run(after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &tardy{after: after}
				tr, c := tardyTrigger(s)
				if err := attempt(t, tr, s, c); (err == nil) != first {
					t.Fatalf("first: %v", err)
				}
				if !first {
					if err := attempt(t, tr, s, c); !errors.As(err, new(*BlockedError)) || !strings.Contains(err.Error(), "did not appear") {
						t.Errorf("before it shows: %v", err)
					}
					<-time.After(time.Minute) // of the bubble's clock
					if err := attempt(t, tr, s, c); err != nil {
						t.Errorf("once it shows: %v", err)
					}
				}
				if s.result != longPrompt+"\n" || s.box != "" {
					t.Errorf("submitted %q, left %q", s.result, s.box)
				}
			})
		})
	}
}

// What an attempt that failed before Enter left in the box is not in the way of the next one for the same stop. It is in that of any
// other, and so is what a person made of it.
func TestLeftBeforeEnter(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*Trigger, *tardy, *resume.Claim)
		refused   string // why
		submitted string
	}{
		"nothing":          {func(*Trigger, *tardy, *resume.Claim) {}, "", longPrompt + "\n"},
		"wiped":            {func(_ *Trigger, s *tardy, _ *resume.Claim) { s.box = "" }, "", longPrompt + "\n"},
		"sent by its user": {func(_ *Trigger, s *tardy, c *resume.Claim) { s.box = ""; c.Stop.Key = "next" }, "", longPrompt + "\n"},
		"typed on":         {func(_ *Trigger, s *tardy, _ *resume.Claim) { s.box += " please" }, "there is text in its input box", ""},
		"another stop":     {func(_ *Trigger, _ *tardy, c *resume.Claim) { c.Stop.Key = "next" }, "which is what clawd types", ""},
		"another process":  {func(_ *Trigger, _ *tardy, c *resume.Claim) { c.Plan.Holder.Start++ }, "which is what clawd types", ""},
		"another prompt":   {func(_ *Trigger, _ *tardy, c *resume.Claim) { c.Plan.Longer = "" }, "there is text in its input box", ""},
		"a new clawd":      {func(tr *Trigger, _ *tardy, _ *resume.Claim) { tr.unsent = unsent{} }, "which is what clawd types", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &tardy{}
				tr, claim := tardyTrigger(s)
				looks := 0
				tr.LastLook = func(context.Context, resume.Claim) string {
					if looks++; looks == 2 {
						return "its files cannot be read"
					}
					return ""
				}
				if err := attempt(t, tr, s, claim); err == nil || s.box != longPrompt || s.result != "" {
					t.Fatalf("first: %v, box %q, submitted %q", err, s.box, s.result)
				}
				c.meanwhile(tr, s, &claim)
				switch err := attempt(t, tr, s, claim); {
				case c.refused == "" && err != nil, c.refused != "" && (!errors.As(err, new(*BlockedError)) || !strings.Contains(err.Error(), c.refused)):
					t.Errorf("then: %v", err)
				}
				if s.result != c.submitted {
					t.Errorf("submitted %q", s.result)
				}
			})
		})
	}
}
