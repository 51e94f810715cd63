package opencode

import (
	"context"
	"database/sql"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// begin is what a row of the model's says before its request has ended.
func begin(t *testing.T, raw string) string {
	var d map[string]any
	if json.Unmarshal([]byte(raw), &d) != nil || d["role"] != "assistant" {
		return raw
	}
	for _, k := range []string{"finish", "error"} {
		delete(d, k)
	}
	if at, ok := d["time"].(map[string]any); ok {
		delete(at, "completed")
	}
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type rowOf struct {
	id, data         string
	created, updated int64
	parts            []rowOf
}

// content reads a session of a recorded database.
func content(t *testing.T, name, id string) (tables []string, rows []rowOf, info []any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	exec(t, db, readFile(t, filepath.Join(cases, name, "db.sql")))
	ask := func(f func(scan func(...any) error) error, q string, args ...any) {
		t.Helper()
		err := inTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error { return each(ctx, tx, f, q, args...) })
		if err != nil {
			t.Fatal(err)
		}
	}
	ask(func(scan func(...any) error) error {
		var q string
		err := scan(&q)
		tables = append(tables, q)
		return err
	}, "select sql from sqlite_master where sql is not null and tbl_name in ('session', 'message', 'part') order by type desc")
	info = make([]any, 7)
	ask(func(scan func(...any) error) error {
		return scan(&info[0], &info[1], &info[2], &info[3], &info[4], &info[5], &info[6])
	}, "select id, parent_id, directory, version, permission, time_created, time_updated from session where id = ?", id)
	list := func(all *[]rowOf) func(scan func(...any) error) error {
		return func(scan func(...any) error) error {
			var m rowOf
			err := scan(&m.id, &m.created, &m.updated, &m.data)
			*all = append(*all, m)
			return err
		}
	}
	ask(list(&rows), "select id, time_created, time_updated, data from message where session_id = ? order by rowid", id)
	for i := range rows {
		ask(list(&rows[i].parts), "select id, time_created, time_updated, data from part where message_id = ? order by id", rows[i].id)
	}
	return tables, rows, info
}

const (
	setMessage = "insert into message (id, session_id, time_created, time_updated, data) values (?, ?, ?, ?, ?) on conflict (id) do update set data = excluded.data, time_updated = excluded.time_updated"
	addPart    = "insert into part (id, message_id, session_id, time_created, time_updated, data) values (?, ?, ?, ?, ?, ?)"
)

// TestPieces writes every recorded database again, row by row: a message begins, gets its parts, and
// ends; opencode itself stops and starts in between.
func TestPieces(t *testing.T) {
	var all []func(t *testing.T) agenttest.Recording
	for _, w := range tsv(t, "testdata/want.tsv") {
		name, id := w[0], w[1]
		if _, err := os.Stat(filepath.Join(cases, name, "db.sql")); err != nil {
			continue
		}
		all = append(all, func(t *testing.T) agenttest.Recording {
			tables, rows, info := content(t, name, id)
			return replay(t, name, id, tables, rows, info)
		})
	}
	if len(all) < 50 {
		t.Fatalf("only %d recordings", len(all))
	}
	agenttest.Pieces(t, 1, all)
}

func replay(t *testing.T, name, id string, tables []string, rows []rowOf, info []any) agenttest.Recording {
	o, dir := open(t, &testProcs{})
	path := filepath.Join(dir, "opencode.db")
	if log, err := os.ReadFile(filepath.Join(cases, name, "log", "opencode.log")); err == nil {
		writeFile(t, filepath.Join(dir, "log", "opencode.log"), string(log))
	}
	var db *sql.DB
	do := func(q string, args ...any) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if db == nil {
				db = writer(t, path)
			}
			exec(t, db, q, args...)
		}
	}
	// The tables are there before anything is read.
	do("pragma foreign_keys = off; " + strings.Join(tables, ";\n"))(t)
	do("insert into session (id, parent_id, directory, version, permission, time_created, time_updated, project_id, slug, title) values (?, ?, ?, ?, ?, ?, ?, '', '', '')", info...)(t)
	return agenttest.Recording{Name: name + " " + id, Session: detect.Session{Agent: Name, ID: id, Path: path},
		Open: func() agent.Agent { return New(o.env, o.cfg) },
		Steps: func(r *rand.Rand) (steps []func(t *testing.T)) {
			for _, m := range rows {
				first := m.data
				if r.IntN(2) == 0 {
					first = begin(t, m.data)
				}
				steps = append(steps, do(setMessage, m.id, id, m.created, m.created, first))
				half := r.IntN(len(m.parts) + 1)
				for _, some := range [][]rowOf{m.parts[:half], m.parts[half:]} {
					steps = append(steps, func(t *testing.T) {
						for _, p := range some {
							do(addPart, p.id, m.id, id, p.created, p.updated, p.data)(t)
						}
					})
				}
				steps = append(steps, do(setMessage, m.id, id, m.created, m.updated, m.data))
				if r.IntN(8) == 0 {
					steps = append(steps, func(t *testing.T) {
						if err := db.Close(); err != nil {
							t.Fatal(err)
						}
						db = nil
					})
				}
			}
			return steps
		}}
}

// TestPiecesOfFiles does so with the JSON files of old versions.
func TestPiecesOfFiles(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(cases, "*", "storage", "session", "*", "*.json"))
	if err != nil || len(found) < 5 {
		t.Fatalf("%d recordings, err %v", len(found), err)
	}
	var all []func(t *testing.T) agenttest.Recording
	for _, f := range found {
		all = append(all, func(t *testing.T) agenttest.Recording {
			from := t.TempDir()
			copyTree(t, from, filepath.Dir(filepath.Dir(filepath.Dir(f))))
			o, dir := open(t, &testProcs{})
			root := filepath.Join(dir, "storage")
			id := strings.TrimSuffix(filepath.Base(f), ".json")
			s := detect.Session{Agent: Name, ID: id, Path: filepath.Join(root, "session", filepath.Base(filepath.Dir(f)), id+".json")}
			writeFile(t, s.Path, readFile(t, f))
			return agenttest.Recording{Name: f, Session: s, Open: func() agent.Agent { return New(o.env, o.cfg) },
				Steps: func(r *rand.Rand) []func(t *testing.T) { return files(t, r, from, root, id) }}
		})
	}
	agenttest.Pieces(t, 1, all)
}

// files gives the steps in which the files of a session are written, in the order of its messages.
func files(t *testing.T, r *rand.Rand, from, root, id string) (steps []func(t *testing.T)) {
	messages, err := jsonStore{root: from, id: id}.all(t.Context(), maxRows)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Add(-time.Hour)
	put := func(name, text string) func(t *testing.T) {
		now = now.Add(time.Second)
		at := now
		return func(t *testing.T) {
			writeFile(t, filepath.Join(root, name), text)
			if err := os.Chtimes(filepath.Join(root, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, m := range messages {
		name := filepath.Join("message", id, m.ID+".json")
		text := readFile(t, filepath.Join(from, name))
		if r.IntN(2) == 0 {
			steps = append(steps, put(name, begin(t, text)))
		} else {
			steps = append(steps, put(name, text))
		}
		parts, err := filepath.Glob(filepath.Join(from, "part", m.ID, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(parts)
		for _, p := range parts {
			steps = append(steps, put(filepath.Join("part", m.ID, filepath.Base(p)), readFile(t, p)))
		}
		steps = append(steps, put(name, text))
	}
	return steps
}
