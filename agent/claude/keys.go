package claude

import (
	"encoding/json"
	"path/filepath"

	"github.com/clawd-project/clawd/agent"
)

// sends tells whether Enter sends what stands in the input box. keybindings.json may give it another action there, such as a new line, or
// none; nothing of that is drawn.
func (c *Claude) sends() bool {
	b, err := agent.ReadSettings(filepath.Join(c.root, "keybindings.json"), configMax)
	if err != nil {
		return true
	}
	var keys struct {
		Bindings []json.RawMessage `json:"bindings"`
	}
	if err := json.Unmarshal(b, &keys); err != nil {
		return true // the agent does not read it either
	}
	for _, raw := range keys.Bindings {
		var block struct {
			Context  string         `json:"context"`
			Bindings map[string]any `json:"bindings"`
		}
		if json.Unmarshal(raw, &block) != nil { // the others may count all the same
			continue
		}
		if block.Context != "Chat" && block.Context != "Global" { // those of the box, and those that go before them
			continue
		}
		for key, action := range block.Bindings {
			if agent.IsEnter(key) && action != "chat:submit" {
				return false
			}
		}
	}
	return true
}
