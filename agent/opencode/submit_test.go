package opencode

import (
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreenKeys(t *testing.T) {
	const newline = `{"keybinds":{"input_submit":"ctrl+return","input_newline":"return"}}`
	bound := map[string]bool{
		"": true, "{": true, `{"theme":"dracula"}`: true, `{"keybinds":{"leader":"ctrl+x","input_newline":"shift+return,ctrl+j"}}`: true,
		newline: false, "{\n  // mine\n  \"keybinds\": {\"input_submit\": \"none\",},\n}": false, `{"keybinds":{"input_submit":false}}`: false,
		`{"keybinds":{"input_newline":"return,ctrl+j"}}`: false, `{"keybinds":{"input_submit":["f5",{"key":"return"}]}}`: true, `{"keybinds":{"input_submit":"f5,enter"}}`: true, `{"keybinds":{"input_submit":"f5, enter"}}`: false,
		`{"keybinds":{"input_submit":"none","prompt_submit":"return"}}`: true,
	}
	xdg := func(key string) string {
		return map[string]string{"XDG_CONFIG_HOME": "/nowhere/config", "OPENCODE_CONFIG_DIR": "/nowhere/own"}[key]
	}
	unset := func(string) string { return "" }
	for name, c := range map[string]struct {
		file   string
		getenv func(home string) func(string) string
		counts bool
	}{
		"its file":             {".config/opencode/tui.json", func(string) func(string) string { return unset }, true},
		"with comments":        {".config/opencode/tui.jsonc", func(string) func(string) string { return unset }, true},
		"before there was one": {".config/opencode/opencode.json", func(string) func(string) string { return unset }, true},
		"in the home folder":   {".opencode/tui.json", func(string) func(string) string { return unset }, true},
		"elsewhere":            {".config/opencode/tui.json", func(string) func(string) string { return xdg }, false},
		"where the variable says": {"x/opencode/opencode.jsonc", func(home string) func(string) string {
			return func(key string) string { return map[string]string{"XDG_CONFIG_HOME": filepath.Join(home, "x")}[key] }
		}, true},
		"a file of its own": {"mine.json", func(home string) func(string) string {
			return func(key string) string {
				return map[string]string{"OPENCODE_CONFIG": filepath.Join(home, "mine.json")}[key]
			}
		}, true},
		"a folder of its own": {"own/tui.json", func(home string) func(string) string {
			return func(key string) string {
				return map[string]string{"OPENCODE_CONFIG_DIR": filepath.Join(home, "own")}[key]
			}
		}, true},
	} {
		cases := bound
		if !c.counts {
			cases = map[string]bool{newline: true}
		}
		t.Run(name, func(t *testing.T) {
			agenttest.Keys(t, "seen-done.txt", 120, func(home string) (agent.Terminal, string) {
				return New(agent.Env{Home: home, Getenv: c.getenv(home)}, agent.Config{}), filepath.Join(home, c.file)
			}, cases)
		})
	}
	t.Run("both", func(t *testing.T) {
		home := t.TempDir()
		put := func(name, text string) { writeFile(t, filepath.Join(home, ".config/opencode", name), text) }
		put("opencode.json", newline)
		put("tui.json", `{"theme":"dracula"}`)
		if o := New(agent.Env{Home: home, Getenv: unset}, agent.Config{}); !o.sends() {
			t.Error("the keys in opencode.json count beside a tui.json")
		}
	})
}
