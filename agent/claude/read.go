package claude

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// headOwed behind a position says that the head of the file, with its time of creation and first
// prompt, was not told yet.
const headOwed = "+h"

// headMax is how many bytes are read for the head; the first prompt of a session stands earlier.
const headMax = 4 << 20

// Read reads a transcript from a cursor on.
func (c *Claude) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	if err := fits(s); err != nil {
		return agent.Batch{}, err
	}
	if _, err := c.own(s.Path); err != nil {
		return agent.Batch{}, err
	}
	pos, owed := string(from), false
	if len(pos) > len(headOwed) {
		pos, owed = strings.CutSuffix(pos, headOwed)
	}
	r, err := tail.Open(s.Path, pos)
	if err != nil {
		return agent.Batch{}, err
	}
	defer r.Close()
	b := jsonl.Begin(r)
	f := fold{c: c, s: s, b: b, each: each, folder: filepath.Base(filepath.Dir(s.Path))}
	f.head.wanted = pos == "" || b.Anew
	if err := jsonl.Read(ctx, r, b, f.line); err != nil {
		return agent.Batch{}, err
	}
	if owed && !f.head.wanted {
		if f.head, err = readHead(ctx, s); err != nil {
			return agent.Batch{}, err
		}
	}
	if f.attached || f.last == detect.KindPrompt || f.last == detect.KindToolResult {
		switch end, ok, err := c.inverted(ctx, s); {
		case err != nil:
			return agent.Batch{}, err
		case ok:
			each(end) // told once more, as the newest
		}
	}
	setIf(&b.Info.Offer, f.pending)
	b.Info.Created, b.Info.FirstPrompt = f.head.created, f.head.prompt
	b.Cursor = agent.Cursor(r.Cursor())
	if (f.head.wanted || owed) && (b.Info.Created.IsZero() || b.Info.FirstPrompt == "") && r.Offset() < headMax {
		b.Cursor += headOwed
	}
	return *b, nil
}

// fold collects the records of one Read.
type fold struct {
	c      *Claude
	s      detect.Session
	b      *agent.Batch
	each   func(detect.Event)
	last   detect.Kind // of the events
	folder string
	head   head
	// local is the newest line that a command of the terminal left.
	local string
	// attached: lines that belong to a prompt were read.
	attached bool
	shapes   map[string]string // of requests: what they offer, as in Options.Offer
	pending  string            // the newest of these, if no request was read that has it
}

func (f *fold) line(line []byte, off int64) {
	line, ok := jsonl.Object(f.b, line)
	if !ok {
		return
	}
	f.head.line(line)
	f.attached = f.attached || mayInvert(line)
	if !mayMatter(line) {
		f.note(line, off)
		return
	}
	r, err := parse(line)
	if err != nil {
		f.b.Skip(err.Error(), 1)
		return
	}
	if !r.known() || r.talk() && (r.SessionID == "" || r.SessionID == f.s.ID && !r.named()) {
		f.strange(r, off)
	}
	if r.IsSidechain || r.SessionID != f.s.ID {
		return
	}
	switch r.Type {
	case "permission-mode":
		setIf(&f.b.Info.Mode, r.PermissionMode)
		return
	case "api-request-shape", "api-request", "agent-setting", "attachment":
		f.option(r)
		return
	case "user", "assistant", "system", continuedIn:
	default:
		return
	}
	if !r.named() {
		f.b.Skip("a record has no id or no time", 1)
		return
	}
	if r.Subtype == "local_command" {
		f.local = r.UUID
	}
	f.info(r)
	if f.c.unread(r) {
		f.strange(r, off)
	}
	if e, ok := f.c.event(r, off); ok {
		if e.Kind == detect.KindPrompt && r.IsMeta && f.local != "" && r.Parent == f.local {
			e.Kind = detect.KindAside // whatever a command of the terminal has for the next prompt
		}
		f.head.event(e)
		f.last = e.Kind
		f.each(e)
	}
}

func setIf(dst *string, v string) {
	if v != "" {
		*dst = v
	}
}

