package state

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const smallDisk = "CLAWD_TEST_SMALL_DISK"

// TestFullDisk fills a real file system, a small one in a namespace of its own.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(smallDisk); dir != "" {
		fullDisk(t, dir)
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("no mount namespaces here")
	}
	self, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	script := `mount -t tmpfs -o size=1m none "$1" || exit 77; exec "$2" -test.run '^TestFullDisk$' -test.v`
	cmd := exec.Command("unshare", "-rm", "sh", "-c", script, "sh", dir, self)
	cmd.Env = append(os.Environ(), smallDisk+"="+dir)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 77 || strings.Contains(string(out), "unshare failed") {
		t.Skipf("a file system of one's own cannot be mounted here: %s", out)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFullDisk") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func fullDisk(t *testing.T, dir string) {
	path := filepath.Join(dir, "clawd.db")
	s, _ := openAt(t, path)
	waiting(t, s, one, "k")
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	must(t, f.Close())
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	// bbolt first uses the pages that it has; then it must say that there are no more.
	stored := 0
	for err = nil; err == nil && stored < 10_000; stored++ {
		_, err = s.Stopped(read(two), stopped(strconv.Itoa(stored)), wait, nil)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("after %d stops: %v", stored, err)
	}
	last := strconv.Itoa(stored - 2)
	is(t, get(t, s, two).Stop.Key, last)
	_, claimErr := s.Claim(two, last, many, free)
	if claimErr == nil {
		t.Error("an attempt was claimed on a full disk")
	}
	is(t, get(t, s, two).Phase, Waiting)

	must(t, os.Remove(ballast))
	c := claimed(t, s, two, last)
	must(t, s.Fired(c))
	must(t, s.Close())
	s, _ = openAt(t, path)
	is(t, s.Quarantined, "")
	is(t, get(t, s, one).Stop.Key, "k")
	is(t, get(t, s, two).Phase, Fired)
}
