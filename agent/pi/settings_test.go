package pi

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// TestBrokenSettings: no run begins in a folder whose settings are broken.
func TestBrokenSettings(t *testing.T) {
	for _, where := range []string{"user", "project"} {
		p, r := planner(t, agent.Config{})
		path := map[string]string{
			"user":    filepath.Join(p.root, "settings.json"),
			"project": filepath.Join(r.Info.Dir, ".pi", "settings.json"),
		}[where]
		put(t, path, `{"packages": ["gate"],}`)
		_, plain := p.Plan(r)
		r.NewID, r.Handoff = sid, []byte("h")
		_, fresh := p.Fresh(r)
		_, other := p.TakeOver(agent.TurnRequest{Program: r.Program, NewID: sid, Dir: r.Info.Dir, Prompt: "h"})
		for form, err := range map[string]error{"plan": plain, "fresh": fresh, "take over": other} {
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v", where, form, err)
			}
		}
	}
}
