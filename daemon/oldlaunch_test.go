package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// A session that runs since before an update of clawd: its launch is stored without the variables that the older one did not look at. What
// is seen now counts.
func TestOldLaunchRecord(t *testing.T) {
	in(t, func(r *rig) {
		r.registry()
		id := uuid.NewString()
		key := state.Key(detect.Session{Agent: "claude", ID: id})
		r.start()
		r.runs(700, id, []string{"CLAUDE_CODE_RESTRICTED=1"}, "claude", "-p", "do")
		r.pass(time.Minute)
		seen, _ := r.d.launches.of(key, time.Now())
		if seen == nil || seen.Bounds["CLAUDE_CODE_RESTRICTED"] == "" {
			t.Fatalf("seen: %+v", seen)
		}
		seen.Bounds = nil
		r.d.launches.mu.Lock()
		r.d.launches.all[key], r.d.launches.fresh[key] = *seen, true
		r.d.launches.mu.Unlock()
		r.down()

		r.start()
		r.pass(time.Minute)
		r.add(id, r.unrecorded(id))
		r.end(700)
		r.pass(time.Hour)
		r.wantStarts(0)
		if left := r.log.events("session_left"); len(left) != 1 || !strings.Contains(left[0]["why"].(string), "CLAUDE_CODE_RESTRICTED") {
			t.Errorf("left: %v", left)
		}
	})
}
