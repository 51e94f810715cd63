package copilot

import (
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// The last rows of an idle terminal, 1.0.65 and 1.0.102; a status line of its user's may stand below them:
//
//	 ✗ You've hit your session rate limit. Please wait for your limit to reset in 2 hours or switch to auto model to
//	   continue. Learn More (https://docs.github.com/copilot/concepts/rate-limits). (Request ID: DEAD:BEEF:1)
//
//	 ~/work/demo [⎇ main]
//	────────────────────────────────────────────────────────────────────
//	❯
//	────────────────────────────────────────────────────────────────────
//	 ← open sidebar · Interactive · Manual Approval · / commands · ? help · tab next tab            Claude Sonnet 4.6
//
// While it works, the row below the box says so: " ◎ Working · 42 B esc esc interrupt".
const (
	mark      = "❯"
	textCol   = 2
	roomLess  = 4 // of the terminal's columns
	statusMax = 3 // rows of a status line
	idle      = "/ commands · ? help"
	working   = "Working"
	failure   = "✗ "
)

// Screen reads the agent's terminal. What it shows must end in an error: there are other views in the same window, and
// after a command of its user's it is his turn.
func (c *Copilot) Screen(s agent.Screen) agent.View {
	if asksToSwitch(s) {
		return agent.View{Close: []byte(agent.Escape), Why: "it asks whether to take another model"}
	}
	top, bottom, ok := box(s)
	if !ok {
		return agent.View{Why: agent.WhyNoBox}
	}
	input := strings.TrimSpace(strings.TrimPrefix(s.Line(s.Row), mark))
	switch footer := s.Line(bottom + 1); {
	case strings.Contains(footer, working):
		return agent.View{Why: agent.WhyBusy}
	case bottom-top != 2 || s.Row != top+1 || !strings.HasPrefix(s.Line(s.Row), mark):
		return agent.View{Why: agent.WhyText}
	case input != "" || s.Col != textCol:
		return agent.View{Why: agent.WhyText, Input: input}
	case !strings.Contains(footer, idle) || s.Last() > bottom+1+statusMax:
		return agent.View{Why: "the row below its input box is not understood"}
	case !strings.HasPrefix(strings.TrimSpace(lastSaid(s, top-1)), failure):
		return agent.View{Why: "it does not show the failure: another session or view may be open in it, or its user went on"}
	}
	return agent.View{Ready: true, Room: s.Width() - textCol - roomLess}
}

// box gives the rows of the two lines that the cursor is between. There is no further line below it.
func box(s agent.Screen) (top, bottom int, ok bool) {
	edge := func(row int) bool { return agent.Rule(s.Line(row), '─') }
	for top = s.Row - 1; top >= 0 && !edge(top); top-- {
	}
	for bottom = s.Row; bottom < len(s.Rows) && !edge(bottom); bottom++ {
	}
	if s.Row < 1 || top < 0 || bottom == s.Row || bottom >= len(s.Rows) {
		return 0, 0, false
	}
	for row := bottom + 1; row < len(s.Rows); row++ {
		if edge(row) {
			return 0, 0, false
		}
	}
	return top, bottom, true
}

// lastSaid is the first row of the newest thing above a row: what goes on in a further row is indented.
func lastSaid(s agent.Screen, above int) string {
	for row := above - 1; row >= 0; row-- {
		if text := s.Line(row); text != "" && !strings.HasPrefix(text, "  ") {
			return text
		}
	}
	return ""
}

// The question that the agent asks after most limits:
//
//	╭──────────────────────────────────────────────────────╮
//	│ Switch to auto mode?                                  │
//	│ ───────────────────────────────────────────────────── │
//	│ You've been rate limited on the current model. ...    │
//	│                                                       │
//	│ ❯ 1. Yes                                              │
//	│   2. Yes (always)                                     │
//	│   3. No (Esc)                                         │
//	│                                                       │
//	│ ↑/↓ to navigate · enter to select · esc to cancel     │
//	╰──────────────────────────────────────────────────────╯
const (
	question = "Switch to auto mode?"
	no       = "3. No (Esc)"
	frameMax = 20 // rows
)

// asksToSwitch tells whether that question is the last thing on the screen, under the error that it is about.
func asksToSwitch(s agent.Screen) bool {
	end := s.Last()
	for below := 0; end >= 0 && !strings.HasPrefix(s.Line(end), "╰─"); end-- {
		if below++; below > statusMax {
			return false
		}
	}
	refuses := false
	for row := end - 1; row > 0 && row > end-frameMax; row-- {
		text := s.Line(row)
		if !strings.HasPrefix(text, "│") {
			return false
		}
		inside := strings.TrimSpace(strings.Trim(text, "│"))
		refuses = refuses || inside == no
		if inside == question {
			return refuses && strings.HasPrefix(s.Line(row-1), "╭─") && strings.HasPrefix(strings.TrimSpace(lastSaid(s, row-1)), failure)
		}
	}
	return false
}
