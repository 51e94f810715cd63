package qwen

import (
	"regexp"
	"strings"
	"sync"

	"github.com/clawd-project/clawd/agent"
)

// The last rows of an idle terminal, 0.24, after a request that failed for good. The placeholder is drawn as the hint is,
// in most themes in a grey:
//
//	  ✕ [API Error: 429 Rate limit reached for demo-1 ...] (Press Ctrl+Y to retry)
//
//	──────────────────────────────────────────────────────
//	>   Type your message or @path/to/file
//	──────────────────────────────────────────────────────
//	  ➜ demo · git:(master) · demo-1
//	  ⏸ Ask permissions (shift + tab to cycle)
//
// The upper line ends in the session's name where its user gave one.
//
// After Escape the prompt stands in the box again, and in an idle box there may be a suggestion, which is grey as well.
//
// In fewer than 80 columns what stands on the right of the last row, such as "0.1% used", has a row of its own below it.
//
// 0.15 hides the terminal's cursor, which waits in the row below all of this, and draws its own. It has one row below its box
// ("  ? for shortcuts", with how full the context is on the right), and its title is the same while it works:
//
//	  ⠧ Are you not entertained? (Working on it!) (2s · esc to cancel)
//	──────────────────────────────────────────────────────
//
// With vim's keys its placeholder says so, and the last row names the mode (0.15: INSERT alone).
//
// Its placeholders, footers and hints are in the language of its user: see words.go.
const (
	promptSigns = ">*" // the second in yolo mode
	boxCol      = 2
	roomLess    = 6 // of the terminal's columns; two more than seen, to be sure
	oldRoomLess = 8 // of nine tenths of them, in 0.15; two more than it leaves
	oldAbove    = 2 // rows that the box is above the mode, in 0.15
	placeholder = "Type your message or @path/to/file"
	vimHint     = "Press 'i' for INSERT mode and 'Esc' for NORMAL mode."
	retryHint   = "Press Ctrl+Y to retry"
	insert      = "-- INSERT --"
	normal      = "-- NORMAL --"
	footerRows  = 5 // at most, up to the mode: a sandbox, two rows of its user's own status line, a worktree, and the mode
	failureSign = "✕ "
)

// Screen reads the agent's terminal. What it shows must end in an error of its own that can be tried again: a user who
// stops a request while the agent waits leaves the same records as one that failed for good.
func (q *Qwen) Screen(s agent.Screen) agent.View {
	if strings.HasPrefix(s.Title, "◐") || strings.HasPrefix(s.Title, "✳") {
		return agent.View{Why: agent.WhyBusy}
	}
	b := boxOf(s)
	line := s.Line(b.row)
	if b.row < 2 || line == "" || !strings.Contains(promptSigns, line[:1]) || !strings.HasPrefix(s.Line(b.row-1), "───") {
		return agent.View{Why: agent.WhyNoBox}
	}
	text := strings.Trim(line[1:], " \u200b") // the second stands behind what is typed
	switch {
	case !agent.Rule(s.Line(b.row+1), '─'):
		return agent.View{Why: agent.WhyText}
	case b.busy:
		return agent.View{Why: agent.WhyBusy}
	case strings.HasPrefix(b.status, normal):
		return agent.View{Why: agent.WhyVim}
	case !draws(text, b.hint()) || !b.empty:
		return agent.Typed(text, failed(s, b.row))
	case !b.idle:
		return agent.View{Why: "the lines below its input box say more than that it is idle, or are not understood"}
	case !failed(s, b.row):
		return agent.View{Why: "it does not show the failure: another session may be open in it, or you stopped it"}
	}
	return agent.View{Ready: true, Room: b.room}
}

// box is where the input box is, and what is drawn around it. It means nothing where there is none in that row.
type box struct {
	row    int
	busy   bool   // the row above it says so; in 0.24 the title does
	empty  bool   // the cursor is at its beginning, or drawn there, and the rest is grey
	idle   bool   // the rows below it say no more than they always do
	status string // the one of them that names the mode
	room   int
}

// hint is what an empty box shows.
func (b box) hint() string {
	if strings.HasPrefix(b.status, insert) {
		return vimHint
	}
	return placeholder
}

