package turn

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// group is a process group that clawd started: its leader became the agent.
type group struct {
	procs agent.Procs
	pid   int
	start uint64
	base  string // name of the agent's program
}

// alive tells whether an agent process of the group lives: the leader, or a process of the same
// program (some agents have a launcher and a worker). What else is left in the group are tools
// that the agent started.
func (g group) alive() bool {
	if p, ok := g.procs.Get(g.pid); ok && p.Start == g.start && !p.Zombie {
		return true
	}
	all, err := g.procs.List()
	if err != nil {
		return true // not sure
	}
	for _, p := range all {
		if p.Group == g.pid && p.PID != g.pid && !p.Zombie && p.Start >= g.start {
			if g.isAgent(g.procs.Argv(p.PID)) {
				return true
			}
		}
	}
	return false
}

// runtimes run a script that is the agent's program; the script's path stands behind their options.
var runtimes = []string{"node", "nodejs", "bun"}

// isAgent: the program itself, or a runtime with its script. (Gemini's worker is one, and survives its
// launcher.)
func (g group) isAgent(argv []string) bool {
	named := func(path string) bool { return strings.TrimSuffix(filepath.Base(path), ".js") == g.base }
	return len(argv) > 0 && (named(argv[0]) || slices.Contains(runtimes, filepath.Base(argv[0])) && slices.ContainsFunc(argv[1:], named))
}

// busyTicks of CPU time between two looks are work; less is an idle process's housekeeping.
const busyTicks = 10

// toolCPU adds up the CPU time, in clock ticks, of everything below the leader: the tools that
// the agent runs, which may work for hours without a word.
func (g group) toolCPU() uint64 {
	all, _ := g.procs.List()
	in := map[int]bool{g.pid: true}
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if !in[p.PID] && (in[p.PPID] || p.Group == g.pid) && p.Start >= g.start {
				in[p.PID], grew = true, true
			}
		}
	}
	var sum uint64
	for _, p := range all {
		if in[p.PID] && p.PID != g.pid {
			sum += p.CPU
		}
	}
	return sum
}

func (g group) signal(sig syscall.Signal) {
	if g.alive() { // a group id is not reused while the group has a member
		_ = syscall.Kill(-g.pid, sig) // gone in between is what was wanted
	}
}

// patience is how long each signal is given before the next, stronger one.
const patience = 10 * time.Second
