package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestVersion(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"echo '2.1.329 (Claude Code)'": "2.1.329", "echo opencode 1.18.33-beta.1": "1.18.33-beta.1", "echo none": "", "exit 3": "",
		"echo 0.73.1 >&2": "0.73.1", "echo node 22.1.0 is old >&2": "",
		"echo \"${NODE_OPTIONS-0.0.1}\"": "0.0.1",
	} {
		path := filepath.Join(dir, fmt.Sprint(len(text)))
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("NODE_OPTIONS", "--require=/x")
		if got, err := Version(t.Context(), nil, path); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
}
