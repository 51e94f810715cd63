package opencode

import (
	"os"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &OpenCode{}) }

// A box of 76 columns took 71 cells in one row; a sidebar makes it narrower than the terminal.
func TestScreenRoom(t *testing.T) {
	agenttest.Room(t, &OpenCode{}, "seen-done.txt", 120, 109)
	agenttest.Room(t, &OpenCode{}, "seen-wide-done.txt", 160, 127)
}

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &OpenCode{}, 4) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &OpenCode{}, "┃") }

// Each sign alone is enough; the dialog of a limit is closed only when nothing is retried.
func TestScreenSigns(t *testing.T) {
	const lucent = "theme-1.18-lucent-failed.txt"
	for name, c := range map[string]struct {
		file     string
		row, col int
		pairs    []string
		want     string
	}{
		"none":                  {"seen-done.txt", 34, 5, nil, "ready"},
		"interrupt":             {"seen-done.txt", 34, 5, []string{"110 (0%)", "esc interrupt"}, "no"},
		"retry":                 {"seen-done.txt", 34, 5, []string{"110 (0%)", "[retrying in 3s]"}, "no"},
		"folded message":        {"seen-done.txt", 34, 5, []string{"110 (0%)", "(click to expand)"}, "no"},
		"shell":                 {"seen-done.txt", 34, 5, []string{"Build · demo-1 Fake\n  ╹", "Shell\n  ╹"}, "no"},
		"another mode":          {"seen-done.txt", 34, 5, []string{"110 (0%)", "esc exit"}, "no"},
		"no tip":                {"seen-done.txt", 34, 5, []string{"ctrl+p commands", ""}, "no"},
		"more below":            {"seen-done.txt", 34, 5, []string{"ctrl+p commands", "ctrl+p commands\n    #4]"}, "no"},
		"queued":                {"seen-done.txt", 34, 5, []string{"  ┃  say hello\n", "  ┃  say hello\n  ┃   QUEUED\n"}, "no"},
		"an empty line typed":   {"seen-done.txt", 34, 5, []string{"\n\n  ┃\n  ┃\n  ┃\n", "\n\n  ┃\n  ┃\n  ┃\n  ┃\n"}, "no"},
		"text below it":         {"seen-done.txt", 34, 5, []string{"  ┃\n  ┃  Build · demo-1 Fake", "  ┃  x\n  ┃  Build · demo-1 Fake"}, "no"},
		"dialog":                {"seen-go-dialog-gaveup.txt", 4, 118, nil, "close"},
		"free limit":            {"seen-go-dialog-gaveup.txt", 4, 118, []string{"Go limit reached  ", "Free limit reached"}, "close"},
		"another dialog":        {"seen-go-dialog-gaveup.txt", 4, 118, []string{"Go limit reached", "Delete session? "}, "no"},
		"other buttons":         {"seen-go-dialog-gaveup.txt", 4, 118, []string{"open settings", "buy credits  "}, "no"},
		"dialog and retry":      {"seen-go-dialog-gaveup.txt", 4, 118, []string{"tab agents", "[retrying]"}, "no"},
		"dialog two columns on": {"seen-go-dialog-gaveup.txt", 4, 118, []string{"Go limit reached  ", "  Go limit reached"}, "no"},
		"dialog a row higher":   {"seen-go-dialog-gaveup.txt", 4, 118, []string{"  ┃\n  ┃  say gone\n", ""}, "no"},
		"a dialog in a text":    {"seen-models.txt", 13, 34, []string{"Line 45 of the answer.", "Go limit reached                                   esc\n     don't show again                     open settings"}, "no"},
		"accents":               {"seen-done.txt", 34, 5, []string{"/home/dev/work/demo", "/home/de\u0301v/work/de\u0301mo"}, "ready"},
		"wide letters":          {"seen-done.txt", 34, 5, []string{"/home/dev", "/home/開v"}, "ready"},
		"cursor in the box":     {"seen-go-dialog-gaveup.txt", 34, 5, nil, "no"},
		"any dialog":            {"seen-done.txt", 34, 5, []string{"All done.", "All done.       Delete session?                  esc"}, "no"},
		"wide, text in side":    {"seen-wide-done.txt", 30, 5, nil, "ready"},
		"no color of its own":   {lucent, 34, 5, nil, "ready"},
		"text in it":            {lucent, 34, 5, []string{"  ┃\n  ┃\n  ┃  Build · demo-1 Fake", "  ┃  x\n  ┃\n  ┃  Build · demo-1 Fake"}, "no"},
		"text below that":       {lucent, 34, 5, []string{"  ┃\n  ┃  Build · demo-1 Fake", "  ┃  x\n  ┃  Build · demo-1 Fake"}, "no"},
		"it works":              {lucent, 34, 5, []string{"   /home", "  ⬝■■ esc interrupt   /home"}, "no"},
		"no keys":               {lucent, 34, 5, []string{"tab agents  ctrl+p commands", ""}, "no"},
		"no row between":        {lucent, 34, 5, []string{"Build · demo-1 Fake\n\n", "Build · demo-1 Fake\n"}, "no"},
		"more in that row":      {lucent, 34, 5, []string{"Build · demo-1 Fake\n\n", "Build · demo-1 Fake\n   more\n"}, "no"},
	} {
		text, err := os.ReadFile("testdata/screens/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(c.pairs); n += 2 {
			if !strings.Contains(string(text), c.pairs[n]) {
				t.Fatalf("%s: no %q", name, c.pairs[n])
			}
			text = []byte(strings.Replace(string(text), c.pairs[n], c.pairs[n+1], 1))
		}
		s := agent.Screen{Rows: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), Row: c.row, Col: c.col, Cols: 120}
		if name == "queued" || name == "an empty line typed" {
			s.Row++
		}
		got := "no"
		switch v := (&OpenCode{}).Screen(s); {
		case v.Ready:
			got = "ready"
		case v.Close != nil:
			got = "close"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s: %+v", name, got, c.want, (&OpenCode{}).Screen(s))
		}
	}
}

