package codex

import (
	"bytes"
	"context"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// Tail looks at the last record that makes an event: only the end of a turn that ended well is no
// stop. Versions up to 0.80 write no such end, so all of theirs may be one, and so may compressed
// rollouts, which cannot be read from their end.
func (c *Codex) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	if err := c.check(s); err != nil {
		return false, "", err
	}
	if strings.HasSuffix(s.Path, packedExt) {
		return true, "", nil
	}
	maybe, pos, err := jsonl.Tail(ctx, s.Path, func(_ *tail.Back, line []byte, off int64) jsonl.Says {
		var last *detect.Event
		f := fold{c: c, s: s, b: new(agent.Batch), each: func(e detect.Event) { last = &e }, carry: carry{Prompted: true}}
		f.line(line, off)
		switch {
		case f.carry.Open: // a turn begins that nothing came in yet
			return jsonl.MayStop
		case f.b.Skipped > 0 || last == nil:
			return jsonl.Nothing
		case last.Kind != detect.KindAnswer || !last.Done || bytes.Contains(line, noLastAnswer):
			// An end without a last answer may be that of a turn which asked no model: what counts stands before it.
			return jsonl.MayStop
		}
		return jsonl.NoStop
	})
	if err != nil || maybe {
		return maybe, "", err
	}
	return false, carry{Head: true, Revision: revisionOf(s.Path)}.cursor(pos), nil
}

var noLastAnswer = []byte(`"last_agent_message":null`)

// promptMax is how much of a prompt is given, in bytes.
const promptMax = 8 << 10

// LastPrompt gives the text of the newest prompt that a person typed, at most 8 KiB of it; empty:
// none is found.
func (c *Codex) LastPrompt(ctx context.Context, s detect.Session) (string, error) {
	if err := c.check(s); err != nil {
		return "", err
	}
	if strings.HasSuffix(s.Path, packedExt) {
		return lastPacked(ctx, s)
	}
	return jsonl.LastPrompt(ctx, s.Path, func(line []byte, _ int64) (string, bool) {
		text := promptIn(line, s.ID)
		return text, text != ""
	})
}

// promptIn gives the prompt that a line tells; empty: none.
func promptIn(line []byte, id string) string {
	line, ok := agent.Object(line)
	if !ok || !mayMatter(line) {
		return ""
	}
	r, err := parse(line)
	if err != nil || r.Type != "event_msg" {
		return ""
	}
	text := ""
	switch p := &r.Payload; {
	case p.Type == "user_message":
		text = p.Message
	case p.Type == "item_completed" && p.Item.Type == "UserMessage" && (p.ThreadID == "" || p.ThreadID == id):
		text = p.Item.Content.text()
	}
	if isAdded(text) {
		return ""
	}
	return agent.Cut(text, promptMax)
}
