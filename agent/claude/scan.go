package claude

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Scan lists projects/*/<uuid>.jsonl by name and lstat. What is no regular file of this user
// alone is passed over, and so are folders that are symbolic links.
//
// A hint in the registry lists the session that the entry names, or named when it was last read:
// an entry that was removed names nothing any more.
func (c *Claude) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if hint == "" {
		return c.scanProjects(ctx)
	}
	rel, ok := c.rel(hint)
	if !ok {
		return nil, nil
	}
	part := strings.Split(rel, string(filepath.Separator))
	switch {
	case rel == ".":
		return c.scanProjects(ctx)
	case part[0] == "sessions" && len(part) == 1:
		return c.scanRegistry()
	case part[0] == "sessions" && len(part) == 2:
		return c.scanEntry(filepath.Join(c.registry(), part[1]))
	case part[0] != "projects":
		return nil, nil
	case len(part) == 1:
		return c.scanProjects(ctx)
	case len(part) == 2:
		c.mu.Lock()
		c.all = true
		c.mu.Unlock()
		return c.scanFolder(part[1], nil)
	}
	// A transcript, or something in the folder of its sub-agents.
	id := strings.TrimSuffix(part[2], ".jsonl")
	if !isID(id) {
		return nil, nil
	}
	if fi, err := os.Lstat(filepath.Join(c.projects(), part[1])); err != nil || !fi.IsDir() {
		return nil, skipAbsent(err)
	}
	return c.touch(nil, filepath.Join(c.projects(), part[1]), id)
}

// rel gives the hint below the root, also when it came by a link to the root.
func (c *Claude) rel(hint string) (string, bool) {
	for _, root := range []string{c.root, c.given} {
		if root == "" {
			continue
		}
		if rel, err := filepath.Rel(root, filepath.Clean(hint)); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

func skipAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *Claude) scanProjects(ctx context.Context) ([]agent.Touched, error) {
	fi, err := os.Lstat(c.projects())
	if err != nil {
		return nil, skipAbsent(err)
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", c.projects())
	}
	folders, err := os.ReadDir(c.projects())
	if err != nil {
		return nil, skipAbsent(err)
	}
	c.mu.Lock()
	all := make([]agent.Touched, 0, c.count+c.count/8)
	c.all, c.scans = c.scans%everyFile == 0, c.scans+1
	c.mu.Unlock()
	var errs []error
	for _, d := range folders {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !d.IsDir() {
			continue
		}
		// One folder that cannot be read must not hide the others.
		if all, err = c.scanFolder(d.Name(), all); err != nil {
			errs = append(errs, err)
		}
	}
	c.mu.Lock()
	c.count = len(all)
	c.mu.Unlock()
	return all, errors.Join(errs...)
}

// A scan of everything comes twice a minute, as a net for lost file events. Transcripts that were not
// written for a day are looked at in every tenth of them only.
const (
	dormant   = 24 * time.Hour
	everyFile = 10
)

// seenFile is what the last scan saw of a transcript. A scan that comes every half minute over
// thousands of files must cost next to nothing, so what has not changed is not built anew.
type seenFile struct {
	size, modTime int64
	inode         uint64
	touched       agent.Touched
}

type seenFolder struct {
	listed int64 // the folder's own time of change, when its files were listed
	files  map[string]seenFile
}

func (c *Claude) scanFolder(name string, all []agent.Touched) ([]agent.Touched, error) {
	dir := filepath.Join(c.projects(), name)
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return all, skipAbsent(&fs.PathError{Op: "stat", Path: dir, Err: err})
	}
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFDIR {
		return all, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before, listed := c.files[name], st.Mtim.Nano()
	names := slices.Collect(maps.Keys(before.files))
	if c.all || before.listed != listed { // a file that came or went is written down in the folder
		f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
		if err != nil {
			return all, skipAbsent(err)
		}
		defer f.Close()
		if names, err = f.Readdirnames(-1); err != nil {
			return all, skipAbsent(err)
		}
	}
	now := seenFolder{listed: listed, files: make(map[string]seenFile, len(names))}
	for _, n := range names {
		id, ok := strings.CutSuffix(n, ".jsonl")
		if !ok || !isID(id) {
			continue
		}
		seen, ok := before.files[n]
		if !ok || c.all || time.Since(seen.touched.ModTime) <= dormant {
			path := filepath.Join(dir, n)
			switch err := unix.Lstat(path, &st); {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				return all, &fs.PathError{Op: "stat", Path: path, Err: err}
			}
			seen = c.look(seen, id, path, &st)
		}
		now.files[n] = seen
		if seen.touched.Stamp != "" {
			all = append(all, seen.touched)
		}
	}
	c.files[name] = now
	return all, nil
}

// look gives what is known of a file after a stat; without a stamp: it is none that may be read.
func (c *Claude) look(seen seenFile, id, path string, st *unix.Stat_t) seenFile {
	modTime := st.Mtim.Nano()
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFREG || uint32(st.Mode)&0o002 != 0 || int(st.Uid) != os.Getuid() {
		return seenFile{touched: agent.Touched{ModTime: time.Unix(0, modTime)}}
	}
	if seen.size == st.Size && seen.modTime == modTime && seen.inode == st.Ino && seen.touched.Stamp != "" {
		return seen
	}
	return seenFile{st.Size, modTime, st.Ino, agent.Touched{
		Session: detect.Session{Agent: c.Name(), ID: id, Path: path},
		Stamp:   stampOf(st.Size, modTime, st.Ino), ModTime: time.Unix(0, modTime)}}
}

// touch adds one transcript, if it may be read.
func (c *Claude) touch(all []agent.Touched, dir, id string) ([]agent.Touched, error) {
	path := filepath.Join(dir, id+".jsonl")
	c.mu.Lock()
	delete(c.files[filepath.Base(dir)].files, id+".jsonl") // somebody says that it changed
	c.files[filepath.Base(dir)] = seenFolder{files: c.files[filepath.Base(dir)].files}
	c.mu.Unlock()
	fi, err := os.Lstat(path)
	if err != nil {
		return all, skipAbsent(err)
	}
	if !ownInfo(fi) {
		return all, nil
	}
	return append(all, agent.Touched{
		Session: detect.Session{Agent: c.Name(), ID: id, Path: path},
		Stamp:   stamp(fi),
		ModTime: fi.ModTime(),
	}), nil
}

func stamp(fi fs.FileInfo) string {
	var inode uint64
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	return stampOf(fi.Size(), fi.ModTime().UnixNano(), inode)
}

func stampOf(size, modTime int64, inode uint64) string {
	return strconv.FormatInt(size, 10) + ":" + strconv.FormatInt(modTime, 10) + ":" + strconv.FormatUint(inode, 10)
}

func (c *Claude) scanRegistry() ([]agent.Touched, error) {
	files, err := os.ReadDir(c.registry())
	if err != nil {
		return nil, skipAbsent(err)
	}
	var all []agent.Touched
	for _, f := range files {
		t, err := c.scanEntry(filepath.Join(c.registry(), f.Name()))
		if err != nil {
			return all, err
		}
		all = append(all, t...)
	}
	return all, nil
}

// scanEntry lists the session that a registry entry names, and the one that it named before:
// /clear in the terminal gives the same process another session.
func (c *Claude) scanEntry(path string) ([]agent.Touched, error) {
	if _, ok := entryPID(path); !ok {
		return nil, nil
	}
	c.mu.Lock()
	before := c.seen[path]
	c.mu.Unlock()
	e, err := c.readEntry(path)
	var all []agent.Touched
	for _, id := range []string{e.SessionID, before} {
		if err != nil && id == "" || !isID(id) || len(all) > 0 && all[0].Session.ID == id {
			continue
		}
		t, err := c.find(id, e.CWD)
		if err != nil {
			return all, err
		}
		all = append(all, t...)
	}
	return all, nil
}

// find looks for a session's transcript, first where its working folder says.
func (c *Claude) find(id, cwd string) ([]agent.Touched, error) {
	if cwd != "" {
		dir := filepath.Join(c.projects(), encode(cwd))
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() {
			if t, err := c.touch(nil, dir, id); err != nil || len(t) > 0 {
				return t, err
			}
		}
	}
	folders, err := os.ReadDir(c.projects())
	if err != nil {
		return nil, skipAbsent(err)
	}
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		if t, err := c.touch(nil, filepath.Join(c.projects(), d.Name()), id); err != nil || len(t) > 0 {
			return t, err
		}
	}
	return nil, nil
}

// encode is the agent's name for the project folder of a working folder: every UTF-16 unit that
// is no ASCII letter or digit becomes "-". Names over 200 units are cut and get a hash behind,
// which is left out here: see inFolder.
func encode(cwd string) string {
	var b strings.Builder
	for _, r := range cwd {
		switch {
		case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString("--")
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

// inFolder says whether a session that began in cwd lies in the project folder of that name.
func inFolder(cwd, folder string) bool {
	const longest = 200
	enc := encode(cwd)
	if len(enc) <= longest {
		return enc == folder
	}
	rest, ok := strings.CutPrefix(folder, enc[:longest]+"-")
	return ok && rest != "" && strings.Trim(rest, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
