package agent

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is a kind of agent. Each agent's package gives its own, such as claude.Kind.
type Kind struct {
	Name string // in the config, and in every log line
	// Open gives the agent on a machine. It reads no session.
	Open func(env Env, cfg Config) Agent
	// Marks are variables that no child of clawd may get from its environment: by them an agent takes itself for one
	// that runs inside another run of this agent, or a run does what nobody asked it for.
	Marks []string
	// Vars are variables that say where the agent keeps its files, or what all its runs may do. A service has to be given them.
	Vars   []string
	Layout Layout
}

// Layout is how an agent names the files of its sessions, and where it keeps them. It is asked about paths that a
// person names, of files that may come from another machine.
type Layout struct {
	// Named tells by its path that a file is a session's; nil: no file is.
	Named func(path string) bool
	// Homes are the folders that hold such files, below the agent's own, as patterns of path.Match. None: a file is
	// read wherever it lies, and its name without the ending is the session's id.
	Homes []string
	// Below are folders right below the agent's own, by which that one is known.
	Below []string
	// Lay says where a session's file from elsewhere is to be copied to so that the agent reads it, and what tells more
	// of it: the file itself comes first. nil without Homes.
	Lay func(path string) []Copy
	// Stores are variables that have the agent read one store, by the ending of the store's name.
	Stores map[string]string
}

// Copy is a file to be copied.
type Copy struct {
	From string
	To   string // below the agent's own folder
}

// Has tells whether a path is that of a session's file.
func (l Layout) Has(path string) bool { return l.Named != nil && l.Named(path) }

// Holds tells whether a session's file that lies in a folder is read there.
func (l Layout) Holds(dir string) bool {
	return len(l.Homes) == 0 || slices.ContainsFunc(l.Homes, func(home string) bool { _, ok := above(dir, home); return ok })
}

// Root gives the agent's own folder, by a folder below it; false: that one does not tell.
func (l Layout) Root(dir string) (string, bool) {
	for _, below := range l.Below {
		if root, ok := above(dir, below); ok {
			return root, true
		}
	}
	return "", false
}

// above gives what a path begins with that ends as a pattern says.
func above(dir, pattern string) (string, bool) {
	all := strings.Split(filepath.ToSlash(dir), "/")
	n := len(all) - strings.Count(pattern, "/") - 1
	if n < 0 {
		return "", false
	}
	if ok, err := path.Match(pattern, strings.Join(all[n:], "/")); !ok || err != nil {
		return "", false
	}
	return filepath.FromSlash(strings.Join(all[:n], "/")), true
}

// Unmarked is an environment without some variables.
func Unmarked(environ, marks []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(marks, name)
	})
}
