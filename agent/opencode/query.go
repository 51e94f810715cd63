package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/clawd-project/clawd/detect"
)

// sound: a text that may be parsed, of at most 16 MB.
const sound = `octet_length(m.data) <= 16777216 and json_valid(m.data)`

// columns of a message row. Only what data knows is taken out of message.data: a user row may
// hold whole files (summary.diffs), an error row a whole HTML page.
var columns = `m.rowid, substr(m.id, 1, 200), m.time_created, m.time_updated,
	case when ` + sound + ` and json_type(m.data) = 'object' then json_object(
		'role', m.data->'$.role', 'parentID', m.data->'$.parentID',
		'providerID', m.data->'$.providerID', 'modelID', m.data->'$.modelID',
		'finish', m.data->'$.finish', 'time', m.data->'$.time', 'tokens', m.data->'$.tokens',
		'agent', ` + word("agent") + `, 'variant', ` + word("variant") + `, 'model', json_object('providerID', ` + word("model.providerID") + `,
			'modelID', ` + word("model.modelID") + `, 'variant', ` + word("model.variant") + `),
		'tools', json(case when m.data->'$.tools' not in ('{}', 'null') then '{"some":true}' else '{}' end), 'system', substr(` + word("system") + `, 1, 1),
		'summary', json(case when json_type(m.data, '$.summary') = 'true' then 'true' else 'false' end),
		'error', case when length(m.data->'$.error') <= 131072 then m.data->'$.error'
			else json_remove(m.data->'$.error', '$.data.responseBody', '$.data.metadata') end)
	end`

// word takes a text out of message.data; null for anything else.
func word(path string) string {
	return `case json_type(m.data, '$.` + path + `') when 'text' then substr(m.data->>'$.` + path + `', 1, 200) end`
}

const partColumns = `time_updated, case when octet_length(data) <= 16777216 and json_valid(data) and json_type(data) = 'object' then json_object(
		'type', data->'$.type', 'synthetic', data->'$.synthetic', 'auto', data->'$.auto',
		'text', case when data->>'$.type' = 'text' and ?2 then substr(data->>'$.text', 1, 1048576) else '' end,
		'status', data->'$.state.status',
		'err', substr(coalesce(data->>'$.state.error', ''), 1, 200))
	end`

// store reads one session, from a database or from JSON files.
type store interface {
	// info of the session; fs.ErrNotExist when there is no such session.
	info(ctx context.Context) (detect.Info, error)
	// undone is what its user took back of the session.
	undone(ctx context.Context) (undo, error)
	// newest gives the newest n messages, oldest of them first, and the newest message of a
	// user if it is older.
	newest(ctx context.Context, n int) ([]message, error)
	// after gives the message at the cursor and those written after it; ok is false when the
	// cursor's message is gone.
	after(ctx context.Context, c cursor) (last message, rows []message, ok bool, err error)
	// message gives one message; false: it is gone.
	message(ctx context.Context, id string) (message, bool, error)
	// first gives the first message of a user.
	first(ctx context.Context) (message, error)
	// unknowns gives the n-th message (from 1) with finish "unknown" below a prompt.
	unknowns(ctx context.Context, parent string, n int) (message, bool, error)
	// parts loads the parts of a message; text: with the texts.
	parts(ctx context.Context, m *message, text bool) error
}

// dbStore is a session in a database, inside one transaction.
type dbStore struct {
	tx *sql.Tx
	id string
}

func (d dbStore) info(ctx context.Context) (detect.Info, error) {
	var i detect.Info
	var dir, version, parent, permission sql.NullString
	var created, archived sql.NullInt64
	err := d.tx.QueryRowContext(ctx, `select substr(directory, 1, 4096), substr(version, 1, 100), substr(parent_id, 1, 100), time_created, time_archived,
		case when octet_length(permission) <= 65536 and json_valid(permission) then permission end from session where id = ?`, d.id).
		Scan(&dir, &version, &parent, &created, &archived, &permission)
	if errors.Is(err, sql.ErrNoRows) {
		return i, fmt.Errorf("session %s is not in it: %w", d.id, fs.ErrNotExist)
	}
	if err != nil {
		return i, err
	}
	return detect.Info{
		Dir: dir.String, Version: version.String, Parent: parent.String,
		Created: millis(float64(created.Int64)), Archived: archived.Int64 > 0,
		Interactive: !headlessRules([]byte(permission.String)),
	}, nil
}

