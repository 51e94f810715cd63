package spawn

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// Group is a process group that clawd started: its leader became the agent.
type Group struct {
	Procs agent.Procs
	PID   int
	Start uint64
	Argv  []string // of the plan
}

// NewGroup is the group of a child that has just been started to run, or become, what the plan says.
func NewGroup(procs agent.Procs, cmd *exec.Cmd, plan resume.Plan) Group {
	g := Group{Procs: procs, PID: cmd.Process.Pid, Argv: plan.Argv}
	if p, ok := procs.Get(g.PID); ok {
		g.Start = p.Start
	}
	return g
}

// Await returns when no agent process of the group is left. It looks every second.
func (g Group) Await() {
	for g.Alive() {
		time.Sleep(time.Second)
	}
}

// End ends the group: SIGTERM, and SIGKILL when it is still there after the patience; polite: SIGINT
// before that. It returns when done is closed, or after the last signal.
func (g Group) End(done <-chan struct{}, polite bool) {
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

// Alive tells whether an agent process of the group lives: the leader, or a process of the same
// program (some agents have a launcher and a worker). What else is left in the group are tools
// that the agent started.
func (g Group) Alive() bool {
	if p, ok := g.Procs.Get(g.PID); ok && p.Start == g.Start && !p.Zombie {
		return true
	}
	all, err := g.Procs.List()
	if err != nil {
		return !errors.Is(syscall.Kill(-g.PID, 0), syscall.ESRCH) // not sure, unless nothing at all is left of it
	}
	for _, p := range all {
		if p.Group == g.PID && p.PID != g.PID && !p.Zombie && p.Start >= g.Start {
			if g.isAgent(g.Procs.Argv(p.PID)) {
				return true
			}
		}
	}
	return false
}

// runtimes run a script that is the agent's program; the script's path stands behind their options.
var runtimes = []string{"node", "nodejs", "bun"}

// isAgent: the program itself, or a runtime with its script. (Gemini's worker is one, and survives its launcher. qwen-code's
// has a script of another name, and what the launcher was given.)
func (g Group) isAgent(argv []string) bool {
	base, given := filepath.Base(g.Argv[0]), g.Argv[1:]
	named := func(path string) bool { return strings.TrimSuffix(filepath.Base(path), ".js") == base }
	switch {
	case len(argv) == 0:
		return false
	case named(argv[0]):
		return true
	case !slices.Contains(runtimes, filepath.Base(argv[0])):
		return false
	}
	same := len(given) > 0 && len(argv) > len(given) && slices.Equal(argv[len(argv)-len(given):], given)
	return same || slices.ContainsFunc(argv[1:], named)
}

// ToolCPU adds up the CPU time, in clock ticks, of everything below the leader: the tools that
// the agent runs, which may work for hours without a word.
func (g Group) ToolCPU() uint64 {
	var sum uint64
	for _, p := range g.Tree() {
		if p.PID != g.PID {
			sum += p.CPU
		}
	}
	return sum
}

// Tree lists the group and everything below it, also what has a group of its own.
func (g Group) Tree() []agent.Proc {
	all, _ := g.Procs.List()
	in := map[int]bool{g.PID: true}
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if !in[p.PID] && (in[p.PPID] || p.Group == g.PID) && p.Start >= g.Start {
				in[p.PID], grew = true, true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(p agent.Proc) bool { return !in[p.PID] })
}

// Kill ends processes that were seen before, unless their pids mean others by now.
func (g Group) Kill(seen []agent.Proc) {
	for _, old := range seen {
		if p, ok := g.Procs.Get(old.PID); ok && p.Start == old.Start && !p.Zombie {
			_ = syscall.Kill(p.PID, syscall.SIGKILL) // gone in between is what was wanted
		}
	}
}

func (g Group) signal(sig syscall.Signal) {
	if g.Alive() { // a group id is not reused while the group has a member
		_ = syscall.Kill(-g.PID, sig) // gone in between is what was wanted
	}
}

// patience is how long each signal is given before the next, stronger one.
const patience = 10 * time.Second
