package gemini

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// Recorded in the terminal of 0.61: a prompt, its failure, and a command of the shell (!ls) that its user
// ran. The model reads of it with the next prompt, so the stop stands.
func TestShellCommandEndsNoWait(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "shell.jsonl"))
	must(t, err)
	home := filepath.Join(t.TempDir(), ".gemini")
	path := filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-22T13-55-1aaf5a52.jsonl")
	put(t, path, string(text))
	g := over(home, procs{})
	s := detect.Session{Agent: "gemini", ID: "1aaf5a52-d190-4762-a6ed-67898f75b13a", Path: path}
	stop, b := verdict(t, g, s, detect.Alive)
	if stop.State != detect.Stopped || stop.Reason != detect.Network {
		t.Errorf("%s %s: %+v", stop.State, stop.Reason, b.Events)
	}
	if maybe, _, err := g.Tail(t.Context(), s); err != nil || !maybe {
		t.Errorf("Tail: %v, %v", maybe, err)
	}
}
