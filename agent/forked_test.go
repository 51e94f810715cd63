package agent_test

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

// TestJudgeForked: a child that has not begun its program yet, on a machine that lets it wait, is not a second process of its parent's
// program. One whose parent is gone may be all that there is of it.
func TestJudgeForked(t *testing.T) {
	const parent, child = 100, 101
	for _, c := range []struct {
		name     string
		starting bool
		lives    bool // the parent
		want     bool
	}{
		{"waits for its turn", true, true, false},
		{"its parent is gone", true, false, true},
		{"has begun it", false, true, true},
	} {
		p := agent.Proc{PID: child, PPID: parent, Start: 7, Starting: c.starting}
		procs := agenttest.Procs{All: []agent.Proc{p}, Args: map[int][]string{child: {"codex"}, parent: {"codex"}}}
		if c.lives {
			procs.All = append(procs.All, agent.Proc{PID: parent, Start: 5})
		}
		if _, ok := agent.Judge(procs, p, func(agent.Proc) (bool, bool) { return true, true }); ok != c.want {
			t.Errorf("%s: %v", c.name, ok)
		}
	}
}
