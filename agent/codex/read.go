package codex

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// carry is what a place in the middle of a rollout needs of the lines before it. It is part of the
// cursor, so that reading in portions says what reading the whole does.
type carry struct {
	Head     bool            `json:"h,omitempty"` // the first prompt was not told yet
	Version  string          `json:"v,omitempty"`
	Headless bool            `json:"x,omitempty"`
	Open     bool            `json:"o,omitempty"` // a turn that a record began
	Turn     string          `json:"t,omitempty"` // its id
	Ended    string          `json:"e,omitempty"` // id of the turn before
	Turns    bool            `json:"y,omitempty"` // its version writes down where turns begin
	Created  int64           `json:"n,omitempty"` // when the session was, in ms
	Quiet    bool            `json:"z,omitempty"` // nobody is named as its cause, and nothing came in it yet
	Shell    bool            `json:"b,omitempty"` // its user ran a command of the shell in it
	Prompted bool            `json:"p,omitempty"` // somebody asked in this turn
	Asked    string          `json:"a,omitempty"` // hash of the prompt that was told last, with nothing behind it
	Said     bool            `json:"s,omitempty"` // outside of an open turn: an answer without a tool call behind it
	Asks     bool            `json:"k,omitempty"` // likewise: the model was asked, and nothing came yet
	Quota    *quota          `json:"q,omitempty"` // newest limits of this turn
	Failure  *detect.Failure `json:"f,omitempty"` // an error that its end may leave out
	Text     string          `json:"u,omitempty"` // Failure.Text
	Retry    int64           `json:"r,omitempty"` // when the try that was told last failed, in ms
	Revision string          `json:"w,omitempty"` // of the rollout
}

// ended is what stays behind a turn.
func (c carry) ended() carry {
	if c.Turn == "" {
		c.Turn = c.Ended
	}
	return carry{Head: c.Head, Version: c.Version, Headless: c.Headless, Ended: c.Turn, Turns: c.Turns, Created: c.Created, Revision: c.Revision}
}

// Cursors are a position of the tail package, "+", and the carry as JSON.
func (c carry) cursor(pos string) agent.Cursor {
	b, err := json.Marshal(c)
	if err != nil { // it holds nothing that could fail
		return agent.Cursor(pos)
	}
	return agent.Cursor(pos + "+" + string(b))
}

// noPlace is a position that fits no file.
const noPlace = "?"

// parseCursor gives a position that fits no file where the cursor is none of ours.
func parseCursor(from agent.Cursor) (pos string, c carry) {
	if from == "" {
		return "", carry{Head: true}
	}
	pos, rest, _ := strings.Cut(string(from), "+")
	if pos == "" || json.Unmarshal([]byte(rest), &c) != nil {
		return noPlace, carry{}
	}
	if c.Failure != nil {
		c.Failure.Text = c.Text
	}
	return pos, c
}

// headMax is how many bytes are read for the head; the first prompt of a session stands earlier.
const headMax = 4 << 20

func open(path, pos string) (jsonl.Lines, error) {
	if strings.HasSuffix(path, packedExt) {
		return openPacked(path, pos)
	}
	return tail.Open(path, pos)
}

// Read reads a rollout from a cursor on. A compressed one is read whole when it changed.
func (c *Codex) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	if err := c.check(s); err != nil {
		return agent.Batch{}, err
	}
	pos, before := parseCursor(from)
	revision := revisionOf(s.Path)
	if pos != noPlace && before.Revision < revision { // what its user went back behind counts no more, and this goes on from there
		pos, before = "", carry{Head: true}
	}
	before.Revision = revision
	r, err := open(s.Path, pos)
	if err != nil {
		return agent.Batch{}, err
	}
	defer r.Close()
	b := jsonl.Begin(r)
	f := fold{c: c, s: s, b: b, each: each, carry: before}
	if b.Anew {
		f.carry = carry{Head: true, Revision: revision}
	} else if pos != "" && f.carry.Head {
		if err := f.readHead(ctx); err != nil {
			return agent.Batch{}, err
		}
	}
	if err := jsonl.Read(ctx, r, b, f.line); err != nil {
		return agent.Batch{}, err
	}
	f.carry.Head = f.carry.Head && (b.Info.FirstPrompt == "" || b.Info.Created.IsZero()) && r.Offset() < headMax
	if f.carry.Version != "" {
		b.Info.Version, b.Info.Interactive = f.carry.Version, !f.carry.Headless
	}
	b.Info.Archived = c.isArchived(s.Path)
	c.mu.Lock()
	if c.open[s.ID] = f.carry.Open; !f.carry.Open {
		delete(c.open, s.ID)
	}
	c.mu.Unlock()
	if f.carry.Open {
		if e, ok := c.retry(ctx, s, f.carry.Turn); ok && e.At.UnixMilli() > f.carry.Retry {
			f.carry.Retry = e.At.UnixMilli()
			each(e)
		}
	}
	b.Cursor = f.carry.cursor(r.Cursor())
	return *b, nil
}