func (d dbStore) list(ctx context.Context, q string, args ...any) ([]message, error) {
	var all []message
	err := each(ctx, d.tx, func(scan func(...any) error) error {
		var m message
		var raw sql.NullString
		if err := scan(&m.Row, &m.ID, &m.Created, &m.Updated, &raw); err != nil {
			return err
		}
		m.fill([]byte(raw.String))
		all = append(all, m)
		return nil
	}, "select "+columns+" from message m "+q, args...)
	return all, err
}

func (d dbStore) newest(ctx context.Context, n int) ([]message, error) {
	all, err := d.list(ctx, "where m.session_id = ? order by m.time_created desc, m.id desc limit ?", d.id, n)
	if err != nil {
		return nil, err
	}
	if len(all) == n && !slices.ContainsFunc(all, isUser) {
		older, err := d.list(ctx, `where m.session_id = ? and case when `+sound+` then m.data->>'$.role' end = 'user'
			order by m.time_created desc, m.id desc limit 1`, d.id)
		if err != nil {
			return nil, err
		}
		all = append(all, older...)
	}
	slices.Reverse(all)
	return all, nil
}

func isUser(m message) bool { return m.Data.Role == "user" }

// maxRows bounds one read; a session that wrote more between two reads is read from there.
const maxRows = 500

func (d dbStore) after(ctx context.Context, c cursor) (message, []message, bool, error) {
	last, ok, err := d.message(ctx, c.ID)
	if err != nil || !ok {
		return message{}, nil, false, err
	}
	// The order in which rows were inserted holds also when the clock was set back. It is lost
	// when the database was vacuumed; then the times must do, as they do for opencode itself.
	q, arg1, arg2 := "and m.rowid > ? and m.id <> ? order by m.rowid desc limit ?", any(c.Row), c.ID
	if last.Row != c.Row {
		q, arg1 = "and (m.time_created, m.id) > (?, ?) order by m.time_created desc, m.id desc limit ?", last.Created
	}
	rows, err := d.list(ctx, "where m.session_id = ? "+q, d.id, arg1, arg2, maxRows)
	slices.Reverse(rows)
	return last, rows, true, err
}

func (d dbStore) message(ctx context.Context, id string) (message, bool, error) {
	all, err := d.list(ctx, "where m.id = ? and m.session_id = ?", id, d.id)
	if err != nil || len(all) == 0 {
		return message{}, false, err
	}
	return all[0], true, nil
}

func (d dbStore) first(ctx context.Context) (message, error) {
	all, err := d.list(ctx, "where m.session_id = ? order by m.time_created, m.id limit 5", d.id)
	if i := slices.IndexFunc(all, isUser); i >= 0 {
		return all[i], err
	}
	return message{}, err
}

func (d dbStore) unknowns(ctx context.Context, parent string, n int) (message, bool, error) {
	all, err := d.list(ctx, `where m.session_id = ? and case when `+sound+`
		then m.data->>'$.parentID' = ? and m.data->>'$.finish' = 'unknown' end
		order by m.time_created, m.id limit 1 offset ?`, d.id, parent, n-1)
	if err != nil || len(all) == 0 {
		return message{}, false, err
	}
	return all[0], true, nil
}

func (d dbStore) parts(ctx context.Context, m *message, text bool) error {
	m.Parts = nil
	return each(ctx, d.tx, func(scan func(...any) error) error {
		var raw sql.NullString
		var updated int64
		if err := scan(&updated, &raw); err != nil {
			return err
		}
		m.addPart([]byte(raw.String), updated)
		return nil
	}, "select "+partColumns+" from (select * from part where message_id = ?1 order by id desc limit ?3) order by id", m.ID, text, maxParts)
}

// maxParts bounds how many parts of a message are read: the newest ones. A message is one answer of the model,
// so it has a few.
const maxParts = 1000
