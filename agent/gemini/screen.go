package gemini

import (
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// The last rows of an idle terminal, version 0.61. The hint stands there only while the box is empty: it tells the placeholder from
// the same text typed, in any theme and without colors:
//
//	                                          ? for shortcuts
//	─────────────────────────────────────────────────────────
//	 Shift+Tab to accept edits
//	▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
//	 >   Type your message or @path/to/file
//	▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
//	 workspace (/directory)      sandbox                /model
//	 ~/work/demo                 no sandbox               Auto
//
// Below 80 columns the hint is not there, and a blank row is below the mode.
//
// With NO_COLOR the box stands between lines like the one above it. Without the hint, which its user can turn off, the title says
// that it is idle and the grey that the box is empty.
//
// 0.28 and 0.34 draw the edges of the box the other way round, with NO_COLOR, too: then nothing is typed, for that nobody has
// colors is not known. 0.28 has neither the hint nor the line below it. Before that the box was a frame: see framed. All of these
// write nothing of a session that /clear begins until it is asked something, so only a failure that is drawn tells which one is open.
const (
	prompt      = " >"
	boxCol      = 3
	roomLess    = 8 // of the box's columns, to the left and right of a text; two more than seen, to be sure
	placeholder = "Type your message or @path/to/file"
	vimHint     = "Press 'Esc' for NORMAL mode."
	emptyHint   = "? for shortcuts"
	footerMax   = 3
)

var (
	limitTitle = lazyregexp.New(`^Usage limit reached for [\w. -]+\.$`)
	option     = lazyregexp.New(`^(?:● )?([1-9])\. (.+)$`)
	keepTrying = "Keep trying"
	cancelled  = "Request cancelled."
)

// DrawsLimits says so: the dialog of a used-up quota stands on the screen alone, and waits for ever.
func (g *Gemini) DrawsLimits() {}

// Screen reads the agent's terminal.
func (g *Gemini) Screen(s agent.Screen) agent.View {
	if lines, top := dialog(s); len(lines) > 0 && limitTitle.MatchString(lines[0]) {
		return quota(s, lines, top)
	}
	if strings.HasPrefix(s.Title, "✦") || strings.HasPrefix(s.Title, "⏲") || strings.HasPrefix(s.Title, "✋") {
		return agent.View{Why: agent.WhyBusy}
	}
	b, ok := boxOf(s)
	switch {
	case !ok:
		return agent.View{Why: agent.WhyNoBox}
	case !b.closed:
		return agent.View{Why: agent.WhyText}
	case !g.sends():
		return agent.View{Why: agent.WhyKeys}
	case normal(s, b.status-1):
		return agent.View{Why: agent.WhyVim}
	case b.text != placeholder && !inserts(s, b) || !b.empty:
		return agent.Typed(b.text, !strings.Contains(s.At(b.mode), "shell mode") && (!b.old || failed(s, b.status)))
	case s.Last()-(b.row+1) > footerMax:
		return agent.View{Why: "a panel is open below its input box"}
	case b.status < b.mode && !saysEmpty(s, b):
		return agent.View{Why: "the line above its input box says more than that it is empty: it may be busy"}
	case strings.Contains(s.At(b.status), "again to") || strings.Contains(s.At(b.status-1), "again to"):
		return agent.View{Why: "you are pressing keys: it waits for a second one"}
	case strings.Contains(s.At(b.mode), "shell mode"):
		return agent.View{Why: "its input box takes commands of a shell"}
	case b.status == b.mode && works(s, b.status):
		return agent.View{Why: agent.WhyBusy}
	case b.old && !failed(s, b.status):
		return agent.View{Why: "it does not show the failure: another session may be open in it, or you went on in it"}
	}
	return agent.View{Ready: true, Room: b.room}
}

// saysEmpty tells whether a version with a hint says that the box is empty.
func saysEmpty(s agent.Screen, b box) bool {
	hint := s.At(b.status)
	return hint == emptyHint || hint == "" && b.grey && strings.HasPrefix(s.Title, "◇")
}

// inserts tells whether the box is empty and in vim's INSERT mode.
func inserts(s agent.Screen, b box) bool { return b.text == vimHint && shown(s, b.row+1, "[INSERT]") }

// normal tells whether a row from one on says that the input box is in vim's NORMAL mode.
func normal(s agent.Screen, row int) bool { return shown(s, row, "[NORMAL]") }

// shown tells whether a row from one on holds a text.
func shown(s agent.Screen, row int, text string) bool {
	for ; row <= s.Last(); row++ {
		if strings.Contains(s.Line(row), text) {
			return true
		}
	}
	return false
}

// quota reads the dialog of a used-up quota. Its items differ by plan and model, and some cost money
// or switch the model: only the one that repeats the request is named, by its number. Once the
// request was cancelled the dialog stays and has nothing to repeat.
func quota(s agent.Screen, lines []string, top int) agent.View {
	v := agent.View{Why: "the dialog of its quota lies over its input box"}
	var text []string
	var digits []string
	options, noted := false, false
	for _, line := range lines {
		m := option.FindStringSubmatch(line)
		switch {
		case options && strings.HasPrefix(line, "Note: "): // 0.20: what its items do there was never seen
			noted = true
			continue
		case m == nil && options:
			return agent.View{Why: agent.WhyNoBox} // an item of several lines, or no dialog of this kind
		case m == nil:
			text = append(text, line)
			continue
		}
		options = true
		if m[2] == keepTrying {
			digits = append(digits, m[1])
		}
	}
	v.Dialog = strings.Join(text, "\n")
	for row := top - 1; row >= max(0, top-4); row-- {
		if strings.Contains(s.Line(row), cancelled) {
			v.Why = "its request was canceled by hand, and the dialog of its quota is still open"
			return v
		}
	}
	if len(digits) == 1 && !noted && !strings.HasPrefix(s.Title, "◇") {
		v.Instead = []byte(digits[0])
	}
	return v
}

// dialog gives the lines of the framed box that is the last thing on the screen, in place of the
// input box, and the row of its upper edge.
func dialog(s agent.Screen) (lines []string, top int) {
	last := s.Last()
	if !frame(s.Line(last), '╰', '╯') {
		return nil, 0
	}
	for top = last - 1; top >= 0; top-- {
		line := s.Line(top)
		if frame(line, '╭', '╮') {
			return lines, top
		}
		text, ok := strings.CutPrefix(line, "│")
		text, closed := strings.CutSuffix(text, "│")
		if !ok || !closed {
			return nil, 0
		}
		if text = strings.TrimSpace(text); text != "" {
			lines = append([]string{text}, lines...)
		}
	}
	return nil, 0
}

func frame(line string, left, right rune) bool {
	r := []rune(line)
	return len(r) >= 20 && r[0] == left && r[len(r)-1] == right && strings.Trim(string(r[1:len(r)-1]), "─") == ""
}
