// Package scripttest writes programs for tests.
package scripttest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Write makes a program that can be started at once. A child that another test starts meanwhile must not inherit the open file: the
// program could not be started then ("text file busy").
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}
