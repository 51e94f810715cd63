package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/internal/regular"
)

// Refused says why a file or folder of strangers is not read. Scan joins one for each to its error,
// beside the sessions that it lists.
type Refused struct {
	Path string
	Why  string
}

func (e *Refused) Error() string { return fmt.Sprintf("%q is not read: %s", e.Path, e.Why) }

// user is asked for once: every look at a file compares with it.
var user = os.Getuid()

// Own gives what a stat tells of a regular file of this user that others cannot write. Anything else
// is a *Refused; the file is never opened, and no symbolic link followed.
func Own(path string) (fs.FileInfo, error) {
	fi, err := os.Lstat(path)
	if err == nil {
		err = Owned(path, fi)
	}
	if err != nil {
		return nil, err
	}
	return fi, nil
}

// Owned is what Own has against a file, by what a stat told of it.
func Owned(path string, fi fs.FileInfo) error {
	why := ""
	st, ok := fi.Sys().(*syscall.Stat_t)
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		why = "it is a symbolic link"
	case !fi.Mode().IsRegular():
		why = "it is not a regular file"
	case !ok || int(st.Uid) != user:
		why = "it belongs to another user"
	case fi.Mode().Perm()&0o002 != 0:
		why = "everybody may write to it"
	default:
		return nil
	}
	return &Refused{path, why}
}

// OwnIn is Own for a file below an agent's folder, with no link on the way from there: root, and given, as its user named
// that one.
func OwnIn(root, given, path string) (fs.FileInfo, error) {
	if rel, ok := Rel(path, root, given); ok {
		path = filepath.Join(root, rel)
	}
	if err := Inside(root, path); err != nil {
		return nil, err
	}
	return Own(path)
}

// ReadFile reads a file that Own gives, of at most so many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	if _, err := Own(path); err != nil {
		return nil, err
	}
	return read(path, most)
}

// ReadSettings reads what an agent's user has set, of at most so many bytes. The agent obeys it wherever a link leads to, and whoever
// owns that: many keep their settings in a repository, or have a package manager make them.
func ReadSettings(path string, most int64) ([]byte, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return read(path, most)
}

func read(path string, most int64) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := f.Read(most + 1)
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s is larger than %d KB", path, most>>10)
	}
	return b, err
}

// Inode of a file; 0: the system does not tell.
func Inode(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// Stamp names a state of a file: by its size, its time of change and its inode.
func Stamp(fi fs.FileInfo) string { return StampOf(fi.Size(), fi.ModTime().UnixNano(), Inode(fi)) }

// StampOf is Stamp, modTime in nanoseconds since 1970.
func StampOf(size, modTime int64, inode uint64) string {
	return strconv.FormatInt(size, 10) + ":" + strconv.FormatInt(modTime, 10) + ":" + strconv.FormatUint(inode, 10)
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
