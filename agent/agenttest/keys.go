package agenttest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// Keys checks that nothing is typed into a ready screen where a file of its user's takes Enter from sending. cases are what stands in
// the file, and whether Enter sends by that; at gives an agent whose home folder that is, and the file's path in it.
func Keys(t *testing.T, screen string, cols int, at func(home string) (a agent.Terminal, file string), cases map[string]bool) {
	t.Helper()
	for _, x := range screens(t) {
		if x.file != screen {
			continue
		}
		x.screen.Cols = cols
		for text, sends := range cases {
			a, file := at(t.TempDir())
			Linked(t, file, text)
			if v := a.Screen(x.screen); v.Ready != sends || !sends && v.Why != agent.WhyKeys {
				t.Errorf("%s: %+v", text, v)
			}
		}
		return
	}
	t.Errorf("there is no %s", screen)
}

// Linked writes a settings file as those have it who keep theirs in a repository: a link leads to it.
func Linked(t *testing.T, path, text string) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "kept")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(to, []byte(text), 0o600), os.Symlink(to, path)); err != nil {
		t.Fatal(err)
	}
}
