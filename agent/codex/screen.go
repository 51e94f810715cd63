package codex

import (
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// The last rows of an idle terminal, version 0.169. The hint stands there only while the box is empty,
// and the placeholder is faint:
//
//	› Ask Codex to do anything
//
//	  gpt-5.1-codex default · ~/work/demo
//	  ← for agents · ? for shortcuts
const (
	prompt      = "›"
	boxCol      = 2
	roomLess    = 6 // of the terminal's columns, to the left and right of a text; two more than seen, to be sure
	placeholder = "Ask Codex to do anything"
	emptyHint   = "? for shortcuts"
	working     = "esc to interrupt"
)

var (
	nudgeTitle = "Approaching rate limits"
	nudge      = lazyregexp.New(`^  Switch to \S+ for lower credit usage\?$`)
	nudgeItems = []*lazyregexp.Regexp{
		lazyregexp.New(`^. 1\. Switch to \S+`),
		lazyregexp.New(`^. 2\. Keep current model$`),
		lazyregexp.New(`^. 3\. Keep current model \(never show again\)`),
	}
	nudgeKeys = "enter select · esc back"
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
	switch {
	case s.Row < 0 || s.Row != last-3 || !strings.HasPrefix(line, prompt) || s.At(last-2) != "" || !strings.Contains(s.At(last-1), " · "):
		return agent.View{Why: agent.WhyNoBox}
	case s.Col != boxCol || line != prompt+" "+placeholder || !s.IsFaint(boxCol):
		return agent.View{Why: agent.WhyText, Input: strings.TrimSpace(strings.TrimPrefix(line, prompt))}
	case !strings.Contains(s.At(last), emptyHint) || strings.HasPrefix(s.At(last), emptyHint+" / esc"):
		return agent.View{Why: "its footer does not say that its input box is empty"}
	case vim.MatchString(s.At(last)), vim.MatchString(s.At(last - 1)):
		return agent.View{Why: "its input box takes keys as vim's commands"}
	}
	return agent.View{Ready: true, Room: s.Width() - roomLess}
}

// vim's modes, as the footer names them.
var vim = lazyregexp.New(`(?i)\bnormal\b|\bvisual\b`)

// isNudge: the dialog that offers a smaller model when the plan's window is nearly used up. It stands
// in place of the box, as the last thing on the screen. Its first item switches the model.
func isNudge(s agent.Screen) bool {
	row := s.Last()
	if s.At(row) != nudgeKeys {
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
