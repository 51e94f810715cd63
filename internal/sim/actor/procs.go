package actor

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// Proc is one simulated process.
type Proc struct {
	agent.Proc
	Args    []string
	Env     []string
	Dir     string
	Open    []string
	Listen  []int
	Program string // what it plays
}

// Table is the simulated process table. It is an agent.Procs.
type Table struct {
	BootID string
	Booted time.Time
	all    []*Proc // by pid
	next   int
	exec   int // the process that becomes the next program; 0: a new one does
}

var _ agent.Procs = (*Table)(nil)

// NewTable gives the table of a machine that was booted at a time.
func NewTable(boot string, booted time.Time) *Table {
	return &Table{BootID: boot, Booted: booted, next: 1000}
}

// ticks of the kernel's clock.
const tick = 10 * time.Millisecond

// Spawn adds a process.
func (t *Table) Spawn(program string, argv, environ []string, dir, tty string, now time.Time) *Proc {
	if old := t.Proc(t.exec); t.exec != 0 && old != nil {
		t.exec = 0
		old.Program, old.Args, old.Env, old.Dir, old.Comm = program, argv, environ, dir, program
		return old
	}
	t.exec = 0
	t.next++
	p := &Proc{Program: program, Args: argv, Env: environ, Dir: dir}
	p.PID, p.PPID, p.Group, p.Leader, p.Comm, p.TTY, p.Started = t.next, 1, t.next, t.next, program, tty, now
	p.Start = uint64(max(1, now.Sub(t.Booted)/tick))
	if tty != "" {
		p.Foreground = p.PID
	}
	t.all = append(t.all, p)
	return p
}

// Begin has f start processes, and ends them where it fails.
func (t *Table) Begin(f func() (Session, error)) (Session, error) {
	before := t.next
	s, err := f()
	if err != nil {
		t.all = slices.DeleteFunc(t.all, func(p *Proc) bool { return p.PID > before })
	}
	return s, err
}

// Exec has a process become the next program that is spawned.
func (t *Table) Exec(pid int) { t.exec = pid }

// End takes a process out.
func (t *Table) End(pid int) {
	t.all = slices.DeleteFunc(t.all, func(p *Proc) bool { return p.PID == pid })
}

// Reboot ends all processes. Pids begin anew, so that they come again.
func (t *Table) Reboot(boot string, now time.Time) {
	*t = *NewTable(boot, now)
}

// Proc gives a process; nil: there is none.
func (t *Table) Proc(pid int) *Proc {
	i, ok := slices.BinarySearchFunc(t.all, pid, func(p *Proc, pid int) int { return p.PID - pid })
	if !ok {
		return nil
	}
	return t.all[i]
}

// Boot is the boot id.
func (t *Table) Boot() string { return t.BootID }

// Machine is not known.
func (t *Table) Machine() string { return "" }

// PIDNamespace is not known.
func (t *Table) PIDNamespace() string { return "" }

// InnerPID is the pid: all processes are in one namespace.
func (t *Table) InnerPID(pid int) int {
	if t.Proc(pid) == nil {
		return 0
	}
	return pid
}

// Get gives one process.
func (t *Table) Get(pid int) (agent.Proc, bool) {
	if p := t.Proc(pid); p != nil {
		return p.Proc, true
	}
	return agent.Proc{}, false
}

// List gives all processes, by pid.
func (t *Table) List() ([]agent.Proc, error) {
	all := make([]agent.Proc, len(t.all))
	for i, p := range t.all {
		all[i] = p.Proc
	}
	return all, nil
}

func (t *Table) of(pid int) *Proc {
	if p := t.Proc(pid); p != nil {
		return p
	}
	return &Proc{}
}

// Argv is the command line.
func (t *Table) Argv(pid int) []string { return t.of(pid).Args }

// Cwd is the working folder.
func (t *Table) Cwd(pid int) string { return t.of(pid).Dir }

// Environ is the environment.
func (t *Table) Environ(pid int) []string { return t.of(pid).Env }

// Listens gives the ports.
func (t *Table) Listens(pid int) []int { return t.of(pid).Listen }

// Opens gives the open files.
func (t *Table) Opens(pid int) []string { return t.of(pid).Open }
