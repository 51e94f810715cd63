package agent

import "strings"

// Unlike names those of some variables, which bound what a run may do, that a process has with another value than a run of
// clawd's would have, or that only one of both has. None, where the environment of the process cannot be read.
func (c Config) Unlike(env Env, bounds, environ []string) (names []string) {
	if len(environ) == 0 {
		return nil
	}
	has := map[string]string{}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			has[name] = value
		}
	}
	for _, name := range bounds {
		if has[name] != c.Getenv(env, name) {
			names = append(names, name)
		}
	}
	return names
}

// isVariable tells whether a name is that of a variable, and not that of an option.
func isVariable(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
