package copilot

import (
	"errors"
	"path/filepath"

	"github.com/tidwall/jsonc"

	"github.com/clawd-project/clawd/agent"
)

const settingsMax = 4 << 20

// whole refuses a run in a folder while settings or hooks are broken: the agent passes over such a file, without a word, and over the hooks in
// it that deny. Settings may have comments and commas too many, files of hooks may not.
func (c *Copilot) whole(dir string) error {
	settings := []string{filepath.Join(c.root, "config.json"), filepath.Join(c.root, "settings.json")}
	for _, folder := range []string{filepath.Join(dir, ".github", "copilot"), filepath.Join(dir, ".claude")} {
		settings = append(settings, filepath.Join(folder, "settings.json"), filepath.Join(folder, "settings.local.json"))
	}
	var hooks []string
	for _, folder := range []string{filepath.Join(c.root, "hooks"), filepath.Join(dir, ".github", "hooks")} {
		hooks = append(hooks, agent.FilesIn(folder, ".json")...)
	}
	return errors.Join(agent.WholeSettings(settingsMax, jsonc.ToJSON, nil, settings...), agent.WholeSettings(settingsMax, nil, soundHooks, hooks...))
}

// soundHooks says what in a file of hooks has the agent pass over all of it.
func soundHooks(all any) error {
	file, _ := all.(map[string]any) // what is none has no hooks
	value, there := file["hooks"]
	hooks, ok := value.(map[string]any)
	if there && !ok {
		return errors.New("hooks must be an object")
	}
	for name, list := range hooks {
		if _, ok := list.([]any); !ok {
			return errors.New("hooks." + name + " must be an array")
		}
	}
	return nil
}
