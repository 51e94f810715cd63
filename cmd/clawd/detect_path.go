package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
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
	k, ok := d.kindOf(path)
	if ok && !k.Layout.Holds(filepath.Dir(path)) && (d.o.agent == "" || d.o.agent == k.Name) {
		return d.loose(k, path)
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
	case d.o.agent != "" && d.o.agent != k.Name:
		return nil, fmt.Errorf("%s: its name is that of a session of %s, not of %s", path, k.Name, d.o.agent)
	}
	return nil, fmt.Errorf("%s: no session of %s: it holds none, or another file of the same session counts", path, k.Name)
}

// kindOf tells whose session file a path is, as far as it tells. Where several agents name files alike, the one counts
// that is asked for, else the one that keeps its files in such a folder.
func (d detecting) kindOf(path string) (found agent.Kind, ok bool) {
	best := -1
	for _, k := range all.Kinds() {
		if !k.Layout.Has(path) {
			continue
		}
		fits := 0
		switch {
		case k.Name == d.o.agent:
			fits = 2
		case len(k.Layout.Homes) > 0 && k.Layout.Holds(filepath.Dir(path)):
			fits = 1
		}
		if fits > best {
			found, best = k, fits
		}
	}
	return found, best >= 0
}

// look finds the sessions at or below a path, as those of agents whose data lies in folder. The list
// of errors tells what could not be read there.
func (d detecting) look(folder, path string) (found []finding, errs []error, err error) {
	agents, err := d.agents(func(k agent.Kind, e *agent.Env, c *agent.Config) {
		c.ConfigDir = folder
		if name := k.Layout.Stores[filepath.Ext(path)]; name != "" {
			getenv := e.Getenv
			e.Getenv = func(v string) string {
				if v == name {
					return path
				}
				return getenv(v)
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	k, named := d.kindOf(path)
	for _, a := range agents {
		if named && k.Name != a.Name() {
			continue
		}
		sessions, err := sessionsAt(d.ctx, a, path, named && len(k.Layout.Homes) == 0)
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
		for _, k := range all.Kinds() {
			if root, ok := k.Layout.Root(dir); ok {
				return root
			}
		}
	}
	return folder
}

// sessionsAt lists an agent's sessions at or below a path; anywhere: the path is a session's file, wherever it lies.
func sessionsAt(ctx context.Context, a agent.Agent, path string, anywhere bool) ([]detect.Session, error) {
	if anywhere {
		return []detect.Session{{Agent: a.Name(), ID: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Path: path}}, nil
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
	var parts []error
	for _, e := range joined.Unwrap() {
		parts = append(parts, split(e)...)
	}
	return parts
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
	var told []error
	for _, err := range errs {
		ext := filepath.Ext(pathOf(err))
		_, named := d.kindOf(pathOf(err))
		if errors.Is(err, fs.ErrNotExist) || !named && (ext == ".jsonl" || ext == ".json" || ext == ".zst") {
			continue
		}
		if r := (*agent.Refused)(nil); errors.As(err, &r) {
			fmt.Fprintf(d.warn, "clawd: warning: %s\n", tame(r.Error()))
			continue
		}
		told = append(told, fmt.Errorf("warning: %w", err))
	}
	return errors.Join(told...)
}
