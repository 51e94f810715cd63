package qwen

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
)

// Scan lists projects/*/chats/<uuid>.jsonl by name and lstat. What is no regular file of this user alone is refused, and
// so are folders that are symbolic links. The stamp of a session also says when a run of it ended by itself, which
// another file tells.
//
// A hint in the registry lists the session that the entry names, or named when it was last read.
func (q *Qwen) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if q.root == "" {
		return nil, nil
	}
	found, err := q.scan(ctx, hint)
	var errs []error
	for i := range found {
		runs, err := q.ended(ctx, found[i].Session.ID)
		if err != nil {
			errs = append(errs, err) // once: it is about one file
			break
		}
		if at := runs.last(); at != 0 {
			found[i].Stamp += ":" + strconv.FormatInt(at, 10)
		}
	}
	return found, errors.Join(append(errs, err)...)
}

func (q *Qwen) scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if hint == "" {
		return q.everything(ctx)
	}
	if rel, ok := agent.Rel(hint, q.root, q.given); ok {
		part := strings.Split(rel, string(filepath.Separator))
		switch {
		case part[0] == usageFile:
			return q.everything(ctx)
		case part[0] == "sessions" && len(part) == 2:
			return q.entered(filepath.Join(q.registry(), part[1]))
		}
	}
	rel, ok := agent.Rel(hint, q.base, filepath.Clean(q.home(q.moved)), q.given)
	part := strings.Split(rel, string(filepath.Separator))
	switch {
	case !ok, part[0] != "projects" && rel != ".", len(part) > 2 && part[2] != "chats":
		return nil, nil
	case len(part) == 1:
		return q.everything(ctx)
	case len(part) < 4:
		return q.folder(part[1], true, nil)
	}
	path := filepath.Join(q.projects(), part[1], "chats", part[3])
	id, ok := idOf(path)
	if !ok || len(part) > 4 {
		return nil, nil
	}
	if err := agent.Inside(q.base, path); err != nil {
		return nil, agent.SkipAbsent(err)
	}
	return q.touch(nil, path, id)
}

func (q *Qwen) everything(ctx context.Context) ([]agent.Touched, error) {
	folders, err := agent.ReadDir(q.base, q.projects())
	if err != nil {
		return nil, err
	}
	every := q.cache.Every()
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
		if all, err = q.folder(d.Name(), every, all); err != nil {
			errs = append(errs, err)
		}
	}
	return all, errors.Join(errs...)
}

// folder adds the sessions of a project. every: also those that are dormant.
func (q *Qwen) folder(name string, every bool, all []agent.Touched) ([]agent.Touched, error) {
	project := filepath.Join(q.projects(), name)
	if err := agent.Inside(q.base, filepath.Join(project, "chats")); err != nil {
		return all, agent.SkipAbsent(err)
	}
	dir := filepath.Join(project, "chats")
	return q.cache.Folder(q.base, dir, every, all, func(name string, before jsonl.Seen, listed bool) (jsonl.Seen, bool, error) {
		if !listed && jsonl.Dormant(before.Touched) {
			before.Passed = true
			return before, true, nil
		}
		id, ok := idOf(name)
		if !ok {
			if strings.HasSuffix(name, ext) && !strings.HasSuffix(name, ledger) {
				return before, false, &agent.Refused{Path: filepath.Join(dir, name), Why: "its name is no session id"}
			}
			return before, false, nil
		}
		now, err := jsonl.Look(detect.Session{Agent: Name, ID: id, Path: filepath.Join(dir, name)}, before)
		return now, true, err
	})
}

// ledger is the end of the name of a file beside a session, in which "qwen serve" notes how its prompts ended.
const ledger = ".ledger" + ext

// touch adds one session that somebody says has changed, if it may be read.
func (q *Qwen) touch(all []agent.Touched, path, id string) ([]agent.Touched, error) {
	q.cache.Forget(path)
	fi, err := agent.Own(path)
	if err != nil {
		return all, agent.SkipAbsent(err)
	}
	return append(all, agent.Touched{Session: detect.Session{Agent: Name, ID: id, Path: path}, Stamp: agent.Stamp(fi), ModTime: fi.ModTime()}), nil
}

// entered lists the session that a registry entry names, and the one that it named before: /clear and /resume in the
// terminal give the same process another session.
func (q *Qwen) entered(path string) ([]agent.Touched, error) {
	if _, ok := entryPID(path); !ok {
		return nil, nil
	}
	q.mu.Lock()
	before := q.entries[path]
	q.mu.Unlock()
	e, err := q.entry(path)
	var all []agent.Touched
	for n, id := range []string{e.Session, before} {
		if !agent.IsUUID(id) || n > 0 && id == e.Session {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(q.projects(), "*", "chats", id+ext))
		for _, f := range files {
			if _, err := q.own(f); err != nil {
				continue // a scan of everything tells why
			}
			if all, err = q.touch(all, f, id); err != nil {
				return all, err
			}
		}
	}
	return all, agent.SkipAbsent(err)
}