// fold collects the records of one Read.
type fold struct {
	c     *Codex
	s     detect.Session
	b     *agent.Batch
	each  func(detect.Event)
	carry carry
}

// readHead reads the first lines of a rollout of which a later part was read first. Where the
// session works and how, its newest turn tells.
func (f *fold) readHead(ctx context.Context) error {
	r, err := open(f.s.Path, "")
	if err != nil {
		return err
	}
	defer r.Close()
	h := fold{c: f.c, s: f.s, b: new(agent.Batch), each: func(detect.Event) {}, carry: carry{Head: true}}
	err = jsonl.Each(ctx, r, headMax, func(line []byte, off int64) bool {
		h.line(line, off)
		return h.b.Info.FirstPrompt == "" || h.b.Info.Created.IsZero()
	})
	if err != nil {
		return err
	}
	i := h.b.Info
	f.b.Info = detect.Info{Parent: i.Parent, Provider: i.Provider, FirstPrompt: i.FirstPrompt, Created: i.Created}
	f.carry.Created = h.carry.Created
	if f.carry.Version == "" {
		f.carry.Version, f.carry.Headless = h.carry.Version, h.carry.Headless
	}
	return nil
}

func (f *fold) line(line []byte, off int64) {
	line, ok := jsonl.Object(f.b, line)
	if !ok {
		return
	}
	if !mayMatter(line) {
		return
	}
	r, err := parse(line)
	if err != nil {
		f.b.Skip(err.Error(), 1)
		return
	}
	if !r.known() || r.at.IsZero() {
		f.each(agent.Strange("", r.at, off))
	}
	switch r.Type {
	case "session_meta", "turn_context", "event_msg", "response_item":
	default:
		return
	}
	if r.at.IsZero() {
		f.b.Skip("a record has no time", 1)
		return
	}
	switch r.Type {
	case "session_meta":
		f.meta(&r.Payload)
		if off == 0 && f.carry.Revision != "" {
			// Its user went back to what the rollout before this one holds, and nothing was asked since.
			f.emit(detect.Event{Kind: detect.KindInterrupt}, r, line, off)
		}
	case "turn_context":
		setIf(&f.b.Info.Dir, r.Payload.CWD)
		setIf(&f.b.Info.Model, r.Payload.Model)
		setIf(&f.b.Info.Mode, mode(r.Payload.Sandbox, r.Payload.Approval))
		effort, _ := word(r.Payload.Effort)
		f.b.Info.Setup = detect.Setup{Role: r.Payload.Profile.ID, Model: r.Payload.Model, Effort: effort}
		if all := roots(r.Payload.Sandbox); all != nil {
			f.b.Info.Roots = all
		}
		if f.carry.Quiet { // it is for a request to the model
			f.emit(detect.Event{Kind: detect.KindOpen}, r, line, off)
		}
	case "event_msg":
		f.event(r, line, off)
	case "response_item":
		f.item(r, line, off)
	}
}

func setIf(dst *string, v string) {
	if v != "" {
		*dst = v
	}
}

// meta takes the first line. A fork of an old version holds its parent's first line, too.
func (f *fold) meta(p *payload) {
	if p.ID != f.s.ID {
		return
	}
	i := &f.b.Info
	setIf(&i.Dir, p.CWD)
	setIf(&i.Provider, p.Provider)
	setIf(&i.Parent, p.parentOf())
	t, err := time.Parse(time.RFC3339, p.Timestamp)
	if begun, ok := begunAt(p.ID); ok && f.carry.Revision != "" {
		t, err = begun, nil // the line has the time of the revision
	}
	if err == nil && i.Created.IsZero() {
		i.Created = detect.Clamp(t)
		if f.carry.Created == 0 {
			f.carry.Created = i.Created.UnixMilli()
		}
	}
	setIf(&f.carry.Version, p.CLIVersion)
	f.carry.Headless = p.headless()
	setIf(&i.Entry, p.entry())
}

// lineID names a record to which the agent gave no name. Its time, to the millisecond, is part of the
// line; its place is not used, so that a copy of it in a fork has the same name.
func lineID(line []byte) string {
	sum := sha256.Sum256(line)
	return "line:" + hex.EncodeToString(sum[:8])
}

// emit adds an event. One that is not the end of a turn is named by the turn and its place in
// the file, so that the end alone has the turn's own name.
func (f *fold) emit(e detect.Event, r *record, line []byte, off int64) {
	switch {
	case e.ID != "":
	case f.carry.Turn != "":
		e.ID = f.carry.Turn + "/" + strconv.FormatInt(off, 10)
	default:
		e.ID = lineID(line)
	}
	e.At, e.Offset, e.Headless = r.at, off, f.carry.Headless
	if e.Kind == detect.KindFailure && r.at.UnixMilli() < f.carry.Created {
		// A fork or an import holds it as a copy: this session has not failed. Who made the copy took
		// over from there.
		e.Kind, e.Failure = detect.KindInterrupt, nil
	}
	f.each(e)
	f.carry.Asked, f.carry.Quiet = "", false
}
