package qwen

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
	if pos == "" || json.Unmarshal([]byte(rest), &c) != nil || c.Try != nil && c.Try.Failure == nil {
		return "?", carry{}
	}
	return pos, c
}

// Read reads a session from a cursor on.
func (q *Qwen) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	if _, err := q.path(s); err != nil {
		return agent.Batch{}, err
	}
	pos, before := parseCursor(from)
	r, err := tail.Open(s.Path, pos)
	if err != nil {
		return agent.Batch{}, err
	}
	defer r.Close()
	b := jsonl.Begin(r)
	f := fold{q: q, s: s, b: b, each: each, carry: before}
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
	f.end(ctx)
	b.Cursor = f.carry.cursor(r.Cursor())
	return *b, nil
}

// readBefore folds what stands before a place that Tail gave: who pays, and how the session began. None of it is news.
func (f *fold) readBefore(ctx context.Context, limit int64) error {
	h := fold{q: f.q, s: f.s, b: new(agent.Batch), each: func(detect.Event) {}}
	if err := jsonl.Before(ctx, f.s.Path, limit, h.line); err != nil {
		return err
	}
	f.b.Info, f.carry = h.b.Info, h.carry
	return nil
}

// Tail looks at the last record that says something: only a whole answer without a tool is no stop.
func (q *Qwen) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	if _, err := q.path(s); err != nil {
		return false, "", err
	}
	maybe, pos, err := jsonl.Tail(ctx, s.Path, func(_ *tail.Back, line []byte, off int64) jsonl.Says {
		line, ok := agent.Object(line)
		if !ok {
			return jsonl.Nothing
		}
		r, err := parse(line)
		if err != nil || !r.named() {
			return jsonl.Nothing
		}
		note := r.event()
		switch _, calls := r.calls(); {
		case r.Type == "assistant" && r.Usage != nil && !calls: // one that was stopped tells no usage
			return jsonl.NoStop
		case r.Type == "user", r.Type == "assistant", r.Type == "tool_result":
			return jsonl.MayStop
		case note != nil && note.main() && (note.Name == apiError || note.Name == apiResponse):
			return jsonl.MayStop
		}
		return jsonl.Nothing
	})
	if err != nil || maybe {
		return maybe, "", err
	}
	return false, carry{Owed: true}.cursor(pos), nil
}

// promptMax is how much of a prompt is given, in bytes.
const promptMax = 8 << 10

// LastPrompt gives the text of the newest prompt that was not taken back, at most 8 KiB of it; empty: none is found.
func (q *Qwen) LastPrompt(ctx context.Context, s detect.Session) (string, error) {
	if _, err := q.path(s); err != nil {
		return "", err
	}
	below := "" // the record that a rewind went back to, until it comes
	return jsonl.LastPrompt(ctx, s.Path, func(line []byte, _ int64) (string, bool) {
		line, ok := agent.Object(line)
		if !ok {
			return "", false
		}
		r, err := parse(line)
		if err != nil || !r.named() || below != "" && r.ID != below {
			return "", false
		}
		if below = ""; r.Type == "system" && r.Subtype == rewind {
			below = r.Parent
			return "", below == "" // then nothing stood before it
		}
		if !r.asked() {
			return "", false
		}
		text := agent.Cut(r.text(), promptMax)
		return text, text != ""
	})
}
