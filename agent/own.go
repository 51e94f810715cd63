package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Refused says why a file or folder of strangers is not read. Scan joins one for each to its error,
// beside the sessions that it lists.
type Refused struct {
	Path string
	Why  string
}

func (e *Refused) Error() string { return fmt.Sprintf("%q is not read: %s", e.Path, e.Why) }

// Own gives what a stat tells of a regular file of this user that others cannot write. Anything else
// is a *Refused; the file is never opened, and no symbolic link followed.
func Own(path string) (fs.FileInfo, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	why := ""
	st, ok := fi.Sys().(*syscall.Stat_t)
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		why = "it is a symbolic link"
	case !fi.Mode().IsRegular():
		why = "it is not a regular file"
	case !ok || int(st.Uid) != os.Getuid():
		why = "it belongs to another user"
	case fi.Mode().Perm()&0o002 != 0:
		why = "everybody may write to it"
	default:
		return fi, nil
	}
	return nil, &Refused{path, why}
}

// Inside refuses a path that does not lie below root, or to which a symbolic link or a file leads on
// the way from root. The last element is not looked at.
func Inside(root, path string) error {
	rel, ok := strings.CutPrefix(path, root+string(filepath.Separator))
	if !ok || !filepath.IsLocal(rel) || filepath.Clean(path) != path {
		return &Refused{path, fmt.Sprintf("it does not lie below %q", root)}
	}
	for i := len(root) + 1; i < len(path); i++ {
		if path[i] != filepath.Separator {
			continue
		}
		var st unix.Stat_t // every look at a session comes by here, and needs no more than this
		switch err := unix.Lstat(path[:i], &st); {
		case err != nil:
			return &fs.PathError{Op: "lstat", Path: path[:i], Err: err}
		case uint32(st.Mode)&unix.S_IFMT == unix.S_IFLNK:
			return &Refused{path[:i], "it is a symbolic link"}
		case uint32(st.Mode)&unix.S_IFMT != unix.S_IFDIR:
			return &Refused{path[:i], "it is not a folder"}
		}
	}
	return nil
}

// SkipAbsent takes an error for none where what it is about does not exist.
func SkipAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ReadDir lists a folder below root in the order of names; one that is absent is empty. It is refused
// as by Inside, and also when it is itself a symbolic link or no folder.
func ReadDir(root, path string) ([]fs.DirEntry, error) {
	err := Inside(root, filepath.Join(path, "x"))
	var list []fs.DirEntry
	if err == nil {
		list, err = os.ReadDir(path)
	}
	return list, SkipAbsent(err)
}
