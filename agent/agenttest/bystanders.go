package agenttest

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// asked is a table that tells which processes' folder and files were asked for.
type asked struct {
	Procs
	dear map[int]bool
}

func (a asked) Cwd(pid int) string     { a.dear[pid] = true; return a.Procs.Cwd(pid) }
func (a asked) Opens(pid int) []string { a.dear[pid] = true; return a.Procs.Opens(pid) }
func (a asked) Listens(pid int) []int  { a.dear[pid] = true; return a.Procs.Listens(pid) }

// Bystanders sees to it that an agent asks no other program's process for its folder, files and ports: on a Mac that is a program started
// for each, and a user has hundreds. procs are others beside them.
func Bystanders(t *testing.T, open func(agent.Procs) agent.Agent, s detect.Session, dir string, procs Procs) {
	t.Helper()
	const first, last = 5001, 5003
	for n, comm := range []string{"vim", "zsh", "Finder"} {
		procs.All = append(procs.All, agent.Proc{PID: first + n, Start: 7, Comm: comm, TTY: "/dev/ttys001"})
	}
	all := asked{procs, map[int]bool{}}
	if _, err := open(all).Live(t.Context(), s, detect.Info{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for pid := first; pid <= last; pid++ {
		if all.dear[pid] {
			t.Errorf("process %d is none of the agent's, and was asked for its folder or files", pid)
		}
	}
}
