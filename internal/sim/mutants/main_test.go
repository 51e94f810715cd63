package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
