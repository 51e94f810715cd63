package claude

import (
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

const (
	promptMark = "❯"
	// boxCol is where the text of the input box begins.
	boxCol = 2
	// noticeCol: what is said in the conversation begins before it.
	noticeCol = 8
	// roomLess of the box's columns are to the left and right of a text; two more than seen, to be sure.
	roomLess = 6
	// footerMax bounds the rows below the box: status line, mode and notices. The panel of shortcuts
	// and lists of commands have more.
	footerMax = 6
)

var (
	// A spinner: "✶ Crafting… (3s · ↓ 4 tokens)", "✻ API error · Retrying in 8s · attempt 1/10". What it
	// leaves when it ends, "✻ Baked for 0s", has no dots.
	spinner = lazyregexp.New(`^[·✢✳✶✻✽∗*] .*(?:…|etrying in )`)
	// In the title it is a braille pattern or a filling circle before the session's name.
	spinnerTitle = lazyregexp.New(`^[\x{2801}-\x{28ff}◐◑◒◓] `)
	// placeholders of an empty box, drawn faint where there are colors: an example, and after a failed request advice.
	example  = lazyregexp.New(`^Try "[^"]*"$`)
	tryAgain = lazyregexp.New(`^(?:Resend your message to try again|Once fixed, resend your message|Run /rewind to go back)$`)
	// What a turn leaves that ended well, 2.1.329 and later: "✻ Baked for 1m 2s · done 9:41 PM". One that failed leaves no such row
	// there; before, both leave "✻ Baked for 0s".
	endedWell = lazyregexp.New(`^[·✢✳✶✻✽∗*] \S.* · done \d{1,2}:\d{2}`)
	menuItem  = lazyregexp.New(`^ {2,4}[❯ ] ?[1-9]\. \S`)
)

const insertMode = "-- INSERT --"

// emptyHints stand below the box only while it is empty; not all settings let them be seen.
var emptyHints = []string{"? for shortcuts", "← for agents"}

const (
	menuTitle = "What do you want to do?"
	menuStop  = "❯ 1. Stop and wait for limit to reset"
	menuKeys  = "Enter to confirm · Esc to cancel"
)

// Screen reads the agent's terminal: versions 2.1.154 to 2.1.332. The box is a row with the cursor
// between two lines over the whole width; below it stand only status lines.
func (c *Claude) Screen(s agent.Screen) agent.View {
	if limitMenu(s) {
		return agent.View{Close: []byte(agent.Escape), Why: "the menu of the usage limit lies over its input box"}
	}
	top, bottom, ok := box(s)
	if !ok {
		return agent.View{Why: agent.WhyNoBox}
	}
	if s.Last()-bottom > footerMax {
		return agent.View{Why: "a panel is open below its input box"}
	}
	for row := bottom + 1; row <= s.Last(); row++ {
		switch line := strings.ToLower(s.At(row)); {
		case strings.Contains(line, "continuing"), strings.Contains(line, "esc to cancel"):
			return agent.View{Why: "it continues by itself when the usage limit resets"}
		case strings.Contains(line, "to interrupt"):
			return agent.View{Why: agent.WhyBusy}
		case strings.Contains(line, "again to"):
			return agent.View{Why: "you are pressing keys: it waits for a second one"}
		}
	}
	if spinnerTitle.MatchString(s.Title) {
		return agent.View{Why: agent.WhyBusy}
	}
	for row := range top {
		if spinner.MatchString(s.Line(row)) {
			return agent.View{Why: agent.WhyBusy}
		}
	}
	switch {
	case bottom-top != 2:
		return agent.View{Why: agent.WhyText}
	case !c.sends():
		return agent.View{Why: agent.WhyKeys}
	case s.Col != boxCol || !emptyBox(s, bottom):
		if !inserts(s, bottom) && c.vim() || withdrawn(s, top) { // its user is about to change it
			return agent.View{Why: agent.WhyText}
		}
		return agent.View{Why: agent.WhyText, Input: boxText(s)}
	case !inserts(s, bottom) && c.vim():
		return agent.View{Why: "its input box is in vim's NORMAL mode, or does not show that it is in INSERT mode"}
	case withdrawn(s, top):
		return agent.View{Why: "what it shows ends in a turn that ended well: you went back behind the failure, or another process met it"}
	}
	return agent.View{Ready: true, Room: len([]rune(s.Line(bottom))) - roomLess}
}

// box gives the rows of the lines above and below the box that the cursor is in. There is no other
// line over the whole width below it.
func box(s agent.Screen) (top, bottom int, ok bool) {
	for top = s.Row; top > 0 && !begins(s.Line(top), "─"); top-- {
	}
	for bottom = s.Row; bottom < len(s.Rows) && !agent.Rule(s.Line(bottom), '─'); bottom++ {
	}
	if s.Row < 0 || top == s.Row || bottom == s.Row || bottom >= len(s.Rows) || !begins(s.Line(top), "─") {
		return 0, 0, false
	}
	for row := bottom + 1; row < len(s.Rows); row++ {
		if agent.Rule(s.Line(row), '─') || strings.HasPrefix(s.At(row), promptMark) {
			return 0, 0, false
		}
	}
	return top, bottom, s.Col >= boxCol && isPrompt(s.Line(top+1))
}

// withdrawn: the conversation ends in a turn that ended well. With /rewind, or Escape twice, its user goes back to before the turn that
// failed, which nothing is written of until the next prompt. Notices stand on the right of the row above the box.
func withdrawn(s agent.Screen, top int) bool {
	row := top - 1
	for row >= 0 && (s.At(row) == "" || strings.HasPrefix(s.Line(row), strings.Repeat(" ", noticeCol))) {
		row--
	}
	return row >= 0 && endedWell.MatchString(s.Line(row))
}

// isPrompt: a menu's item begins like the box, but is numbered.
func isPrompt(line string) bool {
	return strings.HasPrefix(line, promptMark) && !numbered.MatchString(line)
}

var numbered = lazyregexp.New(`^❯[ \x{a0}][1-9]\. `)

// inserts: vim's INSERT mode stands in the footer, NORMAL mode does not.
func inserts(s agent.Screen, bottom int) bool {
	for row := bottom + 1; row <= s.Last(); row++ {
		if strings.HasPrefix(s.At(row), insertMode) {
			return true
		}
	}
	return false
}

func boxText(s agent.Screen) string {
	return strings.Trim(strings.TrimPrefix(s.Line(s.Row), promptMark), " \u00a0")
}

// emptyBox: with NO_COLOR or FORCE_COLOR=0 the advice looks like what its user has typed, but for a hint below, which not all modes show
// after a first turn. That somebody has typed these very words and gone back to their beginning is not to be expected; should it be so,
// the prompt does not stand alone, and no Enter follows.
func emptyBox(s agent.Screen, bottom int) bool {
	text := boxText(s)
	switch faint := s.IsFaint(boxCol); {
	case tryAgain.MatchString(text):
		return faint || s.Plain || hinted(s, bottom)
	case example.MatchString(text):
		return faint
	}
	return text == ""
}

// hinted tells whether the footer says that the box is empty.
func hinted(s agent.Screen, bottom int) bool {
	for row := bottom + 1; row <= s.Last(); row++ {
		if slices.ContainsFunc(emptyHints, func(hint string) bool { return strings.Contains(s.Rows[row], hint) }) {
			return true
		}
	}
	return false
}

// limitMenu: the menu that opens by itself at a usage limit, in place of the box: below its last row
// is nothing, its first item is chosen, which Escape stands for as well, and the cursor is on it, or, as in 2.1.87, right below
// all. An item that offers to go on at the reset says that the agent will not without being told to.
func limitMenu(s agent.Screen) bool {
	row := s.Last()
	if s.At(row) != menuKeys {
		return false
	}
	for row--; row >= 0 && s.At(row) == ""; row-- {
	}
	items := 0
	for ; row >= 0 && menuItem.MatchString(s.Line(row)); row-- {
		items++
	}
	if items < 2 || s.At(row+1) != menuStop || s.Row != row+1 && s.Row != s.Last()+1 {
		return false
	}
	for ; row >= 0 && s.At(row) == ""; row-- {
	}
	if s.At(row) != menuTitle {
		return false
	}
	for row--; row >= 0 && s.At(row) == ""; row-- {
	}
	return begins(s.Line(row), "─") || begins(s.Line(row), "▔")
}

// begins: a line over the whole width may have words at its end, such as the session's name, or the effort for a while.
func begins(line, mark string) bool { return strings.HasPrefix(line, strings.Repeat(mark, 10)) }
