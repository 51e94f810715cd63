package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestSubStops(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(cases, "sub_*"))
	if err != nil || len(found) < 10 {
		t.Fatalf("%d cases, err %v", len(found), err)
	}
	for _, dir := range append(found, filepath.Join(cases, "lim_5h_max-v2.1.329")) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			agenttest.SubStops(t, dir, func(t *testing.T, id string) (agent.Parent, detect.Session) {
				root := t.TempDir()
				if err := os.CopyFS(root, os.DirFS(dir)); err != nil {
					t.Fatal(err)
				}
				private(t, root)
				return over(root, table{}, agent.Config{}), session(root, id)
			})
		})
	}
}

// private takes the modes of a checkout away, which the agent may refuse.
func private(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sub writes lines of a sub-agent of the session.
func sub(t *testing.T, s detect.Session, id string, lines ...string) string {
	t.Helper()
	path := filepath.Join(strings.TrimSuffix(s.Path, ".jsonl"), "subagents", "agent-"+id+".jsonl")
	put(t, path, strings.Join(lines, ""))
	return path
}

// TestSubStopsAlone: nothing but the sub-agent's own failure record, as the last of its conversation, tells that it stopped.
func TestSubStopsAlone(t *testing.T) {
	side := map[string]any{"isSidechain": true}
	failing := func(n int) string { return failed(n, limitSentence, side) }
	quoting := func(kind string) string {
		return rec(kind, 3, map[string]any{"isSidechain": true, "message": map[string]any{"role": kind, "content": []any{map[string]any{"type": "text", "text": failing(9)}}}})
	}
	for name, c := range map[string]struct {
		lines []string
		want  int
	}{
		"failed":                       {[]string{failing(2)}, 1},
		"failed, then bookkeeping":     {[]string{failing(2), `{"type":"cost-state"}` + "\n"}, 1},
		"asked again":                  {[]string{failing(2), quoting("user")}, 0},
		"a user quotes it":             {[]string{quoting("user")}, 0},
		"a model quotes it":            {[]string{quoting("assistant")}, 0},
		"the session's own failure":    {[]string{failed(2, limitSentence, nil)}, 0},
		"another session's":            {[]string{strings.ReplaceAll(failing(2), sid, strings.Replace(sid, "0a8d", "0b8d", 1))}, 0},
		"its context is full":          {[]string{failed(2, "Prompt is too long", map[string]any{"isSidechain": true, "error": "invalid_request"})}, 0},
		"nothing but a torn last line": {[]string{strings.TrimSuffix(failing(2), "\n")}, 0},
		"answered again":               {[]string{failing(2), quoting("assistant")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			a, s := over(root, table{}, agent.Config{}), session(root, sid)
			put(t, s.Path, "{}\n")
			sub(t, s, "a1b2", c.lines...)
			got, err := a.SubStops(t.Context(), s, time.Time{})
			if err != nil || len(got) != c.want {
				t.Errorf("%+v, %v; want %d", got, err, c.want)
			}
		})
	}
}

// TestSubStopsOfStrangers: files that are no sub-agent's own, or are not this user's, are not read.
func TestSubStopsOfStrangers(t *testing.T) {
	root := t.TempDir()
	a, s := over(root, table{}, agent.Config{}), session(root, sid)
	put(t, s.Path, "{}\n")
	failing := failed(2, limitSentence, map[string]any{"isSidechain": true})
	path := sub(t, s, "good", failing)
	dir := filepath.Dir(path)
	put(t, filepath.Join(dir, "agent-two words; rm.jsonl"), failing)
	put(t, filepath.Join(dir, "journal.jsonl"), failing)
	put(t, filepath.Join(dir, "agent-good.meta.json"), `{"agentType":"type with blanks\n and words"}`)
	for link, to := range map[string]string{"agent-link.jsonl": path, "agent-far.jsonl": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := a.SubStops(t.Context(), s, time.Time{})
	if len(got) != 1 || got[0].ID != "good" || got[0].Name != "" || err == nil {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if got, err := a.SubStops(t.Context(), s, time.Time{}); len(got) != 0 || err == nil {
		t.Errorf("a link for a folder: %+v, %v", got, err)
	}
	if _, err := a.SubStops(t.Context(), detect.Session{Agent: "claude", ID: "../x", Path: s.Path}, time.Time{}); err == nil {
		t.Error("an id that is none is taken")
	}
}
