package qwen

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/internal/tail"
)

// ends is which runs of sessions ended by themselves, as usage_record.jsonl says. A run writes there right before its
// end, also after an error, and not when a signal ends it.
type ends struct {
	mu     sync.Mutex
	stamp  string
	cursor string
	runs   map[string]runs // by session
}

// run is when one began and ended by itself, in ms since 1970.
type run struct{ began, ended int64 }

// runs are those of a session, in the order in which they ended.
type runs []run

// last is when the last of them ended; 0: none is known to have.
func (r runs) last() (at int64) {
	for _, one := range r {
		at = max(at, one.ended)
	}
	return at
}

// over tells whether the run that asked something at a time has ended by itself. One that began later says nothing of it: a terminal
// in which somebody only looked at the session writes such a line, too. Nor does one that a run follows which ended before it: the clock
// was set back in between, and its times have come again.
func (r runs) over(asked time.Time) bool {
	at, end := asked.UnixMilli(), int64(math.MaxInt64)
	for _, one := range slices.Backward(r) {
		if one.began <= at && at <= one.ended && one.ended <= end {
			return true
		}
		end = min(end, one.ended)
	}
	return false
}

// mostEnds bounds the sessions that are kept in mind, and mostRuns the runs of each; what is forgotten counts as not ended.
const (
	mostEnds = 100_000
	mostRuns = 16
)

// ended gives the runs of a session that ended by themselves.
func (q *Qwen) ended(ctx context.Context, session string) (runs, error) {
	path := filepath.Join(q.root, usageFile)
	fi, err := agent.OwnIn(q.root, q.given, path)
	if err != nil {
		return nil, agent.SkipAbsent(err)
	}
	e := &q.ends
	e.mu.Lock()
	defer e.mu.Unlock()
	if stamp := agent.Stamp(fi); stamp != e.stamp {
		if err := e.read(ctx, path); err != nil {
			return nil, agent.SkipAbsent(err)
		}
		e.stamp = stamp
	}
	return e.runs[session], nil
}

const usageFile = "usage_record" + ext

// read takes what was added. Callers hold mu.
func (e *ends) read(ctx context.Context, path string) error {
	r, err := tail.Open(path, e.cursor)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.Anew() != "" || e.runs == nil {
		e.runs = map[string]runs{}
	}
	err = jsonl.Each(ctx, r, jsonl.All, func(line []byte, _ int64) bool {
		var u struct {
			Session string `json:"sessionId"`
			Began   int64  `json:"startTime"`
			Ended   int64  `json:"timestamp"`
		}
		if line, ok := agent.Object(line); !ok || agent.Unmarshal(line, &u) != nil || !agent.IsUUID(u.Session) {
			return true
		}
		if len(e.runs) >= mostEnds {
			clear(e.runs)
		}
		all := append(e.runs[u.Session], run{u.Began, u.Ended})
		e.runs[u.Session] = all[max(0, len(all)-mostRuns):]
		return true
	})
	if err == nil {
		e.cursor = r.Cursor()
	}
	return err
}
