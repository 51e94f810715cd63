package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &Claude{}) }

// An 80 columns wide terminal took 76 cells in one row, of versions 2.1.197 and 2.1.329.
func TestScreenRoom(t *testing.T) {
	agenttest.Room(t, &Claude{}, "seen-2.1.329-error.txt", 120, 114)
}

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &Claude{}, 6) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &Claude{}, "❯") }

// edited gives a recorded screen with some of its text replaced.
func edited(t *testing.T, file string, row, col int, pairs ...string) agent.Screen {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "screens", file))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(pairs); n += 2 {
		if !strings.Contains(string(text), pairs[n]) {
			t.Fatalf("%s has no %q", file, pairs[n])
		}
		text = []byte(strings.ReplaceAll(string(text), pairs[n], pairs[n+1]))
	}
	return agent.Screen{Rows: strings.Split(string(text), "\n"), Row: row, Col: col}
}

// A placeholder counts as empty only when it is the known one and all of it is faint but for the cell
// under the cursor.
func TestScreenPlaceholder(t *testing.T) {
	const file, row = "seen-2.1.197-start.txt", 14
	box := func(text string) agent.Screen { return edited(t, file, row, 2, "❯\u00a0\n", "❯\u00a0"+text+"\n") }
	for _, c := range []struct {
		text  string
		faint [][2]int
		col   int
		ready bool
	}{
		{`Try "edit main.go to…"`, [][2]int{{2, 24}}, 2, true},
		{`Try "edit main.go to…"`, [][2]int{{3, 24}}, 2, true},
		{`Try "edit main.go to…"`, [][2]int{{3, 24}}, 3, false},
		{`Try "edit main.go to…"`, [][2]int{{3, 20}}, 2, false},
		{`Try "edit main.go to…"`, nil, 2, false},
		{`Try "edit main.go to…" now`, [][2]int{{2, 28}}, 2, false},
		{`run the tests`, [][2]int{{2, 15}}, 2, false},
		{`Resend your message to try again`, [][2]int{{2, 34}}, 2, true},
		{`Resend your message to try again`, nil, 2, true}, // the footer says that the box is empty
		{`Resend your message to try again`, nil, 3, false},
		{`Resend your message to try`, nil, 2, false},
	} {
		s := box(c.text)
		s.Faint, s.Col = c.faint, c.col
		if v := (&Claude{}).Screen(s); v.Ready != c.ready {
			t.Errorf("%q, faint %v, cursor at %d: %+v", c.text, c.faint, c.col, v)
		}
	}
}

// Where nothing is drawn in a color, the advice after a failure is no fainter than what is typed; anything else is its user's.
func TestScreenPlain(t *testing.T) {
	for text, ready := range map[string]bool{
		"Resend your message to try again": true, "Once fixed, resend your message": true, "Run /rewind to go back": true,
		"Resend your message": false, "resend it": false, `Try "edit main.go to…"`: false,
	} {
		s := edited(t, "seen-2.1.197-start.txt", 14, 2, "❯\u00a0\n", "❯\u00a0"+text+"\n", "? for shortcuts · ← for agents", "plan mode on")
		for _, plain := range []bool{true, false} {
			s.Plain = plain
			if v := (&Claude{}).Screen(s); v.Ready != (ready && plain) {
				t.Errorf("%q, plain %v: %+v", text, plain, v)
			}
		}
		s.Plain, s.Col = true, 3
		if v := (&Claude{}).Screen(s); v.Ready {
			t.Errorf("%q, cursor behind its beginning: %+v", text, v)
		}
	}
}

