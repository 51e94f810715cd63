package qwen

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

const (
	subPrefix = "agent-"
	subMeta   = ".meta.json"
	// subMetaMax is the longest file about a sub-agent that is read, in bytes; they have some hundred.
	subMetaMax = 64 << 10
)

// subAgent is what the agent keeps of a sub-agent beside its conversation.
type subAgent struct {
	ID     string `json:"agentId"`
	Type   string `json:"agentType"`
	Status string `json:"status"` // "running" for ever where the session's run ended first
}

// SubStops looks at subagents/<session>/agent-<id>.meta.json, which say that a sub-agent has failed, and among the lines of the session
// for the request that it failed with: its newest one. One that was at work has failed with the run that it was a part of.
func (q *Qwen) SubStops(ctx context.Context, s detect.Session, since time.Time) ([]detect.SubStop, error) {
	if _, err := q.path(s); err != nil {
		return nil, err
	}
	subs, err := q.subs(s)
	if len(subs) == 0 {
		return nil, err
	}
	ended, unread := q.ended(ctx, s.ID)
	errs := []error{err, unread}
	var all []detect.SubStop
	errs = append(errs, tail.Newest(ctx, s.Path, func(line []byte, _ int64) bool {
		line, ok := agent.Object(line)
		if !ok {
			return true
		}
		r, err := parse(line)
		if err != nil || !r.named() {
			return true
		}
		if r.at.Before(since) {
			return false
		}
		note := r.event()
		if note == nil || note.Name != apiError && note.Name != apiResponse {
			return true
		}
		sub, known := subs[note.sub(s.ID)]
		delete(subs, sub.ID)
		if !known || note.Name != apiError || sub.Status != "failed" && !ended.over(r.at) {
			return true
		}
		stop, _ := q.failure(note, r.at).Stop(r.at)
		stop.Key = r.ID
		if stop, failed := stop.SubStop(sub.ID, sub.Type); failed {
			all = append(all, stop)
		}
		return len(subs) > 0
	}))
	return all, errors.Join(errs...)
}

// subs gives the session's sub-agents that may have failed, by id.
func (q *Qwen) subs(s detect.Session) (map[string]subAgent, error) {
	dir := filepath.Join(filepath.Dir(filepath.Dir(s.Path)), "subagents", s.ID)
	names, err := agent.ReadDir(q.base, dir) // most sessions have none
	errs := []error{err}
	subs := map[string]subAgent{}
	for _, n := range names {
		if !strings.HasPrefix(n.Name(), subPrefix) || !strings.HasSuffix(n.Name(), subMeta) {
			continue
		}
		data, err := agent.ReadFile(filepath.Join(dir, n.Name()), subMetaMax)
		var sub subAgent
		if err != nil || agent.Unmarshal(data, &sub) != nil {
			errs = append(errs, agent.SkipAbsent(err)) // it may be in the middle of being written
			continue
		}
		if sub.ID != "" && (sub.Status == "failed" || sub.Status == "running") {
			subs[sub.ID] = sub
		}
	}
	return subs, errors.Join(errs...)
}

// sub is the id of the sub-agent whose request it is, among those of a session; empty: it is none's.
func (e *uiEvent) sub(session string) string {
	rest, ok := strings.CutPrefix(e.PromptID, session+"#")
	id, _, more := strings.Cut(rest, "#")
	if !ok || !more {
		return ""
	}
	return id
}
