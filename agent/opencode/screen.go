package opencode

import (
	"slices"
	"strings"

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
	boxEdge = "┃"
	boxFoot = "╹"
	boxLine = "▀"
	// textCol is where the text begins, counted from the edge.
	textCol = 3
	// roomLess of the box's columns are to the left and right of a text; two more than seen, to be sure.
	roomLess = 7
	widthMin = 20
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
	b, ok := lastBox(s)
	if ok && limitDialog(s, b.foot) {
		if why := b.footer(s); why != "" {
			return agent.View{Why: why}
		}
		return agent.View{Close: []byte(agent.Escape), Why: "the dialog of a limit lies over its input box"}
	}
	if !ok || s.Row >= b.foot || s.Row < b.foot-10 || s.Col < b.edge+textCol {
		return agent.View{Why: agent.WhyNoBox}
	}
	if why := b.footer(s); why != "" {
		return agent.View{Why: why}
	}
	for row := s.Row - 1; row < b.foot; row++ {
		if !b.edged(s, row) {
			return agent.View{Why: agent.WhyNoBox}
		}
	}
	if b.inner(s, b.foot-2) != "" || !answers(b.inner(s, b.foot-1)) {
		return agent.View{Why: agent.WhyNoBox}
	}
	if !o.sends() {
		return agent.View{Why: agent.WhyKeys}
	}
	if b.edged(s, s.Row-2) {
		return agent.View{Why: agent.WhyText}
	}
	if s.Row != b.foot-3 || s.Col != b.edge+textCol || b.inner(s, s.Row) != "" || b.inner(s, s.Row-1) != "" {
		v := agent.View{Why: agent.WhyText}
		if s.Row == b.foot-3 && b.inner(s, s.Row-1) == "" {
			v.Input = b.inner(s, s.Row)
		}
		return v
	}
	for row := range s.Row {
		if dialogTitle.MatchString(s.Line(row)) {
			return agent.View{Why: "a dialog may lie over it"}
		}
	}
	return agent.View{Ready: true, Room: b.end - b.edge - roomLess}
}

// answers tells whether a row says which agent and model answer the prompt. In the mode of the shell it has one word.
func answers(row string) bool { return strings.Contains(row, " · ") || strings.Contains(row, "  ") }

// box is where the input box is: the row below it, the column of its edge, and the column behind it.
type box struct{ foot, edge, end int }

// lastBox finds the box: the last corner on the screen is its lower left one.
func lastBox(s agent.Screen) (b box, ok bool) {
	for row := len(s.Rows) - 1; row >= 0; row-- {
		line := agent.Cells(s.Rows[row])
		edge := slices.IndexFunc(line, func(cell string) bool { return cell != " " })
		switch {
		case edge < 0:
		case line[edge] == boxFoot:
			end := edge + 1
			for end < len(line) && line[end] == boxLine {
				end++
			}
			return box{row, edge, end}, end-edge >= widthMin
		case line[edge] == boxEdge:
			return footless(s, row, edge)
		}
	}
	return box{}, false
}

// footless is the box in a theme whose boxes have no color of their own, such as lucent-orng: the row below it is empty there, and the
// keys in the footer end where the box does. last is the last row that its edge may be in.
func footless(s agent.Screen, last, edge int) (b box, ok bool) {
	b = box{foot: last + 1, edge: edge}
	for row := b.foot + 1; row < len(s.Rows) && b.end == 0; row++ {
		if at := keysEnd.FindStringIndex(s.Line(row)); at != nil {
			b.end = len(agent.Cells(s.Line(row)[:at[0]])) + len(palette)
		}
	}
	return b, b.end-edge >= widthMin && strings.TrimSpace(cells(s, b.foot, 0, b.end)) == ""
}

func (b box) edged(s agent.Screen, row int) bool {
	line := agent.Cells(s.Line(row))
	return b.edge < len(line) && line[b.edge] == boxEdge && strings.TrimSpace(strings.Join(line[:b.edge], "")) == ""
}

// inner gives what stands in a row between the edge and the column end.
func (b box) inner(s agent.Screen, row int) string {
	return strings.TrimSpace(cells(s, row, b.edge+1, b.end))
}

// footer reads what stands below the box.
func (b box) footer(s agent.Screen) string {
	var rows []string
	for row := b.foot + 1; row < len(s.Rows); row++ {
		rows = append(rows, strings.TrimRight(cells(s, row, 0, b.end+1), " "))
	}
	switch {
	case b.edge > 2:
		return whyStart
	case working.MatchString(strings.Join(rows, "\n")):
		return agent.WhyBusy
	case !idle(rows):
		return "its footer does not say that it is idle"
	}
	for row := range s.Row {
		if b.edged(s, row) && strings.HasPrefix(b.inner(s, row), "QUEUED") {
			return "a prompt of yours is queued"
		}
	}
	return ""
}

var (
	working = lazyregexp.New(`interrupt|\[retry|retrying in|\(click to expand\)`)
	// keysEnd ends what the footer names keys for, whichever they are: its user may choose others, and none.
	keysEnd = lazyregexp.New(palette + `(?: {2,}|$)`)
	// folder begins where the footer does; no other column of the footer stands beside it.
	folder = lazyregexp.New(`^   \S+(?: \S+)*$`)
)

const (
	palette = "commands"
	cycle   = "agents"
)

// idle tells whether the rows below the box name keys, and beside them nothing but a folder, which may take some rows. In a narrow
// terminal the end of each key's name stands in a row of its own:
//
//	/home/dev/a/        tab     ctrl+p
//	work/demo           agents  commands
func idle(rows []string) bool {
	last := slices.IndexFunc(rows, func(row string) bool { return strings.HasSuffix(row, " "+palette) })
	if last < 0 || strings.Contains(rows[0], "esc ") {
		return false
	}
	left := len(agent.Cells(rows[last])) - len(palette)
	for n, row := range rows {
		line := agent.Cells(row)
		beside := strings.TrimRight(strings.Join(line[:min(left, len(line))], ""), " ")
		if n > 0 && n <= last {
			beside = strings.TrimRight(strings.TrimSuffix(beside, " "+cycle), " ")
		}
		switch {
		case n < last && len(line) <= left, n > last && len(line) > left:
			return false
		case n > 0 && beside != "" && !folder.MatchString(beside):
			return false
		}
	}
	return true
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
	line := agent.Cells(s.Line(row))
	return strings.Join(line[min(from, len(line)):min(to, len(line))], "")
}
