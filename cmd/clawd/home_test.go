package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever does not know his home is told so, and the folder that he is in is neither read nor written: its config may be
// a stranger's, and a second clawd would not find the first there.
func TestHomeMissing(t *testing.T) {
	for _, home := range []string{"", "home", "./", "~"} {
		t.Setenv("HOME", home)
		for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "CLAWD_CONFIG"} {
			t.Setenv(name, "")
		}
		dir := t.TempDir()
		t.Chdir(dir)
		for _, args := range []string{"run", "exec -- claude -p hi", "status", "why x", "resume x", "cancel x", "ignore x", "notify test",
			"detect --unknown", "config init", "config check", "config show"} {
			cmd := root()
			cmd.SetArgs(strings.Fields(args))
			cmd.SetOut(io.Discard)
			err := cmd.ExecuteContext(t.Context())
			c := (*codeError)(nil)
			if !errors.As(err, &c) || c.code != exitUsage || !strings.HasPrefix(err.Error(), "HOME is ") {
				t.Errorf("HOME=%q clawd %s: %v", home, args, err)
			}
		}
		cmd := root()
		cmd.SetArgs([]string{"version"})
		cmd.SetOut(io.Discard)
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Errorf("HOME=%q clawd version: %v", home, err)
		}
		if made, err := os.ReadDir(dir); err != nil || len(made) != 0 {
			t.Errorf("HOME=%q: made %v, %v", home, made, err)
		}
	}
	t.Setenv("HOME", filepath.Join(t.TempDir(), ""))
	if err := checkHome(); err != nil {
		t.Error(err)
	}
}
