package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/detect"
)

// Targets are the variables by which a shell, or direnv in a project, chooses what the tools of a run work on: a cluster, a cloud's account, a Docker
// host, a database. With another one, or the default, the next command would do its work elsewhere. They belong to the bounds of agents that read no .env
// into the environment of their child processes.
var Targets = []string{"KUBECONFIG", "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ACCESS_KEY_ID", "CLOUDSDK_ACTIVE_CONFIG_NAME", "CLOUDSDK_CORE_PROJECT",
	"DOCKER_HOST", "DOCKER_CONTEXT", "TF_WORKSPACE", "VAULT_ADDR", "PGHOST", "PGSERVICE"}

// Bounds gives what the variables of these names are in the environment of a process, for detect.Launch; nil where that cannot be read.
func (e Env) Bounds(names, environ []string) map[string]string {
	if len(environ) == 0 {
		return nil
	}
	bounds := map[string]string{}
	for _, name := range names {
		bounds[name] = ""
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if _, ok := bounds[name]; ok {
			bounds[name] = e.bound(name, value)
		}
	}
	return bounds
}

// Unlike names those of some bounds that a run of clawd's would have with another value. What the config sets is its user's word.
func (c Config) Unlike(env Env, bounds map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		if _, set := c.Env[name]; !set && bounds[name] != env.bound(name, env.Getenv(name)) {
			names = append(names, name)
		}
	}
	return names
}

// Bound tells whether one of some bounds is set.
func Bound(bounds map[string]string) bool {
	for _, value := range bounds {
		if value != "" {
			return true
		}
	}
	return false
}

// bound is a hash of what a variable bounds; empty, as when it is not set: nothing. An SDK gives each opencode an empty config.
func (e Env) bound(name, value string) string {
	if value == "" || strings.Join(strings.Fields(value), "") == "{}" || name == "XDG_CONFIG_HOME" && filepath.Clean(value) == filepath.Join(e.Home, ".config") {
		return ""
	}
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

// Candidate is a process that may have begun a session.
type Candidate struct {
	Proc
	detect.Launch
}

// several stands for the value of a variable that processes have with different ones. It is no hash.
const several = "several"

// unlikeOptions stands for the options of processes that have different ones: nobody knows which of them the session was given.
const unlikeOptions = "options that differ from those of another run in its folder"

// OneLaunch gives how the process was started that began a session, by those that may have; false: that cannot be told. A launcher comes
// before the child that does its work, and what bounds both is in the launcher's environment: in the child's it added what is its own.
// Where they are started differently, what bounds any of them bounds the session: a clawd that has it as well may lose it.
func (c Config) OneLaunch(env Env, all []Candidate) (l detect.Launch, ok bool) {
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(a.Proc.Start, b.Proc.Start) })
	bounds := map[string]string{}
	alike, pays := true, ""
	for n, p := range all {
		child := slices.ContainsFunc(all, func(o Candidate) bool { return o.Proc.PID == p.PPID && o.Bounds != nil })
		switch {
		case n == 0:
			pays = p.Pays
		case !child && p.Pays != pays: // nobody knows
			pays = ""
		}
		for name, value := range p.Bounds {
			if child {
				break
			}
			if was, ok := bounds[name]; ok && was != value {
				value = several
			}
			bounds[name] = value
		}
		alike = alike && reflect.DeepEqual(p.Flags, all[0].Flags) && slices.Equal(p.Lost, all[0].Lost)
		l = p.Launch
	}
	if !alike {
		l.Flags, l.Lost = nil, []string{unlikeOptions}
	}
	l.Bounds, l.Pays = bounds, pays
	return l, len(all) > 0 && (alike || Bound(bounds) || len(c.Unlike(env, bounds)) > 0)
}

// IsVariable tells whether a name is that of a variable, and not that of an option.
func IsVariable(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
