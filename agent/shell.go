package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote makes one word for a shell. It holds nothing that is not plainly printed: that is shown as something else, which is another name.
func Quote(s string) string {
	switch {
	case s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "":
		return s
	case utf8.ValidString(s) && !strings.ContainsFunc(s, unprinted):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'") // bash, zsh, ksh
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case unprinted(r) || r == utf8.RuneError && n == 1:
			for _, c := range []byte(s[:n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		case r == '\'' || r == '\\':
			b.WriteString(`\` + s[:n])
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String() + "'"
}

func unprinted(r rune) bool { return !unicode.IsPrint(r) }

// Command is a line for a person to type, in a folder; empty: in any. vars, each a NAME=VALUE, are what the program needs to find what
// it is told of, where a shell of the person's may not have them: the agent's folder, say. One without a value is left out.
func Command(vars []string, dir string, argv ...string) string {
	words := make([]string, 0, len(vars)+len(argv))
	for _, v := range vars {
		if name, value, _ := strings.Cut(v, "="); value != "" {
			words = append(words, name+"="+Quote(value))
		}
	}
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
