package pi

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Scan lists the sessions by name and lstat: those of each project's folder, and those that lie flat where the
// user moved them. What is no regular file of this user alone is refused, and so are folders that are
// symbolic links. Of one id there is one session: users may give theirs, and give one twice.
func (p *Pi) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if p.sessions == "" {
		return nil, nil
	}
	s := scan{p: p, ctx: ctx, above: filepath.Dir(p.sessions)}
	rel := "."
	if hint != "" {
		var ok bool
		if rel, ok = agent.Rel(hint, p.sessions, filepath.Clean(p.home(p.moved)), filepath.Join(p.given, "sessions")); !ok {
			return nil, nil
		}
	}
	part := strings.Split(rel, string(filepath.Separator))
	switch path := filepath.Join(p.sessions, rel); {
	case rel == ".":
		s.everything()
	case len(part) == 1 && strings.HasSuffix(rel, ext), len(part) == 2:
		if err := agent.Inside(s.above, path); err != nil {
			return nil, agent.SkipAbsent(err)
		}
		s.file(path)
		s.known()
	case len(part) == 1:
		s.folder(path)
		s.known()
	}
	return s.found, errors.Join(s.errs...)
}

type scan struct {
	p     *Pi
	ctx   context.Context
	above string
	found []agent.Touched
	errs  []error
}

func (s *scan) failed(err error) {
	if err = agent.SkipAbsent(err); err != nil {
		s.errs = append(s.errs, err)
	}
}

func (s *scan) everything() {
	names, err := agent.ReadDir(s.above, s.p.sessions)
	s.failed(err)
	for _, n := range names {
		path := filepath.Join(s.p.sessions, n.Name())
		switch {
		case s.ctx.Err() != nil:
			return
		case n.IsDir() && !strings.HasSuffix(n.Name(), ext):
			s.folder(path) // one that cannot be read must not hide the others
		case strings.HasSuffix(n.Name(), ext):
			s.file(path)
		case n.Type()&fs.ModeSymlink != 0:
			s.failed(&agent.Refused{Path: path, Why: "it is a symbolic link"})
		}
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.paths = map[string]string{}
	s.single()
}

func (s *scan) folder(dir string) {
	names, err := agent.ReadDir(s.above, dir)
	s.failed(err)
	for _, n := range names {
		if strings.HasSuffix(n.Name(), ext) {
			s.file(filepath.Join(dir, n.Name()))
		}
	}
}

// file adds a session, if it may be read.
func (s *scan) file(path string) {
	id, ok := idOf(filepath.Base(path))
	if !ok {
		if strings.HasSuffix(path, ext) {
			s.failed(&agent.Refused{Path: path, Why: "its name is not that of a session"})
		}
		return
	}
	fi, err := agent.Own(path)
	if err != nil {
		s.failed(err)
		return
	}
	s.found = append(s.found, agent.Touched{Session: detect.Session{Agent: s.p.Name(), ID: id, Path: path},
		Stamp: agent.Stamp(fi) + s.p.due(path), ModTime: fi.ModTime()})
}

// due changes the stamp of a session once when an error that was held back can be told.
func (p *Pi) due(path string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, ok := p.held[path]; ok && settled(p.now(), at) {
		return ":due"
	}
	return ""
}

// known drops what a scan of everything saw under another path, and is still there.
func (s *scan) known() {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.single()
}

// single keeps the sessions whose ids no other file has. Callers hold mu.
func (s *scan) single() {
	twice := map[string]bool{}
	for _, t := range s.found {
		id := t.Session.ID
		before := s.p.paths[id]
		if before == "" || before == t.Session.Path || !there(before) {
			s.p.paths[id] = t.Session.Path
			continue
		}
		twice[id] = true
		s.errs = append(s.errs, &agent.Refused{Path: t.Session.Path, Why: "another session has the same id"})
	}
	if len(twice) == 0 {
		return
	}
	var all []agent.Touched
	for _, t := range s.found {
		if !twice[t.Session.ID] {
			all = append(all, t)
		}
	}
	s.found = all
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// settle is how long after an error the agent has surely said that it means to ask again: it does so at once.
const settle = 2 * time.Second

// settled tells whether that is over. An error from the future is an old one, and the clock was set.
func settled(now, at time.Time) bool {
	d := now.Sub(at)
	return d < 0 || d >= settle
}