// Only the menu of the usage limit itself is closed.
func TestScreenMenu(t *testing.T) {
	const file = "tui_lim_5h-2.txt"
	row := -1
	for n, line := range edited(t, file, 0, 0).Rows {
		if strings.Contains(line, "❯ 1. Stop and wait") {
			row = n
		}
	}
	for name, c := range map[string]struct {
		pairs []string
		row   int
		close bool
	}{
		"as it is":               {nil, row, true},
		"another item chosen":    {[]string{"❯ 1. Stop", "  1. Stop", "    2. Switch", "  ❯ 2. Switch"}, row + 1, false},
		"cursor elsewhere":       {nil, row + 1, false},
		"cursor below all":       {nil, row + 5, true},
		"cursor far below":       {nil, row + 6, false},
		"an item that continues": {[]string{"2. Switch to usage credits", "2. Wait here, then continue automatically at 1:40am"}, row, true},
		"that item chosen":       {[]string{"❯ 1. Stop", "  1. Stop", "    2. Switch to usage credits", "  ❯ 2. Wait here, then continue automatically at 1:40am"}, row + 1, false},
		"another question":       {[]string{"What do you want to do?", "Do you want to proceed?"}, row, false},
		"another first item":     {[]string{"1. Stop and wait for limit to reset", "1. Yes"}, row, false},
		"other keys":             {[]string{"Enter to confirm · Esc to cancel", "Esc to cancel · Tab to amend"}, row, false},
		"a box below":            {[]string{"Esc to cancel", "Esc to cancel\n❯ "}, row, false},
		"no line above":          {[]string{"─", " "}, row, false},
	} {
		if v := (&Claude{}).Screen(edited(t, file, c.row, 2, c.pairs...)); v.Ready || (v.Close != nil) != c.close {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// An empty box in vim's NORMAL mode looks like one without vim, so the settings count; those of the user before
// the global file, as the agent reads them.
func TestScreenVim(t *testing.T) {
	const file, row, insert, normal = "seen-2.1.197-vim-start.txt", 14, "-- INSERT -- ←", "? for shortcuts · ←"
	const vim, emacs = `{"numStartups": 3, "editorMode": "vim"}`, `{"editorMode":"normal"}`
	for name, c := range map[string]struct {
		settings, global string
		inside           bool // the folder is configured, and the global file in it
		footer           string
		ready            bool
	}{
		"no files":               {"", "", false, normal, true},
		"not vim":                {emacs, emacs, false, normal, true},
		"another setting":        {`{"model":"vim"}`, `{}`, false, normal, true},
		"not JSON":               {`{"editorMode":"vim`, "", false, normal, true},
		"settings":               {vim, "", false, normal, false},
		"global":                 {"", vim, false, normal, false},
		"global, beside":         {`{"model":"opus"}`, vim, false, normal, false},
		"global, inside":         {"", vim, true, normal, false},
		"settings, inside":       {vim, "", true, normal, false},
		"settings before global": {emacs, vim, false, normal, true},
		"insert":                 {vim, vim, false, insert, true},
		"visual":                 {vim, vim, false, "-- VISUAL -- ←", false},
		"too large":              {"", vim[:1] + strings.Repeat(" ", configMax) + vim[1:], false, normal, true},
	} {
		home := t.TempDir()
		root, global := filepath.Join(home, ".claude"), home
		env, cfg := agent.Env{Home: home, Getenv: func(string) string { return "" }}, agent.Config{}
		if c.inside {
			root = filepath.Join(home, "elsewhere")
			global, cfg.ConfigDir = root, root
		}
		if err := os.MkdirAll(root, 0o700); err != nil {
			t.Fatal(err)
		}
		for path, text := range map[string]string{filepath.Join(root, "settings.json"): c.settings, filepath.Join(global, ".claude.json"): c.global} {
			if text == "" {
				continue
			}
			agenttest.Linked(t, path, text)
		}
		v := New(env, cfg).Screen(edited(t, file, row, 2, insert, c.footer))
		if v.Ready != c.ready || !c.ready && !strings.Contains(v.Why, "its input box is in vim's NORMAL mode") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Nothing is typed, nor Enter pressed behind what was, where Enter does not send.
func TestScreenKeys(t *testing.T) {
	bound := func(context, key, action string) string {
		return `{"bindings":[{"context":"Global","bindings":{"ctrl+t":null}},{"context":"` + context + `","bindings":{"up":"history:previous","` + key + `":` + action + `}}]}`
	}
	for keys, ready := range map[string]bool{
		"": true, "{": true, `{"bindings":{}}`: true, `{"bindings":[]}`: true,
		bound("Chat", "enter", `"chat:newline"`): false, bound("Chat", "Return", `"chat:newline"`): false, bound("Chat", "enter", "null"): false,
		bound("Global", "enter", `"app:toggleTodos"`): false, `{"bindings":[{"context":7},{"context":"Chat","bindings":{"enter":null}}]}`: false,
		bound("Chat", "enter", `"chat:submit"`): true, bound("Chat", "shift+enter", `"chat:newline"`): true, bound("Select", "enter", "null"): true,
	} {
		root := t.TempDir()
		agenttest.Linked(t, filepath.Join(root, "keybindings.json"), keys)
		c := &Claude{root: root}
		if v := c.Screen(edited(t, "seen-2.1.197-start.txt", 14, 2)); v.Ready != ready || !ready && v.Why != agent.WhyKeys {
			t.Errorf("%s: %+v", keys, v)
		}
		s := edited(t, "seen-2.1.197-start.txt", 14, 10, "❯\u00a0\n", "❯\u00a0continue\n")
		if v := c.Screen(s); v.Ready || (v.Input == "continue") != ready {
			t.Errorf("%s, typed: %+v", keys, v)
		}
	}
}

// Nothing is typed, nor Enter pressed behind what was, where its user went back to before the turn that failed.
func TestScreenRewound(t *testing.T) {
	const file, end = "seen-2.1.329-after-busy.txt", "done 9:41 PM\n"
	for name, c := range map[string]struct {
		pairs []string
		ready bool
	}{
		"ended well":               {nil, false},
		"a notice above the box":   {[]string{end, end + strings.Repeat(" ", 70) + "tmux focus-events off\n"}, false},
		"a whole day's clock":      {[]string{"done 9:41 PM", "done 21:41"}, false},
		"a failure behind it":      {[]string{end, end + "\n❯ more\n● API Error: 529 Overloaded\n"}, true},
		"a command behind it":      {[]string{end, end + "\n❯ /rename x\n  ⎿  Session renamed to: x\n"}, true},
		"what 2.1.197 leaves":      {[]string{" · done 9:41 PM", ""}, true},
		"the same words, answered": {[]string{"✻ ", "● "}, true},
	} {
		s := edited(t, file, 0, 2, c.pairs...)
		for n, line := range s.Rows {
			if strings.HasPrefix(line, promptMark) {
				s.Row = n
			}
		}
		if v := (&Claude{}).Screen(s); v.Ready != c.ready || !c.ready && !strings.Contains(v.Why, "ended well") {
			t.Errorf("%s: %+v", name, v)
		}
		s.Rows[s.Row], s.Col = "❯\u00a0continue", 10
		if v := (&Claude{}).Screen(s); v.Ready || v.Why != agent.WhyText || (v.Input == "continue") != c.ready {
			t.Errorf("%s, typed: %+v", name, v)
		}
	}
}

// Each sign alone is enough.
func TestScreenSigns(t *testing.T) {
	const file, row, footer = "seen-2.1.197-after-busy.txt", 36, "  ? for shortcuts"
	rule := strings.Repeat("─", 120)
	for name, c := range map[string]struct {
		pairs []string
		title string
		ready bool
	}{
		"none":                {nil, "✳ Claude Code", true},
		"no title":            {nil, "", true},
		"title":               {nil, "⠐ Claude Code", false},
		"title of 2.1.329":    {nil, "◑ Claude Code", false},
		"spinner":             {[]string{"● All done.", "✶ Crafting… (3s · ↓ 4 tokens)"}, "", false},
		"footer":              {[]string{footer, "  esc to interrupt"}, "", false},
		"continues by itself": {[]string{footer, "    Continuing shortly"}, "", false},
		"may be cancelled":    {[]string{footer, "    Usage limit · Esc to cancel"}, "", false},
		"a second box":        {[]string{footer, "\n" + rule + "\n❯\n" + rule}, "", false},
		"a menu below":        {[]string{footer, "❯ 1. Yes"}, "", false},
	} {
		s := edited(t, file, row, 2, c.pairs...)
		s.Title = c.title
		if v := (&Claude{}).Screen(s); v.Ready != c.ready || v.Close != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
