package pi

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &Pi{}) }

func TestScreenRoom(t *testing.T) { agenttest.Room(t, &Pi{}, "429-gives-up-2-gave-up.txt", 120, 116) }

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &Pi{}, 12) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &Pi{}, "") }

// Each sign alone is enough.
func TestScreenSigns(t *testing.T) {
	rule := strings.Repeat("─", 100)
	for name, c := range map[string]agenttest.Sign{
		"none":                               {Ready: true},
		"working":                            {Rows: map[int]string{3: "── ⠹ Working " + strings.Repeat("─", 80)}},
		"compacting":                         {Rows: map[int]string{3: "── ⠹ Compacting... " + strings.Repeat("─", 80)}},
		"text":                               {Rows: map[int]string{4: "x"}, Input: "x"},
		"text elsewhere":                     {Rows: map[int]string{1: " All done.", 4: "x"}},
		"text after its user ended the wait": {Rows: map[int]string{1: " Error: Retry failed after 2 attempts: Retry cancelled", 4: "x"}},
		"a blank typed":                      {Set: func(s *agent.Screen) { s.Col = 1 }},
		"two rows":                           {Set: func(s *agent.Screen) { s.Rows = append(s.Rows[:4:4], append([]string{""}, s.Rows[4:]...)...) }},
		"a menu": {Set: func(s *agent.Screen) {
			s.Rows = append(s.Rows[:6:6], append([]string{"→ settings", "  model", "  tree"}, s.Rows[6:]...)...)
		}},
		"no model":              {Rows: map[int]string{7: "~/work/demo"}},
		"an answer":             {Rows: map[int]string{1: " All done."}},
		"an answer quotes":      {Rows: map[int]string{1: " All done.", 2: " Error: 429"}},
		"cancelled":             {Rows: map[int]string{1: " Error: Retry failed after 2 attempts: Retry cancelled"}},
		"no room could be made": {Rows: map[int]string{1: " Error: Compaction failed: Nothing to compact (session too small)"}},
		"nor after an answer":   {Rows: map[int]string{1: " Error: Auto-compaction failed: 429: {}"}},
		"with a hint": {Set: func(s *agent.Screen) {
			s.Rows = append([]string{"", " Error: x", "", " If this looks like a pi bug, /bug sends a report."}, s.Rows[2:]...)
			s.Row += 2
		}, Ready: true},
		"no padding":          {Rows: map[int]string{1: "Error: 429: {}"}, Ready: true},
		"a list in an answer": {Rows: map[int]string{1: "  Error: 429: {}"}},
		"a scrollbar": {Set: func(s *agent.Screen) {
			for row := range 3 {
				s.Rows[row] += strings.Repeat(" ", 99-len(s.Rows[row])) + "┃"
			}
		}, Ready: true},
		"a scrollbar beside an answer": {Set: func(s *agent.Screen) {
			s.Rows[0], s.Rows[2] = strings.Repeat(" ", 99)+"┃", " All done."+strings.Repeat(" ", 89)+"┃"
		}, Rows: map[int]string{1: strings.Repeat(" ", 99) + "│"}},
		"a frame in an answer":       {Rows: map[int]string{0: " │"}},
		"a row of an extension's":    {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "✓ Turn 2 complete") }, Ready: true},
		"two rows of an extension's": {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "a", "b") }},
		"a rule below":               {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, rule) }},
		"cursor elsewhere":           {Set: func(s *agent.Screen) { s.Row = 1 }},
		"cursor not known":           {Set: func(s *agent.Screen) { s.Row = -1 }},
		"a subscription":             {Rows: map[int]string{7: "$0.000 (sub) 0.3%/500k (auto)      (openai-codex) gpt-5.4 • high"}, Ready: true},
		"context not known":          {Rows: map[int]string{7: "?%/200k      (fake) demo-1"}, Ready: true},
	} {
		s := agent.Screen{Rows: []string{"", " Error: 429: {}", "", rule, "", rule, "~/work/demo (main)", "1.2%/100k (auto)      (fake) demo-1"}, Row: 4, Cols: 100}
		c.Check(t, name, &Pi{}, s)
	}
}

// Where the text of the box begins is a setting of its user's: blanks that are typed there are none. In the first column it begins where a
// project takes the padding away again.
func TestScreenPadding(t *testing.T) {
	rule := strings.Repeat("─", 100)
	s := agent.Screen{Rows: []string{"", " Error: 429: {}", "", rule, "", rule, "~/work/demo (main)", "1.2%/100k (auto)      (fake) demo-1"}, Row: 4, Cols: 100}
	for text, col := range map[string]int{"": 0, `{"editorPaddingX": 2}`: 2, `{"editorPaddingX": 9}`: 3, `{"editorPaddingX": -1}`: 0, `{"editorPaddingX": "2"}`: 0, `{`: 0} {
		root := t.TempDir()
		put(t, filepath.Join(root, "settings.json"), text)
		p := New(agent.Env{Home: root}, agent.Config{ConfigDir: root})
		for s.Col = range 5 {
			if v := p.Screen(s); v.Ready != (s.Col == col || s.Col == 0) || v.Ready && v.Room != 96-2*col {
				t.Errorf("%s, cursor in column %d: %+v", text, s.Col, v)
			}
		}
	}
}
