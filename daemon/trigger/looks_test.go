package trigger

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// What ended in the background waits behind a dialog, and begins a turn when that is closed: nothing is typed then.
func TestWokenBehindDialog(t *testing.T) {
	for name, says := range map[string]func(*pit){
		"still works": func(p *pit) {
			a := boxAgent{holders: []detect.Holder{{PID: p.holder.PID, Status: "busy"}}}
			p.tr.Agents = func(string) agent.Agent { return a }
		},
		"has ended": func(p *pit) { p.movesOn(2, "the session has begun a turn of its own") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPit(t, "menu")
			says(p)
			gate, why, run := p.open(p.claim())
			if gate != resume.GateExec || !strings.Contains(why, "of its own") || p.submitted() != "" || run.Untouched(t.Context()) == "" {
				t.Errorf("gate %s, why %q, submitted %q", gate, why, p.submitted())
			}
			if screen := p.tmux("capture-pane", "-p", "-t", "%0"); strings.Contains(screen, "continue") {
				t.Errorf("typed:\n%s", screen)
			}
		})
	}
}

// movesOn: from the n-th last look on something speaks against the prompt.
func (p *pit) movesOn(n int, why string) {
	looks := 0
	p.tr.LastLook = func(context.Context, resume.Claim) string {
		if looks++; looks < n {
			return ""
		}
		return why
	}
}

// Somebody went on and ended his turn since the claim, so that the terminal is at rest again: nothing is typed. When he did so
// while clawd typed, Enter is not pressed.
func TestLooksOnceMore(t *testing.T) {
	for n, want := range map[int]resume.Gate{1: resume.GateTaken, 2: resume.GateExec, 3: resume.GateExec} {
		t.Run(fmt.Sprint("look ", n), func(t *testing.T) {
			p := newPit(t, "")
			p.movesOn(n, "somebody went on")
			gate, why, run := p.open(p.claim())
			if gate != want || p.marked() != (want == resume.GateExec) || !strings.Contains(why, "somebody went on") || p.submitted() != "" {
				t.Errorf("gate %s, marked %t, why %q, submitted %q", gate, p.marked(), why, p.submitted())
			}
			if screen := p.tmux("capture-pane", "-p", "-t", "%0"); strings.Contains(screen, "continue") != (n == 3) {
				t.Errorf("in the box:\n%s", screen)
			}
			if proof := run.Untouched(t.Context()); want == resume.GateExec && !strings.HasPrefix(proof, "keys: Enter was never pressed: ") {
				t.Errorf("proof %q", proof)
			}
		})
	}
}

// Its user takes it back, or the clock is set, while clawd looks: what has not happened yet does not.
func TestAbortedWhileItLooks(t *testing.T) {
	for n, want := range map[int]resume.Gate{1: resume.GateTaken, 2: resume.GateExec, 3: resume.GateExec} {
		p := newPit(t, "")
		c := p.claim()
		run, err := p.tr.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		looks := 0
		p.tr.LastLook = func(context.Context, resume.Claim) string {
			if looks++; looks == n {
				run.Abort()
			}
			return ""
		}
		gate, why, _ := run.Open(t.Context()) // an error after the mark is left to the records
		if gate != want || p.marked() != (want == resume.GateExec) || !strings.Contains(why, "called off") || p.submitted() != "" {
			t.Errorf("look %d: gate %s, marked %t, why %q, submitted %q", n, gate, p.marked(), why, p.submitted())
		}
		if proof := run.Untouched(t.Context()); want == resume.GateExec && !strings.HasPrefix(proof, "keys: Enter was never pressed: ") {
			t.Errorf("look %d: proof %q", n, proof)
		}
	}
}
