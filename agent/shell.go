package agent

import (
	"slices"
	"strings"
)

// Quote makes one word for a shell.
func Quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Command is a line for a person to type, in a folder; empty: in any.
func Command(dir string, argv ...string) string {
	words := make([]string, 0, len(argv))
	for _, a := range argv {
		words = append(words, Quote(a))
	}
	line := strings.Join(words, " ")
	if dir != "" {
		line = "cd " + Quote(dir) + " && " + line
	}
	return line
}

// Sets tells whether an environment has a value for one of the names.
func Sets(environ []string, names ...string) bool {
	return slices.ContainsFunc(environ, func(kv string) bool {
		name, value, _ := strings.Cut(kv, "=")
		return value != "" && slices.Contains(names, name)
	})
}
