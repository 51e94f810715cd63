package codex

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// A scan of everything comes twice a minute, as a net for lost file events. Rollouts that were not
// written for a day are looked at in every tenth of them only.
const (
	dormant   = 24 * time.Hour
	everyFile = 10
)

// lockMark stands in the stamp of a session with a lock file.
const lockMark = ":l"

// seenFolder is what the last scan saw of a day. A file that came or went is written down in the
// folder, so as long as that is unchanged its names need not be listed.
type seenFolder struct {
	listed  int64 // the folder's own time of change, when its names were listed
	touched map[string]agent.Touched
}

// scan is one Scan.
type scan struct {
	c     *Codex
	ctx   context.Context
	all   bool            // also what is dormant
	locks map[string]bool // sessions with a lock file
	log   *string         // stamp of the log, once it was asked for
	found []agent.Touched
	errs  []error
}

// logStamp: a wait inside a turn that is under way is written into the log alone.
func (s *scan) logStamp() string {
	if s.log == nil {
		l := s.c.logStamp()
		s.log = &l
	}
	return *s.log
}

// Scan lists rollouts by name and lstat. What is no regular file of this user alone is refused, and
// so are folders that are symbolic links: the error names them.
//
// The stamp holds whether the writer's lock is there, for it goes when its process ends well.
func (c *Codex) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if c.root == "" {
		return nil, nil
	}
	s := &scan{c: c, ctx: ctx}
	s.lockFiles()
	part := []string{"."}
	if hint != "" {
		rel, ok := agent.Rel(hint, c.root, c.given)
		if !ok {
			return nil, nil
		}
		part, s.all = strings.Split(rel, string(filepath.Separator)), true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case part[0] == ".":
		if hint == "" {
			s.all = c.scans%everyFile == 0
			c.scans++
		}
		s.tree(c.sessions(), 3)
		s.tree(c.archive(), 0)
	case part[0] == "sessions" && len(part) <= 4:
		if dir := filepath.Join(c.root, filepath.Join(part...)); s.inside(dir) {
			s.tree(dir, 4-len(part))
		}
	case part[0] == "sessions" && len(part) == 5, part[0] == "archived_sessions" && len(part) == 2:
		if path := filepath.Join(c.root, filepath.Join(part...)); s.inside(path) {
			s.file(path)
		}
	case part[0] == "archived_sessions" && len(part) == 1:
		s.tree(c.archive(), 0)
	case part[0] == "thread-writer-locks" && len(part) == 2:
		if path := c.findLocked(strings.TrimSuffix(part[1], ".lock")); path != "" {
			s.file(path)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s.found, errors.Join(s.errs...)
}

// lockFiles looks which sessions have a lock file, held or not.
func (s *scan) lockFiles() {
	names, err := agent.ReadDir(s.c.root, s.c.lockDir())
	s.failed(err)
	s.locks = make(map[string]bool, len(names))
	for _, n := range names {
		if id, ok := strings.CutSuffix(n.Name(), ".lock"); ok {
			s.locks[id] = true
		}
	}
}

func (s *scan) failed(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.errs = append(s.errs, err)
	}
}

// inside: no folder on the way to a path may be a link.
func (s *scan) inside(path string) bool {
	err := agent.Inside(s.c.root, path)
	s.failed(err)
	return err == nil
}

// tree goes down to the folders that hold rollouts; those above dir were looked at. One that cannot
// be read must not hide others.
func (s *scan) tree(dir string, depth int) {
	if s.ctx.Err() != nil {
		return
	}
	if depth == 0 {
		s.day(dir)
		return
	}
	names, err := agent.ReadDir(s.c.root, dir)
	s.failed(err)
	for _, n := range names {
		if isNumber(n.Name()) && (n.IsDir() || n.Type()&fs.ModeSymlink != 0) { // a link is refused below
			s.tree(filepath.Join(dir, n.Name()), depth-1)
		}
	}
}

func isNumber(name string) bool {
	return name != "" && strings.Trim(name, "0123456789") == ""
}

