package all

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

// TestFindUnwatched: whoever has two accounts runs an agent with a folder of its own, in which clawd sees nothing.
func TestFindUnwatched(t *testing.T) {
	const home = "/home/dev"
	in := func(vars ...string) []string { return append([]string{"HOME=" + home, "PATH=/bin"}, vars...) }
	procs := agenttest.Procs{
		All: []agent.Proc{{PID: 1}, {PID: 2}, {PID: 3}, {PID: 4}, {PID: 5}, {PID: 6}, {PID: 7}, {PID: 8}, {PID: 9}},
		Args: map[int][]string{
			1: {"claude"},
			2: {"/usr/bin/claude", "--resume"},
			3: {"node", "/opt/codex/bin/codex.js"},
			4: {"claude"},
			5: {"vim", "notes"},
			6: {"claude"},
			7: {"/opt/.opencode"},
			8: {"claude"},
			9: {"claude"},
		},
		Vars: map[int][]string{
			1: in(),
			2: in("CLAUDE_CONFIG_DIR=/home/dev/.claude-work"),
			3: in("CODEX_HOME=/home/dev/.codex-work"),
			4: {"HOME=/home/other", "CLAUDE_CONFIG_DIR=/home/dev/.claude-work"}, // a test's, say
			5: in("CLAUDE_CONFIG_DIR=/home/dev/.claude-work"),
			6: in("CLAUDE_CONFIG_DIR=/home/dev/.claude/"),
			7: in("XDG_DATA_HOME=/mnt/data"),
			8: nil, // closed to us
			9: in("CLAUDE_CONFIG_DIR=/home/dev/.claude-there"),
		},
		Inner: map[int]int{9: 1},
	}
	env := agent.Env{Home: home, Getenv: func(string) string { return "" }, Procs: procs}
	watched, err := New(env, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Unwatched{{"claude", "/home/dev/.claude-work/projects"}, {"codex", "/home/dev/.codex-work/sessions"}, {"opencode", "/mnt/data/opencode"}}
	if d := cmp.Diff(want, FindUnwatched(env, watched)); d != "" {
		t.Error(d)
	}
	if got := FindUnwatched(env, nil); got != nil {
		t.Errorf("%v of agents that are not watched", got)
	}
	watched, err = New(env, map[string]agent.Config{"claude": {ConfigDir: "/home/dev/.claude-work"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := FindUnwatched(env, watched); len(got) != 3 || got[0].Dir != "/home/dev/.claude/projects" {
		t.Errorf("with another folder: %v", got)
	}
}
