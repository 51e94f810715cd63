package gemini

import (
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreenKeys(t *testing.T) {
	agenttest.Keys(t, "seen-start.txt", 120, func(home string) (agent.Terminal, string) {
		return &Gemini{root: home}, filepath.Join(home, "keybindings.json")
	}, map[string]bool{
		`[{"command":"-suggest.accept","key":"enter"},{"command":"basic.confirm","key":"enter"},{"command":"background.select","key":"enter"}]`: true,
		"": true, "{}": true, "[]": true, `[{"command":"input.submit","key":"ctrl+s"}]`: true, `[{"command":"input.submit","key":"Enter"}]`: true,
		`[{"command":"input.newline","key":"shift+enter"},{"command":"-app.toggleYolo","key":"ctrl+y"}]`: true,
		`[{"command":"-input.submit","key":"enter"}]`:                                                    false, "[ // mine\n{\"command\":\"input.newline\",\"key\":\"enter\"},]": false,
		`[{"command":"input.submit","key":"ctrl+s"},{"command":"-input.submit","key":"ENTER"}]`: false,
	})
}
