package codex

import (
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// The last rows of an idle terminal. The placeholder is faint. From 0.158 on there is a status line below the box, of what its user
// has chosen and in as many rows as that takes, and a row with a hint that stands there only while the box is empty:
//
//	› Ask Codex to do anything
//
//	  gpt-5.1-codex default · ~/work/demo
//	  ← for agents · ? for shortcuts
//
// In plan mode, with vim's keys, with a warning or in a narrow terminal only the first half of that hint finds room; either half goes
// with the first character, and may name keys that its user has chosen.
//
// Before, there is one. It holds the hint while the box is empty (0.80: behind "100% context left", 0.104: before it), or, as in
// 0.120, the model and the folder whatever the box holds; other keys and modes that wait for more take its place. One of several
// placeholders is chosen at the start. The box of a side conversation (/side) has others: what is typed there does not go to
// the session.
const (
	prompt    = "›"
	boxCol    = 2
	roomLess  = 6 // of the terminal's columns, to the left and right of a text; two more than seen, to be sure
	statusMax = 3
	emptyHint = "? for shortcuts"
	working   = "esc to interrupt"
)

// placeholders are those of a session's own box.
var placeholders = []string{"Ask Codex to do anything",
	"Explain this codebase", "Summarize recent commits", "Implement {feature}", "Find and fix a bug in @filename", "Write tests for @filename",
	"Improve documentation in @filename", "Run /review on my current changes", "Use /skills to list available skills"}

// modelLine names model, effort and folder.
var modelLine = lazyregexp.New(`^[\w.:/@-]+(?: [\w-]+){0,2} · [~/…]`)

var (
	nudgeTitle = "Approaching rate limits"
	nudge      = lazyregexp.New(`^  Switch to \S+ for lower credit usage\?$`)
	nudgeItems = []*lazyregexp.Regexp{
		lazyregexp.New(`^. 1\. Switch to \S+`),
		lazyregexp.New(`^. 2\. Keep current model$`),
		lazyregexp.New(`^. 3\. Keep current model \(never show again\)`),
	}
	nudgeKeys = []string{"enter select · esc back", "Press enter to confirm or esc to go back"}
)

// Screen reads the agent's terminal.
func (c *Codex) Screen(s agent.Screen) agent.View {
	for row := range s.Rows {
		if strings.Contains(s.Rows[row], working) {
			return agent.View{Why: agent.WhyBusy}
		}
	}
	if isNudge(s) {
		return agent.View{Close: []byte(agent.Escape), Why: "the dialog of the approaching limit lies over its input box"}
	}
	last := s.Last()
	line := s.Line(s.Row)
	below := last - s.Row
	switch {
	case s.Row < 0 || below < 2 || below > 2+statusMax || !strings.HasPrefix(line, prompt) || s.At(s.Row+1) != "":
		return agent.View{Why: agent.WhyNoBox}
	case !c.sends():
		return agent.View{Why: agent.WhyKeys}
	case s.Col != boxCol || !slices.Contains(placeholders, strings.TrimPrefix(line, prompt+" ")) || !s.IsFaint(boxCol):
		if takesKeys(s, last) {
			return agent.View{Why: agent.WhyVim}
		}
		return agent.Typed(strings.TrimSpace(strings.TrimPrefix(line, prompt)), wasAsked(s))
	case !emptyFooter(s.At(last), below == 2):
		return agent.View{Why: "its footer does not say that its input box is empty"}
	case takesKeys(s, last):
		return agent.View{Why: agent.WhyVim}
	case !wasAsked(s):
		return agent.View{Why: "it shows a session without a prompt: you have started another one"}
	}
	return agent.View{Ready: true, Room: s.Width() - roomLess}
}

// What stands in the first column of a conversation begins what the user, the agent or the program says; the rest of it is indented.
const (
	failure = "■"
	answer  = "•"
	warning = "⚠"
	banner  = ">_ OpenAI Codex (v"
)

// wasAsked tells whether the screen shows that its session was asked something. One that was begun with /new or /clear stands below a
// banner, and has no rollout yet; its process keeps the session before open. What /status shows has a banner, too, and an id below it.
func wasAsked(s agent.Screen) (some bool) {
	status := false
	for row := s.Row - 1; row >= 0; row-- {
		line := s.Line(row)
		switch mark, _, _ := strings.Cut(line, " "); {
		case mark == prompt, mark == failure:
			return true
		case strings.HasPrefix(strings.TrimLeft(line, " │"), "Session:"):
			status = true
		case strings.Contains(line, banner) && !status:
			return false
		case strings.Contains(line, banner):
			status = false
		case mark == answer, mark == warning:
			some = true
		}
	}
	return some
}

// emptyFooter: the last row says that the box is empty, or, where it is the only one below the box, that nothing waits for a key.
func emptyFooter(row string, alone bool) bool {
	switch {
	case strings.Contains(row, " / esc "): // the list of shortcuts
		return false
	case alone:
		return modelLine.MatchString(row) || strings.Contains(row, emptyHint)
	}
	return emptyHints.MatchString(row)
}

// emptyHints begin the last row from 0.158 on, with a key such as ?, f1, ctrl+g or ctrl + g.
var emptyHints = lazyregexp.New(`^(?:\S|f\d+|\S+(?: ?\+ ?\S+)+|[⌃⌥⇧⌘]\S+) for (?:agents|shortcuts)(?: |$)`)

// takesKeys tells whether the footer says that keys are vim's commands.
func takesKeys(s agent.Screen, last int) bool {
	return vim.MatchString(s.At(last)) || vim.MatchString(s.At(last-1))
}

// vim's modes, as the footer names them.
var vim = lazyregexp.New(`(?i)\bnormal\b|\bvisual\b`)

// isNudge: the dialog that offers a smaller model when the plan's window is nearly used up. It stands
// in place of the box, as the last thing on the screen. Its first item switches the model.
func isNudge(s agent.Screen) bool {
	row := s.Last()
	if !slices.Contains(nudgeKeys, s.At(row)) {
		return false
	}
	for row--; row >= 0 && s.At(row) == ""; row-- {
	}
	row -= len(nudgeItems) - 1
	for n, item := range nudgeItems {
		if !item.MatchString(s.Line(row + n)) {
			return false
		}
	}
	for row--; row >= 0 && s.At(row) == ""; row-- {
	}
	return nudge.MatchString(s.Line(row)) && s.At(row-1) == nudgeTitle
}
