package pi

import (
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// sends tells whether Enter sends what stands in the input box. keybindings.json may bind another key to that, or Enter to something that
// goes before it; nothing of that is drawn.
func (p *Pi) sends() bool {
	var keys map[string]any
	if p.root == "" || !agent.ReadKeys(filepath.Join(p.root, "keybindings.json"), &keys) {
		return true
	}
	for action, bound := range keys {
		switch {
		case action == "tui.input.submit" || action == "submit": // its name up to 0.6x, which later versions still read
			if !agent.HasEnter(bound) {
				return false
			}
		case strings.HasPrefix(action, "tui.select.") || strings.HasPrefix(action, "select"): // those of lists
		case agent.HasEnter(bound):
			return false
		}
	}
	return true
}
