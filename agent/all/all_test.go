package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
)

func TestNew(t *testing.T) {
	env := agent.Env{Home: t.TempDir(), Getenv: func(string) string { return "" }}
	agents, err := all.New(env, map[string]agent.Config{"opencode": {Command: "/opt/oc"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range agents {
		names = append(names, a.Name())
	}
	if want := []string{"claude", "opencode", "codex", "gemini"}; !slices.Equal(names, want) || !slices.Equal(all.Names(), want) {
		t.Errorf("agents %q, names %q, want %q", names, all.Names(), want)
	}
	if got := agents[1].Command(); got != "/opt/oc" {
		t.Errorf("its section did not reach opencode: command %q", got)
	}
	if _, err := all.New(env, map[string]agent.Config{"opencoed": {}}); err == nil || !strings.Contains(err.Error(), "opencoed") {
		t.Errorf("a misspelt agent: %v", err)
	}
}
