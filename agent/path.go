package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
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
