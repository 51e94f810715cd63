package codex

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
)

// lockMark stands in the stamp of a session with a lock file.
const lockMark = ":l"

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
			s.all = c.cache.Every()
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
	// An older revision is listed before the one that counts.
	s.found = slices.DeleteFunc(s.found, func(t agent.Touched) bool { return c.revised(t.Session.ID, t.Session.Path) })
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
	found, err := s.c.cache.Folder(s.c.root, dir, s.all, s.found, func(name string, t jsonl.Seen, _ bool) (jsonl.Seen, bool, error) {
		id, _, ok := idOf(name)
		if !ok {
			return t, false, misnamed(filepath.Join(dir, name))
		}
		if t.Stamp != "" && !s.all && jsonl.Dormant(t.Touched) && !s.locks[id] && !strings.Contains(t.Stamp, lockMark) {
			return t, true, nil
		}
		now, err := s.look(filepath.Join(dir, name))
		return jsonl.Seen{Touched: now}, true, err // one that is not listed may be another time
	})
	s.found = found
	s.failed(err)
}

// file adds one rollout that somebody says has changed.
func (s *scan) file(path string) {
	t, err := s.look(path)
	s.failed(err)
	if t.Stamp != "" {
		s.found = append(s.found, t)
	}
}

// look gives a rollout, if it may be read and is the one that counts for its session.
func (s *scan) look(path string) (agent.Touched, error) {
	id, packed, ok := idOf(filepath.Base(path))
	if !ok {
		return agent.Touched{}, misnamed(path)
	}
	fi, err := agent.Own(path)
	if err != nil {
		return agent.Touched{}, err
	}
	// The agent moves a rollout when it archives or packs it. While both are there, the one that is
	// appended to counts, and a newer revision before all.
	if other := s.c.paths[id]; other != "" && other != path && (s.c.revised(id, path) || revisionOf(other) == revisionOf(path) && (packed || s.c.isArchived(path))) {
		if _, err := s.c.own(other); err == nil {
			return agent.Touched{}, nil
		}
	}
	s.c.paths[id] = path
	t := agent.Touched{Session: detect.Session{Agent: s.c.Name(), ID: id, Path: path}, Stamp: agent.Stamp(fi), ModTime: fi.ModTime()}
	if s.locks[id] {
		t.Stamp += lockMark
		if s.c.open[id] && !jsonl.Dormant(t) {
			t.Stamp += s.logStamp()
		}
	}
	return t, nil
}

// revised tells whether a newer revision of a rollout was seen. Callers hold mu.
func (c *Codex) revised(id, path string) bool { return revisionOf(path) < revisionOf(c.paths[id]) }

// misnamed refuses what has the form of a rollout, but not the name.
func misnamed(path string) error {
	if strings.HasSuffix(path, plainExt) || strings.HasSuffix(path, packedExt) {
		return &agent.Refused{Path: path, Why: "its name is not that of a session"}
	}
	return nil
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
	if !agent.IsUUID(id) {
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
	newest := ""
	for _, dir := range dirs {
		names, err := agent.ReadDir(c.root, dir)
		if err != nil {
			continue // a scan of everything tells why
		}
		for _, n := range names {
			if got, _, ok := idOf(n.Name()); ok && got == id && (newest == "" || revisionOf(newest) < revisionOf(n.Name())) {
				newest = filepath.Join(dir, n.Name())
			}
		}
	}
	return newest
}
