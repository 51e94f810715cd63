package copilot

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// TestBrokenSettings: no run begins while a file that may have hooks is broken.
func TestBrokenSettings(t *testing.T) {
	const hooks = `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"exit 1"}]}}`
	for _, c := range []struct {
		where, text string
		want        string // in the error, behind the path; empty: there is none
	}{
		{"settings.json", "// mine\n" + `{"hooks":{},}`, ""},
		{"settings.json", "{\n\"hooks\":{}},", ", line 2"},
		{"config.json", "// managed\n{}", ""},
		{"config.json", "{", ", line 1"},
		{"hooks/mine.json", hooks, ""},
		{"hooks/mine.json", "{}", ""},
		{"hooks/mine.json", "// mine\n" + hooks, ", line 1"},
		{"hooks/mine.json", strings.Replace(hooks, "}}", "},}", 1), ", line 1"},
		{"hooks/mine.json", strings.Replace(hooks, "[{", `5,"x":[{`, 1), ": hooks.preToolUse must be an array"},
		{"hooks/mine.json", `{"hooks":[]}`, ": hooks must be an object"},
		{"hooks/mine.txt", "{", ""},
		{"dir/.github/hooks/ours.json", "{", ", line 1"},
		{"dir/.github/copilot/settings.json", "{", ", line 1"},
		{"dir/.github/copilot/settings.local.json", "{", ", line 1"},
		{"dir/.claude/settings.json", "{", ", line 1"},
	} {
		o, r := planner(t, agent.Config{}, []string{"--allow-all-tools"})
		path := filepath.Join(o.root, c.where)
		if below, ok := strings.CutPrefix(c.where, "dir/"); ok {
			path = filepath.Join(r.Info.Dir, below)
		}
		put(t, path, c.text)
		_, plain := o.Plan(r)
		_, other := o.TakeOver(agent.TurnRequest{Program: r.Program, NewID: r.Session.ID, Dir: r.Info.Dir, Prompt: "h"})
		for form, err := range map[string]error{"plan": plain, "take over": other} {
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), path+c.want) {
				t.Errorf("%s with %s, %s: %v", c.where, c.text, form, err)
			}
		}
	}
}
