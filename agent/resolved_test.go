package agent

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder that is yet to be made, in a home folder behind a link, is the one that it will be.
func TestResolved(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.MkdirAll(filepath.Join(dir, "disk", "home", "there"), 0o700), os.Symlink("disk/home", filepath.Join(dir, "home")),
		os.Symlink("nowhere", filepath.Join(dir, "home", "dangles")), os.WriteFile(filepath.Join(dir, "home", "file"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"home": "disk/home", "home/there": "disk/home/there", "home/gone": "disk/home/gone", "home/gone/below": "disk/home/gone/below",
		"home/dangles": "disk/home/dangles", "gone": "gone", "home/file/below": "home/file/below",
	} {
		if got := Resolved(filepath.Join(dir, path)); got != filepath.Join(dir, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if got := Resolved(filepath.Join(dir, path) + "/"); got != filepath.Join(dir, want) { // as TAB leaves it in a variable
			t.Errorf("%s/: %s, want %s", path, got, want)
		}
	}
	for _, as := range []string{"", "/", "gone"} {
		if got := Resolved(as); got != as {
			t.Errorf("%q: %q", as, got)
		}
	}
}
