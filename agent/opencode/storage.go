package opencode

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Before 1.2 opencode kept every row as a JSON file and rewrote it in place:
//
//	storage/session/<project>/<ses_id>.json
//	storage/message/<ses_id>/<msg_id>.json
//	storage/part/<msg_id>/<prt_id>.json

// maxFile bounds one JSON file. A larger one is counted as unreadable.
const maxFile = 4 << 20

// storageOf gives the storage folder that a session file lies in; empty: it is not one of ours.
func (o *OpenCode) storageOf(path string) string {
	rel, err := filepath.Rel(filepath.Join(o.data, "storage", "session"), path)
	if o.data == "" || err != nil || !filepath.IsLocal(rel) || strings.Count(rel, string(filepath.Separator)) != 1 {
		return ""
	}
	return filepath.Join(o.data, "storage")
}

func readJSON(path string) ([]byte, error) { return agent.ReadFile(path, maxFile) }

var errRewritten = errors.New("it is being written")

// jsonStore is a session in JSON files.
type jsonStore struct {
	root, path, id string
	kept           *keptRows // nil: none are
}

func (j jsonStore) info(context.Context) (detect.Info, error) {
	b, err := readJSON(j.path)
	if err != nil {
		return detect.Info{}, err
	}
	var s struct {
		ID         string          `json:"id"`
		ParentID   string          `json:"parentID"`
		Directory  string          `json:"directory"`
		Version    string          `json:"version"`
		Permission json.RawMessage `json:"permission"`
		Time       struct {
			Created  float64 `json:"created"`
			Archived float64 `json:"archived"`
		} `json:"time"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return detect.Info{}, fmt.Errorf("%s: %w", j.path, errRewritten)
	}
	if s.ID != j.id {
		return detect.Info{}, fmt.Errorf("%s holds another session", j.path)
	}
	return detect.Info{
		Dir: s.Directory, Version: s.Version, Parent: s.ParentID, Created: millis(s.Time.Created),
		Archived: s.Time.Archived > 0, Interactive: !headlessRules(s.Permission),
	}, nil
}

func (j jsonStore) undone(context.Context) (undo, error) {
	b, err := readJSON(j.path)
	if err != nil {
		return undo{}, err
	}
	var s struct {
		Revert json.RawMessage `json:"revert"`
		Time   struct {
			Updated float64 `json:"updated"`
		} `json:"time"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return undo{}, fmt.Errorf("%s: %w", j.path, errRewritten)
	}
	if len(s.Revert) == 0 || string(s.Revert) == "null" {
		return undo{}, nil
	}
	var first struct {
		MessageID flexText `json:"messageID"`
	}
	if json.Unmarshal(s.Revert, &first) != nil || first.MessageID == "" { // as in a database
		return undo{}, nil
	}
	return undo{mark: undoneFrom + string(first.MessageID), at: millis(s.Time.Updated)}, nil
}

func (j jsonStore) title() (string, error) {
	b, err := readJSON(j.path)
	if err != nil {
		return "", err
	}
	var s struct {
		Title string `json:"title"`
	}
	err = json.Unmarshal(b, &s)
	return s.Title, err
}

// files lists the messages by the time of their last write, newest first.
func (j jsonStore) files() ([]fs.FileInfo, error) {
	names, err := agent.ReadDir(filepath.Dir(j.root), j.messages())
	var all []fs.FileInfo
	for _, n := range names {
		if !strings.HasPrefix(n.Name(), "msg_") || !strings.HasSuffix(n.Name(), ".json") {
			continue
		}
		if fi, err := n.Info(); err == nil && fi.Mode().IsRegular() {
			all = append(all, fi)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(b.Name(), a.Name()))
	})
	return all, err
}

func (j jsonStore) messages() string { return filepath.Join(j.root, "message", j.id) }

