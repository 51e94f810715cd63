package pi

import (
	"context"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// Tail looks at the last record that says something: only the end of a turn that ended well is no stop.
func (p *Pi) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	path, err := p.path(s)
	if err != nil {
		return false, "", err
	}
	maybe, pos, err := jsonl.Tail(ctx, path, func(_ *tail.Back, line []byte, off int64) jsonl.Says {
		line, ok := agent.Object(line)
		if !ok {
			return jsonl.Nothing
		}
		r, err := parse(line)
		switch {
		case err != nil || !r.named():
			return jsonl.Nothing
		case r.Type == "context_edit":
			return jsonl.MayStop
		case r.Type != "message":
			return jsonl.Nothing
		}
		switch e, ok := p.event(r, off); {
		case !ok:
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

// LastPrompt gives the text of the newest prompt, at most 8 KiB of it; empty: none is found. What stands on a branch that was left
// with a summary is none.
func (p *Pi) LastPrompt(ctx context.Context, s detect.Session) (string, error) {
	path, err := p.path(s)
	if err != nil {
		return "", err
	}
	below := "" // the record that its user went back to, until it comes
	return jsonl.LastPrompt(ctx, path, func(line []byte, _ int64) (string, bool) {
		line, ok := agent.Object(line)
		if !ok {
			return "", false
		}
		r, err := parse(line)
		if err != nil || !r.named() || below != "" && r.ID != below {
			return "", false
		}
		if below = ""; r.Type == "branch_summary" {
			below = r.Parent
			return "", below == "" // then nothing stood before it
		}
		if r.Type != "message" || r.Message.Role != "user" {
			return "", false
		}
		text := agent.Cut(textOf(r.Message.Content), promptMax)
		return text, text != ""
	})
}
