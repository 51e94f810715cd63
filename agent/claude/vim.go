package claude

import (
	"encoding/json"
	"path/filepath"

	"github.com/clawd-project/clawd/agent"
)

// configMax bounds a settings file; the global one holds the prompts of all projects, too.
const configMax = 16 << 20

// vim tells whether the input box takes keys as vim does: by the user's settings, else by the global file,
// which older versions kept it in. Those of a project and of the command line are not looked at, for a screen
// does not tell whose it is.
func (c *Claude) vim() bool {
	mode := editorMode(filepath.Join(c.root, "settings.json"))
	if mode == "" {
		mode = editorMode(c.globals()[0])
	}
	return mode == "vim"
}

// globals are the files in which the agent keeps what is of no project. Where the config names its usual folder, runs without that variable
// have it elsewhere.
func (c *Claude) globals() []string {
	const name = ".claude.json"
	home := filepath.Join(c.env.Home, name)
	switch {
	case c.given == "":
		return []string{home}
	case c.root == agent.Resolved(filepath.Join(c.env.Home, ".claude")):
		return []string{filepath.Join(c.root, name), home}
	}
	return []string{filepath.Join(c.root, name)}
}

// editorMode reads a settings file; empty: it names none, or cannot be read.
func editorMode(path string) string {
	b, err := agent.ReadSettings(path, configMax)
	if err != nil {
		return ""
	}
	var settings struct {
		EditorMode string `json:"editorMode"`
	}
	if err := json.Unmarshal(b, &settings); err != nil {
		return ""
	}
	return settings.EditorMode
}
