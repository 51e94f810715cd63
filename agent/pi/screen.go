package pi

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// The last rows of an idle terminal, versions 0.73 to 1.6; the box has no mark and no placeholder:
//
//	 Error: Retry failed after 3 attempts: 429: {"message":"..."}
//
//	─────────────────────────────────────────────────────────────
//
//	─────────────────────────────────────────────────────────────
//	~/work/demo (main)
//	1.2%/100k (auto)                                (fake) demo-1
//
// While the agent works, or waits, the upper line says so: "── ⠹ Working ───". Extensions may have a row below all of this. Its user may
// have texts begin in the first column, and a scrollbar drawn in the last one.
const (
	roomLess  = 4 // of the terminal's columns; two more than seen, to be sure
	footerMax = 4 // rows, up to the model's; an extension may add some
)

// stats is the row that names the model, behind how full the context is.
var stats = lazyregexp.New(`(?:^|\s)(?:\d+(?:\.\d+)?|\?)%/\d+(?:\.\d+)?[kM]?(?: \(auto\))?(?:\s|$)`)

// Screen reads the agent's terminal. What it shows must end in an error: /new leaves an empty session in the same
// window, and nothing else tells which session it is.
func (p *Pi) Screen(s agent.Screen) agent.View {
	top, bottom, ok := box(s)
	if !ok {
		return agent.View{Why: agent.WhyNoBox}
	}
	switch {
	case !agent.Rule(s.Line(top), '─'):
		return agent.View{Why: agent.WhyBusy}
	case !footer(s, bottom):
		return agent.View{Why: "a panel is open below its input box, or its footer is not understood"}
	case bottom-top != 2:
		return agent.View{Why: agent.WhyText}
	}
	why := another(lastSaid(s, top))
	switch {
	case !p.sends():
		return agent.View{Why: agent.WhyKeys}
	case s.Col != 0 && s.Col != p.padding() || s.Line(s.Row) != "": // a project may have another padding than its user
		return agent.Typed(s.At(s.Row), why == "")
	case why != "":
		return agent.View{Why: why}
	}
	return agent.View{Ready: true, Room: len([]rune(s.Line(bottom))) - roomLess - 2*p.padding()}
}

// footer tells whether the rows below the box are what always stands there. Extensions have one below the model's.
func footer(s agent.Screen, bottom int) bool {
	last := s.Last()
	if !stats.MatchString(s.Line(last)) {
		last--
	}
	return last > bottom && last-bottom <= footerMax && stats.MatchString(s.Line(last))
}

// another says why what stands above the box may not be the failure that clawd waits for; empty: it is one.
func another(said string) string {
	switch {
	case !strings.HasPrefix(said, errorLead):
		return "it does not show the failure: another session may be open in it"
	case noRoom.MatchString(said):
		return "what it shows is not the failure of its turn: another session may be open in it"
	case strings.Contains(said, gaveUp):
		return "you ended its own wait"
	}
	return ""
}

// box gives the rows of the two lines that the cursor is between. There is no further line below it.
func box(s agent.Screen) (top, bottom int, ok bool) {
	edge := func(row int) bool { return strings.HasPrefix(s.Line(row), "──") }
	for top = s.Row - 1; top >= 0 && !edge(top); top-- {
	}
	for bottom = s.Row; bottom < len(s.Rows) && !edge(bottom); bottom++ {
	}
	if s.Row < 1 || top < 0 || bottom == s.Row || bottom >= len(s.Rows) || !agent.Rule(s.Line(bottom), '─') {
		return 0, 0, false
	}
	for row := bottom + 1; row < len(s.Rows); row++ {
		if edge(row) {
			return 0, 0, false
		}
	}
	return top, bottom, true
}

// noRoom is said where no room could be made, by its user's order or after an answer: the turn before it ended as it did.
var noRoom = lazyregexp.New(`^Error: (?:Auto-compaction|Compaction) failed: `)

// lastSaid is the text right above the box, from its first row on. A blank row stands before it. What the agent adds
// below an error of its own is passed over.
func lastSaid(s agent.Screen, top int) string {
	for row := top - 1; row >= 0; row-- {
		if text := saidIn(s, row); text == "" || saidIn(s, row-1) != "" || strings.HasPrefix(text, bugHint) {
			continue
		}
		var all []string
		for ; row < top; row++ {
			all = append(all, saidIn(s, row))
		}
		return strings.Join(all, "\n")
	}
	return ""
}

// saidIn gives what was said in a row, without the blank before it and the scrollbar behind it.
func saidIn(s agent.Screen, row int) string {
	line := s.Line(row)
	if displaywidth.String(line) == s.Cols {
		for _, bar := range []string{"│", "┃", "█"} {
			line = strings.TrimRight(strings.TrimSuffix(line, bar), " ")
		}
	}
	return strings.TrimPrefix(line, " ")
}

const (
	errorLead = "Error: "
	bugHint   = "If this looks like a pi bug,"
)
