package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// shared is where Linux has files in memory.
const shared = "/dev/shm"

// room is how many bytes must be free there: the tests write files of some hundred megabytes, one after the other.
const room = 4 << 30

// noexec is the flag of a file system that starts no program: tests write programs and start them.
const noexec = 8

// inMemory makes an empty folder in memory. Its name is short, for a socket's path has 107 bytes at most. It is locked as long
// as this process lives: one that was left behind is taken again.
func inMemory(under string) (dir string, remove func(), err error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(under, &fs); err != nil {
		return "", nil, err
	}
	if free := fs.Bavail * uint64(fs.Bsize); free < room || fs.Flags&noexec != 0 { //nolint:gosec // no file system has blocks of a negative size
		return "", nil, fmt.Errorf("%s: %d MB are free, flags %#x", under, free>>20, fs.Flags)
	}
	for n := range 100 {
		dir := filepath.Join(under, fmt.Sprintf("u%02d", n))
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return "", nil, err
		}
		f, err := os.Open(dir)
		if err != nil {
			continue // another user's
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			f.Close()
			continue
		}
		old, err := os.ReadDir(dir)
		for _, e := range old {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
		if err != nil {
			f.Close()
			continue
		}
		return dir, func() { os.RemoveAll(dir); f.Close() }, nil
	}
	return "", nil, fmt.Errorf("%s: all names are taken", under)
}
