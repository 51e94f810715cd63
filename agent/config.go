package agent

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Program is the configured program, else name.
func (c Config) Program(name string) string {
	if c.Command != "" {
		return c.Command
	}
	return name
}

// Getenv reads a variable of the environment that a run would get.
func (c Config) Getenv(env Env, name string) string {
	if v, ok := c.Env[name]; ok {
		return v
	}
	return env.Getenv(name)
}

// Auth tells who pays for a run, "login" or "key", from the presence of things and never from their
// content. payers are the variables that hold a key; login: the agent has stored one.
func (c Config) Auth(env Env, payers []string, login bool) string {
	set := func(get func(name string) string) bool {
		return slices.ContainsFunc(payers, func(name string) bool { return get(name) != "" })
	}
	switch {
	case set(func(name string) string { return c.Env[name] }): // the user's own word for these runs
		return "key"
	case login || !set(func(name string) string { return c.Getenv(env, name) }): // without either, a key chain that cannot be seen
		return "login"
	}
	return "key"
}

// Environ is what a run gets beside clawd's environment, as NAME=value in the order of names: the
// configured variables but for those that are taken out of it, and one more, unless its value is empty.
func (c Config) Environ(unset []string, name, value string) []string {
	env := maps.Clone(c.Env)
	maps.DeleteFunc(env, func(name, _ string) bool { return slices.Contains(unset, name) })
	if value != "" {
		if env == nil {
			env = map[string]string{}
		}
		env[name] = value
	}
	var all []string
	for _, k := range slices.Sorted(maps.Keys(env)) {
		all = append(all, k+"="+env[k])
	}
	return all
}

// Location is the zone of times that a text names without one: the given one, else that of TZ, else this
// machine's.
func (e Env) Location() *time.Location {
	if e.Zone != nil {
		return e.Zone
	}
	if tz := e.Getenv("TZ"); strings.Contains(tz, "/") || tz == "UTC" {
		if z, err := time.LoadLocation(tz); err == nil {
			return z
		}
	}
	return time.Local
}

// AtLeast compares the first numbers of a version.
func AtLeast(version string, want ...int) bool {
	part := strings.Split(version, ".")
	if len(part) < len(want) {
		return false
	}
	for i, w := range want {
		n, err := strconv.Atoi(part[i])
		if err != nil || n < w {
			return false
		}
		if n > w {
			return true
		}
	}
	return true
}

// Rel gives a path relative to the first of the roots that it lies below: one that the user named, and
// where that one leads.
func Rel(path string, roots ...string) (string, bool) {
	for _, root := range roots {
		if root == "" {
			continue
		}
		if rel, err := filepath.Rel(root, filepath.Clean(path)); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}
