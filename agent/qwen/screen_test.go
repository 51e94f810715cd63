package qwen

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &Qwen{}) }

func TestScreenRoom(t *testing.T) { agenttest.Room(t, &Qwen{}, "429-gives-up-2-gave-up.txt", 120, 114) }

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &Qwen{}, 7) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &Qwen{}, "") }

// The placeholder is drawn in a grey of its own (0.24 in its default theme, as tmux tells it), and a typed text is not.
func TestPlaceholderIsGrey(t *testing.T) {
	rule := strings.Repeat("─", 100)
	for box, ready := range map[string]bool{
		"> \x1b[39m\x1b[48;2;212;212;212m \x1b[38;2;108;112;134m\x1b[49m " + placeholder: true,
		"> \x1b[39m\x1b[48;2;212;212;212m \x1b[49m " + placeholder:                       false,
	} {
		rows := []string{"", "  > x", "  ✕ [API Error: x] (Press Ctrl+Y to retry)", "", rule, box, "\x1b[39m" + rule, "  demo", "  Auto mode"}
		if v := (&Qwen{}).Screen(agent.ParseScreen(strings.Join(rows, "\n"), 5, 2, "Qwen - demo")); v.Ready != ready {
			t.Errorf("%q: %+v", box, v)
		}
	}
}

// What is typed is told without the blank of no width that stands behind it.
func TestTypedText(t *testing.T) {
	rule := strings.Repeat("─", 100)
	s := agent.Screen{Rows: []string{"", "", rule, "> continue \u200b", rule, "  demo", "  Auto mode"}, Row: 3, Col: 10}
	if v := (&Qwen{}).Screen(s); v.Ready || v.Input != "continue" {
		t.Errorf("%+v", v)
	}
}

// Each sign alone is enough.
func TestScreenSigns(t *testing.T) {
	rule := strings.Repeat("─", 100)
	for name, c := range map[string]struct {
		rows  map[int]string
		set   func(s *agent.Screen)
		ready bool
	}{
		"none":                 {ready: true},
		"in yolo mode":         {rows: map[int]string{6: "*   " + placeholder}, ready: true},
		"busy":                 {set: func(s *agent.Screen) { s.Title = "◐︎ Qwen - demo" }},
		"asking":               {set: func(s *agent.Screen) { s.Title = "✳︎ Qwen - demo" }},
		"busy by its footer":   {rows: map[int]string{9: "  Enter to steer · Ctrl+Q to queue · Auto mode"}},
		"its words, typed":     {set: func(s *agent.Screen) { s.Faint = nil }},
		"text":                 {rows: map[int]string{6: "> x"}},
		"a suggestion":         {rows: map[int]string{6: "> All done."}, set: func(s *agent.Screen) { s.Faint = [][2]int{{2, 50}} }},
		"a blank typed":        {set: func(s *agent.Screen) { s.Col = 3 }},
		"two rows":             {rows: map[int]string{7: "  and more"}},
		"a menu":               {set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  (1/81)") }},
		"no footer":            {set: func(s *agent.Screen) { s.Rows = s.Rows[:8] }},
		"an answer":            {rows: map[int]string{1: "  > Say hello", 2: "", 3: "  ◆ All done."}},
		"an answer quotes":     {rows: map[int]string{1: "", 2: "  ◆ All done.", 3: "  (Press Ctrl+Y to retry)"}},
		"cancelled":            {rows: map[int]string{3: "  ● Request cancelled."}},
		"went on":              {rows: map[int]string{3: "    Requested 1. Please try again in 20s.]"}},
		"a prompt that quotes": {rows: map[int]string{1: "", 2: "  > ✕ [API Error: x]", 3: "    (Press Ctrl+Y to retry)"}},
		"its hint is broken":   {rows: map[int]string{2: "  ✕ [API Error: x] (Press", 3: "    Ctrl+Y to retry)"}, ready: true},
		"cursor elsewhere":     {set: func(s *agent.Screen) { s.Row = 2 }},
		"cursor not known":     {set: func(s *agent.Screen) { s.Row = -1 }},
	} {
		s := agent.Screen{Rows: []string{"", "  > Say hello", "  ✕ [API Error: 429 Rate limit reached for demo-1, Used 3,", "    Requested 1. Please try again in 20s.] (Press Ctrl+Y to retry)", "",
			rule, ">   " + placeholder, rule, "  ➜ demo · git:(master) · demo-1", "  ⏸ Ask permissions (shift + tab to cycle)"},
			Row: 6, Col: 2, Cols: 100, Title: "Qwen - demo", Faint: [][2]int{{3, 38}}}
		for n, text := range c.rows {
			s.Rows[n] = text
		}
		if c.set != nil {
			c.set(&s)
		}
		if v := (&Qwen{}).Screen(s); v.Ready != c.ready || v.Close != nil || v.Instead != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
