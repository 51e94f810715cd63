package actor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// appendAt appends with one write, and dates the file. The folder keeps the time of the machine: readers
// compare it with that to tell whether a file was added since.
func appendAt(path string, b []byte, now time.Time) error {
	if len(b) == 0 {
		return nil
	}
	return writeAt(path, unix.O_APPEND, b, now)
}

// replaceAt writes a small file anew, in place.
func replaceAt(path string, b []byte, now time.Time) error {
	return writeAt(path, unix.O_TRUNC, b, now)
}

// writeAt makes the four calls that are needed and no more: a seed writes hundreds of times.
func writeAt(path string, how int, b []byte, now time.Time) error {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_CLOEXEC | unix.O_NOFOLLOW
	fd, err := unix.Open(path, flags|how, 0o600)
	if errors.Is(err, unix.ENOENT) {
		if err := unix.Mkdir(filepath.Dir(path), 0o700); err != nil { // most of the time its parent is there
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
		}
		fd, err = unix.Open(path, flags|how, 0o600)
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	n, err := unix.Write(fd, b)
	if cerr := unix.Close(fd); err == nil {
		err = cerr
	}
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	ts := unix.NsecToTimespec(now.UnixNano())
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, 0)
}
