package holders

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent/agenttest"
)

// TestLockTable: one that waits for a lock does not hold it, and one that reads does not own it.
func TestLockTable(t *testing.T) {
	got := parseLocks([]byte("1: FLOCK  ADVISORY  WRITE 12804 fe:0a:9996462 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 7 fe:0a:9996462 0 EOF\n" +
		"2: FLOCK  ADVISORY  READ 8 fe:0a:9996462 0 EOF\n3: LEASE  ACTIVE    READ 8\n"))
	if len(got) != 1 || got[0] != (fileLock{12804, 0xfe, 0x0a, 9996462}) {
		t.Errorf("%+v", got)
	}
}

// TestLockOfAnotherNamespace: in a container the table has none of the locks that the host's processes have.
func TestLockOfAnotherNamespace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	empty := Locks(func() ([]byte, error) { return nil, nil })
	held := func(within string) []int {
		t.Helper()
		pids, err := empty.Held(agenttest.Procs{Within: within}, path, fi)
		if err != nil {
			t.Fatal(err)
		}
		return pids
	}
	const first, container = "pid:[4026531836]", "pid:[4026532391]"
	if got := held(container); len(got) != 0 {
		t.Errorf("free: %d", got)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal("what looked whether it is held holds it: ", err)
	}
	if got := held(container); !slices.Equal(got, []int{0}) {
		t.Errorf("held: %d", got)
	}
	for _, whole := range []string{first, ""} { // where the table has all, or nothing is known, no lock is ever tried
		if got := held(whole); len(got) != 0 {
			t.Errorf("in %q: %d", whole, got)
		}
	}
}
