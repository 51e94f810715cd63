package state

import (
	"bytes"
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
	waiting(t, s, two, "0")
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
	stored := 1
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

// smallFiles says that the test runs under a bound on the size of files.
const smallFiles = "CLAWD_TEST_SMALL_FILES"

// A bound on the size of files is a full disk: nothing is lost, and it passes.
func TestFileSizeBound(t *testing.T) {
	if os.Getenv(smallFiles) == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestFileSizeBound$", "-test.v")
		cmd.Env = append(os.Environ(), smallFiles+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	var lim syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &lim))
	fi, err := os.Stat(s.path)
	must(t, err)
	was := lim.Cur
	lim.Cur = uint64(fi.Size()) + 4096
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim))
	stored := 1
	for err = nil; err == nil && stored < 10_000; stored++ {
		_, err = s.Stopped(read(two), stopped(strconv.Itoa(stored)), wait, nil)
	}
	if !errors.Is(err, syscall.EFBIG) || errors.Is(err, ErrBroken) {
		t.Fatalf("after %d stops: %v", stored, err)
	}
	lim.Cur = was
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim))
	waiting(t, s, two, "more")
	must(t, s.Close())
}