// all reads the n messages that were written last, in the order of their creation. A file that is
// just being rewritten makes it an error: the next read finds it whole.
func (j jsonStore) all(ctx context.Context, n int) ([]message, error) {
	files, err := j.files()
	if err != nil {
		return nil, err
	}
	var rows []message
	for _, fi := range files[:min(n, len(files))] {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		m, err := j.row(fi)
		if err != nil {
			return nil, err
		}
		if m.Bad && time.Since(fi.ModTime()) < 5*time.Second {
			return nil, fmt.Errorf("%s: %w", fi.Name(), errRewritten)
		}
		m.Created, m.Of = m.created().UnixMilli(), len(files)
		if m.created().IsZero() {
			m.Created = m.Updated
		}
		rows = append(rows, m)
	}
	slices.SortFunc(rows, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return rows, nil
}

// row reads the file of a message.
func (j jsonStore) row(fi fs.FileInfo) (message, error) {
	path := filepath.Join(j.messages(), fi.Name())
	if err := agent.Owned(path, fi); err != nil {
		return message{}, err
	}
	if m, ok := j.kept.get(path, fi); ok {
		return m, nil
	}
	b, err := readJSON(path)
	if err != nil {
		return message{}, err
	}
	m := message{ID: strings.TrimSuffix(fi.Name(), ".json"), Updated: fi.ModTime().UnixMilli()}
	m.fill(b)
	if len(b) <= maxKept {
		j.kept.put(path, fi, m)
	}
	return m, nil
}

func (j jsonStore) newest(ctx context.Context, n int) ([]message, error) {
	// Title and summary make opencode rewrite user messages late, so twice as many are read.
	rows, err := j.all(ctx, 2*n)
	return rows[max(0, len(rows)-n):], err
}

func (j jsonStore) after(ctx context.Context, c cursor) (message, []message, bool, error) {
	rows, err := j.all(ctx, maxRows)
	if err != nil {
		return message{}, nil, false, err
	}
	i := slices.IndexFunc(rows, func(m message) bool { return m.ID == c.ID })
	if i < 0 {
		return message{}, nil, false, nil
	}
	last, rows := rows[i], rows[i+1:]
	if c.Files > 0 && last.Of-c.Files > len(rows) {
		// Files have no order but their times. One that came since then and stands before the cursor was written when the
		// clock had been set back, and nobody can tell which one it is.
		rows = slices.Insert(rows, 0, message{ID: "msg_behind_" + c.ID, Created: last.at().UnixMilli(), Updated: last.Updated, Strange: true})
	}
	return last, rows, true, nil
}

func (j jsonStore) message(_ context.Context, id string) (message, bool, error) {
	m := message{ID: id}
	b, err := readJSON(filepath.Join(j.messages(), id+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	m.fill(b)
	return m, err == nil, err
}

func (j jsonStore) first(ctx context.Context) (message, error) {
	rows, err := j.all(ctx, maxRows)
	if i := slices.IndexFunc(rows, isUser); i >= 0 {
		return rows[i], err
	}
	return message{}, err
}

func (j jsonStore) unknowns(ctx context.Context, parent string, n int) (message, bool, error) {
	rows, err := j.all(ctx, maxRows)
	for _, m := range rows {
		if m.Data.ParentID != parent || m.Data.Finish != "unknown" {
			continue
		}
		if n--; n == 0 {
			return m, true, err
		}
	}
	return message{}, false, err
}

func (j jsonStore) parts(_ context.Context, m *message, text bool) error {
	m.Parts = nil
	dir := filepath.Join(j.root, "part", m.ID)
	names, err := agent.ReadDir(filepath.Dir(j.root), dir) // sorted by name, which is the order of the parts
	if err != nil {
		return err
	}
	for _, n := range names {
		b, err := readJSON(filepath.Join(dir, n.Name()))
		if err != nil {
			return err
		}
		var p struct {
			part
			State struct {
				Status string `json:"status"`
				Error  string `json:"error"`
			} `json:"state"`
		}
		if json.Unmarshal(b, &p) != nil {
			continue
		}
		p.Status, p.Err = p.State.Status, p.State.Error
		if fi, err := n.Info(); err == nil {
			p.Updated = fi.ModTime().UnixMilli()
		}
		if !text {
			p.Text = ""
		}
		m.Parts = append(m.Parts, p.part)
	}
	return nil
}

// storageFiles lists the session's own files.
func (o *OpenCode) storageFiles(s detect.Session) ([]string, error) {
	if _, err := agent.Own(s.Path); err != nil {
		return nil, err
	}
	j := o.stored(s)
	files, err := j.files()
	all := []string{s.Path}
	for _, fi := range files {
		all = append(all, filepath.Join(j.messages(), fi.Name()))
		dir := filepath.Join(j.root, "part", strings.TrimSuffix(fi.Name(), ".json"))
		names, err := agent.ReadDir(filepath.Dir(j.root), dir)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			all = append(all, filepath.Join(dir, n.Name()))
		}
	}
	return all, err
}

// storageSession finds the file of a session and says when it was last written.
func (o *OpenCode) storageSession(path string) (agent.Touched, error) {
	id := strings.TrimSuffix(filepath.Base(path), ".json")
	root := o.storageOf(path)
	if root == "" || !idForm.MatchString(id) {
		return agent.Touched{}, &agent.Refused{Path: path, Why: "its name is no session id"}
	}
	fi, err := agent.Own(path)
	if err != nil {
		return agent.Touched{}, err
	}
	j := jsonStore{root: root, path: path, id: id}
	t := agent.Touched{Session: detect.Session{Agent: Name, ID: id, Path: path}, ModTime: fi.ModTime()}
	files, err := j.files()
	if err != nil {
		return agent.Touched{}, err
	}
	stamp := []string{fmt.Sprint(fi.ModTime().UnixNano(), "/", len(files))}
	if len(files) > 0 {
		t.ModTime = later(t.ModTime, files[0].ModTime())
		stamp = append(stamp, fmt.Sprint(files[0].Name(), "/", files[0].ModTime().UnixNano()))
		if fi, err := os.Lstat(filepath.Join(root, "part", strings.TrimSuffix(files[0].Name(), ".json"))); err == nil {
			t.ModTime = later(t.ModTime, fi.ModTime())
			stamp = append(stamp, fmt.Sprint(fi.ModTime().UnixNano()))
		}
	}
	t.Stamp = strings.Join(stamp, " ") + o.retriedStamp(id)
	return t, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
