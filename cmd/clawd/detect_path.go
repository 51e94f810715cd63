package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// path finds the sessions that a path names: a session's file, a database, an agent's folder, or a
// folder in that. Findings may come with an error: something else there could not be read.
func (d detecting) path(path string) ([]finding, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	// Agents name their files with links resolved. A link that stands for a session's file itself
	// stays one, for agents refuse it.
	if fi.IsDir() {
		path, err = filepath.EvalSymlinks(path)
	} else {
		var dir string
		dir, err = filepath.EvalSymlinks(filepath.Dir(path))
		path = filepath.Join(dir, filepath.Base(path))
	}
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return d.file(path)
	}
	found, errs, err := d.look(path, path)
	if root := dataFolder(path); err == nil && len(found) == 0 && root != path { // a folder in an agent's folder
		var more []error
		found, more, err = d.look(root, path)
		errs = append(errs, more...)
	}
	if err == nil && len(found) == 0 && len(errs) == 0 {
		found, errs = d.gather(path)
	}
	switch {
	case err != nil:
		return nil, err
	case len(found) > 0:
		return found, d.warnings(errs)
	case len(errs) > 0:
		return nil, errors.Join(errs...)
	}
	return nil, fmt.Errorf("%s: no session of a known agent", path)
}

func (d detecting) file(path string) ([]finding, error) {
	f, ok := formOf(path)
	if ok && f.home != nil && !f.home.MatchString(filepath.ToSlash(filepath.Dir(path))) && (d.o.agent == "" || d.o.agent == f.agent) {
		return d.loose(f, path)
	}
	found, errs, err := d.look(dataFolder(filepath.Dir(path)), path)
	switch {
	case err != nil:
		return nil, err
	case len(found) > 0:
		return found, d.warnings(errs)
	case len(errs) > 0:
		return nil, errors.Join(errs...)
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: no session of a known agent", path)
	case d.o.agent != "" && d.o.agent != f.agent:
		return nil, fmt.Errorf("%s: its name is that of a session of %s, not of %s", path, f.agent, d.o.agent)
	}
	return nil, fmt.Errorf("%s: no session of %s: it holds none, or another file of the same session counts", path, f.agent)
}

// form is how an agent names the files of its sessions, and where it keeps them.
type form struct {
	agent string
	name  *regexp.Regexp
	home  *regexp.Regexp // of the folder; nil: a copy anywhere can be read
	lay   string         // such a folder below the agent's, for a copy from elsewhere
}

var forms = []form{
	{agent: "claude", name: regexp.MustCompile(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$`)},
	{agent: "codex", name: regexp.MustCompile(`^rollout-.*\.jsonl(?:\.zst)?$`),
		home: regexp.MustCompile(`/(?:sessions/\d+/\d+/\d+|archived_sessions)$`),
		lay:  "sessions/2000/01/01"},
	{agent: "gemini", name: regexp.MustCompile(`^session-.*\.jsonl?$`),
		home: regexp.MustCompile(`/tmp/[^/]+/chats$`),
		lay:  "tmp/copy/chats"},
}

// formOf tells whose session file a path is, as far as its name tells.
func formOf(path string) (form, bool) {
	for _, f := range forms {
		if f.name.MatchString(filepath.Base(path)) {
			return f, true
		}
	}
	return form{}, false
}

// look finds the sessions at or below a path, as those of agents whose data lies in folder. The list
// of errors tells what could not be read there.
func (d detecting) look(folder, path string) (found []finding, errs []error, err error) {
	agents, err := d.agents(func(_ string, e *agent.Env, c *agent.Config) {
		c.ConfigDir = folder
		if getenv := e.Getenv; strings.HasSuffix(path, ".db") {
			e.Getenv = func(k string) string {
				if k == "OPENCODE_DB" {
					return path
				}
				return getenv(k)
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	f, named := formOf(path)
	for _, a := range agents {
		if named && f.agent != a.Name() {
			continue
		}
		sessions, err := sessionsAt(d.ctx, a, path)
		for _, e := range split(err) {
			if about(e, folder, path) {
				errs = append(errs, e)
			}
		}
		for _, s := range sessions {
			f, err := d.session(a, s)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			found = append(found, f)
		}
	}
	return found, errs, nil
}

// dataFolder is the agent's folder that a folder with sessions lies in, as far as its path tells;
// else the folder itself.
func dataFolder(folder string) string {
	for dir := folder; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		switch base := filepath.Base(dir); {
		case base == "projects" || base == "storage" || base == "sessions" || base == "archived_sessions":
			return filepath.Dir(dir)
		case base == "chats" && filepath.Base(filepath.Dir(filepath.Dir(dir))) == "tmp": // Gemini: tmp/<project>/chats
			return filepath.Dir(filepath.Dir(filepath.Dir(dir)))
		}
	}
	return folder
}

// sessionsAt lists an agent's sessions at or below a path.
func sessionsAt(ctx context.Context, a agent.Agent, path string) ([]detect.Session, error) {
	if f, ok := formOf(path); ok && f.home == nil {
		return []detect.Session{{Agent: a.Name(), ID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), Path: path}}, nil
	}
	touched, err := a.Scan(ctx, "")
	var list []detect.Session
	for _, t := range touched {
		if within(t.Session.Path, path) {
			list = append(list, t.Session)
		}
	}
	return list, err
}

// within tells whether a clean path is dir or lies below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// split takes apart what errors.Join put together.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}

// about tells whether an error of a scan of folder speaks of what was asked for.
func about(err error, folder, path string) bool {
	if at := pathOf(err); at != "" {
		return within(at, path) || within(path, at)
	}
	return path == folder || strings.Contains(err.Error(), path)
}

// pathOf is the path that an error speaks of; empty: only its text names one.
func pathOf(err error) string {
	if r := (*agent.Refused)(nil); errors.As(err, &r) {
		return r.Path
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Path
	}
	return ""
}

// warnings is what could not be read beside findings. It leaves out what only means that a file is
// not an agent's: a name that no agent gives, or a file that went meanwhile. What no agent would have
// left so is told, and is no failure of the command.
func (d detecting) warnings(errs []error) error {
	var all []error
	for _, err := range errs {
		ext := filepath.Ext(pathOf(err))
		_, named := formOf(pathOf(err))
		if errors.Is(err, fs.ErrNotExist) || !named && (ext == ".jsonl" || ext == ".json" || ext == ".zst") {
			continue
		}
		if r := (*agent.Refused)(nil); errors.As(err, &r) {
			fmt.Fprintf(d.warn, "clawd: warning: %s\n", tame(r.Error()))
			continue
		}
		all = append(all, fmt.Errorf("warning: %w", err))
	}
	return errors.Join(all...)
}
