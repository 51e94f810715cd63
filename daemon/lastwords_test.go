package daemon

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/resume"
)

// What ends in mid turn may have its last words yet to come: they say what the order is about.
func TestResumeBeforeTheLastWords(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id := uuid.NewString()
		r.add(id, r.line(id, "user"))
		r.pass(10 * time.Second)
		if err := os.Chtimes(r.session(id).Path, time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		if why, _ := r.refused(id); !strings.Contains(why, "only just") {
			t.Errorf("why: %s", why)
		}
		r.pass(10 * time.Second)
		r.order(id, resume.Order{Now: true})
		r.wantStarts(1)
	})
}

// So with a process that has ended just now, long after it wrote: what it wrote last may be yet to come, and an order waits until clawd has
// taken in how the turn ended.
func TestResumeRightAfterTheEnd(t *testing.T) {
	in(t, func(r *rig) {
		r.registry()
		r.start()
		id := uuid.NewString()
		entry := r.runs(77, id, nil, "claude", "-p")
		r.add(id, r.line(id, "user"))
		if err := os.Chtimes(r.session(id).Path, time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		r.pass(10 * time.Minute)
		r.end(77)
		if why, _ := r.refused(id); !strings.Contains(why, "only just") {
			t.Errorf("why: %s", why)
		}
		if err := os.Remove(entry); err != nil {
			t.Fatal(err)
		}
		r.pass(2 * time.Minute)
		r.order(id, resume.Order{Now: true})
		r.wantStarts(1)
	})
}

// One that had ended before clawd was there has said all: an order about it counts at once.
func TestResumeOfATurnCutBeforeTheStart(t *testing.T) {
	in(t, func(r *rig) {
		r.registry()
		id := uuid.NewString()
		r.add(id, r.line(id, "user"))
		if err := os.Chtimes(r.session(id).Path, time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		r.pass(20 * time.Minute)
		r.start()
		r.order(id, resume.Order{Now: true})
		r.wantStarts(1)
	})
}
