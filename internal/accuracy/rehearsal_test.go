package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// A rehearsal is a recorded run that is laid out, to be judged again and again as versions nobody has seen would have
// written it.
type rehearsal struct {
	run
	zone    *time.Location
	folder  string
	files   map[string][]*record // by path: the records of JSON files
	whole   map[string][]byte    // as they are
	db      string               // path of the database; empty: there is none
	rows    []*record            // of the database
	records []*node              // all of them
}

// record is one line of a file, a file that is one value, or a cell of a database.
type record struct {
	line   []byte
	node   *node // nil: not JSON
	table  string
	column string
	rowid  int64
}

func rehearse(ctx context.Context, r run, dir string) (*rehearsal, error) {
	folder, err := r.layOut(ctx, dir)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return nil, err
	}
	h := &rehearsal{run: r, zone: zone, folder: folder, files: map[string][]*record{}, whole: map[string][]byte{}}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".json", ".jsonl", ".db":
		default:
			return nil
		}
		b, err := os.ReadFile(path)
		if h.whole[path] = b; err != nil {
			return err
		}
		switch filepath.Ext(path) {
		case ".json":
			h.add(path, b)
		case ".jsonl":
			for l := range bytes.Lines(b) {
				h.add(path, l)
			}
		case ".db":
			h.db = path
			return h.readRows(ctx)
		}
		return nil
	})
	return h, err
}

func (h *rehearsal) add(path string, line []byte) {
	rec := &record{line: line}
	if n, err := parseNode(line); err == nil {
		rec.node = n
		h.records = append(h.records, n)
	}
	h.files[path] = append(h.files[path], rec)
}

// readRows takes the cells that hold JSON.
func (h *rehearsal) readRows(ctx context.Context) error {
	db, err := openDB(h.db)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, t := range rowsOf {
		rows, err := db.QueryContext(ctx, "select rowid, "+t.texts+" from "+t.table+" order by rowid")
		if err != nil {
			return err
		}
		for rows.Next() {
			rec := &record{table: t.table, column: t.texts}
			var cell sql.NullString
			if err := rows.Scan(&rec.rowid, &cell); err != nil {
				return errors.Join(err, rows.Close())
			}
			if n, err := parseNode([]byte(cell.String)); err == nil && n.kind == '{' {
				rec.node = n
				h.rows, h.records = append(h.rows, rec), append(h.records, n)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// edit changes a record. left is how many its file, or the database, has from it on.
type edit func(n *node, left int)

// write lays out the run with all its records edited.
func (h *rehearsal) write(ctx context.Context, edit edit, more func(context.Context, *sql.Tx) error) error {
	var errs []error
	change := func(rec *record, left int) (*node, bool) {
		if rec.node == nil {
			return nil, false
		}
		n := rec.node.clone()
		edit(n, left)
		return n, true
	}
	for _, path := range slices.Sorted(maps.Keys(h.files)) {
		var out bytes.Buffer
		for i, rec := range h.files[path] {
			if n, ok := change(rec, len(h.files[path])-i); ok {
				n.write(&out)
				out.WriteByte('\n')
			} else {
				out.Write(rec.line)
			}
		}
		errs = append(errs, os.WriteFile(path, out.Bytes(), 0o600), os.Chtimes(path, h.At, h.At))
	}
	if h.db != "" {
		errs = append(errs, h.writeRows(ctx, change, more))
	}
	return errors.Join(errs...)
}

func (h *rehearsal) writeRows(ctx context.Context, change func(*record, int) (*node, bool), more func(context.Context, *sql.Tx) error) error {
	if err := os.WriteFile(h.db, h.whole[h.db], 0o600); err != nil {
		return err
	}
	db, err := openDB(h.db)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	for i, rec := range h.rows {
		if n, ok := change(rec, len(h.rows)-i); ok {
			_, e := tx.ExecContext(ctx, "update "+rec.table+" set "+rec.column+" = ? where rowid = ?", n.String(), rec.rowid)
			err = errors.Join(err, e)
		}
	}
	if more != nil {
		err = errors.Join(err, more(ctx, tx))
	}
	return errors.Join(err, tx.Commit(), db.Close(), os.Chtimes(h.db, h.At, h.At))
}

// verdicts judges what lies there now. A session that cannot be read is not resumed: it is one that is missing.
func (h *rehearsal) verdicts(ctx context.Context) (map[string]verdict, error) {
	a, err := openAgent(h.Agent, h.folder, h.zone, newTable(h.Procs, h.folder))
	if err != nil {
		return nil, err
	}
	all := map[string]verdict{}
	found, err := a.Scan(ctx, "")
	if err != nil {
		return all, nil //nolint:nilerr // what cannot be read is left
	}
	for _, t := range found {
		if v, err := look(ctx, a, t.Session); err == nil {
			all[t.Session.ID] = v
		}
	}
	return all, nil
}

// harm says what is wrong with a verdict on a run that an unknown version wrote; empty: nothing. What the verdict may be: the
// truth, unknown, no stop, or one that its user is left alone with, such as an interruption.
func harm(want session, got verdict) string {
	if got.missing {
		return ""
	}
	said := label(got.stop.State, got.stop.Reason)
	truth := []string{label(want.State, want.Reason)}
	if want.TruthReason != "" {
		truth = append(truth, string(want.TruthReason))
	}
	right := slices.Contains(truth, said)
	switch {
	case got.resumable && !want.Resumable:
		return "it would be resumed"
	case right:
		return ""
	case got.stop.State == detect.Retrying && !want.Resumable && want.State != detect.Retrying && !got.stop.SelfResumeAt.IsZero():
		return "it would be waited for"
	case got.stop.State != detect.Stopped:
		return ""
	}
	switch got.stop.Reason {
	case detect.Unknown, detect.Interrupted, detect.Completed, detect.Crashed:
		return ""
	}
	return "another reason"
}

// chance is a source that a seed and a run have for themselves, so that one case can be told again.
func chance(seed uint64, r run) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, r.Agent, "/", r.name)
	return rand.New(rand.NewPCG(seed, h.Sum64())) //nolint:gosec // a test's dice
}
