package daemon

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// TestUndecidedForDays: a turn that ran when clawd ended, and died after that without a further write, is looked at again however long
// clawd was away.
func TestUndecidedForDays(t *testing.T) {
	for _, away := range []time.Duration{time.Hour, 30 * time.Hour, 100 * time.Hour} {
		t.Run(away.String(), func(t *testing.T) {
			in(t, func(r *rig) {
				id := uuid.NewString()
				r.openAs(id, resume.Tmux, "busy")
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "tool", "", interactive))
				r.pass(time.Minute)
				r.down()
				r.procs.set(func() { r.procs.all = []agent.Proc{} }) // it is killed
				r.pass(away)
				r.start()
				r.pass(10 * time.Minute)
				if left := r.log.events("session_left"); len(left) != 1 || left[0]["session"] != id || left[0]["reason"] != "crashed" {
					t.Errorf("%v; log:\n%s", left, r.log)
				}
			})
		})
	}
}
