package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// TestSound: which settings the real program has loaded (+) and which it has passed over (-).
func TestSound(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/settings.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	refused := map[string]bool{}
	for _, line := range lines {
		loads := line[0] == '+'
		var all any
		if err := json.Unmarshal([]byte(line[2:]), &all); err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"2.1.332", ""} {
			err := sound(all, version)
			if (err == nil) != loads {
				t.Errorf("%s: %v", line, err)
			}
			if err != nil {
				refused[strings.Fields(err.Error())[0]] = true
			}
		}
	}
	for key := range shapes {
		if !refused[key] {
			t.Errorf("no line has %s in another shape", key)
		}
	}
}

// TestSoundMode: a mode that came with a later version has the one before pass over its settings; what the next one knows is not known here.
func TestSoundMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode, version string
		sound         bool
	}{{"manual", "2.1.197", false}, {"manual", "2.1.329", true}, {"manual", "", true}, {"plan", "1.0.20", true},
		{"tomorrow", "2.1.332", false}, {"tomorrow", "", false}, {"tomorrow", "2.1.333", true}} {
		err := sound(map[string]any{"permissions": map[string]any{"defaultMode": c.mode}}, c.version)
		if (err == nil) != c.sound {
			t.Errorf("%s with %q: %v", c.mode, c.version, err)
		}
	}
}

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
