package copilot

import (
	"context"
	"fmt"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// hangs is how long after a failure a headless process has surely ended, unless it waits for an answer for ever: the 48
// recorded ones that ended by themselves had done so within 8 s.
const hangs = time.Minute

// judge says of the processes that have the session open what its last lines tell: one asks its user, and a headless one
// that asks whether to take another model waits for ever.
func (c *Copilot) judge(ctx context.Context, s detect.Session, live []detect.Holder) {
	if len(live) != 1 || !live[0].Sure || live[0].Foreign {
		return
	}
	h := &live[0]
	last, asks := c.last(ctx, s)
	switch {
	case asks:
		h.Status = detect.Asks
	case last != nil && c.isHung(h, last):
		h.Liveness, h.Hung = detect.LeftBehind, true
		h.Why = fmt.Sprintf("process %d waits for ever for an answer that nobody can give: it is headless, and met a limit", h.PID)
	}
}

// isHung tells whether a process surely waits for an answer that nobody can give. One in the foreground of a terminal may have
// somebody who looks at it.
func (c *Copilot) isHung(h *detect.Holder, last *record) bool {
	p, ok := c.env.Procs.Get(h.PID)
	switch {
	case last.Type != typeError || !last.Data.asksToSwitch() || c.now().Sub(last.at) < hangs:
		return false
	case h.Kind != detect.Headless || h.Named || !ok || p.Start != h.Start || p.Started.IsZero() || p.Started.After(last.at):
		return false
	case !callOf(arguments(c.env.Procs.Argv(h.PID))).print:
		return false
	}
	return p.TTY == "" || p.Foreground != p.Group
}

// last gives the newest record that says something of the session, nil: none does, and whether a question about
// a permission stands open.
func (c *Copilot) last(ctx context.Context, s detect.Session) (last *record, asks bool) {
	if c.check(s) != nil {
		return nil, false
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
		if !ok {
			return jsonl.Nothing
		}
		if last == nil {
			last = r
		}
		if e.Kind == detect.KindToolResult { // of one of several calls
			return jsonl.Nothing
		}
		return jsonl.NoStop
	})
	return last, asks && err == nil
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
