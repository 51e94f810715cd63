package opencode

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// How many of the newest messages of a database a scan looks at.
const (
	scanAll    = 2000
	scanHint   = 500
	maxPending = 200
)

// Scan lists the sessions of the newest messages of every database, or of the one that hint
// belongs to, and those of the JSON files that no database has taken over. Errors of one
// database do not hide the sessions of the others.
func (o *OpenCode) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if hint != "" {
		hint = filepath.Clean(hint)
		if rel, err := filepath.Rel(filepath.Join(o.data, "storage"), hint); o.data != "" && err == nil && filepath.IsLocal(rel) {
			return o.scanStorage(ctx, strings.Split(rel, string(filepath.Separator)))
		}
		path := strings.TrimSuffix(strings.TrimSuffix(hint, "-wal"), "-shm")
		if !o.ours(path) {
			return nil, nil
		}
		return o.scanDB(ctx, path, scanHint)
	}
	o.noteRetries()
	var all []agent.Touched
	var errs []error
	for _, path := range o.databases() {
		found, err := o.scanDB(ctx, path, scanAll)
		all, errs = append(all, found...), append(errs, err)
	}
	found, err := o.scanStorage(ctx, nil)
	return append(all, found...), errors.Join(append(errs, err)...)
}

// ours tells whether a path is a database in the data folder, or the one that OPENCODE_DB names.
func (o *OpenCode) ours(path string) bool {
	return strings.HasSuffix(path, ".db") && o.data != "" && filepath.Dir(path) == o.data || path != "" && path == o.named()
}

// scanQuery gives for each session its newest row, whether that row has an end, and three times of
// writing: of its messages, of that row's parts, of the session itself.
const scanQuery = `with w as (select rowid as r, session_id, time_updated from message
		where rowid in (select rowid from message order by rowid desc limit ?) or rowid in (select value from json_each(?))),
	n as (select session_id, max(r) as r, max(time_updated) as u from w group by session_id)
	select substr(n.session_id, 1, 100), n.r, n.u,
		(select case when ` + sound + ` then m.data->>'$.role' = 'user' or m.data->>'$.time.completed' is not null else 1 end),
		(select max(p.time_updated) from part p where p.message_id = m.id),
		(select s.time_updated from session s where s.id = n.session_id)
	from n join message m on m.rowid = n.r order by n.r desc`

// Find looks a session up in the databases. Sessions in JSON files are all listed by Scan.
func (o *OpenCode) Find(ctx context.Context, id string) (found detect.Session, ok bool, err error) {
	var errs []error
	newest := int64(0)
	for _, path := range o.databases() {
		err := o.view(ctx, path, func(ctx context.Context, tx *sql.Tx) error {
			return each(ctx, tx, func(scan func(...any) error) error {
				var updated int64
				if err := scan(&updated); err != nil {
					return err
				}
				if !ok || updated > newest {
					found, ok, newest = detect.Session{Agent: Name, ID: id, Path: path}, true, updated
				}
				return nil
			}, "select time_updated from session where id = ?", id)
		})
		if !errors.Is(err, errNoTables) {
			errs = append(errs, err)
		}
	}
	return found, ok, errors.Join(errs...)
}

func (o *OpenCode) scanDB(ctx context.Context, path string, n int) ([]agent.Touched, error) {
	var all []agent.Touched
	var refused []error
	pending := map[int64]bool{}
	err := o.view(ctx, path, func(ctx context.Context, tx *sql.Tx) error {
		all, refused = nil, nil
		clear(pending)
		held, err := json.Marshal(slices.Sorted(maps.Keys(o.pending[path])))
		if err != nil {
			return err
		}
		return each(ctx, tx, func(scan func(...any) error) error {
			var id string
			var row, updated int64
			var ended, parts, session sql.NullInt64
			if err := scan(&id, &row, &updated, &ended, &parts, &session); err != nil {
				return err
			}
			if !idForm.MatchString(id) {
				refused = append(refused, &agent.Refused{Path: path, Why: fmt.Sprintf("%.100q in it is no session id", id)})
				return nil
			}
			if ended.Int64 == 0 && len(pending) < maxPending {
				pending[row] = true
			}
			all = append(all, agent.Touched{
				Session: detect.Session{Agent: Name, ID: id, Path: path},
				Stamp:   fmt.Sprintf("%d %d %d %d", row, updated, parts.Int64, session.Int64),
				ModTime: millis(float64(max(updated, parts.Int64))),
			})
			return nil
		}, scanQuery, n, string(held))
	})
	if errors.Is(err, errNoTables) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.pending[path] = pending
	o.mu.Unlock()
	for i := range all {
		all[i].Stamp += o.retriedStamp(all[i].Session.ID)
	}
	return all, errors.Join(refused...)
}

// scanStorage lists the sessions that lie in JSON files alone. part is a changed path below
// storage/, in elements; nil: everything.
func (o *OpenCode) scanStorage(ctx context.Context, part []string) ([]agent.Touched, error) {
	id := ""
	for _, p := range part {
		if p = strings.TrimSuffix(p, ".json"); idForm.MatchString(p) {
			id = p
		}
	}
	if part != nil && id == "" || o.data == "" {
		return nil, nil
	}
	root := filepath.Join(o.data, "storage", "session")
	projects, err := agent.ReadDir(o.data, root) // opencode from 1.2 on has no such folder
	if err != nil {
		return nil, err
	}
	var paths []string
	var errs []error
	for _, p := range projects {
		names, err := agent.ReadDir(o.data, filepath.Join(root, p.Name()))
		errs = append(errs, err)
		for _, n := range names {
			if !strings.HasSuffix(n.Name(), ".json") || id != "" && n.Name() != id+".json" {
				continue
			}
			paths = append(paths, filepath.Join(root, p.Name(), n.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, errors.Join(errs...)
	}
	moved, err := o.moved(ctx)
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	var all []agent.Touched
	for _, path := range paths {
		t, err := o.storageSession(path)
		if err == nil && !moved[t.Session.ID] {
			all = append(all, t)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return all, errors.Join(errs...)
}

// moved gives the ids of all sessions in databases: opencode 1.2 took the old files over and left
// them where they were.
func (o *OpenCode) moved(ctx context.Context) (map[string]bool, error) {
	all := map[string]bool{}
	for _, path := range o.databases() {
		err := o.view(ctx, path, func(ctx context.Context, tx *sql.Tx) error {
			return each(ctx, tx, func(scan func(...any) error) error {
				var id string
				err := scan(&id)
				all[id] = true
				return err
			}, "select id from session")
		})
		if err != nil && !errors.Is(err, errNoTables) {
			return nil, err
		}
	}
	return all, nil
}
