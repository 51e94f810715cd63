package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// TestBrokenSettings: no run begins in a folder whose settings are broken.
func TestBrokenSettings(t *testing.T) {
	for _, where := range []string{"user", "project", "local"} {
		root := t.TempDir()
		r := request(t, root)
		c := over(root, table{}, agent.Config{})
		path := map[string]string{
			"user":    filepath.Join(c.root, "settings.json"),
			"project": filepath.Join(r.Info.Dir, ".claude", "settings.json"),
			"local":   filepath.Join(r.Info.Dir, ".claude", "settings.local.json"),
		}[where]
		put(t, path, `{"permissions": {"deny": ["Write"],}}`)
		_, plain := c.Plan(r)
		_, fresh := c.Fresh(r)
		_, other := c.TakeOver(agent.TurnRequest{Program: r.Program, NewID: sid, Dir: r.Info.Dir, Prompt: "h"})
		for form, err := range map[string]error{"plan": plain, "fresh": fresh, "take over": other} {
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v", where, form, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Plan(r); err != nil {
			t.Errorf("%s: without the file: %v", where, err)
		}
	}
}
