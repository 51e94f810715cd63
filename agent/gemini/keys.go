package gemini

import (
	"path/filepath"

	"github.com/clawd-project/clawd/agent"
)

// sends tells whether Enter sends what stands in the input box. keybindings.json may take the key from that, or bind it to something that
// goes before it; nothing of that is drawn.
func (g *Gemini) sends() bool {
	var keys []struct {
		Command string `json:"command"`
		Key     string `json:"key"`
	}
	if g.root == "" || !agent.ReadKeys(filepath.Join(g.root, "keybindings.json"), &keys) {
		return true
	}
	for _, k := range keys {
		if agent.IsEnter(k.Key) && k.Command != "input.submit" {
			return false
		}
	}
	return true
}
