package sim

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/state"
)

// Reached counts what runs came to: how often which event met a session in which phase, and how often each rule held at
// which moment.
type Reached struct {
	Cells map[string]int
	Rules map[string]int
}

// NewReached has reached nothing.
func NewReached() Reached { return Reached{map[string]int{}, map[string]int{}} }

// Add takes in what another run reached.
func (r Reached) Add(o Reached) {
	for k, n := range o.Cells {
		r.Cells[k] += n
	}
	for k, n := range o.Rules {
		r.Rules[k] += n
	}
}

var (
	phases = []string{"following", "waiting", "counting", "claimed", "fired", "guarding", "held", "given_up"}
	events = []string{"Restored", "Touched", "Answered", "Due", "Turn", "Jumped", "Renewed", "Ordered", "Started", "Opened", "Gone", "Sighted", "Refused",
		"TooLate", "Stopping"}
	moments = []rules.Moment{rules.Stop, rules.Next, rules.Wait, rules.Claim, rules.Shim, rules.Order}
	names   = []string{"stop", "next", "wait", "claim", "shim", "order"}
)

// phase of a session, with what it is about in it.
func phase(s machine.Session) string {
	p, waits := s.Phase.(machine.Waiting)
	switch {
	case waits && p.Begun:
		return "counting"
	case s.Guard != nil && s.Rec.Phase == state.Following:
		return "guarding"
	}
	return string(s.Rec.Phase)
}

func (c *clawd) reached(s daemon.Step) {
	event := strings.TrimPrefix(fmt.Sprintf("%T", s.Event), "machine.")
	c.Reached.Cells[phase(s.Was)+" "+event]++
	if c.Trace == nil {
		return
	}
	var asked []string
	for _, e := range s.Effects {
		name := strings.TrimPrefix(fmt.Sprintf("%T", e), "machine.")
		if q, ok := e.(machine.Ask); ok {
			name = strings.TrimPrefix(fmt.Sprintf("%T", q.Question), "machine.")
		}
		asked = append(asked, name)
	}
	if a, ok := s.Event.(machine.Answered); ok {
		event = strings.TrimPrefix(fmt.Sprintf("%T", a.Answer), "*machine.")
	}
	fmt.Fprintf(c.Trace, "%24s%s/%s: %s, %s -> %s %s\n", "", s.Now.Rec.Agent, s.Now.Rec.ID, event, phase(s.Was), phase(s.Now), strings.Join(asked, " "))
}

// hears counts the rules that hold.
func (r *run) hears() func() {
	rules.Heard = func(m rules.Moment, rule string) { r.Reached.Rules[rule+" "+names[slices.Index(moments, m)]]++ }
	return func() { rules.Heard = nil }
}

// Print writes the tables, and what was never reached.
func (r Reached) Print(w io.Writer) {
	fmt.Fprintf(w, "%-10s", "")
	for _, p := range phases {
		fmt.Fprintf(w, "%10s", p)
	}
	for _, e := range events {
		fmt.Fprintf(w, "\n%-10s", e)
		for _, p := range phases {
			fmt.Fprintf(w, "%10d", r.Cells[p+" "+e])
		}
	}
	fmt.Fprintf(w, "\n\n%-20s", "rule")
	for _, m := range names {
		fmt.Fprintf(w, "%8s", m)
	}
	for _, rule := range rules.Table() {
		fmt.Fprintf(w, "\n%-20s", rule.Name)
		for i, m := range moments {
			if rule.At&m == 0 {
				fmt.Fprintf(w, "%8s", "-")
				continue
			}
			fmt.Fprintf(w, "%8d", r.Rules[rule.Name+" "+names[i]])
		}
	}
	fmt.Fprintln(w)
	for _, cell := range r.never() {
		fmt.Fprintf(w, "never: %-30s %s\n", cell, cmp.Or(unreached[cell], "and nobody says why"))
	}
}

// never names each cell and each rule at its moment that was not reached.
func (r Reached) never() (all []string) {
	for _, e := range events {
		for _, p := range phases {
			if cell := p + " " + e; r.Cells[cell] == 0 {
				all = append(all, cell)
			}
		}
	}
	for _, rule := range rules.Table() {
		for i, m := range moments {
			if cell := rule.Name + " " + names[i]; rule.At&m != 0 && r.Rules[cell] == 0 {
				all = append(all, cell)
			}
		}
	}
	return all
}
