package agenttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// SubStops compares what an agent says of the sub-agents of a recorded case's sessions with its want.json, and makes sure
// that nothing is told that was written before the time asked for. find gives the agent over a copy of the case, and the session there.
func SubStops(t *testing.T, dir string, find func(t *testing.T, id string) (agent.Parent, detect.Session)) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Sessions []struct {
			ID     string           `json:"session"`
			Parent bool             `json:"parent"`
			Subs   []detect.SubStop `json:"sub_stops"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal(b, &want); err != nil || len(want.Sessions) == 0 {
		t.Fatalf("%d sessions, err %v", len(want.Sessions), err)
	}
	for _, w := range want.Sessions {
		if w.Parent {
			continue
		}
		a, s := find(t, w.ID)
		got, err := a.SubStops(t.Context(), s, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var seen []detect.SubStop
		for _, x := range got {
			if x.Key == "" || x.At.IsZero() {
				t.Errorf("without a name or a time: %+v", x)
			}
			x.Key, x.At, x.ResetAt = "", time.Time{}, time.Time{} // times to the minute are for package accuracy
			seen = append(seen, x)
		}
		for i := range w.Subs {
			w.Subs[i].ResetAt = time.Time{}
		}
		if d := cmp.Diff(w.Subs, seen); d != "" {
			t.Errorf("session %s (-want +got):\n%s", w.ID, d)
		}
		if late, err := a.SubStops(t.Context(), s, time.Now().Add(time.Hour)); err != nil || len(late) != 0 {
			t.Errorf("of what is still to come: %+v, %v", late, err)
		}
	}
}
