package spawn

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// fixed is a process table.
type fixed struct {
	agent.Procs
	all  []agent.Proc
	argv map[int][]string
	err  error
}

func (f fixed) Get(pid int) (agent.Proc, bool) {
	for _, p := range f.all {
		if p.PID == pid {
			return p, true
		}
	}
	return agent.Proc{}, false
}

func (f fixed) List() ([]agent.Proc, error) { return f.all, f.err }

func (f fixed) Argv(pid int) []string { return f.argv[pid] }

func TestGroupAlive(t *testing.T) {
	leader := agent.Proc{PID: 10, Group: 10, Start: 100}
	argv := map[int][]string{11: {"/usr/bin/codex", "worker"}, 12: {"/bin/sleep", "9"}, 13: {"/usr/bin/node", "--max-old-space-size=4096", "/opt/bin/codex", "-x"},
		14: {"/usr/bin/node", "/opt/lib/codex.js"}, 15: {"/usr/bin/node", "server.js"}, 16: {"/usr/bin/tail", "codex"},
		17: {"/usr/bin/node", "--expose-gc", "/opt/lib/cli.js", "--resume", "x"}, 18: {"/usr/bin/node", "cli.js", "x"}, 19: {"/usr/bin/tail", "--resume", "x"}}
	for name, c := range map[string]struct {
		procs fixed
		want  bool
	}{
		"leader":                         {fixed{all: []agent.Proc{leader}}, true},
		"zombie":                         {fixed{all: []agent.Proc{{PID: 10, Group: 10, Start: 100, Zombie: true}}}, false},
		"pid used again":                 {fixed{all: []agent.Proc{{PID: 10, Group: 10, Start: 101}}}, false},
		"worker outlives the launcher":   {fixed{all: []agent.Proc{{PID: 11, Group: 10, Start: 105}}, argv: argv}, true},
		"a worker of node's":             {fixed{all: []agent.Proc{{PID: 13, Group: 10, Start: 105}}, argv: argv}, true},
		"a worker by its script":         {fixed{all: []agent.Proc{{PID: 14, Group: 10, Start: 105}}, argv: argv}, true},
		"a tool of node's":               {fixed{all: []agent.Proc{{PID: 15, Group: 10, Start: 105}}, argv: argv}, false},
		"a tool with the name in it":     {fixed{all: []agent.Proc{{PID: 16, Group: 10, Start: 105}}, argv: argv}, false},
		"a worker by what it was given":  {fixed{all: []agent.Proc{{PID: 17, Group: 10, Start: 105}}, argv: argv}, true},
		"a tool that was given less":     {fixed{all: []agent.Proc{{PID: 18, Group: 10, Start: 105}}, argv: argv}, false},
		"a tool that was given the same": {fixed{all: []agent.Proc{{PID: 19, Group: 10, Start: 105}}, argv: argv}, false},
		"a tool is left":                 {fixed{all: []agent.Proc{{PID: 12, Group: 10, Start: 105}}, argv: argv}, false},
		"an older stranger":              {fixed{all: []agent.Proc{{PID: 11, Group: 10, Start: 99}}, argv: argv}, false},
		"nothing":                        {fixed{}, false},
	} {
		g := Group{Procs: c.procs, PID: 10, Start: 100, Argv: []string{"/usr/bin/codex", "--resume", "x"}}
		if got := g.Alive(); got != c.want {
			t.Errorf("%s: alive %v, want %v", name, got, c.want)
		}
	}
}

// Where no process table can be read, a group counts as alive until it is empty.
func TestGroupAliveWithoutATable(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	g := Group{Procs: fixed{err: agent.ErrNoProcs}, PID: cmd.Process.Pid, Argv: []string{"cat"}}
	if !g.Alive() {
		t.Error("it is there")
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	g.Await()
}
