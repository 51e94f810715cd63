package gemini

import (
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// box is the input box as a version draws it.
type box struct {
	row    int // of its text
	mode   int // of the line that names the mode
	text   string
	closed bool // its lower edge is right below: the text has one row
	empty  bool // the cursor is at its beginning, and, in an old version, the text is grey
	grey   bool // the text is
	// status is the row that says what goes on: right above the box, or, from 0.34 on, above the line over it.
	status int
	room   int
	old    bool // of a version that writes nothing of a new session until it is asked something
}

// boxOf finds the input box; false: there is none where the cursor is.
func boxOf(s agent.Screen) (box, bool) {
	if s.Col == 0 && s.Row == s.Last()+1 {
		return framed(s)
	}
	line, edge := s.Line(s.Row), s.Line(s.Row-1)
	b := box{row: s.Row, mode: s.Row - 2, status: s.Row - 4, room: len([]rune(edge)) - roomLess, empty: s.Col == boxCol, grey: s.IsFaint(boxCol)}
	if s.At(b.mode) == "" && agent.Rule(s.Line(s.Row-4), '─') { // below 80 columns
		b.mode, b.status = s.Row-3, s.Row-5
	}
	hinted := agent.Rule(s.Line(b.mode-1), '─')
	below := '▀'
	switch {
	case agent.Rule(edge, '▄'):
	case agent.Rule(edge, '▀'):
		below, b.old, b.empty = '▄', true, b.empty && b.grey
	case agent.Rule(edge, '─'):
		below = '─'
	case edge == "" && hinted: // a light terminal of 256 colors: the box is a background
		b.room = len([]rune(s.Line(b.mode-1))) - roomLess
	default:
		return b, false
	}
	if s.Row < 4 || !strings.HasPrefix(line, prompt) || !hinted && !b.old {
		return b, false
	}
	if !hinted {
		b.status = s.Row - 2
	}
	b.text = strings.TrimSpace(strings.TrimPrefix(line, prompt))
	if b.closed = agent.Rule(s.Line(s.Row+1), below); edge == "" {
		b.closed = s.At(s.Row+1) == ""
	}
	return b, true
}

// framed finds the box of 0.20 to 0.24, which hide the terminal's cursor in the row below all that they draw, and draw
// their own. Their title is the same while they work:
//
//	⠹ Thinking... (esc to cancel, 2s)
//
//	                                    accepting edits (shift + tab to toggle)
//	╭──────────────────────────────────────────────────────────────────────────╮
//	│ >   Type your message or @path/to/file                                   │
//	╰──────────────────────────────────────────────────────────────────────────╯
//	 ~/work/demo              no sandbox (see /docs)                        auto
func framed(s agent.Screen) (box, bool) {
	last := s.Last()
	end := last
	for end > last-footerMax && !frame(s.Line(end), '╰', '╯') {
		end--
	}
	top := end
	for top > 0 && top > end-boxMax && !frame(s.Line(top), '╭', '╮') {
		top--
	}
	b := box{row: top + 1, mode: top - 1, old: true, status: top - 1, closed: top == end-2, room: len([]rune(s.Line(top))) - roomLess}
	text, ok := strings.CutPrefix(s.Line(b.row), "│"+prompt)
	if !ok || !frame(s.Line(end), '╰', '╯') || !frame(s.Line(top), '╭', '╮') || top < 1 {
		return b, false
	}
	b.text = strings.TrimSpace(strings.TrimSuffix(text, "│"))
	b.empty = framedFaint(s, b.row)
	return b, true
}

const (
	boxMax    = 20 // rows of a box that are looked at for its upper edge
	framedCol = 5  // behind the cell of the placeholder on which the cursor is drawn
)

// framedFaint tells whether what stands in a frame is grey, up to its right edge.
func framedFaint(s agent.Screen, row int) bool {
	rows := append([]string(nil), s.Rows...)
	rows[row] = strings.TrimRight(strings.TrimSuffix(s.Line(row), "│"), " ")
	s.Rows = rows
	return s.IsFaintAbove(s.Row-row, framedCol)
}

const worksEnd = "(esc to cancel, "

// works looks for the row that a version without a title or a hint draws while it works, in what touches its status row:
// prompts that wait for their turn stand below it.
func works(s agent.Screen, status int) bool {
	if strings.Contains(s.At(status), worksEnd) {
		return true
	}
	for row, blank := status-1, 0; row >= 0 && blank < 3; row-- {
		if strings.Contains(s.At(row), worksEnd) {
			return true
		}
		if s.At(row) == "" {
			blank++
		}
	}
	return false
}

// failureSign begins the error of a request in the terminal, and failureNote what 0.34 adds below it.
const (
	failureSign = "✕ " + apiError
	failureNote = "ℹ This request failed."
)

// failed tells whether the last text above a row is the error of a request.
func failed(s agent.Screen, status int) bool {
	for row := status - 1; row >= 0; {
		for row >= 0 && s.At(row) == "" {
			row--
		}
		noted := false
		for ; row >= 0 && s.At(row) != ""; row-- {
			if strings.HasPrefix(s.Line(row), failureSign) {
				return true
			}
			noted = noted || strings.HasPrefix(s.Line(row), failureNote)
		}
		if !noted {
			return false
		}
	}
	return false
}
