package claude

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Scan lists projects/*/<uuid>.jsonl by name and lstat. What is no regular file of this user
// alone is refused, and so are folders that are symbolic links: the error names them.
//
// A hint in the registry lists the session that the entry names, or named when it was last read:
// an entry that was removed names nothing any more.
func (c *Claude) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if hint == "" {
		return c.scanProjects(ctx)
	}
	rel, ok := agent.Rel(hint, c.root, c.given)
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
	path := filepath.Join(c.projects(), part[1], id)
	if err := agent.Inside(c.root, path); err != nil {
		return nil, agent.SkipAbsent(err)
	}
	return c.touch(nil, filepath.Dir(path), id)
}

func (c *Claude) scanProjects(ctx context.Context) ([]agent.Touched, error) {
	folders, err := agent.ReadDir(c.root, c.projects())
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.all, c.scans = c.scans%everyFile == 0, c.scans+1
	c.mu.Unlock()
	var all []agent.Touched
	var errs []error
	for _, d := range folders {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !d.IsDir() && d.Type()&fs.ModeSymlink == 0 { // a file beside the folders is none of ours
			continue
		}
		// One folder that cannot be read must not hide the others.
		if all, err = c.scanFolder(d.Name(), all); err != nil {
			errs = append(errs, err)
		}
	}
	return all, errors.Join(errs...)
}

// A scan of everything comes twice a minute, as a net for lost file events. Transcripts that were not
// written for a day are looked at, and listed, in every tenth of them only.
const (
	dormant   = 24 * time.Hour
	everyFile = 10
)

// ownUID is asked for once: a scan needs it for every file.
var ownUID = uint32(os.Getuid())

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
		return all, agent.SkipAbsent(&fs.PathError{Op: "stat", Path: dir, Err: err})
	}
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFDIR {
		return all, agent.Inside(c.root, filepath.Join(dir, "x"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before, listed := c.files[name], st.Mtim.Nano()
	if !c.all && before.listed == listed { // a file that came or went is written down in the folder
		return c.scanActive(dir, before.files, all)
	}
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return all, agent.SkipAbsent(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return all, agent.SkipAbsent(err)
	}
	now := seenFolder{listed: listed, files: make(map[string]seenFile, len(names))}
	var errs []error
	for _, n := range names {
		id, ok := strings.CutSuffix(n, ".jsonl")
		if !ok || !isID(id) {
			if ok && !strings.HasPrefix(n, "agent-") { // those are the sub-agents' of old versions
				errs = append(errs, &agent.Refused{Path: filepath.Join(dir, n), Why: "its name is no session id"})
			}
			continue
		}
		seen, err := c.look(dir, n, before.files[n])
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		errs = append(errs, err)
		now.files[n] = seen
		if seen.touched.Stamp != "" {
			all = append(all, seen.touched)
		}
	}
	if !agent.Settled(time.Unix(0, listed)) {
		now.listed = 0
	}
	c.files[name] = now
	return all, errors.Join(errs...)
}

// scanActive looks again at the files of a folder that were written lately.
func (c *Claude) scanActive(dir string, files map[string]seenFile, all []agent.Touched) ([]agent.Touched, error) {
	var errs []error
	for n, before := range files {
		if time.Since(before.touched.ModTime) > dormant {
			continue
		}
		seen, err := c.look(dir, n, before)
		if errors.Is(err, fs.ErrNotExist) {
			delete(files, n)
			continue
		}
		errs = append(errs, err)
		files[n] = seen
		if seen.touched.Stamp != "" {
			all = append(all, seen.touched)
		}
	}
	return all, errors.Join(errs...)
}

// look gives what a stat tells of a file; without a stamp: it is none that may be read, which the
// error says.
func (c *Claude) look(dir, name string, seen seenFile) (seenFile, error) {
	path := filepath.Join(dir, name)
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return seenFile{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	modTime := st.Mtim.Nano()
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFREG || uint32(st.Mode)&0o002 != 0 || st.Uid != ownUID {
		_, err := agent.Own(path)
		return seenFile{touched: agent.Touched{ModTime: time.Unix(0, modTime)}}, err
	}
	if seen.size == st.Size && seen.modTime == modTime && seen.inode == st.Ino && seen.touched.Stamp != "" {
		return seen, nil
	}
	return seenFile{st.Size, modTime, st.Ino, agent.Touched{
		Session: detect.Session{Agent: c.Name(), ID: strings.TrimSuffix(name, ".jsonl"), Path: path},
		Stamp:   stampOf(st.Size, modTime, st.Ino), ModTime: time.Unix(0, modTime)}}, nil
}

// touch adds one transcript, if it may be read.
func (c *Claude) touch(all []agent.Touched, dir, id string) ([]agent.Touched, error) {
	path := filepath.Join(dir, id+".jsonl")
	c.mu.Lock()
	delete(c.files[filepath.Base(dir)].files, id+".jsonl") // somebody says that it changed
	c.files[filepath.Base(dir)] = seenFolder{files: c.files[filepath.Base(dir)].files}
	c.mu.Unlock()
	fi, err := agent.Own(path)
	if err != nil {
		return all, agent.SkipAbsent(err)
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
	files, err := agent.ReadDir(c.root, c.registry())
	if err != nil {
		return nil, err
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
	folders, err := agent.ReadDir(c.root, c.projects())
	if err != nil {
		return nil, err
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
