package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The judge knows what a person with the ledger, the sessions' files, clawd's answers and its log knows.

// kind of a finding.
type kind string

const (
	double     kind = "double"     // prompted twice for one stop, or though the session had gone on
	lost       kind = "lost"       // stopped, and neither resumed nor waiting nor told
	held       kind = "held"       // kept from going on though the ledger shows that clawd could have known better
	miscounted kind = "miscounted" // clawd's own count of resumes is not the ledger's
	broken     kind = "broken"     // clawd ended by itself, panicked, did not refuse ...
)

type finding struct {
	kind    kind
	session string
	what    string
}

func (f finding) String() string { return fmt.Sprintf("%s: session %s: %s", f.kind, f.session, f.what) }

// evidence is what a home is judged by.
type evidence struct {
	rows     []row
	tails    map[string]line
	status   status
	told     map[string][]said // by session: the events of the log
	resumed  map[string]int    // by session: how often its history says so; nil: not asked yet
	sessions []string
	now      time.Time
}

// said is a line of clawd's log.
type said struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"`
	Session string    `json:"session"`
}

// verdict is what is found, and what is counted.
type verdict struct {
	rows     []row
	findings []finding
	pending  []string // what is not at rest yet
	counts   map[string]int
}

func (v *verdict) add(k kind, session, format string, args ...any) {
	v.findings = append(v.findings, finding{k, session, fmt.Sprintf(format, args...)})
}

// agentRun is one start of an agent, by the ledger.
type agentRun struct {
	row
	did  map[string]float64 // when it did what, by its rows
	last float64
}

func (r *agentRun) has(ev string) bool { _, ok := r.did[ev]; return ok }

func runsOf(rows []row) (runs []*agentRun) {
	type id struct {
		pid  int
		born float64
	}
	by := map[id]*agentRun{}
	for _, r := range rows {
		if r.Ev == evStruck || r.Ev == evWiped || r.Ev == evUnmarked {
			continue
		}
		a := by[id{r.PID, r.Born}]
		if a == nil {
			a = &agentRun{row: r, did: map[string]float64{}}
			by[id{r.PID, r.Born}] = a
			runs = append(runs, a)
		}
		a.did[r.Ev], a.last = r.Up, r.Up
	}
	return runs
}

// wiped tells when clawd's store was last lost; zero: never.
func wiped(rows []row) (at time.Time) {
	for _, r := range rows {
		if r.Ev == evWiped {
			at = r.At
		}
	}
	return at
}

// judge looks at everything. What is pending at the end of the patience is lost.
func judge(e evidence) verdict {
	v := verdict{rows: e.rows, counts: map[string]int{}}
	runs := runsOf(e.rows)
	for _, id := range e.sessions {
		mine := slices.DeleteFunc(slices.Clone(runs), func(r *agentRun) bool { return r.Session != id })
		c := &oneCase{e: e, v: &v, id: id, runs: mine, wiped: wiped(e.rows), touched: touched(mine)}
		c.doubles()
		c.standing()
		c.counts()
	}
	return v
}

// clock is how far two readings of the clock by different processes may lie apart.
const clock = 0.05

// touched tells whether a person and clawd were in the session at the same time, so that whose turn is
// whose cannot be told: what the protocol calls impossible to rule out.
func touched(runs []*agentRun) bool {
	for _, p := range runs {
		for _, c := range runs {
			if p.By == byPerson && c.By == byClawd && p.Born < c.last+1 && c.Born < p.last+1 {
				return true
			}
		}
	}
	return false
}

// oneCase is one session of a home.
type oneCase struct {
	e       evidence
	v       *verdict
	id      string
	runs    []*agentRun
	wiped   time.Time
	touched bool
}

// doubles looks for what must never be.
func (c *oneCase) doubles() {
	asked, tokens := map[string]*agentRun{}, map[string]bool{}
	for _, r := range c.runs {
		if r.By != byClawd {
			c.v.counts["by hand"]++
			continue
		}
		c.v.counts["starts"]++
		if tokens[r.Token] {
			c.v.add(double, c.id, "attempt %s was started twice", r.Token)
		}
		tokens[r.Token] = true
		switch before := asked[r.Tail]; {
		case before != nil:
			c.v.add(double, c.id, "process %d was started for stop %s, for which process %d had asked", r.PID, r.Tail, before.PID)
		case r.Beside == byClawd:
			c.v.add(double, c.id, "process %d was started while another run of clawd had the session open", r.PID)
		case r.Stands != "failure" || r.Beside == byPerson:
			c.late(r)
		}
		if r.has(evAsked) {
			asked[r.Tail] = r
		}
	}
}

