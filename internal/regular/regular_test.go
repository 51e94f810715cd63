package regular_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/internal/regular"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := regular.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := f.Read(10); len(b) != 0 || err != nil {
		t.Errorf("an empty file: %q %v", b, err)
	}
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil { // it has grown since it was opened
		t.Fatal(err)
	}
	for most, want := range map[int64]string{1: "0", 9: "012345678", 10: "0123456789", 100: "0123456789"} {
		if b, err := f.Read(most); string(b) != want || err != nil {
			t.Errorf("%d bytes of it: %q %v", most, b, err)
		}
	}
	b := make([]byte, 4)
	if n, err := f.ReadAt(b, 8); n != 2 || !errors.Is(err, io.EOF) {
		t.Errorf("at its end: %d %v", n, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(b, 0); !errors.Is(err, unix.EBADF) {
		t.Errorf("when it is closed: %v", err)
	}
}

// TestOthers: what is no regular file is neither read nor waited for.
func TestOthers(t *testing.T) {
	dir := t.TempDir()
	pipe, link, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	err := errors.Join(unix.Mkfifo(pipe, 0o600), os.WriteFile(file, nil, 0o600), os.Symlink(file, link))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe, link} {
		if _, err := regular.Open(path); err == nil {
			t.Errorf("%s is opened", path)
		}
	}
}
