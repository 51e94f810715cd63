package copilot

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// Cursors are a position of the tail package, "+", and the carry as JSON.
func (c carry) cursor(pos string) agent.Cursor {
	b, err := json.Marshal(c)
	if err != nil { // it holds nothing that could fail
		return agent.Cursor(pos)
	}
	return agent.Cursor(pos + "+" + string(b))
}

// parseCursor gives a position that fits no file where the cursor is none of ours.
func parseCursor(from agent.Cursor) (pos string, c carry) {
	if from == "" {
		return "", carry{}
	}
	pos, rest, _ := strings.Cut(string(from), "+")
	if pos == "" || json.Unmarshal([]byte(rest), &c) != nil {
		return "?", carry{}
	}
	return pos, c
}

// Read reads a session from a cursor on.
func (c *Copilot) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	if err := c.check(s); err != nil {
		return agent.Batch{}, err
	}
	pos, before := parseCursor(from)
	r, err := tail.Open(s.Path, pos)
	if err != nil {
		return agent.Batch{}, err
	}
	defer r.Close()
	b := jsonl.Begin(r)
	f := fold{c: c, s: s, b: b, each: each, carry: before}
	switch {
	case b.Anew:
		f.carry = carry{}
	case before.Owed:
		if err := f.readBefore(ctx, r.Offset()); err != nil {
			return agent.Batch{}, err
		}
	}
	if err := jsonl.Read(ctx, r, b, f.line); err != nil {
		return agent.Batch{}, err
	}
	f.end()
	b.Cursor = f.carry.cursor(r.Cursor())
	return *b, nil
}

// readBefore folds what stands before a place that Tail gave: in which mode and with which model a session goes on, all
// of it tells. None of it is news.
func (f *fold) readBefore(ctx context.Context, limit int64) error {
	h := fold{c: f.c, s: f.s, b: new(agent.Batch), each: func(detect.Event) {}}
	if err := jsonl.Before(ctx, f.s.Path, limit, h.line); err != nil {
		return err
	}
	f.b.Info, f.carry = h.b.Info, h.carry
	return nil
}
