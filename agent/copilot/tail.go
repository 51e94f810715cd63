package copilot

import (
	"context"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// ownLine gives a line of the session itself that has a name; false: it tells nothing.
func ownLine(line []byte) (*record, bool) {
	r, ok := anyLine(line)
	return r, ok && r.Agent == ""
}

// Tail looks at the last record that says something: only the end of a turn that ended well is no stop. An abort may be
// of a process that had failed before, so the record above it is asked.
func (c *Copilot) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	if err := c.check(s); err != nil {
		return false, "", err
	}
	maybe, pos, err := jsonl.Tail(ctx, s.Path, func(_ *tail.Back, line []byte, off int64) jsonl.Says {
		r, ok := ownLine(line)
		if !ok {
			return jsonl.Nothing
		}
		switch e, ok := c.event(r, off, utcOnly); {
		case !ok || e.Kind == detect.KindInterrupt:
			return jsonl.Nothing
		case e.Kind != detect.KindAnswer || !e.Done:
			return jsonl.MayStop
		}
		return jsonl.NoStop
	})
	if err != nil || maybe {
		return maybe, "", err
	}
	return false, carry{Owed: true}.cursor(pos), nil
}

// promptMax is how much of a prompt is given, in bytes.
const promptMax = 8 << 10

// LastPrompt gives the text of the newest prompt, at most 8 KiB of it; empty: none is found.
func (c *Copilot) LastPrompt(ctx context.Context, s detect.Session) (string, error) {
	if err := c.check(s); err != nil {
		return "", err
	}
	return jsonl.LastPrompt(ctx, s.Path, func(line []byte, _ int64) (string, bool) {
		r, ok := ownLine(line)
		if ok && r.Type == typeCleared { // nothing before it is to be asked again
			return "", true
		}
		if !ok || r.Type != typePrompt || r.Data.Continuation {
			return "", false
		}
		text := agent.Cut(r.Data.Content, promptMax)
		return text, text != ""
	})
}
