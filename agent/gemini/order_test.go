package gemini

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// macOS lists the newest process first, and pids begin anew: the child may come before its launcher.
func TestLauncherOrder(t *testing.T) {
	_, home, all := world(t)
	s := all["tool"]
	begun, err := over(home, procs{}).begun(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{"node", "/usr/bin/gemini", "-p", "x", "--skip-trust"}
	for name, c := range map[string]struct {
		launcher, child []string
		want            string
	}{
		"a sandbox": {launcher: []string{"GEMINI_SANDBOX=sandbox-exec"}, child: []string{"GEMINI_SANDBOX=sandbox-exec", "SANDBOX=sandbox-exec"}, want: "GEMINI_SANDBOX"},
		"trust":     {launcher: []string{"A=b"}, child: []string{"A=b", "GEMINI_CLI_TRUST_WORKSPACE=true"}},
	} {
		table := procs{Args: map[int][]string{9: argv, 8: argv}, Dirs: map[int]string{9: "", 8: ""}, Vars: map[int][]string{9: c.launcher, 8: c.child},
			All: []agent.Proc{{PID: 8, PPID: 9, Start: 2, Started: begun.Add(-time.Second)}, {PID: 9, Start: 1, Started: begun.Add(-2 * time.Second)}}}
		g := over(home, table)
		found, err := g.Launches(s.Path)
		if err != nil || len(found) != 1 || strings.Join(g.cfg.Unlike(g.env, found[0].Bounds), " ") != c.want {
			t.Errorf("%s: %+v, %v; want %q", name, found, err, c.want)
		}
	}
}

// In a sandbox the agent puts what came by stdin into its child's prompt (0.61), so the two are started differently.
func TestSandboxStdin(t *testing.T) {
	_, home, all := world(t)
	s := all["tool"]
	begun, err := over(home, procs{}).begun(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	table := procs{Args: map[int][]string{7: {"node", "/usr/bin/gemini", "-p", "x"}, 8: {"node", "/usr/bin/gemini", "-p", "a log\n\nx"}}, Dirs: map[int]string{7: "", 8: ""},
		Vars: map[int][]string{7: {"GEMINI_SANDBOX=docker"}, 8: {"SANDBOX=gemini-cli-sandbox-0"}},
		All:  []agent.Proc{{PID: 7, Start: 1, Started: begun.Add(-2 * time.Second)}, {PID: 8, PPID: 7, Start: 2, Started: begun.Add(-time.Second)}}}
	found, err := over(home, table).Launches(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	g, r := planner(t, agent.Config{})
	for _, f := range found {
		r.Launch = &f.Launch
	}
	r.Info.Model = "gemini-2.5-pro"
	if p, err := g.Plan(r); err == nil {
		t.Errorf("it is resumed outside of its sandbox: %q %q (found %+v)", p.Argv, p.Env, found)
	} else {
		t.Log(err, found)
	}
}
