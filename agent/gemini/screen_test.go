package gemini

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &Gemini{}) }

// An 80 columns wide terminal took 74 cells in one row.
func TestScreenRoom(t *testing.T) { agenttest.Room(t, &Gemini{}, "seen-start.txt", 120, 112) }

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &Gemini{}, 8) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &Gemini{}, "") }

// dialogScreen is a quota dialog with these items, as the last thing on the screen.
func dialogScreen(title string, above string, lines ...string) agent.Screen {
	edge := strings.Repeat("─", 78)
	s := agent.Screen{Rows: []string{above, "", "╭" + edge + "╮"}, Title: title}
	for _, l := range lines {
		s.Rows = append(s.Rows, "│ "+l+strings.Repeat(" ", 77-len([]rune(l)))+"│")
	}
	s.Rows = append(s.Rows, "╰"+edge+"╯")
	s.Row = len(s.Rows)
	return s
}

// Only the item that repeats the request is named, by its number, and only when it is there once.
func TestScreenQuota(t *testing.T) {
	const working = "✦  Working… (demo)"
	const limit, resets = "Usage limit reached for gemini-2.5-pro.", "Access resets at 5:28 AM UTC."
	for name, c := range map[string]struct {
		screen  agent.Screen
		instead string
		dialog  string
	}{
		"first":               {dialogScreen(working, "", "", limit, resets, "", "● 1. Keep trying", "  2. Stop"), "1", limit + "\n" + resets},
		"second":              {dialogScreen(working, "", limit, "● 1. Switch to gemini-2.5-flash", "  2. Keep trying", "  3. Stop"), "2", limit},
		"upgrade":             {dialogScreen(working, "", limit, "● 1. Switch to x", "  2. Upgrade for higher limits", "  3. Keep trying", "  4. Stop"), "3", limit},
		"title is not set":    {dialogScreen("", "", limit, "● 1. Keep trying", "  2. Stop"), "1", limit},
		"0.20":                {dialogScreen("Gemini - demo", "", limit, resets, "● 1. Keep trying", "  2. Stop", "", "Note: You can always use /model to select a different option."), "", limit + "\n" + resets},
		"none":                {dialogScreen(working, "", limit, "● 1. Switch to gemini-2.5-flash", "  2. Stop"), "", limit},
		"credits":             {dialogScreen(working, "", limit, "● 1. Use AI Credits - Continue this request (Overage)", "  2. Stop - Abort request"), "", limit},
		"twice":               {dialogScreen(working, "", limit, "● 1. Keep trying", "  2. Keep trying"), "", limit},
		"more in the item":    {dialogScreen(working, "", limit, "● 1. Keep trying with AI Credits", "  2. Stop"), "", limit},
		"cancelled":           {dialogScreen(working, "ℹ Request cancelled.", limit, "● 1. Keep trying", "  2. Stop"), "", limit},
		"cancelled, by title": {dialogScreen("◇  Ready (demo)", "", limit, "● 1. Keep trying", "  2. Stop"), "", limit},
		"text behind":         {dialogScreen(working, "", limit, "● 1. Keep trying", "  2. Stop", "and more"), "", ""},
		"a permission asked":  {dialogScreen(working, "", "? WriteFile x.txt", limit, "● 1. Keep trying", "  2. Stop"), "", ""},
	} {
		v := (&Gemini{}).Screen(c.screen)
		if v.Ready || v.Close != nil || string(v.Instead) != c.instead || v.Dialog != c.dialog || v.Why == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	below := dialogScreen(working, "", limit, "● 1. Keep trying", "  2. Stop")
	below.Rows = append(below.Rows, " > ")
	if v := (&Gemini{}).Screen(below); v.Instead != nil || v.Dialog != "" {
		t.Errorf("a box below: %+v", v)
	}
}

// The dialog is a text that Message reads.
func TestScreenDialogIsAMessage(t *testing.T) {
	text, err := os.ReadFile("testdata/screens/tui-cc-quota-plain-dialog.txt")
	must(t, err)
	g := over(t.TempDir(), procs{})
	v := g.Screen(agent.Screen{Rows: strings.Split(string(text), "\n"), Row: -1, Title: "✦  Working… (demo)"})
	stop, ok := g.Message(v.Dialog, time.Date(2026, 11, 21, 0, 36, 0, 0, time.UTC), time.UTC)
	if !ok || stop.Reason != detect.UsageLimit || !stop.ResetAt.Equal(time.Date(2026, 11, 21, 5, 28, 0, 0, time.UTC)) {
		t.Errorf("%q: %+v, %v", v.Dialog, stop, ok)
	}
}

// Each sign alone is enough.
func TestScreenSigns(t *testing.T) {
	base := func() agent.Screen {
		return agent.Screen{Row: 6, Col: 3, Faint: [][2]int{{5, 39}}, Title: "◇  Ready (demo)", Rows: []string{
			"✦ All done.", "", strings.Repeat(" ", 60) + "? for shortcuts", strings.Repeat("─", 80), " Shift+Tab to accept edits", strings.Repeat("▄", 80),
			" >   Type your message or @path/to/file", strings.Repeat("▀", 80), " workspace (/directory)", " ~/work/demo"}}
	}
	for name, c := range map[string]struct {
		set   func(s *agent.Screen)
		ready bool
	}{
		"none":               {func(*agent.Screen) {}, true},
		"no title":           {func(s *agent.Screen) { s.Title = "" }, true},
		"working":            {func(s *agent.Screen) { s.Title = "✦  Working… (demo)" }, false},
		"silent":             {func(s *agent.Screen) { s.Title = "⏲  Working… (demo)" }, false},
		"asks":               {func(s *agent.Screen) { s.Title = "✋  Action Required (demo)" }, false},
		"thinking":           {func(s *agent.Screen) { s.Rows[2] = " ⠼ Thinking... (esc to cancel, 18s)     ? for shortcuts" }, false},
		"no hint":            {func(s *agent.Screen) { s.Rows[2] = "" }, true}, // showShortcutsHint
		"no hint, no title":  {func(s *agent.Screen) { s.Rows[2], s.Title = "", "" }, false},
		"another text there": {func(s *agent.Screen) { s.Rows[2] = " Press Esc again to clear prompt." }, false},
		"ctrl-c":             {func(s *agent.Screen) { s.Rows[1] = " Press Ctrl+C again to exit." }, false},
		"shell mode":         {func(s *agent.Screen) { s.Rows[4] = "  shell mode enabled (esc to disable)" }, false},
		"vim":                {func(s *agent.Screen) { s.Rows[9] = " [NORMAL]   ~/work/demo" }, false},
		"vim, to insert": {func(s *agent.Screen) {
			s.Rows[6], s.Rows[9], s.Faint = " >   "+vimHint, " [INSERT]   ~/work/demo", [][2]int{{4, 40}}
		}, true},
		"no mode of vim":  {func(s *agent.Screen) { s.Rows[6], s.Faint = " >   "+vimHint, [][2]int{{4, 40}} }, false},
		"vim, normal":     {func(s *agent.Screen) { s.Rows[6], s.Rows[9] = " >   "+vimHint, " [NORMAL]   ~/work/demo" }, false},
		"no grey":         {func(s *agent.Screen) { s.Faint = nil }, true}, // a theme's, or no colors: the hint tells that it is empty
		"typed":           {func(s *agent.Screen) { s.Faint, s.Rows[2] = nil, "" }, false},
		"other text":      {func(s *agent.Screen) { s.Rows[6] = " >   Type your message" }, false},
		"cursor behind":   {func(s *agent.Screen) { s.Col = 4 }, false},
		"no upper edge":   {func(s *agent.Screen) { s.Rows[5] = "" }, false},
		"no lower edge":   {func(s *agent.Screen) { s.Rows[7] = "" }, false},
		"no line":         {func(s *agent.Screen) { s.Rows[3] = "" }, false},
		"something below": {func(s *agent.Screen) { s.Rows = append(s.Rows, " x", " y") }, false},
	} {
		s := base()
		c.set(&s)
		if v := (&Gemini{}).Screen(s); v.Ready != c.ready || v.Close != nil || v.Instead != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// What stands in the box is not what Enter would send as a prompt where keys are vim's commands, or the text is a shell's.
func TestTextInModes(t *testing.T) {
	const accepts, place = " Shift+Tab to accept edits", "   ~/work/demo"
	for _, c := range []struct{ above, footer, want string }{
		{accepts, " [INSERT]" + place, "continue"},
		{accepts, " [NORMAL]" + place, ""},
		{"  shell mode enabled (esc to disable)", place, ""},
	} {
		s := agent.Screen{Row: 6, Col: 11, Title: "◇  Ready (demo)", Rows: []string{
			"✦ All done.", "", strings.Repeat(" ", 60) + "? for shortcuts", strings.Repeat("─", 80), c.above, strings.Repeat("▄", 80),
			" >   continue", strings.Repeat("▀", 80), " workspace (/directory)", c.footer}}
		if v := (&Gemini{}).Screen(s); v.Ready || v.Input != c.want {
			t.Errorf("%q, %q: %+v", c.above, c.footer, v)
		}
	}
}
