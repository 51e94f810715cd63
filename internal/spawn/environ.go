package spawn

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// strip names the variables that must not reach an agent: the one by which several agents tell what they
// start that it runs inside them (those of one agent are its Kind.Marks), those that belong to clawd's own
// service manager, those that load code into it, and those that name the folder in which clawd was started: opencode
// takes PWD for its own.
var strip = map[string]bool{
	"AI_AGENT": true, "NOTIFY_SOCKET": true, "LD_PRELOAD": true, "LD_AUDIT": true, "DYLD_INSERT_LIBRARIES": true, "NODE_OPTIONS": true, "BUN_OPTIONS": true,
	"PWD": true, "OLDPWD": true,
}

var stripPrefix = []string{"WATCHDOG_", "LISTEN_", "CLAWD_"}

// Environ is the environment of a child: base without what must not be handed on and without what
// the plan forbids, then the plan's own variables with its folder, as a shell has it, and the token (empty: none).
func Environ(base []string, p resume.Plan, token string) []string {
	drop := map[string]bool{}
	for _, name := range p.Unset {
		drop[name] = true
	}
	for _, kv := range p.Env {
		name, _, _ := strings.Cut(kv, "=")
		drop[name] = true
	}
	var env []string
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strip[name], drop[name], hasPrefix(name):
		case name == "PATH":
			env = append(env, "PATH="+rooted(kv[len("PATH="):]))
		default:
			env = append(env, kv)
		}
	}
	env = append(env, p.Env...)
	if p.Dir != "" {
		env = append(env, "PWD="+p.Dir)
	}
	if token != "" {
		env = append(env, agent.AttemptVar+"="+token)
	}
	return env
}

// rooted is a PATH without what depends on the folder that a program is looked for in: a project could
// put a program of its own there.
func rooted(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

func hasPrefix(name string) bool {
	for _, p := range stripPrefix {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
