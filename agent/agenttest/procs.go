package agenttest

import (
	"slices"

	"github.com/clawd-project/clawd/agent"
)

// Procs is a process table of a test's own, by pid but for the list.
type Procs struct {
	All    []agent.Proc
	Args   map[int][]string
	Dirs   map[int]string
	Files  map[int][]string // that are open
	Vars   map[int][]string
	Ports  map[int][]int
	Inner  map[int]int  // pids in the processes' own namespaces, where they have one
	Ended  map[int]bool // still listed, but gone
	Within string       // the pid namespace of clawd itself
	On     string       // the machine's id
	Err    error        // of List
}

// Boot is the same for all.
func (Procs) Boot() string { return "boot" }

// PIDNamespace is Within.
func (p Procs) PIDNamespace() string { return p.Within }

// Machine is On.
func (p Procs) Machine() string { return p.On }

// InnerPID is the pid itself where Inner has none.
func (p Procs) InnerPID(pid int) int {
	if inner, ok := p.Inner[pid]; ok {
		return inner
	}
	if _, ok := p.Get(pid); !ok {
		return 0
	}
	return pid
}

// Get looks into the list.
func (p Procs) Get(pid int) (agent.Proc, bool) {
	i := slices.IndexFunc(p.All, func(x agent.Proc) bool { return x.PID == pid && !p.Ended[pid] })
	if i < 0 {
		return agent.Proc{}, false
	}
	return p.All[i], true
}

// List is All.
func (p Procs) List() ([]agent.Proc, error) { return p.All, p.Err }

// Argv is from Args.
func (p Procs) Argv(pid int) []string { return p.Args[pid] }

// Cwd is from Dirs.
func (p Procs) Cwd(pid int) string { return p.Dirs[pid] }

// Environ is from Vars.
func (p Procs) Environ(pid int) []string { return p.Vars[pid] }

// Listens is from Ports.
func (p Procs) Listens(pid int) []int { return p.Ports[pid] }

// Opens is from Files.
func (p Procs) Opens(pid int) []string { return p.Files[pid] }
