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
	if want := []string{"claude", "opencode", "codex", "copilot", "gemini", "pi", "qwen"}; !slices.Equal(names, want) || !slices.Equal(all.Names(), want) {
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

// What the agents say of themselves, clawd can use.
func TestKinds(t *testing.T) {
	for _, k := range all.Kinds() {
		if l := k.Layout; (len(l.Homes) > 0) != (l.Lay != nil) || l.Named == nil && len(l.Stores) == 0 {
			t.Errorf("%s: where its files lie, and where a copy of one is to lie, belong together", k.Name)
		}
	}
}

// Whatever agent clawd runs in, what it starts does not take itself for a part of that.
func TestEnviron(t *testing.T) {
	got := all.Environ([]string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=x", "CLAUDE_CODE_CHILD_SESSION=x", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR=/p",
		"CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1", "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS=1", "CLAUDE_CONFIG_DIR=/a", "HOME=/h"})
	if want := []string{"CLAUDE_CONFIG_DIR=/a", "HOME=/h"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if vars := all.Vars(); !slices.Contains(vars, "CLAUDE_CONFIG_DIR") || !slices.Contains(vars, "OPENCODE_DB") {
		t.Errorf("a service is given %q", vars)
	}
}

// A run of clawd's works in the folder that [agent.NAME] env names, so the sessions are looked for there, too.
func TestFoldersOfTheConfiguredVariables(t *testing.T) {
	dir := t.TempDir()
	vars := map[string]string{"claude": "CLAUDE_CONFIG_DIR", "opencode": "XDG_DATA_HOME", "codex": "CODEX_HOME", "copilot": "COPILOT_HOME",
		"gemini": "GEMINI_CLI_HOME", "pi": "PI_CODING_AGENT_DIR", "qwen": "QWEN_HOME"}
	for _, k := range all.Kinds() {
		a := k.Open(agent.Env{Home: "/nowhere"}, agent.Config{Env: map[string]string{vars[k.Name]: dir}})
		for _, f := range a.Folders() {
			if f.Path != dir && !strings.HasPrefix(f.Path, dir+"/") {
				t.Errorf("%s with %s: %s", k.Name, vars[k.Name], f.Path)
			}
		}
	}
}
