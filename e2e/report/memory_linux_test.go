package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Two runs have a folder each. What a run left that was killed is gone, and its folder is taken again.
func TestInMemory(t *testing.T) {
	under := t.TempDir()
	left := filepath.Join(under, "u00", "TestX1", "001")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	one, remove, err := inMemory(under)
	if err != nil {
		t.Skipf("no room: %v", err)
	}
	if all, err := os.ReadDir(one); err != nil || len(all) > 0 || one != filepath.Join(under, "u00") {
		t.Errorf("%s holds %v, %v", one, all, err)
	}
	two, removeToo, err := inMemory(under)
	if err != nil || two == one {
		t.Fatalf("%s beside %s, %v", two, one, err)
	}
	remove()
	removeToo()
	if all, err := os.ReadDir(under); err != nil || len(all) > 0 {
		t.Errorf("left: %v, %v", all, err)
	}
	if _, _, err := inMemory(filepath.Join(under, "gone")); err == nil {
		t.Error("a folder in one that is not there")
	}
}
