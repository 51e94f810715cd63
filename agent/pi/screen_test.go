package pi

import (
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
	for name, c := range map[string]struct {
		rows  map[int]string
		set   func(s *agent.Screen)
		ready bool
	}{
		"none":          {ready: true},
		"working":       {rows: map[int]string{3: "── ⠹ Working " + strings.Repeat("─", 80)}},
		"compacting":    {rows: map[int]string{3: "── ⠹ Compacting... " + strings.Repeat("─", 80)}},
		"text":          {rows: map[int]string{4: "x"}},
		"a blank typed": {set: func(s *agent.Screen) { s.Col = 1 }},
		"two rows":      {set: func(s *agent.Screen) { s.Rows = append(s.Rows[:4:4], append([]string{""}, s.Rows[4:]...)...) }},
		"a menu": {set: func(s *agent.Screen) {
			s.Rows = append(s.Rows[:6:6], append([]string{"→ settings", "  model", "  tree"}, s.Rows[6:]...)...)
		}},
		"no model":              {rows: map[int]string{7: "~/work/demo"}},
		"an answer":             {rows: map[int]string{1: " All done."}},
		"an answer quotes":      {rows: map[int]string{1: " All done.", 2: " Error: 429"}},
		"cancelled":             {rows: map[int]string{1: " Error: Retry failed after 2 attempts: Retry cancelled"}},
		"no room could be made": {rows: map[int]string{1: " Error: Compaction failed: Nothing to compact (session too small)"}},
		"nor after an answer":   {rows: map[int]string{1: " Error: Auto-compaction failed: 429: {}"}},
		"with a hint": {set: func(s *agent.Screen) {
			s.Rows = append([]string{"", " Error: x", "", " If this looks like a pi bug, /bug sends a report."}, s.Rows[2:]...)
			s.Row += 2
		}, ready: true},
		"a rule below":      {set: func(s *agent.Screen) { s.Rows = append(s.Rows, rule) }},
		"cursor elsewhere":  {set: func(s *agent.Screen) { s.Row = 1 }},
		"cursor not known":  {set: func(s *agent.Screen) { s.Row = -1 }},
		"a subscription":    {rows: map[int]string{7: "$0.000 (sub) 0.3%/500k (auto)      (openai-codex) gpt-5.4 • high"}, ready: true},
		"context not known": {rows: map[int]string{7: "?%/200k      (fake) demo-1"}, ready: true},
	} {
		s := agent.Screen{Rows: []string{"", " Error: 429: {}", "", rule, "", rule, "~/work/demo (main)", "1.2%/100k (auto)      (fake) demo-1"}, Row: 4, Cols: 100}
		for n, text := range c.rows {
			s.Rows[n] = text
		}
		if c.set != nil {
			c.set(&s)
		}
		if v := (&Pi{}).Screen(s); v.Ready != c.ready || v.Close != nil || v.Instead != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
