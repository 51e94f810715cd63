package codex

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &Codex{}) }

// An 80 columns wide terminal took 76 cells and the cursor behind them in one row.
func TestScreenRoom(t *testing.T) { agenttest.Room(t, &Codex{}, "seen-error.txt", 120, 114) }

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &Codex{}, 4) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &Codex{}, "›") }

// waits is a screen as it is drawn when nothing happens, with some rows replaced, counted from the last.
func waits(rows map[int]string) agent.Screen {
	s := agent.Screen{Rows: []string{"• Back to work.", "", "› Ask Codex to do anything", "", "  gpt-5.1-codex default · ~/work/demo", "  ← for agents · ? for shortcuts"},
		Row: 2, Col: 2, Faint: [][2]int{{2, 26}}}
	for n, text := range rows {
		s.Rows[len(s.Rows)-1-n] = text
	}
	return s
}

// Each sign alone is enough.
func TestScreenSigns(t *testing.T) {
	for name, c := range map[string]struct {
		set   func(s *agent.Screen)
		rows  map[int]string
		ready bool
	}{
		"none":          {ready: true},
		"insert mode":   {rows: map[int]string{0: "  ← for agents · ? for shortcuts    Vim: Insert"}, ready: true},
		"normal mode":   {rows: map[int]string{0: "  ← for agents · ? for shortcuts    Vim: Normal"}},
		"busy":          {rows: map[int]string{5: "◦ Working (3s • esc to interrupt)"}},
		"half a hint":   {rows: map[int]string{0: "  ← for agents         Plan mode · ⚠ 1 warning · f2 to view"}, ready: true},
		"other keys":    {rows: map[int]string{0: "  ctrl+g for agents · f1 for shortcuts"}, ready: true},
		"another key":   {rows: map[int]string{0: "  f1 for shortcuts"}, ready: true},
		"no hint":       {rows: map[int]string{0: "                       Plan mode · ⚠ 1 warning · f2 to view"}},
		"other words":   {rows: map[int]string{0: "  esc for agents of mine · ? for shortcuts / esc close"}},
		"no key":        {rows: map[int]string{0: "  waiting for agents"}},
		"shortcuts":     {rows: map[int]string{0: "  ? for shortcuts / esc close"}},
		"a status line": {rows: map[int]string{1: "  gpt"}, ready: true}, // its user's own
		"a second line": {rows: map[int]string{2: "  more"}},
		"other text":    {rows: map[int]string{3: "› Ask Codex to do"}},
		"a side talk":   {rows: map[int]string{3: "› Ask a follow-up question"}},
		"more text":     {rows: map[int]string{3: "› Ask Codex to do anything now"}},
		"not faint":     {set: func(s *agent.Screen) { s.Faint = nil }},
		"partly faint":  {set: func(s *agent.Screen) { s.Faint = [][2]int{{2, 20}} }},
		"cursor behind": {set: func(s *agent.Screen) { s.Col = 3 }},
		"cursor above":  {set: func(s *agent.Screen) { s.Row = 1 }},
		"a planted one": {set: func(s *agent.Screen) {
			s.Rows, s.Row = append([]string{s.Rows[2], "", s.Rows[4]}, s.Rows...), 0
		}},
		"something below": {set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  x") }},
	} {
		s := waits(c.rows)
		if c.set != nil {
			c.set(&s)
		}
		if v := (&Codex{}).Screen(s); v.Ready != c.ready || v.Close != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Nothing is typed, nor Enter pressed behind what was, where Enter does not send.
func TestScreenKeys(t *testing.T) {
	const editor = "[tui.keymap.editor]\ninsert_newline = \"enter\"\n"
	for config, ready := range map[string]bool{
		"": true, "model = \"demo\"\n[tui]\nanimations = false\n": true, "[tui": true,
		"[tui.keymap.composer]\nsubmit = \"f5\"\n" + editor: false, "[tui.keymap.composer]\nsubmit = []\n": false, "[tui.keymap.global]\nsubmit = [\"ctrl-enter\"]\n": false,
		"[tui.keymap.composer]\nsubmit = [\"f5\", \"Return\"]\n": true, "tui.keymap.composer.submit = \"enter\"\n": true,
		"[tui.keymap.composer]\nsubmit = \"enter\"\n[tui.keymap.global]\nsubmit = \"f5\"\n": true, "[tui.keymap.composer]\nqueue = \"f6\"\n": true,
	} {
		root := t.TempDir()
		agenttest.Linked(t, filepath.Join(root, "config.toml"), config)
		c := &Codex{root: root}
		if v := c.Screen(waits(nil)); v.Ready != ready || !ready && v.Why != agent.WhyKeys {
			t.Errorf("%s: %+v", config, v)
		}
		s := waits(map[int]string{3: "› continue"})
		s.Faint, s.Col = nil, 10
		if v := c.Screen(s); v.Ready || (v.Input == "continue") != ready {
			t.Errorf("%s, typed: %+v", config, v)
		}
	}
}

// Up to 0.150 one row is below the box, which need not say whether that is empty.
func TestScreenOneRowBelow(t *testing.T) {
	for name, c := range map[string]struct {
		footer, box string
		ready       bool
	}{
		"0.80":             {"  100% context left · ? for shortcuts", "Implement {feature}", true},
		"0.80, used":       {"  220 used · ? for shortcuts", "Explain this codebase", true},
		"0.80, typed":      {"  100% context left", "Implement {feature}", false},
		"0.104":            {"  ? for shortcuts                    100% context left", "Use /skills to list available skills", true},
		"0.120":            {"  gpt-5.3-codex xhigh fast · ~/work/demo", "Find and fix a bug in @filename", true},
		"0.150":            {"  openai/gpt-5.1 default · /srv/demo", "Ask Codex to do anything", true},
		"plan mode":        {"  gpt-5.1 high · ~/work/demo    Plan mode (shift+tab to cycle)", "Ask Codex to do anything", true},
		"vim":              {"  gpt-5.1 high · ~/work/demo    Vim: Normal", "Ask Codex to do anything", false},
		"esc":              {"  esc again to edit previous message", "Summarize recent commits", false},
		"search":           {"  reverse-i-search: ", "Ask Codex to do anything", false},
		"keys":             {"  enter insert · esc close", "Ask Codex to do anything", false},
		"another question": {"  gpt-5.1 default · ~/work/demo", "Will this algorithm scale well", false},
		"its user's own":   {"  main · 3 files changed", "Ask Codex to do anything", false},
	} {
		s := agent.Screen{Rows: []string{"• Back to work.", "", "› " + c.box, "", c.footer}, Row: 2, Col: 2, Faint: [][2]int{{2, 2 + len(c.box)}}}
		if v := (&Codex{}).Screen(s); v.Ready != c.ready || v.Close != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// After /new, /clear or the agent's start the box is one of a session that was asked nothing; the session that stopped is not shown.
func TestScreenAnotherSession(t *testing.T) {
	old := []string{"╭──────────────────────────────────────╮", "│ >_ OpenAI Codex (v0.144.6)           │", "│                                      │", "╰──────────────────────────────────────╯",
		"", "  Tip: New Build faster with Codex.", "", "To continue this session, run codex resume 01a1fb7b-62e3-75f2-ab13-67f557d17c29", "", ""}
	newest := []string{"  >_ OpenAI Codex (v0.169.0)", "     ~/work/demo", ""}
	status := []string{"/status", "", "  >_ OpenAI Codex (v0.169.0)", "", "  Model:     demo-1", "  Session:   01a1fb86-4bfc-7ea3-8af1-fde4448691f6", ""}
	said := []string{"› say done", "", "■ You've hit your usage limit. Try again at 1:04 AM.", ""}
	for name, c := range map[string]struct {
		above []string
		ready bool
	}{
		"the failure":              {said, true},
		"its beginning, too":       {slices.Concat(newest, said), true},
		"begun behind it":          {slices.Concat(newest, said, old), false},
		"cleared":                  {newest, false},
		"cleared, old":             {old, false},
		"cleared, and a command":   {slices.Concat(old, []string{"• You ran ls", ""}), false},
		"nothing":                  {[]string{"", ""}, false},
		"only an answer":           {[]string{"• Back to work.", ""}, true},
		"status":                   {slices.Concat(said, status), true},
		"status of another":        {slices.Concat(said, newest, status), false},
		"asked and failed anew":    {slices.Concat(said, old, said), true},
		"a banner in what it said": {slices.Concat(said, []string{"• Read this:", "  >_ OpenAI Codex (v0.1)", ""}), false},
	} {
		s := waits(nil)
		s.Rows = append(slices.Clone(c.above), s.Rows[2:]...)
		s.Row = len(c.above)
		if v := (&Codex{}).Screen(s); v.Ready != c.ready {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Only the dialog of the approaching limit is closed, and only as the last thing on the screen.
func TestScreenNudge(t *testing.T) {
	rows := func(pairs ...string) agent.Screen {
		text := "  Approaching rate limits\n  Switch to gpt-6-luna for lower credit usage?\n\n› 1. Switch to gpt-6-luna   Fast.\n  2. Keep current model\n" +
			"  3. Keep current model (never show again)  Hide\n\n  enter select · esc back"
		return agent.Screen{Rows: strings.Split("■ a limit\n\n"+strings.NewReplacer(pairs...).Replace(text), "\n"), Row: 9, Col: 80}
	}
	for name, c := range map[string]struct {
		screen agent.Screen
		close  bool
	}{
		"as it is":       {rows(), true},
		"busy":           {rows("Approaching", "• Working (esc to interrupt)\n  Approaching"), false},
		"other keys":     {rows("enter select · esc back", "press enter to confirm or esc to go back"), false},
		"other items":    {rows("2. Keep current model\n", "2. Buy more\n"), false},
		"another first":  {rows("1. Switch to", "1. Yes, proceed"), false},
		"another title":  {rows("Approaching rate limits", "Select Model"), false},
		"other question": {rows("for lower credit usage?", "now?"), false},
		"a box below":    {rows("esc back", "esc back\n\n› Ask Codex to do anything"), false},
	} {
		if v := (&Codex{}).Screen(c.screen); v.Ready || (v.Close != nil) != c.close {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// What stands in the box is not what Enter would send where keys are vim's commands: its user is about to change it.
func TestTextInVimsNormalMode(t *testing.T) {
	for footer, want := range map[string]string{"  ← for agents    Vim: Insert": "continue", "  ← for agents    Vim: Normal": ""} {
		s := waits(map[int]string{0: footer, 3: "› continue"})
		s.Faint, s.Col = nil, 10
		if v := (&Codex{}).Screen(s); v.Ready || v.Input != want {
			t.Errorf("%s: %+v", footer, v)
		}
	}
}

// Nor is it where its user has begun another session.
func TestTextInAnotherSession(t *testing.T) {
	s := waits(map[int]string{3: "› continue"})
	s.Faint, s.Col = nil, 10
	if v := (&Codex{}).Screen(s); v.Input != "continue" {
		t.Fatalf("%+v", v)
	}
	s.Rows[0], s.Rows[1] = "", ""
	if v := (&Codex{}).Screen(s); v.Input != "" || v.Why != agent.WhyText {
		t.Errorf("%+v", v)
	}
}

// A key that Codex names with blanks leaves the hint what it was.
func TestHintWithSpacedKey(t *testing.T) {
	for _, row := range []string{"  ctrl + g for agents · ? for shortcuts", "  ⌃g for agents"} {
		if v := (&Codex{}).Screen(waits(map[int]string{0: row})); !v.Ready {
			t.Errorf("%s: %+v", row, v)
		}
	}
}