func boxOf(s agent.Screen) box {
	mode := modeRow(s)
	if s.Col != 0 || s.At(s.Row) != "" || s.Row != s.Last()+1 {
		row, grey := s.Row, s.IsFaint(boxCol)
		if below, ok := strayed(s); ok {
			color, one := s.Ink(below, boxCol)
			row, grey = below, one && color.Grey()
		}
		return box{
			row:    row,
			empty:  s.Col == boxCol && (grey || asHint(s, row)),
			idle:   mode-(row+1) <= footerRows && footer().MatchString(s.Line(mode)),
			status: s.At(mode),
			room:   len([]rune(s.Line(row+1))) - roomLess,
		}
	}
	row := mode - oldAbove
	return box{
		row:    row,
		busy:   oldBusy(s, row),
		empty:  s.IsFaintAbove(s.Row-row, boxCol) || asHint(s, row),
		idle:   oldFooter().MatchString(s.Line(mode)),
		status: s.At(mode),
		room:   len([]rune(s.Line(row+1)))*9/10 - oldRoomLess,
	}
}

// strayed gives the row of the box below a cursor that stands above it, between 0.15 and 0.24: the agent puts it there for where the box
// was before what stood above it went, and leaves it until the next key. Its column is right.
func strayed(s agent.Screen) (row int, ok bool) {
	for row := s.Row + 1; row <= s.Row+agent.MostBelow; row++ {
		line := s.Line(row)
		if line != "" && strings.Contains(promptSigns, line[:1]) && strings.HasPrefix(s.Line(row-1), "───") && agent.Rule(s.Line(row+1), '─') {
			return row, true
		}
	}
	return 0, false
}

// modeRow is the row that names the mode: the last one, or in fewer than 80 columns the one above what else is drawn on its right.
func modeRow(s agent.Screen) int {
	last := s.Last()
	if aside().MatchString(s.Line(last)) {
		return last - 1
	}
	return last
}

// used is how full the context is. It is told from the first answer on.
var used = sync.OnceValue(func() string { return `[0-9.]+` + eitherOf("% used", "% context used") })

// aside is a row of what stands on the right of the mode in a wider terminal. A sandbox is named before that, and a goal behind it. The mode
// itself stands farther from both.
var aside = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^  (?:\S+(?: \S+)* \| )?(?:⚠ Safe Mode|Debug Mode|` + used() + `)(?: \| .*)?$`)
})

// footer is how the row of the mode begins in 0.24. What runs in the background stands behind it.
var footer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^  (?:` + eitherOf("? for shortcuts") + `|-- INSERT --|(?:` +
		eitherOf("plan mode", "auto-accept edits", "Auto mode", "YOLO mode") + `|⏸ ` + eitherOf("Ask permissions") + `) ` + eitherOf("(shift + tab to cycle)") + `)`)
})

// oldFooter is the row of the mode in 0.15. What runs in the background would stand before how full the context is.
var oldFooter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^  (?:` + eitherOf("? for shortcuts") + `|-- INSERT --|` +
		eitherOf("plan mode", "auto-accept edits", "YOLO mode") + ` ` + eitherOf("(shift + tab to cycle)") + `)(?: {2,}` + used() + `)?$`)
})

// oldWorks ends the row that 0.15 draws above its box while it works, or waits to ask again.
const oldWorks = "esc to cancel)"

// oldBusy looks for that row in what touches the box: prompts that wait for their turn stand below it.
func oldBusy(s agent.Screen, row int) bool {
	for row -= 2; s.At(row) != ""; row-- {
		if strings.HasSuffix(s.At(row), oldWorks) {
			return true
		}
	}
	return false
}

// asHint tells whether the text of the box is drawn as the hint that ends an error above it: a placeholder is, in any theme, and what is
// typed is not. Without colors nothing tells them apart.
func asHint(s agent.Screen, box int) bool {
	drawn, one := s.Ink(box, boxCol)
	for row := lastSaid(s, box); one && s.At(row) != ""; row-- {
		if hint, known := s.InkOf(row, '('); known { // where it goes on in a further row, 0.15 draws that as the error
			return drawn == hint && drawn != 0
		}
	}
	return false
}

// lastSaid is the row of the last text above the box.
func lastSaid(s agent.Screen, box int) int {
	last := box - 2
	for last >= 0 && s.At(last) == "" {
		last--
	}
	return last
}

// failed tells whether the text right above the box is an error that can be tried again.
func failed(s agent.Screen, box int) bool {
	last := lastSaid(s, box)
	said := ""
	for row := last; row >= 0; row-- {
		text := s.At(row)
		said = text + said
		switch {
		case text == "", strings.HasPrefix(text, "> "):
			return false
		case strings.HasPrefix(text, failureSign):
			return retries(said)
		}
	}
	return false
}
