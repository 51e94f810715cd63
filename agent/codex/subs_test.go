package codex

import (
	"path/filepath"
	"testing"

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
