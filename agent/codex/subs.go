package codex

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// maxSubs bounds how many sub-agents of a session are looked at: those that it had to do with last.
const maxSubs = 200

// collab is in each line that tells which sub-agents a session has begun, asked or waited for.
var collab = []byte(`"CollabAgentToolCall"`)

// SubStops looks at the rollouts of the sub-agents that the session's own names, as far back as since. Each is a session of its own,
// which goes on with its parent alone.
func (c *Codex) SubStops(ctx context.Context, s detect.Session, since time.Time) ([]detect.SubStop, error) {
	if err := c.check(s); err != nil || strings.HasSuffix(s.Path, packedExt) {
		return nil, err // it was packed long after
	}
	var subs []receiver
	err := tail.Newest(ctx, s.Path, func(line []byte, _ int64) bool {
		if bytes.Contains(line, collab) {
			subs = receivers(subs, line, s.ID)
		}
		return len(subs) < maxSubs && !writtenBefore(line, since)
	})
	var all []detect.SubStop
	errs := []error{err}
	for _, sub := range subs {
		path := c.find(sub.ID)
		if path == "" {
			continue
		}
		var f detect.Classifier
		b, err := c.Read(ctx, detect.Session{Agent: s.Agent, ID: sub.ID, Path: path}, "", f.Feed)
		if err != nil {
			errs = append(errs, agent.SkipAbsent(err))
			continue
		}
		stop, failed := f.Stop().SubStop(sub.ID, sub.Name)
		if failed && (f.Last.Kind == detect.KindFailure || f.Last.Kind == detect.KindInterrupt) && b.Info.Parent == s.ID {
			all = append(all, stop)
		}
	}
	return all, errors.Join(errs...)
}

// receivers adds the sub-agents of a line that are not known yet.
func receivers(known []receiver, line []byte, id string) []receiver {
	line, ok := agent.Object(line)
	if !ok {
		return known
	}
	r, err := parse(line)
	if err != nil || r.Type != "event_msg" || r.Payload.Type != "item_completed" || r.Payload.Item.Type != "CollabAgentToolCall" || r.Payload.ThreadID != id {
		return known
	}
	for _, sub := range r.Payload.Item.Receivers {
		if agent.IsUUID(sub.ID) && sub.ID != id && !slices.ContainsFunc(known, func(k receiver) bool { return k.ID == sub.ID }) {
			known = append(known, sub)
		}
	}
	return known
}

// writtenBefore tells by the head of a line whether it is older than a time.
func writtenBefore(line []byte, t time.Time) bool {
	rest, ok := bytes.CutPrefix(line, []byte(`{"timestamp":"`))
	end := bytes.IndexByte(rest[:min(len(rest), 40)], '"')
	if !ok || end < 0 {
		return false
	}
	at, err := time.Parse(time.RFC3339, string(rest[:end]))
	return err == nil && at.Before(t)
}