func (f *fold) info(r *record) {
	i := &f.b.Info
	// The folder's name comes from the working folder at the start. Later lines may tell of
	// another, where a shell went: only the first kind is the session's own.
	if inFolder(r.CWD, f.folder) || !strings.HasPrefix(f.folder, "-") {
		setIf(&i.Dir, r.CWD)
	}
	if r.Version != "" {
		// sdk-cli, sdk-ts and sdk-py are programs; cli and the editors' extensions are people.
		i.Version, i.Untold = r.Version, r.Entrypoint == ""
		i.Interactive = !i.Untold && !strings.HasPrefix(r.Entrypoint, "sdk-")
	}
	setIf(&i.Mode, r.PermissionMode)
	setIf(&i.Entry, r.Entrypoint)
	if r.Type == "assistant" && r.Message.Model != synthetic && !r.IsAPIError {
		setIf(&i.Model, r.Message.Model)
		u := r.Message.Usage
		if n := u.Input + u.Made + u.Cached + u.Output; n > 0 {
			i.Tokens = n
		}
		if bytes.Contains(r.Message.Content, []byte("tool_use")) {
			i.Use(used(r.Message.Content)...)
		}
	}
}

// Tail looks at the last record of the conversation: a turn that ended well is no stop.
func (c *Claude) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	if err := fits(s); err != nil {
		return false, "", err
	}
	if _, err := c.own(s.Path); err != nil {
		return false, "", err
	}
	maybe, pos, err := jsonl.Tail(ctx, s.Path, func(_ *tail.Back, line []byte, off int64) jsonl.Says { return c.says(line, off, s) })
	if err != nil || maybe {
		return maybe, "", err
	}
	return false, agent.Cursor(pos) + headOwed, nil
}

// plainEnd knows the line of a turn that ended well without parsing it, which most sessions end
// with. A quote within a JSON string is escaped, so what stands here with bare quotes is a key. It
// may miss such a line; and of lines that are no failure it may take one for an end whose tool call
// quotes those keys as an object.
func plainEnd(line []byte, session string) bool {
	has := func(s string) bool { return bytes.Contains(line, []byte(s)) }
	return has(`"stop_reason":"end_turn"`) && !has(`ApiErrorMessage"`) && !has(`"isSidechain":true`) &&
		has(`"type":"assistant"`) && !has(`"type":"user"`) && has(`"sessionId":"`+session+`"`)
}

// says tells what a line says of the conversation itself.
func (c *Claude) says(line []byte, off int64, s detect.Session) jsonl.Says {
	if line, ok := agent.Object(line); ok && plainEnd(line, s.ID) {
		return jsonl.NoStop
	}
	r, ok := c.matters(line, s)
	switch {
	case !ok || r.Type == "system":
		return jsonl.Nothing
	case r.failed(): // enough is known without working out why
		return jsonl.MayStop
	}
	switch e, ok := c.event(r, off); {
	case !ok || e.Kind == detect.KindAside:
		return jsonl.Nothing
	case e.Kind == detect.KindAnswer && e.Done:
		return jsonl.NoStop
	}
	return jsonl.MayStop
}

// LastPrompt gives the text of the newest prompt that a person typed; empty: none is found.
func (c *Claude) LastPrompt(ctx context.Context, s detect.Session) (string, error) {
	if err := fits(s); err != nil {
		return "", err
	}
	if _, err := c.own(s.Path); err != nil {
		return "", err
	}
	return jsonl.LastPrompt(ctx, s.Path, func(line []byte, off int64) (string, bool) {
		r, ok := c.matters(line, s)
		if !ok || r.Type != "user" {
			return "", false
		}
		e, ok := c.event(r, off)
		if !ok || e.Kind != detect.KindPrompt || e.Meta {
			return "", false
		}
		return textOf(blocks(r.Message.Content)), true
	})
}

// matters gives the record of a line that may say something of the session's own conversation.
func (c *Claude) matters(line []byte, s detect.Session) (*record, bool) { return c.of(line, s, false) }

// of is matters, for the session itself or for one of its sub-agents.
func (c *Claude) of(line []byte, s detect.Session, sub bool) (*record, bool) {
	line, ok := agent.Object(line)
	if !ok || !mayMatter(line) {
		return nil, false
	}
	r, err := parse(line)
	return r, err == nil && r.IsSidechain == sub && r.SessionID == s.ID && r.named()
}
