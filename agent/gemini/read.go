package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// cursor is a place in a JSONL file, and what must be known of the lines before it.
type cursor struct {
	Pos   string `json:"p"`
	State state  `json:"s"`
}

func parseCursor(c agent.Cursor) (cursor, bool) {
	var x cursor
	err := json.Unmarshal([]byte(c), &x)
	return x, err == nil && x.Pos != ""
}

func (x cursor) text() (agent.Cursor, error) {
	b, err := json.Marshal(x)
	return agent.Cursor(b), err
}

// begin opens the batch of a read: it checks whose file it is and tells the project's folder.
func (g *Gemini) begin(s detect.Session) (path string, h head, err error) {
	if path, err = g.path(s); err != nil {
		return "", h, err
	}
	fi, err := agent.Own(path)
	if err != nil {
		return "", h, err
	}
	h, ok := g.head(path, fi)
	switch {
	case !ok:
		return "", h, fmt.Errorf("%s does not begin with the header of a session", path)
	case h.SessionID != s.ID:
		return "", h, fmt.Errorf("%s holds another session", path)
	}
	return path, h, nil
}

// Read reads a session from a cursor on.
func (g *Gemini) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	path, h, err := g.begin(s)
	if err != nil {
		return agent.Batch{}, err
	}
	s.Path = path
	told := false
	f := fold{g: g, s: s, b: new(agent.Batch), each: func(e detect.Event) { told = true; each(e) }}
	f.b.Info.Created = detect.Clamp(h.StartTime)
	if strings.HasSuffix(path, ".json") {
		err = f.rewritten(ctx, path, from)
	} else {
		err = f.lines(ctx, path, from)
	}
	if err != nil {
		return agent.Batch{}, err
	}
	chats := filepath.Dir(path)
	f.b.Info.Dir = g.projectDir(chats, h.ProjectHash)
	if told && f.b.Info.Dir == "" {
		f.b.Info.Dir = g.reported(s, h.ProjectHash)
	}
	if told && !f.b.Info.Interactive {
		f.b.Info.Interactive = typed(chats, s.ID)
	}
	return *f.b, nil
}

// lines reads what is new in a JSONL file.
func (f *fold) lines(ctx context.Context, path string, from agent.Cursor) error {
	c, ok := parseCursor(from)
	pos := c.Pos
	was, carried := carriedOver(path, from)
	if !carried && !ok && from != "" {
		pos = "?" // tail says what is wrong with it
	}
	r, err := tail.Open(path, pos)
	if err != nil {
		return err
	}
	defer r.Close()
	if f.b.Problem = r.Anew(); f.b.Problem != "" {
		f.b.Anew = true
	} else {
		f.state = c.State
	}
	err = jsonl.Read(ctx, r, f.b, func(line []byte, off int64) {
		switch {
		case len(line) == 0:
		case carried: // what was read of the old file stands here once more
			if l, err := parse(line); err == nil && l.ID == was.ID {
				carried, f.state = false, was.State
			}
		default:
			f.line(line, off)
		}
	})
	if err != nil {
		return err
	}
	if carried { // it is being written
		f.b.Cursor = from
		return nil
	}
	f.end()
	if f.Owed {
		if err := f.owed(ctx, path); err != nil {
			return err
		}
	}
	f.b.Cursor, err = cursor{Pos: r.Cursor(), State: f.state}.text()
	return err
}

// owed reads the first prompt of a file of which a later part was read first.
func (f *fold) owed(ctx context.Context, path string) error {
	r, err := tail.Open(path, "")
	if err != nil {
		return err
	}
	defer r.Close()
	h := fold{g: f.g, s: f.s, b: new(agent.Batch), each: func(detect.Event) {}}
	err = jsonl.Each(ctx, r, firstMax, func(line []byte, off int64) bool {
		h.line(line, off)
		return !h.First
	})
	if err != nil {
		return err
	}
	f.Checks = f.Checks || h.Checks
	if h.First {
		f.b.Info.FirstPrompt, f.First = h.b.Info.FirstPrompt, true
		f.b.Info.Interactive = f.b.Info.Interactive || h.b.Info.Interactive
	}
	f.Owed = !h.First && r.Offset() < firstMax
	return nil
}

