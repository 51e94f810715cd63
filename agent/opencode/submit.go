package opencode

import (
	"path/filepath"

	"github.com/clawd-project/clawd/agent"
)

// sends tells whether Enter sends what stands in the input box. tui.json, or opencode.json before there was one, may bind other keys to
// that; nothing of that is drawn.
func (o *OpenCode) sends() bool {
	for _, folder := range o.configs {
		if !submits(folder) {
			return false
		}
	}
	return true
}

// configs are the folders of its user's own config.
func configs(env agent.Env) (all []string) {
	switch xdg := env.Getenv("XDG_CONFIG_HOME"); {
	case filepath.IsAbs(xdg):
		all = append(all, filepath.Join(xdg, "opencode"))
	case env.Home != "":
		all = append(all, filepath.Join(env.Home, ".config", "opencode"))
	}
	if env.Home != "" {
		all = append(all, filepath.Join(env.Home, ".opencode"))
	}
	if own := env.Getenv("OPENCODE_CONFIG_DIR"); filepath.IsAbs(own) {
		all = append(all, own)
	}
	return all
}

// submits tells whether Enter sends by the files of a folder. The keys in opencode.json do not count beside a tui.json.
func submits(folder string) bool {
	for _, names := range [][]string{{"tui.json", "tui.jsonc"}, {"config.json", "opencode.json", "opencode.jsonc"}} {
		read := false
		for _, name := range names {
			var config struct {
				Keys map[string]any `json:"keybinds"`
			}
			if !agent.ReadKeys(filepath.Join(folder, name), &config) {
				continue
			}
			read = true
			if keys, bound := config.Keys["input_submit"]; bound && !agent.HasEnter(keys) && !agent.HasEnter(config.Keys["prompt_submit"]) ||
				agent.HasEnter(config.Keys["input_newline"]) {
				return false
			}
		}
		if read {
			break
		}
	}
	return true
}
