package gemini

import (
	"path/filepath"
	"slices"
	"strings"

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
		taken := k.Command == "-input.submit" || !strings.HasPrefix(k.Command, "-") && !slices.Contains(others, k.Command)
		if agent.IsEnter(k.Key) && taken {
			return false
		}
	}
	return true
}

// others are the commands that leave Enter to the input box: its own, and those of lists and dialogs.
var others = []string{"input.submit", "basic.confirm", "suggest.accept", "history.search.submit", "background.select"}
