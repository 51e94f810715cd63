package agent

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInnerPID takes a process of two namespaces, as the kernel tells of it, and this process.
func TestInnerPID(t *testing.T) {
	root := t.TempDir()
	for pid, text := range map[string]string{
		"71": "Name:\tclaude\nNSpid:\t71\t7\nNSpgid:\t71\t7\n",
		"72": "Name:\tclaude\n", // a kernel before 4.1
		"73": "NSpid:\n",
	} {
		if err := os.Mkdir(filepath.Join(root, pid), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, pid, "status"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for pid, want := range map[int]int{71: 7, 72: 0, 73: 0, 74: 0} {
		if got := (procfs{root: root}).InnerPID(pid); got != want {
			t.Errorf("process %d: %d, want %d", pid, got, want)
		}
	}
	if got := NewProcs().InnerPID(os.Getpid()); got != os.Getpid() {
		t.Errorf("this process, %d, has the pid %d in its own namespace", os.Getpid(), got)
	}
}
