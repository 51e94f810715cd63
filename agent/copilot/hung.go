package copilot

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// hangs is how long after a failure a headless process has surely ended, unless it waits for an answer for ever: the 48
// recorded ones that ended by themselves had done so within 8 s.
const hangs = time.Minute

// judge says of the processes that have the session open what its lines tell: one asks its user, and a headless one
// that asks whether to take another model waits for ever.
func (c *Copilot) judge(ctx context.Context, s detect.Session, live []detect.Holder) {
	if len(live) == 1 && live[0].Sure && !live[0].Foreign && c.asks(ctx, s) {
		live[0].Status = detect.Asks
		return
	}
	for i := range live {
		if h := &live[i]; c.isHung(ctx, s, h) {
			h.Liveness, h.Hung = detect.LeftBehind, true
			h.Why = fmt.Sprintf("process %d waits for ever for an answer that nobody can give: it is headless, and met a limit", h.PID)
		}
	}
}

// isHung tells whether a process surely waits for an answer that nobody can give. One in the foreground of a terminal may have
// somebody who looks at it.
func (c *Copilot) isHung(ctx context.Context, s detect.Session, h *detect.Holder) bool {
	p, ok := c.env.Procs.Get(h.PID)
	switch {
	case !h.Sure || h.Foreign || h.Kind != detect.Headless || h.Named || !ok || p.Start != h.Start || p.Started.IsZero():
		return false
	case !callOf(arguments(c.env.Procs.Argv(h.PID))).print || p.TTY != "" && p.Foreground == p.Group:
		return false
	case !c.quiet(s):
		return false
	}
	hung := false
	for _, last := range c.lastOf(ctx, s, p) {
		failed := last.Type == typeError
		switch {
		case c.now().Sub(last.at).Abs() < hangs: // it begins or ends now; further ahead is a clock that was set back since
			return false
		case last.Type == typeStart || last.Type == typeResume: // a terminal's, as a headless one writes its prompt with it
		case !failed && last.Type != typeAbort:
			return false // it may be at work
		case failed && last.Data.asksToSwitch():
			hung = true
		}
	}
	return hung
}

// written says of each process that began to write into a session since a time what it wrote last.
type written struct {
	opens []*record      // with each a process begins
	last  []*record      // its newest one that says something, which is the first where there is no other
	owner map[string]int // by the id of a record: whose it is. A record hangs below one of its own process
}

func (w *written) add(r *record, says bool) {
	whose, known := w.owner[r.Parent]
	switch {
	case r.Type == typeStart || r.Type == typeResume: // it hangs below another one's
		w.owner[r.ID] = len(w.opens)
		w.opens, w.last = append(w.opens, r), append(w.last, r)
	case known:
		if w.owner[r.ID] = whose; says {
			w.last[whose] = r
		}
	}
}

// lastOf gives the newest record that says something and is a process's own: other processes may write into the same session, and
// each one's records hang below its own. Of several that began when it did, any may be it: then it has that of each.
func (c *Copilot) lastOf(ctx context.Context, s detect.Session, p agent.Proc) (all []*record) {
	w, since := written{owner: map[string]int{}}, p.Started.Add(-startSlack)
	err := jsonl.Before(ctx, s.Path, math.MaxInt64, func(line []byte, off int64) {
		if r, ok := anyLine(line); ok && (len(w.opens) > 0 || !r.at.Before(since)) {
			_, says := c.event(r, off, utcOnly)
			w.add(r, says && r.Agent == "")
		}
	})
	if err != nil {
		return nil
	}
	for i, open := range w.opens {
		if i == 0 || open.at.Before(p.Started.Add(beginsWithin)) {
			all = append(all, w.last[i])
		}
	}
	return all
}

// beginsWithin is how long after its start a process has surely written its first record.
const beginsWithin = time.Minute

// quiet tells whether nobody has written into a session for as long as what ends by itself needs for that. Only then is the whole of
// it read.
func (c *Copilot) quiet(s detect.Session) bool {
	if c.check(s) != nil {
		return false
	}
	fi, err := os.Lstat(s.Path)
	return err == nil && c.now().Sub(fi.ModTime()).Abs() >= hangs
}

// asks tells whether a question about a permission stands open.
func (c *Copilot) asks(ctx context.Context, s detect.Session) (asks bool) {
	if c.check(s) != nil {
		return false
	}
	answered := map[string]bool{}
	_, _, err := jsonl.Tail(ctx, s.Path, func(_ *tail.Back, line []byte, off int64) jsonl.Says {
		r, ok := anyLine(line)
		switch {
		case !ok:
			return jsonl.Nothing
		case r.Type == typeAnswered:
			answered[r.Data.Request] = true
			return jsonl.Nothing
		case r.Type == typeAsks:
			asks = asks || !answered[r.Data.Request]
			return jsonl.Nothing
		case r.Agent != "":
			return jsonl.Nothing
		}
		e, ok := c.event(r, off, utcOnly)
		if !ok || e.Kind == detect.KindToolResult { // of one of several calls
			return jsonl.Nothing
		}
		return jsonl.NoStop
	})
	return asks && err == nil
}

func anyLine(line []byte) (*record, bool) {
	line, ok := agent.Object(line)
	if !ok {
		return nil, false
	}
	r, err := parse(line)
	return r, err == nil && r.named()
}

// utcOnly is where no time in a text counts.
var utcOnly = []*time.Location{time.UTC}
