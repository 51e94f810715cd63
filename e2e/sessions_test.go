//go:build linux

package e2e

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	_ "modernc.org/sqlite"
)

var uuidFile = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl$`)

// sessions lists the ids of the sessions in this world, sorted.
func (w *world) sessions() []string {
	w.t.Helper()
	switch {
	case w.agent.isOpencode():
		return w.query("select id from session where parent_id is null order by id")
	case w.agent.isCodex():
		return w.named(".codex/sessions/*/*/*/rollout-*.jsonl", func(path string) string {
			name := strings.TrimSuffix(path, ".jsonl")
			return name[max(0, len(name)-len("01a1fb6b-6194-7f51-925b-868b32e020b1")):]
		})
	case w.agent.isGemini():
		return w.named(".gemini/tmp/*/chats/session-*.json*", func(path string) string {
			var head struct {
				ID string `json:"sessionId"`
			}
			// The first line, or the whole of an old file; one that is just being written has no name yet.
			_ = json.NewDecoder(strings.NewReader(readAll(path))).Decode(&head)
			return head.ID
		})
	}
	if w.agent.isCopilot() {
		return w.named(".copilot/session-state/*/events.jsonl", func(path string) string { return filepath.Base(filepath.Dir(path)) })
	}
	if w.agent.isPi() {
		return w.named(".pi/agent/sessions/*/*.jsonl", func(path string) string {
			_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
			return id
		})
	}
	if w.agent.isQwen() {
		return w.named(".qwen/projects/*/chats/*.jsonl", func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") })
	}
	files, err := filepath.Glob(filepath.Join(w.home(), ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []string
	for _, f := range files {
		if uuidFile.MatchString(filepath.Base(f)) {
			ids = append(ids, strings.TrimSuffix(filepath.Base(f), ".jsonl"))
		}
	}
	slices.Sort(ids)
	return ids
}

// named gives the different names of the files below HOME that fit a pattern, sorted.
func (w *world) named(pattern string, name func(path string) string) (ids []string) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home(), pattern))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range files {
		if id := name(f); id != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// only returns the one session of this world.
func (w *world) only() string {
	w.t.Helper()
	ids := w.sessions()
	if len(ids) != 1 {
		w.t.Fatalf("sessions = %v, want one", ids)
	}
	return ids[0]
}

// query asks opencode's database for one column, read-only.
func (w *world) query(q string, args ...any) []string {
	w.t.Helper()
	path := filepath.Join(w.home(), ".local", "share", "opencode", "opencode.db")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(q, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// transcript reads Claude Code's file of a session; empty while there is none.
func (w *world) transcript(id string) string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home(), ".claude", "projects", "*", id+".jsonl"))
	if err != nil || len(files) > 1 {
		w.t.Fatal(files, err)
	}
	if len(files) == 0 {
		return ""
	}
	return readAll(files[0])
}
