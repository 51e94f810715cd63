package copilot

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &Copilot{}) }

func TestScreenRoom(t *testing.T) {
	agenttest.Room(t, &Copilot{}, "esc.txt", 120, 114)
	agenttest.Room(t, &Copilot{}, "colored-failed.txt", 110, 101) // 103 were seen to fit: colored-two-rows.txt
}

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &Copilot{}, 12) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &Copilot{}, "") }

// Each sign alone is enough.
func TestScreenSigns(t *testing.T) {
	rule := strings.Repeat("─", 100)
	const footer = " ← open sidebar · Interactive · Manual Approval · / commands · ? help · tab next tab     Claude Sonnet 4.6"
	for name, c := range map[string]agenttest.Sign{
		"none":              {Ready: true},
		"a status line":     {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "my status", "and more") }, Ready: true},
		"a panel":           {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "a", "b", "c", "d") }},
		"working":           {Rows: map[int]string{8: " ◎ Working · 42 B esc esc interrupt"}},
		"loading":           {Rows: map[int]string{8: " ○ Loading: 2 skills"}},
		"text":              {Rows: map[int]string{6: "❯ x"}, Input: "x"},
		"text elsewhere":    {Rows: map[int]string{1: " ● done", 2: "   more", 6: "❯ x"}},
		"a shell command":   {Rows: map[int]string{6: "!"}},
		"a blank typed":     {Set: func(s *agent.Screen) { s.Col = 3 }},
		"two rows":          {Set: func(s *agent.Screen) { s.Rows = append(s.Rows[:7:7], append([]string{""}, s.Rows[7:]...)...) }},
		"an answer":         {Rows: map[int]string{1: " ● done", 2: "   more"}},
		"an answer quotes":  {Rows: map[int]string{1: " ● done", 2: "   ✗ You've hit"}},
		"its user went on":  {Rows: map[int]string{3: " ❯ continue"}},
		"1.0.65":            {Rows: map[int]string{1: "✗ You've reached", 2: "  to auto", 8: " / commands · ? help · tab next tab"}, Ready: true},
		"a rule below":      {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, rule) }},
		"cursor elsewhere":  {Set: func(s *agent.Screen) { s.Row = 1 }},
		"cursor not known":  {Set: func(s *agent.Screen) { s.Row = -1 }},
		"nothing was said":  {Rows: map[int]string{1: "", 2: ""}},
		"autopilot":         {Rows: map[int]string{8: strings.Replace(footer, "Interactive", "Autopilot", 1)}, Ready: true},
		"vim's INSERT mode": {Rows: map[int]string{8: " -- INSERT -- ·" + footer}, Ready: true},
		"vim's NORMAL mode": {Rows: map[int]string{8: " -- NORMAL -- ·" + footer}},
		"text in it":        {Rows: map[int]string{6: "❯ x", 8: " -- NORMAL -- ·" + footer}},
		"half a rule":       {Rows: map[int]string{7: "────── menu ──────"}},
		"nothing below":     {Set: func(s *agent.Screen) { s.Rows = s.Rows[:8] }},
		"the cursor's mark": {Rows: map[int]string{6: ""}},
	} {
		s := agent.Screen{Rows: []string{"", " ✗ You've hit your session rate limit.", "   Learn More", "", " ~/work/demo [⎇ main]", rule, "❯", rule, footer}, Row: 6, Col: 2, Cols: 120}
		c.Check(t, name, &Copilot{}, s)
	}
}

// The lines of one box do not make the other one.
func TestScreenMixed(t *testing.T) {
	rule, top, bottom := strings.Repeat("─", 100), "╻"+strings.Repeat("▄", 99), "╹"+strings.Repeat("▀", 99)
	for _, c := range []struct {
		above, mark, below, under string
		ready                     bool
	}{
		{rule, "❯", rule, "", true},
		{top, "┃", bottom, "", true},
		{top, "❯", bottom, "", false},
		{rule, "┃", rule, "", false},
		{top, "┃", rule, "", false},
		{rule, "❯", bottom, "", false},
		{bottom, "┃", top, "", false},
		{" " + top, "┃", bottom, "", false},
		{top[:len(top)/4], "┃", bottom[:20], "", false},
		{top, "┃ x", bottom, "", false},
		{top, "┃", bottom, bottom, false},
		{top, "┃", bottom, rule, false},
	} {
		s := agent.Screen{Rows: []string{"", " ✗ You've hit your session rate limit.", "   Learn More", "", " ~/work/demo", c.above, c.mark, c.below,
			" ← open sidebar · Interactive · / commands · ? help", c.under}, Row: 6, Col: 2, Cols: 120}
		if v := (&Copilot{}).Screen(s); v.Ready != c.ready || v.Close != nil || v.Instead != nil {
			t.Errorf("%.1q %q %.1q: %+v", c.above, c.mark, c.below, v)
		}
	}
}

// TestScreenQuestion: only the whole question, last on the screen and under its error, is closed.
func TestScreenQuestion(t *testing.T) {
	rows := []string{" ✗ You've reached", "   to auto", "", "╭" + strings.Repeat("─", 60) + "╮", "│ Switch to auto mode?                    │", "│ ─────────── │", "│ ❯ 1. Yes    │",
		"│   2. Yes (always)  │", "│   3. No (Esc)  │", "╰" + strings.Repeat("─", 60) + "╯"}
	for name, c := range map[string]struct {
		row   int
		text  string
		close bool
	}{"whole": {2, "", true}, "another question": {4, "│ Do you want to run this command? │", false}, "another item": {8, "│   3. No, and delete all (Esc) │", false},
		"no end": {9, "│", false}, "no beginning": {3, "", false}, "no error": {0, " ● done", false}, "something in it": {7, "text", false}} {
		s := agent.Screen{Rows: append([]string{}, rows...), Row: 5, Col: 3, Cols: 62}
		s.Rows[c.row] = c.text
		if v := (&Copilot{}).Screen(s); (v.Close != nil) != c.close || v.Ready {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
