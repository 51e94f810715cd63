package copilot

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
)

// Scan lists the sessions that have a transcript, by name and lstat. What is no regular file of this user alone is
// refused, and so are folders that are symbolic links. A session without a prompt has no transcript yet.
func (c *Copilot) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if c.root == "" {
		return nil, nil
	}
	if hint == "" {
		return c.everything(ctx)
	}
	rel, ok := agent.Rel(hint, c.root, c.given)
	if !ok {
		return nil, nil
	}
	switch part := strings.Split(rel, string(filepath.Separator)); {
	case rel == "." || rel == state:
		return c.everything(ctx)
	case part[0] != state || len(part) > 3 || !agent.IsUUID(part[1]):
		return nil, nil
	default:
		seen, err := c.look(part[1], jsonl.Seen{})
		if err != nil || seen.Stamp == "" {
			return nil, err
		}
		return []agent.Touched{seen.Touched}, nil
	}
}

func (c *Copilot) everything(ctx context.Context) ([]agent.Touched, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	every := c.cache.Every()
	return c.cache.Folder(c.root, c.sessions(), every, nil, func(name string, before jsonl.Seen, listed bool) (jsonl.Seen, bool, error) {
		switch {
		case !agent.IsUUID(name):
			return before, false, nil
		case !listed && before.Stamp != "" && jsonl.Dormant(before.Touched):
			before.Passed = true
			return before, true, nil
		}
		now, err := c.look(name, before)
		return now, true, err
	})
}

// look gives what a stat tells of a session's transcript. Nothing is one that does not exist yet: the folder of the
// sessions does not change when it comes.
func (c *Copilot) look(id string, before jsonl.Seen) (jsonl.Seen, error) {
	s := detect.Session{Agent: c.Name(), ID: id, Path: filepath.Join(c.sessions(), id, events)}
	err := agent.Inside(c.root, s.Path)
	if err == nil {
		before, err = jsonl.Look(s, before)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return jsonl.Seen{}, nil
	}
	return before, err
}
