package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/internal/held"
	"github.com/spf13/cobra"
)

// A service and a shell may have two values of XDG_STATE_HOME. What clawd exec holds must be seen by the
// daemon all the same, and by programs that use package turn.
func TestHeldMeets(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAWD_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", home)
	var all []string
	for _, state := range []string{"", filepath.Join(home, "elsewhere")} {
		t.Setenv("XDG_STATE_HOME", state)
		r, err := (&execFlags{agent: "claude", backoff: "constant", format: "json"}).request(&cobra.Command{}, &globals{}, []string{"do it"})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Held, held.Dir(os.Getenv), filepath.Join(userPaths().marks, "held"))
	}
	for _, dir := range all {
		if dir != all[0] || dir == "" {
			t.Errorf("held in %q", all)
			break
		}
	}
}
