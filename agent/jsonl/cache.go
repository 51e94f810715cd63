package jsonl

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// A scan of everything comes twice a minute, as a net for lost file events. Files that were not
// written for a day are looked at in every tenth of them only.
const (
	dormant   = 24 * time.Hour
	everyFile = 10
)

// Cache is what scans saw of folders with sessions' files. Such a scan must cost next to nothing over thousands of
// files, so what has not changed is not built anew. The zero value is empty.
type Cache struct {
	mu    sync.Mutex
	scans int // of everything, so far
	dirs  map[string]folder
}

type folder struct {
	// listed is the folder's own time of change, when its names were listed: a file that came or went is written down
	// in it. 0: they are listed again.
	listed int64
	files  map[string]Seen // by name
}

// Seen is what a stat told of a file. Without a stamp it is none that may be read.
type Seen struct {
	agent.Touched
	// Passed: it is not listed, this time.
	Passed bool

	size, modTime int64
	inode         uint64
}

// Dormant tells whether a file was not written for a day.
func Dormant(t agent.Touched) bool { return time.Since(t.ModTime) > dormant }

// Every counts a scan of everything. True: it looks at dormant files, too.
func (c *Cache) Every() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scans++
	return c.scans%everyFile == 1
}

// Looking gives what is to be known of a file in a folder.
type Looking func(name string, before Seen, listed bool) (now Seen, keep bool, err error)

// Folder adds the sessions of the files in a folder below root to a list. look is asked about each name, with what
// it gave for it before; listed: the names were listed anew, as they are with every, or when one came or went. A name
// that is not kept is asked about again when that is so. The error joins those of look; no file is none.
func (c *Cache) Folder(root, dir string, every bool, all []agent.Touched, look Looking) ([]agent.Touched, error) {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return all, agent.SkipAbsent(&fs.PathError{Op: "stat", Path: dir, Err: err})
	}
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFDIR {
		return all, agent.Inside(root, filepath.Join(dir, "x"))
	}
	changed := st.Mtim.Nano()
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.dirs[dir]
	now, listed := before, every || before.listed != changed
	var names []string
	if listed {
		var err error
		if names, err = list(dir); err != nil {
			return all, agent.SkipAbsent(err)
		}
		now = folder{changed, make(map[string]Seen, len(names))}
		if !agent.Settled(time.Unix(0, changed)) {
			now.listed = 0
		}
	}
	var errs []error
	one := func(name string) {
		seen, keep, err := look(name, before.files[name], listed)
		gone := errors.Is(err, fs.ErrNotExist)
		if !gone {
			errs = append(errs, err)
		}
		if gone || !keep {
			delete(now.files, name)
			return
		}
		now.files[name] = seen
		if seen.Stamp != "" && !seen.Passed {
			all = append(all, seen.Touched)
		}
	}
	if listed {
		for _, name := range names {
			one(name)
		}
		if c.dirs == nil {
			c.dirs = map[string]folder{}
		}
		c.dirs[dir] = now
	} else {
		for name := range now.files {
			one(name)
		}
	}
	return all, errors.Join(errs...)
}

// list gives the names in a folder, sorted.
func list(dir string) ([]string, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// Forget drops what is known of a file, as somebody says that it changed.
func (c *Cache) Forget(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir := filepath.Dir(path)
	if known, ok := c.dirs[dir]; ok {
		delete(known.files, filepath.Base(path))
		c.dirs[dir] = folder{files: known.files}
	}
}

// user is asked for once: a scan needs it for every file.
var user = uint32(os.Getuid())

// Look gives what a stat tells of a session's file: what it was before, where that has not changed. A file that may
// not be read has no stamp, and the error says why.
func Look(s detect.Session, before Seen) (Seen, error) {
	var st unix.Stat_t
	if err := unix.Lstat(s.Path, &st); err != nil {
		return Seen{}, &fs.PathError{Op: "stat", Path: s.Path, Err: err}
	}
	modTime := st.Mtim.Nano()
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFREG || uint32(st.Mode)&0o002 != 0 || st.Uid != user {
		_, err := agent.Own(s.Path)
		return Seen{Touched: agent.Touched{ModTime: time.Unix(0, modTime)}}, err
	}
	if before.size == st.Size && before.modTime == modTime && before.inode == st.Ino && before.Stamp != "" {
		before.Passed = false
		return before, nil
	}
	return Seen{
		size: st.Size, modTime: modTime, inode: st.Ino,
		Touched: agent.Touched{Session: s, Stamp: agent.StampOf(st.Size, modTime, st.Ino), ModTime: time.Unix(0, modTime)},
	}, nil
}
