package all

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// Unwatched is a folder in which an agent that runs keeps its sessions, and which is not the one that is watched.
type Unwatched struct{ Agent, Dir string }

// FindUnwatched looks at the agents that run in this home, for a variable such as CLAUDE_CONFIG_DIR may have them keep their sessions
// elsewhere. What only an option or a project's settings say is not seen.
func FindUnwatched(env agent.Env, watched []agent.Agent) (found []Unwatched) {
	procs, err := env.Procs.List()
	if err != nil {
		return nil
	}
	for _, p := range procs {
		n := slices.IndexFunc(watched, func(a agent.Agent) bool { return runs(env.Procs.Argv(p.PID), a.Name()) })
		vars := variables(env.Procs.Environ(p.PID))
		if n < 0 || vars["HOME"] != env.Home || env.Procs.InnerPID(p.PID) != p.PID { // in a container that is another folder
			continue
		}
		kind, err := Kind(watched[n].Name())
		if err != nil {
			continue
		}
		its := kind.Open(agent.Env{Home: env.Home, Getenv: func(name string) string { return vars[name] }, Procs: env.Procs, Zone: env.Zone}, agent.Config{})
		u := Unwatched{kind.Name, first(its)}
		if u.Dir != "" && agent.Resolved(u.Dir) != agent.Resolved(first(watched[n])) && !slices.Contains(found, u) {
			found = append(found, u)
		}
	}
	return found
}

// runs tells whether a process runs the program of a name, by itself or as a script.
func runs(argv []string, name string) bool {
	return slices.ContainsFunc(argv[:min(2, len(argv))], func(arg string) bool {
		base := strings.TrimPrefix(filepath.Base(arg), ".")
		return strings.TrimSuffix(base, filepath.Ext(base)) == name
	})
}

func variables(environ []string) map[string]string {
	vars := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	return vars
}

// first is the folder in which an agent begins its sessions; empty: there is none.
func first(a agent.Agent) string {
	if all := a.Folders(); len(all) > 0 {
		return all[0].Path
	}
	return ""
}
