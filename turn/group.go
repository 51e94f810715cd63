package turn

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// group is a process group that clawd started: its leader became the agent.
type group struct {
	procs agent.Procs
	pid   int
	start uint64
	base  string // name of the agent's program
}

// newGroup is the group of a child that has just been started to run, or become, what the plan says.
func newGroup(procs agent.Procs, cmd *exec.Cmd, plan resume.Plan) group {
	g := group{procs: procs, pid: cmd.Process.Pid, base: filepath.Base(plan.Argv[0])}
	if p, ok := procs.Get(g.pid); ok {
		g.start = p.Start
	}
	return g
}

// await returns when no agent process of the group is left. It looks every second.
func (g group) await() {
	for g.alive() {
		time.Sleep(time.Second)
	}
}

// end ends the group: SIGTERM, and SIGKILL when it is still there after the patience; polite: SIGINT
// before that. It returns when done is closed, or after the last signal.
func (g group) end(done <-chan struct{}, polite bool) {
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}
	if polite {
		signals = append([]syscall.Signal{syscall.SIGINT}, signals...)
	}
	for _, sig := range signals {
		g.signal(sig)
		select {
		case <-done:
			return
		case <-time.After(patience):
		}
	}
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
	var sum uint64
	for _, p := range g.tree() {
		if p.PID != g.pid {
			sum += p.CPU
		}
	}
	return sum
}

// tree lists the group and everything below it, also what has a group of its own.
func (g group) tree() []agent.Proc {
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
	return slices.DeleteFunc(slices.Clone(all), func(p agent.Proc) bool { return !in[p.PID] })
}

// kill ends processes that were seen before, unless their pids mean others by now.
func (g group) kill(seen []agent.Proc) {
	for _, old := range seen {
		if p, ok := g.procs.Get(old.PID); ok && p.Start == old.Start && !p.Zombie {
			_ = syscall.Kill(p.PID, syscall.SIGKILL) // gone in between is what was wanted
		}
	}
}

func (g group) signal(sig syscall.Signal) {
	if g.alive() { // a group id is not reused while the group has a member
		_ = syscall.Kill(-g.pid, sig) // gone in between is what was wanted
	}
}

// patience is how long each signal is given before the next, stronger one.
const patience = 10 * time.Second
