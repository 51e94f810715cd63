package gemini

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

const oldFrame = 60

// framedScreen is an idle one of 0.20, behind a request that failed.
func framedScreen() agent.Screen {
	return agent.Screen{Row: 9, Title: "Gemini - demo", FaintAbove: [][][2]int{{{40, 48}}, nil, {{5, 40}}, nil}, Rows: []string{
		"> say done", "", "✕ [API Error: terminated]", "", "",
		"╭" + strings.Repeat("─", oldFrame) + "╮",
		"│ >   Type your message or @path/to/file" + strings.Repeat(" ", oldFrame-39) + "│",
		"╰" + strings.Repeat("─", oldFrame) + "╯", " ~/work/demo"}}
}

// unhintedScreen is an idle one of 0.28.
func unhintedScreen() agent.Screen {
	return agent.Screen{Row: 6, Col: 3, Title: "◇  Ready (demo)", Faint: [][2]int{{4, 39}}, Rows: []string{
		"> say done", "", "✕ [API Error: terminated]", "", "",
		strings.Repeat("▀", oldFrame), " >   Type your message or @path/to/file", strings.Repeat("▄", oldFrame), " ~/work/demo"}}
}

// Each sign alone is enough.
func TestOldScreenSigns(t *testing.T) {
	for version, c := range map[string]struct {
		base func() agent.Screen
		box  int
	}{"0.20": {framedScreen, 6}, "0.28": {unhintedScreen, 6}} {
		box := c.box
		for name, x := range map[string]struct {
			set   func(s *agent.Screen)
			ready bool
		}{
			"none":              {func(*agent.Screen) {}, true},
			"a file of context": {func(s *agent.Screen) { s.Rows[box-2] = " 1 GEMINI.md file" }, true},
			"no title":          {func(s *agent.Screen) { s.Title = "" }, true}, // the failure is drawn
			"not faint":         {func(s *agent.Screen) { s.Faint, s.FaintAbove = nil, nil }, false},
			"other text":        {func(s *agent.Screen) { s.Rows[box] = strings.Replace(s.Rows[box], "or @path", "to @path", 1) }, false},
			"working":           {func(s *agent.Screen) { s.Rows[box-4] = "⠹ Thinking... (esc to cancel, 2s)" }, false},
			"working, and queue": {func(s *agent.Screen) {
				s.Rows[1], s.Rows[2], s.Rows[3] = "⠹ Thinking... (esc to cancel, 2s)", "", "  Queued (press ↑ to edit):"
			}, false},
			"shell mode":    {func(s *agent.Screen) { s.Rows[box-2] = "  shell mode enabled (esc to disable)" }, false},
			"ctrl-c":        {func(s *agent.Screen) { s.Rows[box-2] = " Press Ctrl+C again to exit." }, false},
			"vim":           {func(s *agent.Screen) { s.Rows[len(s.Rows)-1] += " [NORMAL]" }, false},
			"no upper edge": {func(s *agent.Screen) { s.Rows[box-1] = "" }, false},
			"no lower edge": {func(s *agent.Screen) { s.Rows[box+1] = "" }, false},
			"a second row":  {func(s *agent.Screen) { s.Rows[box+1] = s.Rows[box] }, false},
		} {
			s := c.base()
			x.set(&s)
			if v := (&Gemini{}).Screen(s); v.Ready != x.ready || v.Close != nil || v.Instead != nil {
				t.Errorf("%s, %s: %+v", version, name, v)
			}
		}
	}
}

// A window that its user has cleared since, or gone on in, does not show the failure.
func TestOldScreenShowsTheFailure(t *testing.T) {
	for _, above := range []string{"✦ All done.", "ℹ Request cancelled.", "$ ls", ""} {
		for name, s := range map[string]agent.Screen{"0.20": framedScreen(), "0.28": unhintedScreen()} {
			s.Rows[2] = above
			if v := (&Gemini{}).Screen(s); v.Ready || !strings.Contains(v.Why, "does not show the failure") {
				t.Errorf("%s, %q: %+v", name, above, v)
			}
		}
	}
}
