package agent

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Whole is e with an empty environment and a table without processes, where it has none of its own.
func (e Env) Whole() Env {
	if e.Getenv == nil {
		e.Getenv = func(string) string { return "" }
	}
	if e.Procs == nil {
		e.Procs = noProcs{}
	}
	return e
}

// noProcs is where the system does not tell about processes.
type noProcs struct{}

func (noProcs) Boot() string          { return "" }
func (noProcs) Machine() string       { return "" }
func (noProcs) PIDNamespace() string  { return "" }
func (noProcs) InnerPID(int) int      { return 0 }
func (noProcs) Get(int) (Proc, bool)  { return Proc{}, false }
func (noProcs) List() ([]Proc, error) { return nil, ErrNoProcs }
func (noProcs) Argv(int) []string     { return nil }
func (noProcs) Cwd(int) string        { return "" }
func (noProcs) Environ(int) []string  { return nil }
func (noProcs) Opens(int) []string    { return nil }
func (noProcs) Listens(int) []int     { return nil }

// Resolved is a folder with its links resolved, as far as it is there.
func Resolved(dir string) string {
	if dir == "" {
		return ""
	}
	dir = filepath.Clean(dir) // the parent of one with a slash at its end would be that one
	real, err := filepath.EvalSymlinks(dir)
	if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir { // an agent that was never used has no folder yet
		return filepath.Join(Resolved(parent), filepath.Base(dir))
	}
	if err != nil {
		return dir
	}
	return real
}
