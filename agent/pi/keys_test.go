package pi

import (
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreenKeys(t *testing.T) {
	agenttest.Keys(t, "429-gives-up-2-gave-up.txt", 120, func(home string) (agent.Terminal, string) {
		return &Pi{root: home}, filepath.Join(home, "keybindings.json")
	}, map[string]bool{
		"": true, "{": true, "[]": true, "{}": true, `{"tui.input.submit":"enter"}`: true, `{"tui.input.submit":["ctrl+s","return"]}`: true,
		`{"tui.input.submit":"ctrl+s"}`: false, `{"tui.input.submit":[]}`: false, `{"submit":["ctrl+s"]}`: false,
		`{"tui.input.newLine":["enter","ctrl+j"]}`: false, `{"newLine":"enter"}`: false, `{"app.message.followUp":"enter"}`: false,
		`{"tui.input.newLine":"shift+enter","tui.select.confirm":["enter"],"selectConfirm":"enter","app.exit":"ctrl+d"}`: true,
	})
}
