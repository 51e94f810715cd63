package opencode

import (
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestSubStops(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(cases, "sub-*"))
	if err != nil || len(found) < 5 {
		t.Fatalf("%d cases, err %v", len(found), err)
	}
	for _, dir := range append(found, filepath.Join(cases, "rate-limit-gives-up"), filepath.Join(cases, "old-1.1.53-finished")) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			agenttest.SubStops(t, dir, func(t *testing.T, id string) (agent.Parent, detect.Session) {
				o, data := open(t, nil)
				for _, x := range load(t, o, data, filepath.Base(dir)) {
					if x.Session.ID == id {
						return o, x.Session
					}
				}
				t.Fatalf("no session %s", id)
				return nil, detect.Session{}
			})
		})
	}
}
