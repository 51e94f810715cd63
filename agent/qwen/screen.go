package qwen

import (
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// The last rows of an idle terminal, version 0.24, after a request that failed for good. The placeholder is grey:
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
const (
	promptSigns = ">*" // the second in yolo mode
	boxCol      = 2
	roomLess    = 6 // of the terminal's columns; two more than seen, to be sure
	placeholder = "Type your message or @path/to/file"
	footerRows  = 2
	failureSign = "✕ "
	retryHint   = "(Press Ctrl+Y to retry)"
)

// Screen reads the agent's terminal. What it shows must end in an error of its own that can be tried again: a user who
// stops a request while the agent waits leaves the same records as one that failed for good.
func (q *Qwen) Screen(s agent.Screen) agent.View {
	if strings.HasPrefix(s.Title, "◐") || strings.HasPrefix(s.Title, "✳") {
		return agent.View{Why: agent.WhyBusy}
	}
	line := s.Line(s.Row)
	if s.Row < 2 || line == "" || !strings.Contains(promptSigns, line[:1]) || !strings.HasPrefix(s.Line(s.Row-1), "───") {
		return agent.View{Why: agent.WhyNoBox}
	}
	text := strings.Trim(line[1:], " \u200b") // the second stands behind what is typed
	switch {
	case !agent.Rule(s.Line(s.Row+1), '─'):
		return agent.View{Why: agent.WhyText}
	case s.Col != boxCol || text != placeholder || !s.IsFaint(boxCol):
		return agent.View{Why: agent.WhyText, Input: text}
	case s.Last()-(s.Row+1) != footerRows || strings.Contains(s.Line(s.Last()), "Enter to steer"):
		return agent.View{Why: "the lines below its input box say more than that it is idle, or are not understood"}
	case !failed(s):
		return agent.View{Why: "it does not show the failure: another session may be open in it, or you stopped it"}
	}
	return agent.View{Ready: true, Room: len([]rune(s.Line(s.Row+1))) - roomLess}
}

// failed tells whether the text right above the box is an error that can be tried again.
func failed(s agent.Screen) bool {
	last := s.Row - 2
	for last >= 0 && s.At(last) == "" {
		last--
	}
	said := ""
	for row := last; row >= 0; row-- {
		text := s.At(row)
		said = strings.TrimSpace(text + " " + said)
		switch {
		case text == "", strings.HasPrefix(text, "> "):
			return false
		case strings.HasPrefix(text, failureSign):
			return strings.HasSuffix(said, retryHint)
		}
	}
	return false
}
