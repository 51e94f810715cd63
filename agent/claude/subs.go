package claude

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

const (
	subPrefix = "agent-"
	// subMetaMax is the longest file about a sub-agent that is read, in bytes; they have some hundred.
	subMetaMax = 16 << 10
)

// SubStops looks at <session>/subagents/agent-<id>.jsonl, one file a sub-agent, whatever its depth, and at those of workflows in
// subagents/workflows/<run>/: it has stopped when the agent's own failure record is the newest of its conversation. One that asked again by
// itself has left no such record, and one that was sent on has an answer behind it. Versions before 2.1 keep these files elsewhere.
func (c *Claude) SubStops(ctx context.Context, s detect.Session, since time.Time) ([]detect.SubStop, error) {
	if err := fits(s); err != nil {
		return nil, err
	}
	dir := filepath.Join(strings.TrimSuffix(s.Path, ".jsonl"), "subagents")
	all, err := c.subsIn(ctx, s, dir, since)
	runs := filepath.Join(dir, "workflows")
	names, failed := agent.ReadDir(c.root, runs) // most sessions have none
	errs := []error{err, failed}
	for _, n := range names {
		if !n.IsDir() {
			continue
		}
		more, err := c.subsIn(ctx, s, filepath.Join(runs, n.Name()), since)
		all, errs = append(all, more...), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// subsIn looks at the sub-agents of one folder.
func (c *Claude) subsIn(ctx context.Context, s detect.Session, dir string, since time.Time) (all []detect.SubStop, err error) {
	names, err := agent.ReadDir(c.root, dir)
	errs := []error{err}
	for _, n := range names {
		id, named := strings.CutPrefix(n.Name(), subPrefix)
		id, ok := strings.CutSuffix(id, ".jsonl")
		if !named || !ok {
			continue
		}
		path := filepath.Join(dir, n.Name())
		fi, err := c.own(path)
		if err != nil {
			errs = append(errs, agent.SkipAbsent(err))
			continue
		}
		if fi.ModTime().Before(since) {
			continue
		}
		stop, err := c.subStop(ctx, s, path)
		errs = append(errs, agent.SkipAbsent(err))
		if stop, failed := stop.SubStop(id, c.subKind(strings.TrimSuffix(path, ".jsonl")+".meta.json")); failed {
			all = append(all, stop)
		}
	}
	return all, errors.Join(errs...)
}

// subStop is how a sub-agent's file ends; the zero value: in no failure.
func (c *Claude) subStop(ctx context.Context, s detect.Session, path string) (stop detect.Stop, err error) {
	_, _, err = jsonl.Tail(ctx, path, func(_ *tail.Back, line []byte, off int64) jsonl.Says {
		r, ok := c.of(line, s, true)
		if !ok {
			return jsonl.Nothing
		}
		e, ok := c.event(r, off)
		switch {
		case !ok || e.Kind == detect.KindAside || r.Type == "system":
			return jsonl.Nothing
		case e.Kind == detect.KindFailure:
			stop, _ = e.Failure.Stop(e.At)
			stop.Key = e.ID
		}
		return jsonl.NoStop
	})
	return stop, err
}

// subKind is the type of a sub-agent; empty: the file beside its own does not tell.
func (c *Claude) subKind(path string) string {
	if _, err := c.own(path); err != nil {
		return ""
	}
	data, err := agent.ReadFile(path, subMetaMax)
	var meta struct {
		Type string `json:"agentType"`
	}
	if err != nil || json.Unmarshal(data, &meta) != nil {
		return ""
	}
	return meta.Type
}
