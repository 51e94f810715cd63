package codex

import (
	"path/filepath"

	"github.com/BurntSushi/toml"

	"github.com/clawd-project/clawd/agent"
)

// configMax bounds config.toml.
const configMax = 4 << 20

// sends tells whether Enter sends what stands in the input box. config.toml may bind other keys to that, and then it begins a new line or
// does nothing; nothing of that is drawn.
func (c *Codex) sends() bool {
	b, err := agent.ReadSettings(filepath.Join(c.root, "config.toml"), configMax)
	if err != nil {
		return true
	}
	type context struct {
		Submit any `toml:"submit"`
	}
	var config struct {
		TUI struct {
			Keymap struct {
				Composer context `toml:"composer"`
				Global   context `toml:"global"`
			} `toml:"keymap"`
		} `toml:"tui"`
	}
	if err := toml.Unmarshal(b, &config); err != nil {
		return true // the agent does not start with it
	}
	for _, keys := range []any{config.TUI.Keymap.Composer.Submit, config.TUI.Keymap.Global.Submit} {
		if keys != nil {
			return agent.HasEnter(keys)
		}
	}
	return true
}
