package agenttest

import (
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
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if v := a.Screen(x.screen); v.Ready != sends || !sends && v.Why != agent.WhyKeys {
				t.Errorf("%s: %+v", text, v)
			}
		}
		return
	}
	t.Errorf("there is no %s", screen)
}
