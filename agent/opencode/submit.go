package opencode

import (
	"path/filepath"
	"strings"

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
	sends, _ := submitsBy(o.config)
	return sends
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
			sends, is := submitsBy(filepath.Join(folder, name))
			if !sends {
				return false
			}
			read = read || is
		}
		if read {
			break
		}
	}
	return true
}

// submitsBy tells whether Enter sends by one file, and whether there is one.
func submitsBy(file string) (sends, is bool) {
	var config struct {
		Keys map[string]any `json:"keybinds"`
	}
	if !agent.ReadKeys(file, &config) {
		return true, false
	}
	k := config.Keys
	submit, bound := k["input_submit"]
	return (!bound || exact(submit) || exact(k["prompt_submit"])) && !agent.HasEnter(k["input_newline"]), true
}

// exact tells whether Enter is among keys that opencode takes as they stand: a blank before one makes it another key.
func exact(keys any) bool {
	text, _ := keys.(string)
	return !strings.Contains(text, " ") && agent.HasEnter(keys)
}
