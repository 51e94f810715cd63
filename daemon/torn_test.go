package daemon

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/state"
)

// Marks that a power cut has torn say nothing but that they were made. Each session is judged by what became of itself.
func TestTornMarksAreEachTheirOwn(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		var ids []string
		for range 3 {
			id, key := r.stopped("plan")
			ids = append(ids, id)
			r.pass(2 * time.Second) // the next one's turn comes while this one is looked into
			put(t, marks.Path(r.d.marks(), r.session(id), key, 1), "")
		}
		r.lose()
		r.pass(3 * time.Hour)
		r.wantStarts(0)
		for _, id := range ids {
			r.wantPhase(id, state.Held)
		}
	})
}

// One that was killed before its mark was there ran nothing, so the session goes on, with a lost store, too.
func TestHalfMadeMarkAndALostStore(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, key := r.stopped("plan")
		put(t, marks.Path(r.d.marks(), r.session(id), key, 1)+".1.half", "")
		r.lose()
		r.pass(3 * time.Hour)
		r.wantStarts(1)
	})
}

// lose has the store lost over a restart. What comes back is a snapshot of right before.
func (r *rig) lose() {
	r.t.Helper()
	if err := r.d.store.Snapshot(); err != nil {
		r.t.Fatal(err)
	}
	r.down()
	r.spoil()
	r.start()
}