// waited tells whether a shim still waited at its gate when a person had gone on.
func (c *oneCase) waited(r, p *agentRun) bool {
	return slices.ContainsFunc(c.e.rows, func(o row) bool {
		return o.Ev == evUnmarked && o.Session == c.id && strings.HasPrefix(r.Token, o.Token) && p.did[evPrompted] > 0 && o.Up > p.did[evPrompted]
	})
}

// late judges a start into a session that had gone on, or that a person had open: only who came after the
// shim was born may have been missed.
func (c *oneCase) late(r *agentRun) {
	for _, p := range c.runs {
		if came := p.did[evStart]; p.By == byPerson && came > r.Born-clock && came < r.did[evStart]+clock && !c.waited(r, p) {
			c.v.counts["races"]++
			return
		}
	}
	c.v.add(double, c.id, "process %d was started though the session ended in: %s (beside: %q)", r.PID, r.Stands, r.Beside)
}

// standing looks at how the session ended up.
func (c *oneCase) standing() {
	tail, is := c.e.tails[c.id], sessionStatus{}
	for _, s := range c.e.status.Sessions {
		if s.Session == c.id {
			is = s
		}
	}
	switch {
	case is.underWay():
		text := fmt.Sprintf("session %s is %s (%s): %s", c.id, is.Phase, is.Status, is.Why)
		if is.WakeAt != nil {
			text += fmt.Sprintf("; due in %s", is.WakeAt.Sub(c.e.now).Round(time.Millisecond))
		}
		c.v.pending = append(c.v.pending, text)
	case c.touched:
		c.v.counts["two at once"]++
	case tail.stands() == "answer" && is.Status == "needs_you":
		c.v.add(held, c.id, "the turn ended well, and clawd says: %s", is.Why)
	case tail.stands() == "answer":
	case !c.wasTold(tail, is.Status):
		c.v.pending = append(c.v.pending, fmt.Sprintf("session %s ends in a %s (%s), is %q %q, and nobody was told", c.id, tail.stands(), tail.UUID, is.Phase, is.Status))
	default:
		c.unresumed(tail, is.Why)
	}
}

// wasTold tells whether clawd says what its user must know: now, when it is asked, and in its log.
func (c *oneCase) wasTold(tail line, standing string) bool {
	logged := func(since time.Time, events ...string) bool {
		return slices.ContainsFunc(c.e.told[c.id], func(s said) bool { return !s.Time.Before(since) && slices.Contains(events, s.Event) })
	}
	if standing == "needs_you" {
		return logged(time.Time{}, "session_held", "session_left", "resume_given_up")
	}
	// A turn that was cut is, to a store that does not know of the attempt any more, one that its user cut.
	return tail.stands() == "prompt" && !c.wiped.IsZero() && logged(c.wiped, "session_stopped", "session_left")
}

// unresumed looks for the reason why a session is left to its user.
func (c *oneCase) unresumed(tail line, why string) {
	if tail.stands() == "prompt" {
		c.v.counts["cut"]++
		return
	}
	for _, r := range c.runs {
		if r.By == byClawd && r.Tail == tail.UUID && (r.has(evInit) || r.has(evAsked)) {
			c.v.counts["unsure"]++
			return
		}
	}
	killed, torn := 0, false
	for _, r := range c.e.rows {
		if r.Ev == evStruck && r.Session == c.id {
			killed++
		}
		torn = torn || killed > 0 && r.Ev == evWiped
	}
	if torn { // killed while it made its mark; what the store knew of the start is gone, too
		c.v.counts["torn"]++
		return
	}
	if killed >= 3 {
		c.v.counts["starts failed"]++
		return
	}
	c.v.add(held, c.id, "no start for stop %s got so far that it could have asked, and clawd says: %s", tail.UUID, why)
}

// counts compares clawd's count of resumes with the ledger's.
func (c *oneCase) counts() {
	sure, perhaps := 0, 0
	for _, r := range c.runs {
		switch {
		case r.By != byClawd:
		case r.has(evAnswered):
			sure++
		case r.has(evAnswer):
			perhaps++
		}
	}
	c.v.counts["resumes"] += sure
	if got := c.e.resumed[c.id]; c.e.resumed != nil && c.wiped.IsZero() && !c.touched && (got < sure || got > sure+perhaps) {
		c.v.add(miscounted, c.id, "its history has %d resumes, the ledger %d, and %d that may have been", got, sure, perhaps)
	}
}
