package qwen

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/internal/tail"
)

// ends is when runs of sessions ended by themselves, in ms since 1970, as usage_record.jsonl says. A run writes there
// right before its end, also after an error, and not when a signal ends it.
type ends struct {
	mu     sync.Mutex
	stamp  string
	cursor string
	last   map[string]int64 // by session
}

// mostEnds bounds the sessions that are kept in mind; what is forgotten counts as not ended.
const mostEnds = 100_000

// ended gives when a run of the session ended by itself last; 0: none is known to have.
func (q *Qwen) ended(ctx context.Context, session string) (int64, error) {
	path := filepath.Join(q.root, usageFile)
	fi, err := agent.OwnIn(q.root, q.given, path)
	if err != nil {
		return 0, agent.SkipAbsent(err)
	}
	e := &q.ends
	e.mu.Lock()
	defer e.mu.Unlock()
	if stamp := agent.Stamp(fi); stamp != e.stamp {
		if err := e.read(ctx, path); err != nil {
			return 0, agent.SkipAbsent(err)
		}
		e.stamp = stamp
	}
	return e.last[session], nil
}

const usageFile = "usage_record" + ext

// read takes what was added. Callers hold mu.
func (e *ends) read(ctx context.Context, path string) error {
	r, err := tail.Open(path, e.cursor)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.Anew() != "" || e.last == nil {
		e.last = map[string]int64{}
	}
	err = jsonl.Each(ctx, r, jsonl.All, func(line []byte, _ int64) bool {
		var u struct {
			Session string `json:"sessionId"`
			At      int64  `json:"timestamp"`
		}
		if line, ok := agent.Object(line); !ok || agent.Unmarshal(line, &u) != nil || !agent.IsUUID(u.Session) {
			return true
		}
		if len(e.last) >= mostEnds {
			clear(e.last)
		}
		e.last[u.Session] = max(e.last[u.Session], u.At)
		return true
	})
	if err == nil {
		e.cursor = r.Cursor()
	}
	return err
}