// day looks at the rollouts of one folder.
func (s *scan) day(dir string) {
	fi, err := os.Lstat(dir)
	if err != nil {
		s.failed(err)
		return
	}
	if !fi.IsDir() {
		s.inside(filepath.Join(dir, "x"))
		return
	}
	before, listed := s.c.days[dir], fi.ModTime().UnixNano()
	var names []string
	if s.all || before.listed != listed {
		f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
		if err != nil {
			s.failed(err)
			return
		}
		names, err = f.Readdirnames(-1)
		f.Close()
		if err != nil {
			s.failed(err)
			return
		}
		slices.Sort(names) // NAME.jsonl comes before NAME.jsonl.zst
	} else {
		for n := range before.touched {
			names = append(names, n)
		}
	}
	now := seenFolder{listed: listed, touched: make(map[string]agent.Touched, len(names))}
	for _, n := range names {
		t, seen := before.touched[n]
		if _, _, ok := idOf(n); !ok {
			s.misnamed(filepath.Join(dir, n))
			continue
		}
		if !seen || t.Stamp == "" || s.all || time.Since(t.ModTime) <= dormant || s.locks[t.Session.ID] || strings.Contains(t.Stamp, lockMark) {
			var ok bool
			if t, ok = s.look(filepath.Join(dir, n)); !ok {
				now.touched[n] = agent.Touched{} // it may be another time
				continue
			}
		}
		now.touched[n] = t
		s.found = append(s.found, t)
	}
	if !agent.Settled(fi.ModTime()) {
		now.listed = 0
	}
	s.c.days[dir] = now
}

// file adds one rollout that somebody says has changed.
func (s *scan) file(path string) {
	if t, ok := s.look(path); ok {
		s.found = append(s.found, t)
	}
}

// look gives a rollout, if it may be read and is the one that counts for its session.
func (s *scan) look(path string) (agent.Touched, bool) {
	id, packed, ok := idOf(filepath.Base(path))
	if !ok {
		s.misnamed(path)
		return agent.Touched{}, false
	}
	fi, err := agent.Own(path)
	if err != nil {
		s.failed(err)
		return agent.Touched{}, false
	}
	// The agent moves a rollout when it archives or packs it. While both are there, the one that is
	// appended to counts.
	if other := s.c.paths[id]; other != "" && other != path && (packed || s.c.isArchived(path)) {
		if _, err := s.c.own(other); err == nil {
			return agent.Touched{}, false
		}
	}
	s.c.paths[id] = path
	t := agent.Touched{Session: detect.Session{Agent: s.c.Name(), ID: id, Path: path}, Stamp: stamp(fi), ModTime: fi.ModTime()}
	if s.locks[id] {
		t.Stamp += lockMark
		if s.c.open[id] && time.Since(t.ModTime) <= dormant {
			t.Stamp += s.logStamp()
		}
	}
	return t, true
}

// misnamed refuses what has the form of a rollout, but not the name.
func (s *scan) misnamed(path string) {
	if strings.HasSuffix(path, plainExt) || strings.HasSuffix(path, packedExt) {
		s.failed(&agent.Refused{Path: path, Why: "its name is not that of a session"})
	}
}

func (c *Codex) isArchived(path string) bool { return filepath.Dir(path) == c.archive() }

// find gives the rollout of a session; empty: there is none.
func (c *Codex) find(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.findLocked(id)
}

// findLocked looks where a scan saw the rollout, then in the folders of the day on which the id
// was made: they are named in the local time of the agent, which may be a day off. Callers hold mu.
func (c *Codex) findLocked(id string) string {
	if !isID(id) {
		return ""
	}
	if path := c.paths[id]; path != "" {
		if _, err := c.own(path); err == nil {
			return path
		}
	}
	dirs := []string{c.archive()}
	if begun, ok := begunAt(id); ok {
		for _, days := range []int{0, -1, 1} {
			dirs = append(dirs, filepath.Join(c.sessions(), begun.AddDate(0, 0, days).Format("2006/01/02")))
		}
	}
	for _, dir := range dirs {
		names, err := agent.ReadDir(c.root, dir)
		if err != nil {
			continue // a scan of everything tells why
		}
		for _, n := range names {
			if got, _, ok := idOf(n.Name()); ok && got == id {
				return filepath.Join(dir, n.Name())
			}
		}
	}
	return ""
}
