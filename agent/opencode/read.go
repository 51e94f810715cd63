package opencode

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// cursor stands at the newest message that was read. Only that one may still change and be news, and the
// answer that prompts wait for; any other message that was overtaken decides nothing any more.
type cursor struct {
	Inode   uint64 `json:"i"`           // of the database or session file: another one is another store
	ID      string `json:"id"`          // message; empty: the session had none
	Row     int64  `json:"row"`         // its rowid
	Created int64  `json:"t"`           // its time_created
	Said    string `json:"s"`           // what it said
	Retry   int64  `json:"r,omitempty"` // unix milliseconds of the newest retry line in the log
	Files   int    `json:"n,omitempty"` // messages that the session had, where each is a file
	Undone  string `json:"u,omitempty"` // the mark of what its user had taken back
	Asked   string `json:"q,omitempty"` // the newest answer where it has not ended and prompts stand behind it
}

// window is how many messages a first read looks at.
const window = 20

// Read gives the messages behind the cursor, and the one at the cursor again if it says something
// new: opencode writes a row when a request begins and again when it ends, under the same id.
func (o *OpenCode) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	if err := o.check(s); err != nil {
		return agent.Batch{}, err
	}
	fi, err := agent.Own(s.Path)
	if err != nil {
		return agent.Batch{}, err
	}
	r := reader{session: s, source: "database", zone: o.env.Zone, inode: agent.Inode(fi)}
	if json.Unmarshal([]byte(from), &r.from) != nil || r.from.Inode != r.inode || from == "" {
		r.from, r.anew = cursor{}, from != ""
	}
	if isJSON(s) {
		r.source = "storage"
		err = r.read(ctx, o.stored(s))
	} else {
		err = o.view(ctx, s.Path, func(ctx context.Context, tx *sql.Tx) error {
			return r.read(ctx, dbStore{tx, s.ID})
		})
	}
	if err != nil {
		return agent.Batch{}, err
	}
	if r.pending {
		r.retry(filepath.Join(o.data, "log"))
	}
	for _, e := range r.events { // a read that found its database busy began anew
		each(e)
	}
	c, err := json.Marshal(r.to)
	return agent.Batch{
		Info: r.info, Cursor: agent.Cursor(c), Anew: r.anew,
		Skipped: r.skipped, Problem: r.problem,
	}, err
}

// Tail says no for a session whose newest message is an answer that ended its turn.
func (o *OpenCode) Tail(ctx context.Context, s detect.Session) (bool, agent.Cursor, error) {
	var last *detect.Event
	b, err := o.Read(ctx, s, "", func(e detect.Event) { last = &e })
	if errors.Is(err, fs.ErrNotExist) {
		return false, "", err
	}
	if err != nil {
		return true, "", err
	}
	if last == nil {
		return b.Skipped > 0, b.Cursor, nil
	}
	if last.Kind == detect.KindAnswer && last.Done {
		return false, b.Cursor, nil
	}
	return true, "", nil
}

// reader is one read of one session.
type reader struct {
	session  detect.Session
	source   string
	zone     *time.Location // of times that a text names; nil: this machine's
	inode    uint64
	from, to cursor
	anew     bool
	events   []detect.Event
	info     detect.Info
	skipped  int
	problem  string
	ahead    int // messages that are left for the next read
	undone   undo
	pending  bool      // the newest message has no end
	wrote    time.Time // when opencode last wrote to that message or its parts
}

func (r *reader) read(ctx context.Context, st store) error {
	*r = reader{session: r.session, source: r.source, zone: r.zone, inode: r.inode, from: r.from, anew: r.anew}
	var err error
	if r.info, err = st.info(ctx); err != nil {
		return err
	}
	if r.undone, err = st.undone(ctx); err != nil {
		return err
	}
	rows, err := r.rows(ctx, st)
	if err != nil {
		return err
	}
	r.to.Inode = r.inode
	var last, turn *message // turn: the newest that is no command of its user's
	for i := range rows {
		m := &rows[i]
		if m.Strange {
			r.events = append(r.events, agent.Strange(m.ID, m.at(), m.Row))
			continue
		}
		if err := st.parts(ctx, m, m.Data.Role == "user"); err != nil {
			return err
		}
		if m.unwritten(r.info.Created) && m.ID != r.from.ID {
			r.ahead, rows = len(rows)-i, rows[:i]
			break
		}
		aside, err := r.aside(ctx, st, m)
		if err != nil {
			return err
		}
		if last = m; !aside {
			turn = m
		}
		if m.ID == r.from.ID && m.said() == r.from.Said {
			continue
		}
		if aside {
			r.events = append(r.events, detect.Event{Kind: detect.KindAside, ID: m.ID, Parent: m.Data.ParentID, At: m.at(), Offset: m.Row})
			continue
		}
		if m.Bad {
			r.skip(m)
		}
		e := r.event(m)
		if err := r.fromCompaction(ctx, st, m, &e); err != nil {
			return err
		}
		r.events = append(r.events, e)
	}
	if err := r.end(ctx, st, rows, last, turn); err != nil || last == nil {
		return err
	}
	if err := r.queued(ctx, st, rows); err != nil {
		return err
	}
	r.undo(last)
	return nil
}