// Below the box of an idle terminal stand the folder and the keys, where it is narrow in more rows than one.
func TestIdleFooter(t *testing.T) {
	for text, want := range map[string]bool{
		"   ~/work/demo            tab agents  ctrl+p commands":                                true,
		"                          tab agents  ctrl+p commands":                                true,
		"   /home/dev/a/work/  tab agents ctrl+p commands\n   demo":                            true,
		"   /home/dev/a/        tab     ctrl+p\n   work/demo           agents  commands":       true,
		"   /home/de\u0301v/a/        tab     ctrl+p\n   work/demo           agents  commands": true, // an accent that takes no column
		"   /home/開発/a/       tab     ctrl+p\n   work/demo           agents  commands":         true,
		"   /home/dev/a/        tab agentsctrl+p\n   work/demo:main            commands":       true,
		"   /home/dev/a/        tab     ctrl+p\n   work/demo":                                  false,
		"   /home/dev/a/        tab     ctrl+p\n   work/demo           agents":                 false,
		"   ~/work/demo  tab agents  ctrl+p commands\n                agents  commands":        false,
		"   ~/work/demo            tab agents  ctrl+p commands\n  demo":                        false,
		"   ~/work/demo            tab agents  ctrl+p commands\n   a  b":                       false,
		"   ~/work/demo            tab agents  ctrl+p commands\n                 1 queued":     false,
		"   esc again              tab agents  ctrl+p commands":                                false,
		"   ~/work/demo            tab agents  ctrl+shift+p commands":                          true, // its user has chosen other keys
		"   ~/work/demo            ctrl+a tab agents  ctrl+a p commands":                       true,
		"   ~/work/demo                        agents   commands":                              true, // or none
		"   ~/work/demo            110 (0%) · $0.01  f1 commands":                              true,
		"   /home/dev/a/   110 (0 ctrl+a p\n   work/demo              commands":                true,
		"   /home/dev/a/   110 (0 ctrl+a p\n   work/  demo            commands":                false,
		"   /home/dev/a/   110 (0\n   work/demo              commands":                         false,
		"   ~/work/demo            1 queued        tab agents":                                 false,
		"   ~/work/demo            esc exit shell mode":                                        false,
		"   ~/work/demo": false,
		"":               false,
	} {
		if got := idle(strings.Split(text, "\n")); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
