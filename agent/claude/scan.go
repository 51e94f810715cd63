package claude

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
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
		return c.scanFolder(part[1], true, nil)
	}
	// A transcript, or something in the folder of its sub-agents.
	id := strings.TrimSuffix(part[2], ".jsonl")
	if !agent.IsUUID(id) {
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
	every := c.cache.Every()
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
		if all, err = c.scanFolder(d.Name(), every, all); err != nil {
			errs = append(errs, err)
		}
	}
	return all, errors.Join(errs...)
}

// scanFolder adds the transcripts of a project. every: also those that are dormant.
func (c *Claude) scanFolder(name string, every bool, all []agent.Touched) ([]agent.Touched, error) {
	dir := filepath.Join(c.projects(), name)
	return c.cache.Folder(c.root, dir, every, all, func(name string, before jsonl.Seen, listed bool) (jsonl.Seen, bool, error) {
		if !listed && jsonl.Dormant(before.Touched) {
			before.Passed = true
			return before, true, nil
		}
		id, ok := strings.CutSuffix(name, ".jsonl")
		if !ok || !agent.IsUUID(id) {
			if ok && !strings.HasPrefix(name, "agent-") { // those are the sub-agents' of old versions
				return before, false, &agent.Refused{Path: filepath.Join(dir, name), Why: "its name is no session id"}
			}
			return before, false, nil
		}
		now, err := jsonl.Look(detect.Session{Agent: c.Name(), ID: id, Path: filepath.Join(dir, name)}, before)
		return now, true, err
	})
}

// touch adds one transcript that somebody says has changed, if it may be read.
func (c *Claude) touch(all []agent.Touched, dir, id string) ([]agent.Touched, error) {
	path := filepath.Join(dir, id+".jsonl")
	c.cache.Forget(path)
	fi, err := agent.Own(path)
	if err != nil {
		return all, agent.SkipAbsent(err)
	}
	return append(all, agent.Touched{
		Session: detect.Session{Agent: c.Name(), ID: id, Path: path},
		Stamp:   agent.Stamp(fi),
		ModTime: fi.ModTime(),
	}), nil
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
		if err != nil && id == "" || !agent.IsUUID(id) || len(all) > 0 && all[0].Session.ID == id {
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
