package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// CheckDir refuses a working folder in which no agent may be started: it must be absolute,
// clean, a real folder (no symbolic link as its last element) of this user, and not writable
// for everybody. Such a refusal is an *Unfit. A folder that is gone may come back, and so may one that cannot be looked
// at: these are plain errors.
func CheckDir(dir string) error {
	switch {
	case dir == "":
		return &Unfit{Why: "the session's files name no working folder"}
	case !filepath.IsAbs(dir) || filepath.Clean(dir) != dir:
		return &Unfit{Why: fmt.Sprintf("working folder %q is not a clean absolute path", dir)}
	}
	fi, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("working folder %q is gone", dir)
	case err != nil:
		return err
	case fi.Mode()&fs.ModeSymlink != 0:
		return &Unfit{Why: fmt.Sprintf("working folder %q is a symbolic link", dir)}
	case !fi.IsDir():
		return &Unfit{Why: fmt.Sprintf("working folder %q is not a folder", dir)}
	case fi.Mode().Perm()&0o002 != 0:
		return &Unfit{Why: fmt.Sprintf("working folder %q is writable for everybody", dir)}
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return &Unfit{Why: fmt.Sprintf("working folder %q belongs to another user", dir)}
	}
	return nil
}

// WorksIn tells whether a process with this working folder works in a session's. What is not known may be any. The system names a process's
// folder by its real path; an agent writes it down as its user came there, or in other letters.
func WorksIn(cwd, dir string) bool {
	if cwd == "" || dir == "" || SameDir(cwd, dir) {
		return true
	}
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && SameDir(real, cwd)
}

// SameDir tells whether two paths are of one folder. The file systems of a Mac and of Windows take "code" and "Code" for one, and so those
// of a Mac the two ways to write an accented letter. A folder is looked at only if the paths are alike so far: it may hang.
func SameDir(a, b string) bool {
	if a == b {
		return true
	}
	if !alike(a, b) {
		return false
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// alike tells whether paths differ in the case of letters and in what is not ASCII alone.
func alike(a, b string) bool {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	return len(x) == len(y) && !slices.ContainsFunc(x, func(name string) bool {
		other := y[0]
		y = y[1:]
		return !strings.EqualFold(name, other) && isASCII(name) && isASCII(other)
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// coarse is how coarse the times of a file system may be.
const coarse = 2 * time.Second

// Settled tells whether a folder's listing may be kept for as long as the folder's time of change stays: a name that
// comes right after the listing may leave the same time behind.
func Settled(changed time.Time) bool { return time.Since(changed) > coarse }

// OpenRegular opens a regular file for reading, without following a link in its last element and
// without blocking on a FIFO.
func OpenRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