// end notes where the read ended, and what the rows say together.
func (r *reader) end(ctx context.Context, st store, rows []message, last, turn *message) (err error) {
	r.describe(rows)
	if last == nil {
		return nil
	}
	r.to = cursor{Inode: r.inode, ID: last.ID, Row: last.Row, Created: last.Created, Said: last.said(), Retry: r.from.Retry,
		Files: max(0, last.Of-r.ahead), Undone: r.undone.mark}
	if turn == nil {
		return nil
	}
	if r.info.Setup, err = r.setup(ctx, st, rows, turn); err != nil {
		return err
	}
	r.pending, r.wrote = turn.pendingEnd(), later(turn.created(), turn.lastPart())
	if len(r.events) == 0 {
		return nil
	}
	return r.loop(ctx, st, turn)
}

// aside tells whether a row stands for a command that its user ran, or for what that printed.
func (r *reader) aside(ctx context.Context, st store, m *message) (bool, error) {
	if isUser(*m) {
		return m.shell(), nil
	}
	if m.Data.Finish != "" || m.Data.Error != nil {
		return false, nil // an answer
	}
	asked := message{ID: m.Data.ParentID}
	if !reMessage.MatchString(asked.ID) {
		return false, nil
	}
	err := st.parts(ctx, &asked, true)
	return asked.shell(), err
}

// rows are those to look at, the one at the cursor first.
func (r *reader) rows(ctx context.Context, st store) ([]message, error) {
	if r.from.ID != "" {
		last, rows, ok, err := st.after(ctx, r.from)
		redone := r.from.Undone != "" && r.undone.mark == ""
		if err != nil || ok && !redone {
			return append([]message{last}, rows...), err
		}
		// The message is gone: its user went on after an undo, or the session was written anew. Or what was
		// undone is back, and says again what it said.
		r.anew = !ok
	}
	r.from = cursor{}
	rows, err := st.newest(ctx, window)
	if err != nil {
		return nil, err
	}
	m, err := st.first(ctx)
	if err != nil || m.ID == "" {
		return rows, err
	}
	if err := st.parts(ctx, &m, true); err != nil {
		return nil, err
	}
	text, _ := m.prompt()
	r.info.FirstPrompt = hash(text)
	return rows, nil
}

func (r *reader) skip(m *message) {
	r.skipped++
	if r.problem == "" {
		r.problem = fmt.Sprintf("the data of message %s is not the JSON that opencode writes", m.ID)
	}
}

// describe takes model, provider and tokens from the newest answer.
func (r *reader) describe(rows []message) {
	for i := range rows {
		m := &rows[i]
		if m.Data.Role != "assistant" {
			continue
		}
		if v := m.model(); v != "" {
			r.info.Model, r.info.Provider = v, m.Data.ProviderID
		}
		if n := m.tokens(); n > 0 {
			r.info.Tokens = n
		}
	}
}

// setup is what the prompt ran with that the newest message is or answers. The session's own row tells what
// the last prompt ran with, which a resume may have got wrong.
func (r *reader) setup(ctx context.Context, st store, rows []message, last *message) (detect.Setup, error) {
	if isUser(*last) {
		return last.setup(), nil
	}
	id := last.Data.ParentID
	if i := slices.IndexFunc(rows, func(m message) bool { return m.ID == id }); i >= 0 {
		return rows[i].setup(), nil
	}
	if !reMessage.MatchString(id) {
		return detect.Setup{}, nil
	}
	m, ok, err := st.message(ctx, id)
	if err != nil || !ok || !isUser(m) {
		return detect.Setup{}, err
	}
	return m.setup(), nil
}

// reMessage is the form of a message's id, which becomes part of a path.
var reMessage = lazyregexp.New(`^msg_[A-Za-z0-9]{10,40}$`)

// LastPrompt is the text of the newest message that a person wrote, at most 64 KB of it.
func (o *OpenCode) LastPrompt(ctx context.Context, s detect.Session) (string, error) {
	if err := o.check(s); err != nil {
		return "", err
	}
	if _, err := agent.Own(s.Path); err != nil {
		return "", err
	}
	var text string
	find := func(ctx context.Context, st store) error {
		text = ""
		undone, err := st.undone(ctx)
		if err != nil {
			return err
		}
		rows, err := st.newest(ctx, maxRows)
		for i := len(rows) - 1; i >= 0 && err == nil && text == ""; i-- {
			if rows[i].Data.Role != "user" || undone.has(rows[i].ID) {
				continue
			}
			err = st.parts(ctx, &rows[i], true)
			text, _ = rows[i].prompt()
		}
		return err
	}
	var err error
	if isJSON(s) {
		err = find(ctx, o.stored(s))
	} else {
		err = o.view(ctx, s.Path, func(ctx context.Context, tx *sql.Tx) error { return find(ctx, dbStore{tx, s.ID}) })
	}
	if len(text) > 64<<10 {
		text = text[:64<<10]
	}
	return text, err
}
