package trigger

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// A prompt that would be broken over two rows of the box is not typed.
func TestPromptMustFit(t *testing.T) {
	for _, c := range []struct {
		name, mode string
		cells      int // of the prompt
		room       int // 0: the terminal's 80 columns count
		fits       bool
	}{
		{"the terminal has room", "", 72, 0, true},
		{"it has none", "", 73, 0, false},
		{"the box has room", "", 20, 20, true},
		{"it has none", "", 21, 20, false},
	} {
		t.Run(fmt.Sprintf("%s for %d", c.name, c.cells), func(t *testing.T) {
			t.Parallel()
			p := newPit(t, c.mode)
			p.tr.Agents = func(string) agent.Agent { return boxAgent{room: c.room} }
			claim := p.claim()
			claim.Plan.Keys = strings.Repeat("x", c.cells)
			_, err := p.tr.Ready(t.Context(), claim.Session, claim.Stop, claim.Plan)
			gate, why, _ := p.open(claim)
			if c.fits {
				if err != nil || gate != resume.GateExec || p.await("submitted", "\n") != claim.Plan.Keys+"\n" {
					t.Errorf("Ready: %v, gate %s, why %q, submitted %q", err, gate, why, p.submitted())
				}
				return
			}
			const says = "[resume] prompt does not fit into its input box at this width"
			if !errors.As(err, new(*BlockedError)) || !strings.Contains(err.Error(), says) {
				t.Errorf("Ready: %v", err)
			}
			if gate != resume.GateTaken || !strings.Contains(why, says) || p.marked() {
				t.Errorf("gate %s, why %q, marked %t", gate, why, p.marked())
			}
			if screen := p.tmux("capture-pane", "-p", "-t", "%0"); strings.Contains(screen, "x") {
				t.Errorf("typed:\n%s", screen)
			}
		})
	}
}

// A wide character takes two cells.
func TestWidePromptMustFit(t *testing.T) {
	tr := &Trigger{}
	for keys, fits := range map[string]bool{"続けてくだ": true, "続けてくださ": false, "continue!!": true, "continue!!!": false} {
		if why := tr.hindrance(agent.View{Ready: true, Room: 10}, resume.Plan{Keys: keys}, detect.Stop{}); (why == "") != fits {
			t.Errorf("%q: %q", keys, why)
		}
	}
}

// How wide the box below a menu is shows when the menu is gone.
func TestPromptMustFitBelowMenu(t *testing.T) {
	p := newPit(t, "menu")
	p.tr.Agents = func(string) agent.Agent { return boxAgent{room: 5} }
	gate, why, run := p.open(p.claim())
	if gate != resume.GateExec || !strings.Contains(why, "does not fit") || p.submitted() != "" {
		t.Errorf("gate %s, why %q, submitted %q", gate, why, p.submitted())
	}
	if screen := p.tmux("capture-pane", "-p", "-t", "%0"); strings.Contains(screen, "continue") || run.Untouched(t.Context()) == "" {
		t.Errorf("typed:\n%s", screen)
	}
}

// TestLongerPrompt: a prompt that says more is typed where its box has room for it, and where that shows before the claim is made.
func TestLongerPrompt(t *testing.T) {
	const longer = "continue (sub-agent a1)"
	for _, c := range []struct {
		mode  string
		room  int
		typed string
	}{{"", len(longer), longer}, {"", len(longer) - 1, "continue"}, {"menu", 0, "continue"}} {
		t.Run(fmt.Sprintf("mode %q, room %d", c.mode, c.room), func(t *testing.T) {
			t.Parallel()
			p := newPit(t, c.mode)
			p.tr.Agents = func(string) agent.Agent { return boxAgent{room: c.room} }
			claim := p.claim()
			claim.Plan.Longer = longer
			var err error
			if claim.Plan, err = p.tr.Ready(t.Context(), claim.Session, claim.Stop, claim.Plan); err != nil {
				t.Fatal(err)
			}
			if claim.Plan.Keys != c.typed || c.typed == longer && claim.Plan.Prompt != detect.HashText(longer) {
				t.Errorf("plan %+v", claim.Plan)
			}
			if gate, why, _ := p.open(claim); gate != resume.GateExec || p.await("submitted", "\n") != c.typed+"\n" {
				t.Errorf("gate %s, why %q, submitted %q", gate, why, p.submitted())
			}
		})
	}
}

// Where the keys of one attempt did not show, as in a mode of commands that the screen does not tell, the same
// stop brings no other one.
func TestKeysThatDoNotShow(t *testing.T) {
	t.Parallel()
	p := newPit(t, "commands")
	claim := p.claim()
	ready := func(c resume.Claim) error {
		_, err := p.tr.Ready(t.Context(), c.Session, c.Stop, c.Plan)
		return err
	}
	if err := ready(claim); err != nil {
		t.Fatal(err)
	}
	if gate, why, run := p.open(claim); gate != resume.GateExec || !strings.HasPrefix(run.Untouched(t.Context()), "keys: Enter was never pressed: ") {
		t.Fatalf("gate %s, why %q", gate, why)
	}
	if err := ready(claim); !errors.As(err, new(*BlockedError)) || !strings.Contains(err.Error(), "did not appear in its input box") {
		t.Errorf("the same process and stop: %v", err)
	}
	claim.Stop.Key = "another"
	if err := ready(claim); err != nil {
		t.Errorf("another stop: %v", err)
	}
}
