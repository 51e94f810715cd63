package codex

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

// The end of a run cuts its sub-agents off with the word that stands for their user's hand: that is the caller's to judge.
func TestSubStops(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(recordings, "sub-*"))
	if err != nil || len(found) < 4 {
		t.Fatalf("%d cases, err %v", len(found), err)
	}
	for _, dir := range append(found, filepath.Join(recordings, "exec-json-usage-limit")) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			agenttest.SubStops(t, dir, func(t *testing.T, id string) (agent.Parent, detect.Session) {
				c := over(copied(t, filepath.Base(dir)), procTable{}, agent.Config{})
				all, err := c.Scan(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range all {
					if x.Session.ID == id {
						return c, x.Session
					}
				}
				t.Fatalf("no session %s among %d", id, len(all))
				return nil, detect.Session{}
			})
		})
	}
}

// TestSubStopsOfOthers: a session that this one names, and that says itself that another one has started it, is none of its own.
func TestSubStopsOfOthers(t *testing.T) {
	root := copied(t, "sub-usage-limit")
	found, err := filepath.Glob(filepath.Join(root, "sessions/*/*/*/*.jsonl"))
	if err != nil || len(found) != 2 {
		t.Fatalf("%q, %v", found, err)
	}
	parent, child := sessionAt(t, found[0]), found[1]
	c := over(root, procTable{}, agent.Config{})
	if got, err := c.SubStops(t.Context(), parent, time.Time{}); err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	b, err := os.ReadFile(child)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(b), `"parent_thread_id":"`+parent.ID, `"parent_thread_id":"`+strings.Replace(parent.ID, "0", "1", 1))
	if err := os.WriteFile(child, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := c.SubStops(t.Context(), parent, time.Time{}); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
