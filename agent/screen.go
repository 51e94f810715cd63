package agent

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Screen is what a terminal shows now. It never outlives the decision that it was read for.
type Screen struct {
	Rows     []string // the visible rows, top first, without trailing blanks or colors
	Faint    [][2]int // half-open column ranges of row Row that are drawn faint or grey: a placeholder, not typed text
	Row, Col int      // of the cursor, from 0
	Cols     int      // how wide the terminal is; 0: not known
	Title    string   // as the program set it (OSC 0 or 2)
	// FaintAbove is Faint of the rows right above the cursor's, from the nearest one on, at most MostAbove of them. An agent that
	// hides the terminal's cursor and draws its own has its input box there.
	FaintAbove [][][2]int `json:",omitempty"`
	// Plain: nothing on it is faint, in a color or on one, for the program draws none, as with NO_COLOR. False also where it is not known.
	Plain bool `json:",omitempty"`
	// Inks are the colors of row Row and of those right above it, from the nearest one on, at most MostInks of them. None: not known.
	Inks [][]Ink `json:",omitempty"`
	// InksBelow are the colors of the rows right below, from the nearest one on, at most MostBelow of them: an agent may leave the
	// cursor above its box.
	InksBelow [][]Ink `json:",omitempty"`
}

// MostAbove bounds FaintAbove, MostInks what Inks has of the rows above, and MostBelow InksBelow.
const (
	MostAbove = 4
	MostInks  = 8
	MostBelow = 2
)

// View is what an agent's own screen says about a prompt that is to be typed into it.
type View struct {
	// Ready: the agent is idle, its input box is drawn and empty, and nothing lies over it.
	Ready bool
	// Input is what stands in the input box, where the box is recognised and nothing lies over it.
	// It is compared with what clawd typed, and with nothing else.
	Input string
	// Room is how many cells a text may take for all of it to stand in the first row of the input box,
	// as Input tells it, with two to spare; 0: not known. It is told with Ready.
	Room int
	// Close is the one key that removes what lies over the box without choosing anything; the
	// screen is looked at again after it. Empty: there is none.
	Close []byte
	// Instead is what makes the agent repeat its request by itself; then no prompt is typed.
	Instead []byte
	// Dialog is the text of a limit that the agent draws and writes nowhere, for Agent.Message.
	Dialog string
	// Why it is not ready, for a person; never a text of the screen.
	Why string
}

// Typed is the view of a box with a text in it. ready: nothing else speaks against a prompt; otherwise the text may be meant for
// something else than a prompt would be.
func Typed(text string, ready bool) View {
	v := View{Why: WhyText}
	if ready {
		v.Input = text
	}
	return v
}

// Escape is the key that closes dialogs.
const Escape = "\x1b"

// Reasons why a screen is not ready that all agents have.
const (
	WhyNoBox = "its input box is not drawn where the cursor is: a menu, a question or another view is open, or its screen is not understood"
	WhyText  = "there may be text in its input box"
	WhyBusy  = "it is busy"
	WhyKeys  = "Enter does not send what is in its input box: you bound the key to something else"
	WhyVim   = "its input box takes keys as vim's commands"
)

// At gives a row without the blanks around it; empty outside the screen.
func (s Screen) At(row int) string {
	if row < 0 || row >= len(s.Rows) {
		return ""
	}
	return strings.TrimSpace(s.Rows[row])
}

// Line gives a row without trailing blanks; empty outside the screen.
func (s Screen) Line(row int) string {
	if row < 0 || row >= len(s.Rows) {
		return ""
	}
	return strings.TrimRight(s.Rows[row], " \u00a0")
}

// Cells splits a line into the columns of a terminal. What a wide character takes beyond its first one is empty, and what takes none of
// its own, such as an accent that stands alone, stands in that of the character before it.
func Cells(line string) []string {
	var all []string
	for _, r := range line {
		width := displaywidth.Rune(r)
		if width <= 0 && len(all) > 0 {
			all[len(all)-1] += string(r)
			continue
		}
		all = append(all, string(r))
		for range width - 1 {
			all = append(all, "")
		}
	}
	return all
}

// Last is the last row that is not blank; -1: there is none.
func (s Screen) Last() int {
	last := len(s.Rows) - 1
	for last >= 0 && s.At(last) == "" {
		last--
	}
	return last
}

// Width is how many columns the terminal has. Where that is not known, as from an older clawd wrap, it is at
// least what the longest row takes.
func (s Screen) Width() int {
	if s.Cols > 0 {
		return s.Cols
	}
	longest := 0
	for _, row := range s.Rows {
		longest = max(longest, len(Cells(row)))
	}
	return longest
}

// IsFaint tells whether everything from column col on in the cursor's row is drawn faint. The cell
// under the cursor may be drawn inverted instead.
func (s Screen) IsFaint(col int) bool { return allFaint(s.Line(s.Row), col, s.Col, s.Faint) }

// IsFaintAbove is IsFaint for a row that many above the cursor's. What is not known is not faint.
func (s Screen) IsFaintAbove(rows, col int) bool {
	return rows >= 1 && rows <= len(s.FaintAbove) && allFaint(s.Line(s.Row-rows), col, -1, s.FaintAbove[rows-1])
}

func allFaint(line string, col, but int, ranges [][2]int) bool {
	for n, cell := range Cells(line) {
		if n < col || n == but || cell == " " || cell == "" {
			continue
		}
		if !slices.ContainsFunc(ranges, func(f [2]int) bool { return n >= f[0] && n < f[1] }) {
			return false
		}
	}
	return true
}

// Rule tells whether a row is a line drawn with one character from its first column on, at least
// 20 columns of it.
func Rule(row string, with rune) bool {
	return len([]rune(row)) >= 20 && strings.Trim(row, string(with)) == ""
}
