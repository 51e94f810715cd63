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
// Where a terminal tells its colors, as most do and tmux without a client does not, 1.0.102 draws another box:
//
//	╻▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
//	┃
//	╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
//
// While it works, the row below the box says so: " ◎ Working · 42 B esc esc interrupt". With vim's keys it begins with their mode.
const (
	textCol   = 2
	statusMax = 3            // rows of a status line
	idle      = "/ commands" // further keys are named where there is room
	working   = "Working"
	normal    = "-- NORMAL --"
	failure   = "✗ "
)

// Screen reads the agent's terminal. What it shows must end in an error: there are other views in the same window, and
// after a command of its user's it is his turn.
func (c *Copilot) Screen(s agent.Screen) agent.View {
	if asksToSwitch(s) {
		return agent.View{Close: []byte(agent.Escape), Why: "it asks whether to take another model"}
	}
	l, top, bottom, ok := box(s)
	if !ok {
		return agent.View{Why: agent.WhyNoBox}
	}
	input := strings.TrimSpace(strings.TrimPrefix(s.Line(s.Row), l.mark))
	switch footer := s.Line(bottom + 1); {
	case strings.Contains(footer, working):
		return agent.View{Why: agent.WhyBusy}
	case strings.Contains(footer, normal):
		return agent.View{Why: agent.WhyVim}
	case bottom-top != 2 || s.Row != top+1 || !strings.HasPrefix(s.Line(s.Row), l.mark):
		return agent.View{Why: agent.WhyText}
	case input != "" || s.Col != textCol:
		return agent.Typed(input, showsFailure(s, top))
	case !strings.Contains(footer, idle) || s.Last() > bottom+1+statusMax:
		return agent.View{Why: "the row below its input box is not understood"}
	case !showsFailure(s, top):
		return agent.View{Why: "it does not show the failure: another session or view may be open in it, or you continued it"}
	}
	return agent.View{Ready: true, Room: s.Width() - textCol - l.roomLess}
}

// look is how the agent draws its input box.
type look struct {
	mark        string // before the text
	top, bottom edge
	roomLess    int // of the terminal's columns
}

var looks = []look{
	{"❯", edge{"", '─'}, edge{"", '─'}, 4},
	{"┃", edge{"╻", '▄'}, edge{"╹", '▀'}, 7},
}

// edge is a line of a box: its first column, if that differs, and the others.
type edge struct {
	first string
	rest  rune
}

func (e edge) is(line string) bool {
	rest, ok := strings.CutPrefix(line, e.first)
	return ok && agent.Rule(rest, e.rest)
}

// box gives the rows of the two lines that the cursor is between. There is no further line below it.
func box(s agent.Screen) (l look, top, bottom int, ok bool) {
	for _, l := range looks {
		if top, bottom, ok := l.around(s); ok {
			return l, top, bottom, true
		}
	}
	return look{}, 0, 0, false
}

func (l look) around(s agent.Screen) (top, bottom int, ok bool) {
	for top = s.Row - 1; top >= 0 && !l.top.is(s.Line(top)); top-- {
	}
	for bottom = s.Row; bottom < len(s.Rows) && !l.bottom.is(s.Line(bottom)); bottom++ {
	}
	if s.Row < 1 || top < 0 || bottom == s.Row || bottom >= len(s.Rows) {
		return 0, 0, false
	}
	for row := bottom + 1; row < len(s.Rows); row++ {
		if line := s.Line(row); agent.Rule(line, '─') || l.top.is(line) || l.bottom.is(line) {
			return 0, 0, false
		}
	}
	return top, bottom, true
}

// showsFailure tells whether an error is the newest thing above the box.
func showsFailure(s agent.Screen, top int) bool {
	return strings.HasPrefix(strings.TrimSpace(lastSaid(s, top-1)), failure)
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
