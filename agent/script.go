package agent

import (
	"path/filepath"
	"strings"
)

// IsScript tells by its name that a file is a script of a user's: "opencode-nightly.sh" runs opencode, and
// is no opencode. The agents' own scripts are JavaScript.
func IsScript(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".sh", ".bash", ".zsh", ".fish", ".py", ".rb", ".pl":
		return true
	}
	return false
}

// NamedByScript tells whether a process has its name from a script that an interpreter runs: the system
// takes the first 15 characters of the file's name, without a word on the interpreter.
func NamedByScript(p Proc, argv []string) bool {
	for n, a := range argv {
		if n > 0 && IsScript(a) && strings.HasPrefix(filepath.Base(a), p.Comm) {
			return true
		}
	}
	return false
}
