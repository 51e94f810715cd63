package opencode

import (
	"strings"
	"unicode/utf8"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// The box of a session, version 1.18.33; a sidebar may stand to its right, and up to 1.3 two blanks for the dot:
//
//	┃
//	┃  the text
//	┃
//	┃  Build · model provider
//	╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
//	 /the/folder   tab agents  ctrl+p commands
const (
	boxEdge = '┃'
	boxFoot = '╹'
	boxLine = '▀'
	// textCol is where the text begins, counted from the edge.
	textCol = 3
	// roomLess of the box's columns are to the left and right of a text; two more than seen, to be sure.
	roomLess = 7
)

var (
	whyStart = "it shows its start page and has no session open"
	// dialogTitle: dialogs have a title and the key that closes them in their first row. The
	// conversation to the left and right of a dialog is still drawn.
	dialogTitle = lazyregexp.New(`\S {3,}esc(?: |$)`)
	limits      = lazyregexp.New(`^(?:Go|Free) limit reached +esc$`)
	buttons     = lazyregexp.New(`^ *don't show again +open settings *$`)
)

// Screen reads the agent's terminal. The dialog of a limit opens while the agent retries by itself, so
// it is only closed when no retry is shown.
func (o *OpenCode) Screen(s agent.Screen) agent.View {
	if foot, edge, ok := lastBox(s); ok && limitDialog(s, foot) {
		if why := footer(s, foot, edge); why != "" {
			return agent.View{Why: why}
		}
		return agent.View{Close: []byte(agent.Escape), Why: "the dialog of a limit lies over its input box"}
	}
	foot, edge, ok := lastBox(s)
	if !ok || s.Row >= foot || s.Row < foot-10 || s.Col < edge+textCol {
		return agent.View{Why: agent.WhyNoBox}
	}
	if why := footer(s, foot, edge); why != "" {
		return agent.View{Why: why}
	}
	end := width(s, foot, edge)
	for row := s.Row - 1; row < foot; row++ {
		if !edged(s, row, edge) {
			return agent.View{Why: agent.WhyNoBox}
		}
	}
	if inner(s, foot-2, edge, end) != "" || !answers(inner(s, foot-1, edge, end)) {
		return agent.View{Why: agent.WhyNoBox}
	}
	if edged(s, s.Row-2, edge) {
		return agent.View{Why: agent.WhyText}
	}
	if s.Row != foot-3 || s.Col != edge+textCol || inner(s, s.Row, edge, end) != "" || inner(s, s.Row-1, edge, end) != "" {
		v := agent.View{Why: agent.WhyText}
		if s.Row == foot-3 && inner(s, s.Row-1, edge, end) == "" {
			v.Input = inner(s, s.Row, edge, end)
		}
		return v
	}
	for row := range s.Row {
		if dialogTitle.MatchString(s.Line(row)) {
			return agent.View{Why: "a dialog may lie over it"}
		}
	}
	return agent.View{Ready: true, Room: end - edge - roomLess}
}

// answers tells whether a row says which agent and model answer the prompt. In the mode of the shell it has one word.
func answers(row string) bool { return strings.Contains(row, " · ") || strings.Contains(row, "  ") }

// lastBox gives the row and column of the lower left corner of the box: the last corner on the screen.
func lastBox(s agent.Screen) (row, col int, ok bool) {
	for row = len(s.Rows) - 1; row >= 0; row-- {
		for col, r := range []rune(s.Rows[row]) {
			if r == boxFoot {
				return row, col, width(s, row, col)-col >= 20
			}
			if r != ' ' {
				break
			}
		}
	}
	return 0, 0, false
}

// width gives the column behind the box.
func width(s agent.Screen, foot, edge int) int {
	line := []rune(s.Rows[foot])
	end := edge + 1
	for end < len(line) && line[end] == boxLine {
		end++
	}
	return end
}

func edged(s agent.Screen, row, edge int) bool {
	line := []rune(s.Line(row))
	return edge < len(line) && line[edge] == boxEdge && strings.TrimSpace(string(line[:edge])) == ""
}

// inner gives what stands in a row between the edge and the column end.
func inner(s agent.Screen, row, edge, end int) string {
	line := []rune(s.Line(row))
	if len(line) <= edge+1 {
		return ""
	}
	return strings.TrimSpace(string(line[edge+1 : min(end, len(line))]))
}

// footer reads what stands below the box.
func footer(s agent.Screen, foot, edge int) string {
	end := width(s, foot, edge)
	var rows []string
	for row := foot + 1; row < len(s.Rows); row++ {
		rows = append(rows, strings.TrimRight(cells(s, row, 0, end+1), " "))
	}
	switch {
	case edge > 2:
		return whyStart
	case working.MatchString(strings.Join(rows, "\n")):
		return agent.WhyBusy
	case !idle(rows):
		return "its footer does not say that it is idle"
	}
	for row := range s.Row {
		if edged(s, row, edge) && strings.HasPrefix(inner(s, row, edge, end), "QUEUED") {
			return "a prompt of its user is queued"
		}
	}
	return ""
}

var (
	working = lazyregexp.New(`interrupt|\[retry|retrying in|\(click to expand\)`)
	// hints end an idle footer's first row; in a narrow terminal the end of each stands in the second.
	hints    = lazyregexp.New(`(?:(?:^| )tab +(?:agents *)?)?ctrl\+p(?: commands)?$`)
	hintEnds = lazyregexp.New(`^(?:agents +)?commands$`)
	// folder begins where the footer does; no other column of the footer stands beside it.
	folder = lazyregexp.New(`^   \S+(?: \S+)*$`)
)

// idle tells whether the rows below the box name keys, and beside them nothing but a folder, which may take some rows.
func idle(rows []string) bool {
	if len(rows) == 0 {
		return false
	}
	at := hints.FindStringIndex(rows[0])
	if at == nil || strings.Contains(rows[0], "esc ") {
		return false
	}
	whole, left := strings.HasSuffix(rows[0], "commands"), utf8.RuneCountInString(rows[0][:at[0]])
	for n, row := range rows[1:] {
		line := []rune(row)
		path := strings.TrimRight(string(line[:min(left, len(line))]), " ")
		switch more := strings.TrimSpace(string(line[min(left, len(line)):])); {
		case more != "" && (n > 0 || whole || !hintEnds.MatchString(more)):
			return false
		case path != "" && !folder.MatchString(path):
			return false
		case more != "":
			whole = true
		}
	}
	return whole
}

// A dialog's text is this far from the terminal's middle, and its title a quarter down the screen (1.18.33).
const (
	dialogLeft  = 27
	dialogWidth = 54
)

// limitDialog: "Go limit reached" or "Free limit reached" with its two buttons, where opencode draws a
// dialog: there nothing of a conversation is seen while any dialog is open. The cursor is not in the box then.
func limitDialog(s agent.Screen, foot int) bool {
	left := s.Cols/2 - dialogLeft
	if s.Cols == 0 || left < 0 || s.Row >= foot-4 && s.Row < foot {
		return false
	}
	text := func(row int) string { return cells(s, row, left, left+dialogWidth) }
	for _, title := range []int{len(s.Rows)/4 + 1, (len(s.Rows)+1)/4 + 1} { // the last row may be left out
		if !limits.MatchString(text(title)) {
			continue
		}
		for row := title + 1; row <= title+12 && row < foot; row++ {
			if buttons.MatchString(text(row)) {
				return true
			}
		}
	}
	return false
}

// cells gives what stands in a row from one column to another.
func cells(s agent.Screen, row, from, to int) string {
	line := []rune(s.Line(row))
	return string(line[min(from, len(line)):min(to, len(line))])
}
