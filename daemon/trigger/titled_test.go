package trigger

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// titledAgent names its session in its terminal's title.
type titledAgent struct {
	boxAgent
	says func() (shows, known bool)
}

func (a titledAgent) Titled(context.Context, detect.Session, string) (shows, known bool, err error) {
	shows, known = a.says()
	return shows, known, nil
}

func (titledAgent) MayShow(context.Context, detect.Session, time.Time) ([]detect.Session, error) {
	return nil, nil
}

// A terminal that shows another session is not typed into, whoever is known to have started it.
func TestTerminalShowsAnother(t *testing.T) {
	for _, c := range []struct {
		name         string
		sure, named  bool
		must         bool // its title must name the session
		shows, known bool
		turns        int // from that look on it shows another one; 0: it stays
		why          string
	}{
		{name: "its title names it", shows: true, known: true, must: true},
		{name: "its title names another one", known: true, why: "shows another session"},
		{name: "its title says nothing"},
		{name: "its title says nothing, and must", must: true, why: "can't tell"},
		{name: "the agent says what it shows", sure: true, known: true},
		{name: "it was started for it, and shows another one", sure: true, named: true, known: true, why: "shows another session"},
		{name: "its user goes over to another one", shows: true, known: true, turns: 3, why: "shows another session"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, looks := newPit(t, ""), 0
			a := titledAgent{says: func() (bool, bool) {
				if looks++; c.turns > 0 && looks >= c.turns {
					return false, true
				}
				return c.shows, c.known
			}}
			p.tr.Agents = func(string) agent.Agent { return a }
			claim := p.claim()
			claim.Plan.Titled, claim.Plan.Holder.Sure, claim.Plan.Holder.Named = c.must, c.sure, c.named
			if c.turns == 0 {
				if _, err := p.tr.Ready(t.Context(), claim.Session, claim.Stop, claim.Plan); (err == nil) != (c.why == "") || err != nil && !errors.As(err, new(*ElsewhereError)) {
					t.Errorf("Ready: %v", err)
				}
			}
			gate, why, _ := p.open(claim)
			switch {
			case c.why == "":
				if gate != resume.GateExec || p.await("submitted", "\n") != "continue\n" {
					t.Errorf("gate %s, why %q, submitted %q", gate, why, p.submitted())
				}
			case p.submitted() != "" || !strings.Contains(why, c.why) || p.marked() != (c.turns > 0):
				t.Errorf("gate %s, why %q, marked %t, submitted %q", gate, why, p.marked(), p.submitted())
			}
		})
	}
}
