package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// ids are opencode's names of sessions, messages and parts.
var ids = regexp.MustCompile(`\b(?:ses|msg|prt)_[A-Za-z0-9]+`)

// rowsOf are the tables that hold a session, and their columns that hold quoted text.
var rowsOf = []struct {
	table, texts string
}{{"session", "title"}, {"message", "data"}, {"part", "data"}}

func (r run) dbSpots(spots map[string]bool) error {
	return inScratch(func(dir string) error {
		ctx, folder := context.Background(), filepath.Join(dir, "agent")
		if err := layOut(ctx, folder, r.root(), r.At); err != nil {
			return err
		}
		db, err := openDB(filepath.Join(folder, "opencode.db"))
		if err != nil {
			return err
		}
		defer db.Close()
		for _, t := range rowsOf {
			_, rows, err := tableRows(ctx, db, t.table)
			if err != nil {
				return err
			}
			for _, row := range rows {
				cellOf(row[t.texts], spots)
			}
		}
		return nil
	})
}

// plantDB copies the session of a database once for every seed, with the seed in it.
func (r run) plantDB(ctx context.Context, dir string, all []seed, check func(seed, verdict, error) error) error {
	folder := filepath.Join(dir, "agent")
	if err := layOut(ctx, folder, r.root(), r.At); err != nil {
		return err
	}
	path := filepath.Join(folder, "opencode.db")
	if err := copySessions(ctx, path, all); err != nil {
		return err
	}
	a, err := openAgent(r.Agent, folder, time.UTC, table{})
	if err != nil {
		return err
	}
	for n, sd := range all {
		got, err := look(ctx, a, detect.Session{Agent: r.Agent, ID: r.Sessions[0].ID + suffix(n), Path: path})
		if err := check(sd, got, err); err != nil {
			return err
		}
	}
	return nil
}

func suffix(n int) string { return "Z" + strconv.FormatInt(int64(n), 36) }

func copySessions(ctx context.Context, path string, all []seed) error {
	db, err := openDB(path)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	for _, t := range rowsOf {
		columns, rows, err := tableRows(ctx, tx, t.table)
		if err != nil {
			return errors.Join(err, tx.Rollback(), db.Close())
		}
		cells := make([]template, len(rows))
		for i, row := range rows {
			cells[i] = cellOf(row[t.texts], nil)
		}
		for n, sd := range all {
			for i, row := range rows {
				if err := insertCopy(ctx, tx, t.table, t.texts, columns, row, cells[i], n, sd); err != nil {
					return errors.Join(err, tx.Rollback(), db.Close())
				}
			}
		}
	}
	return errors.Join(tx.Commit(), db.Close())
}

// insertCopy writes a row again under other ids, with the seed in its texts.
func insertCopy(ctx context.Context, tx *sql.Tx, table, texts string, columns []string, row map[string]any, cell template, n int, sd seed) error {
	q, values := "", []any{}
	for _, c := range columns {
		v := row[c]
		if s, ok := v.(string); ok {
			v = ids.ReplaceAllStringFunc(s, func(id string) string { return id + suffix(n) })
		}
		if c == texts && cell != nil {
			v = string(cell.fill(sd))
		}
		values, q = append(values, v), q+", ?"
	}
	names := `"` + strings.Join(columns, `", "`) + `"`
	_, err := tx.ExecContext(ctx, "insert into "+table+" ("+names+") values ("+q[2:]+")", values...)
	return err
}

// cellOf plants into a cell that holds JSON or a bare text; nil: it holds neither.
func cellOf(v any, spots map[string]bool) template {
	cell, ok := v.(string)
	if !ok {
		return nil
	}
	var t template
	if !strings.HasPrefix(cell, "{") {
		return template{{slot: bareText}}
	}
	if t.plant(json.RawMessage(cell), spots) != nil {
		return template{{plain: []byte(cell)}}
	}
	return t
}

type queryer interface {
	QueryContext(ctx context.Context, q string, args ...any) (*sql.Rows, error)
}

func tableRows(ctx context.Context, db queryer, table string) ([]string, []map[string]any, error) {
	rows, err := db.QueryContext(ctx, "select * from "+table+" order by rowid")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, nil, err
	}
	var all []map[string]any
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		row := map[string]any{}
		for i, c := range columns {
			row[c] = values[i]
		}
		all = append(all, row)
	}
	return columns, all, rows.Err()
}
