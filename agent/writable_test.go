package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAlone(t *testing.T) {
	const groups = "root:x:0:\nbroken\ndev:x:1000:\nann:x:1001:ann\nbob:x:1002:bob,eve\nstaff:x:1003:\n"
	for gid, want := range map[uint32]string{1000: "dev", 1001: "ann", 1002: "", 1003: "", 1004: "", 0: "root"} {
		for _, name := range []string{"dev", "ann", "bob", "root"} {
			if got := alone(strings.NewReader(groups), name, gid); got != (name == want) {
				t.Errorf("%s, %d: %v", name, gid, got)
			}
		}
	}
}

func TestOthersMayWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o755: false, 0o646: true, 0o666: true, 0o602: true} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := OthersMayWrite(fi); got != want {
			t.Errorf("%o: %v", mode, got)
		}
	}
}
