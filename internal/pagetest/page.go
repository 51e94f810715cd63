// Package pagetest keeps pages of docs/ to what they are made from.
package pagetest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the pages of docs/ anew")

// Is fails when a page is not the text that it is made of. With -update it is written.
func Is(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("docs/%s is not what it is made from; make docs\n%s", filepath.Base(path), diff)
	}
}
