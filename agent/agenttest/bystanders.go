package agenttest

import (
	"errors"
	"os"
	"path/filepath"
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

// SpelledFile sees to it that a process that has the session's file open is found where the system writes the way there in other letters. argv
// does not name the session.
func SpelledFile(t *testing.T, open func(root string, p agent.Procs) agent.Agent, of func(root string) detect.Session, argv []string, comm string) {
	t.Helper()
	above := agent.Resolved(t.TempDir())
	root, link := filepath.Join(above, "Data"), filepath.Join(above, "data")
	s := of(root)
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.Path), 0o700), os.Symlink(root, link), os.WriteFile(s.Path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	procs := Procs{All: []agent.Proc{{PID: aPID, Start: 7, Comm: comm}}, Args: map[int][]string{aPID: argv}, Files: map[int][]string{aPID: {"/dev/null", of(link).Path}}}
	got, err := open(root, procs).Live(t.Context(), s, detect.Info{Dir: "/w"})
	if err != nil || len(got) != 1 || got[0].Liveness != detect.Alive {
		t.Errorf("%+v, %v", got, err)
	}
}

// Spelled sees to it that a process of an agent is found in the session's folder where that is written in other letters, as on a file system
// that takes them for the same. A link stands in for such a one.
func Spelled(t *testing.T, open func(agent.Procs) agent.Agent, s detect.Session, argv []string, comm string) {
	t.Helper()
	root := agent.Resolved(t.TempDir())
	dir, link := filepath.Join(root, "Code", "Zuge"), filepath.Join(root, "code")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Symlink(filepath.Dir(dir), link), os.Symlink(dir, filepath.Join(root, "Code", "Züge"))); err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string]bool{filepath.Join(link, "Zuge"): true, filepath.Join(root, "Code", "Züge"): true, filepath.Join(link, "zuge"): false} {
		procs := Procs{All: []agent.Proc{{PID: aPID, Start: 7, Comm: comm, TTY: "/dev/ttys001"}}, Args: map[int][]string{aPID: argv}, Dirs: map[int]string{aPID: cwd}}
		got, err := open(procs).Live(t.Context(), s, detect.Info{Dir: dir})
		if err != nil || len(got) != 1 || (got[0].Liveness == detect.Alive) != want {
			t.Errorf("in %s: %+v, %v", cwd, got, err)
		}
	}
}
