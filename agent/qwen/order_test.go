package qwen

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestLauncherOrder(t *testing.T) {
	q, s := session(t, begun+failing)
	start := at("2026-11-22T12:13:03.673Z")
	argv := []string{"node", launcher, "-p", "x", "--approval-mode", "auto-edit"}
	for name, c := range map[string]struct {
		launcher, child []string
		want            string
	}{
		"a sandbox": {[]string{"QWEN_SANDBOX=sandbox-exec"}, []string{"QWEN_SANDBOX=sandbox-exec", "SANDBOX=sandbox-exec"}, "QWEN_SANDBOX"},
		"simple":    {[]string{"A=b"}, []string{"A=b", "QWEN_CODE_SIMPLE=1"}, ""},
	} {
		found, err := over(q.root, agenttest.Procs{All: []agent.Proc{{PID: 8, PPID: 9, Start: 2, Started: start.Add(-time.Second)}, {PID: 9, Start: 1, Started: start.Add(-2 * time.Second)}},
			Args: map[int][]string{9: argv, 8: argv}, Dirs: map[int]string{9: work, 8: work}, Vars: map[int][]string{9: c.launcher, 8: c.child}}, agent.Config{}).Launches(s.Path)
		if err != nil || len(found) != 1 || strings.Join(q.cfg.Unlike(q.env, found[0].Bounds), " ") != c.want {
			t.Errorf("%s: %+v, %v; want %q", name, found, err, c.want)
		}
	}
}
