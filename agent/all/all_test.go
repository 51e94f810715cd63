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
	for i, k := range all.Kinds() {
		if k.Name != names[i] {
			t.Errorf("the kind %q opens %q", k.Name, names[i])
		}
		if got, err := all.Kind(k.Name); err != nil || got.Name != k.Name {
			t.Errorf("%q by its name: %q (%v)", k.Name, got.Name, err)
		}
	}
	if _, err := all.New(env, map[string]agent.Config{"opencoed": {}}); err == nil || !strings.Contains(err.Error(), "opencoed") {
		t.Errorf("a misspelt agent: %v", err)
	}
}
