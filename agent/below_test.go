package agent_test

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
)

func TestBelow(t *testing.T) {
	all := table{all: map[int]agent.Proc{1: {PID: 1}, 10: {PID: 10, PPID: 1}, 20: {PID: 20, PPID: 10}, 30: {PID: 30, PPID: 20}, 40: {PID: 40, PPID: 10},
		50: {PID: 50}, 60: {PID: 60, PPID: 61}, 61: {PID: 61, PPID: 60}}}
	for _, c := range []struct {
		pid, from int
		want      bool
	}{
		{20, 20, true}, {30, 10, true}, {30, 20, true}, {40, 20, false}, {10, 20, false}, {50, 20, false},
		{99, 20, true}, // gone
		{60, 20, true}, // no table that can be believed
	} {
		if got := agent.Below(all, c.pid, c.from); got != c.want {
			t.Errorf("%d below %d: %v", c.pid, c.from, got)
		}
	}
}

type table struct {
	agent.Procs
	all map[int]agent.Proc
}

func (t table) Get(pid int) (agent.Proc, bool) { p, ok := t.all[pid]; return p, ok }
