package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/internal/sim"
)

// A fault that cannot be planted finds nothing: who changes the code mends the list.
func TestEditsFit(t *testing.T) {
	for _, m := range mutants {
		for _, e := range m.edits {
			b, err := os.ReadFile(filepath.Join("..", "..", "..", e.file))
			if err != nil {
				t.Errorf("%s: %v", m.name, err)
			}
			if n := strings.Count(string(b), e.old); n != 1 {
				t.Errorf("%s: %s has the text to replace %d times", m.name, e.file, n)
			}
		}
	}
}

// Who gives a fault another name, or worlds another thing, mends what is walked for it.
func TestAims(t *testing.T) {
	for name, thing := range aims {
		if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.name == name }) {
			t.Errorf("there is no fault %q", name)
		}
		if _, ok := sim.Aimed(thing); !ok {
			t.Errorf("no world is about %q", thing)
		}
	}
}
