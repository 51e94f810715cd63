package config

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A path that is no file, or an endless one, is an error at once: nothing waits for it, and nothing runs out of memory.
func TestOddConfigFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, long, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "long"), filepath.Join(dir, "folder")
	err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Mkdir(folder, 0o700), os.WriteFile(long, []byte(strings.Repeat("#", maxSize+1)), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is a pipe", long: "longer than 1048576 bytes", folder: "is a directory", "/dev/zero": "longer than", os.DevNull: ""} {
		_, err := Load(path, true, nil)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// A hint can be typed as it stands, whatever the path.
func TestWritableForOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a $b's config.toml")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path, true, nil)
	if err == nil {
		t.Fatal("it was read")
	}
	_, hint, _ := strings.Cut(err.Error(), "type: ")
	if out, err := exec.Command("sh", "-c", hint).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", hint, err, out)
	}
	if _, err := Load(path, true, nil); err != nil {
		t.Error(err)
	}
}