// firstMax is how many bytes are looked at for the first prompt or turn, which stand earlier.
const firstMax = 4 << 20

// holdsTurns tells whether a file holds more than the description of the machine. Not sure: it could
// not be read now.
func holdsTurns(ctx context.Context, path string) (holds, sure bool) {
	if strings.HasSuffix(path, ".json") {
		err := eachMessage(path, func(m *message) bool {
			holds = m.turn()
			return !holds
		})
		return err != nil || holds, err == nil
	}
	r, err := tail.Open(path, "")
	if err != nil {
		return false, false
	}
	defer r.Close()
	err = jsonl.Each(ctx, r, firstMax, func(raw []byte, _ int64) bool {
		l, err := parse(raw)
		holds = err == nil && (l.turn() || l.Set != nil && l.Set.Messages != nil && holdsTurn(*l.Set.Messages))
		return !holds && ctx.Err() == nil
	})
	if err != nil || ctx.Err() != nil {
		return false, false
	}
	return holds || r.Offset() >= firstMax, true
}

// Tail looks at the last record of the conversation: a turn that ended well is no stop.
func (g *Gemini) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	path, _, err := g.begin(s)
	if err != nil {
		return false, "", err
	}
	if strings.HasSuffix(path, ".json") {
		var last *detect.Event
		b, err := g.Read(ctx, s, "", func(e detect.Event) { last = &e })
		if err == nil && (last == nil && b.Skipped == 0 || last != nil && last.Done) {
			return false, b.Cursor, nil
		}
		return err == nil, "", err
	}
	var last *message
	maybe, pos, err := jsonl.Tail(ctx, path, func(b *tail.Back, raw []byte, _ int64) jsonl.Says {
		last = record(ctx, b, raw)
		switch {
		case last == nil:
			return jsonl.Nothing
		case last.Type != "gemini" || !last.answer(detect.Event{}).Done:
			return jsonl.MayStop
		}
		return jsonl.NoStop
	})
	if err != nil || maybe {
		return maybe, "", err
	}
	c := cursor{Pos: pos, State: state{Owed: true}}
	if last != nil {
		c.State.Last = last.ID
	}
	text, err := c.text()
	return false, text, err
}

// record gives what a line says of the session's state; nil: nothing. A checkpoint may take back what stands before it: then
// it is an empty record.
func record(ctx context.Context, b *tail.Back, raw []byte) *message {
	l, err := parse(raw)
	switch {
	case err != nil:
	case l.RewindTo != "" || l.Set != nil && l.Set.Messages != nil && holdsTurn(*l.Set.Messages):
		return new(message)
	case l.Set != nil && l.Set.Messages != nil:
		// The first of a file, the one of a stub, or the roll-back of a first prompt.
		raw, _, err := b.Prev(ctx)
		if h, perr := parse(raw); err != nil || perr != nil || h.ProjectHash == "" {
			return new(message)
		}
	case !l.named():
	case l.Type == "gemini", l.Type == "error", l.Type == "info" && strings.HasPrefix(textOf(parts(l.Content)), "Request cancelled"),
		l.Type == "user" && l.turn():
		return &l.message
	}
	return nil
}

// promptMax is how much of a prompt is handed on, in bytes.
const promptMax = 8 << 10

// LastPrompt gives the text of the newest prompt, at most 8 KiB of it, also one that was taken back;
// empty: none is found.
func (g *Gemini) LastPrompt(ctx context.Context, s detect.Session) (string, error) {
	path, _, err := g.begin(s)
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(path, ".json") {
		last := ""
		err := eachMessage(path, func(m *message) bool {
			if text, ok := m.prompt(); ok {
				last = text
			}
			return ctx.Err() == nil
		})
		return last, cmp.Or(err, ctx.Err())
	}
	return jsonl.LastPrompt(ctx, path, func(raw []byte, _ int64) (string, bool) {
		l, err := parse(raw)
		if err != nil {
			return "", false
		}
		return l.prompt()
	})
}

// prompt gives the text of a record that a person wrote.
func (m *message) prompt() (string, bool) {
	list := parts(m.Content)
	text := textOf(list)
	if m.Type != "user" || len(responses(list)) > 0 || text == "" || local(text) {
		return "", false
	}
	return agent.Cut(m.said(), promptMax), true
}
