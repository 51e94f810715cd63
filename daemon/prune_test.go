package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/state"
)

// A clawd that is never started anew forgets, too; but not what a run at work will be judged by.
func TestPrunesWhileItRuns(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		old, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.wantPhase(old, state.Following)
		r.children.act = func(c *child) { c.opened(); c.ask(); c.say("open") }
		guarded, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.wantPhase(guarded, state.Following)
		r.children.act = func(c *child) {}
		fired, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.wantPhase(fired, state.Fired)
		var outputs []string
		for _, c := range r.children.started() {
			outputs = append(outputs, c.claim.Output)
			for _, path := range []string{c.claim.Output, c.claim.Mark} {
				if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
					t.Fatal(err)
				}
			}
		}
		mark := r.children.started()[0].claim.Mark
		remove(t, r.session(old).Path)
		want := func(when, path string, there bool) {
			t.Helper()
			if _, err := os.Lstat(path); (err == nil) != there {
				t.Errorf("%s: %s: %v", when, path, err)
			}
		}
		known := func() bool {
			_, ok, err := r.d.store.Session(r.session(old))
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		want("at once", outputs[0], true)
		r.clock.jump(8 * 24 * time.Hour)
		r.pass(time.Minute)
		want("after 8 days", outputs[0], false)
		want("after 8 days", mark, true)
		if !known() {
			t.Error("the session is forgotten after 8 days")
		}
		r.clock.jump(90 * 24 * time.Hour)
		r.pass(time.Minute)
		want("after 98 days", mark, false)
		if known() {
			t.Error("the session is known after 98 days, and its file is gone")
		}
		for _, path := range outputs[1:] {
			want("of a run at work", path, true)
		}
		r.add(guarded, r.line(guarded, "open"))
		r.pass(time.Minute)
		r.down()
		r.start()
		for _, path := range outputs[1:] {
			want("of a run at work, after a restart", path, true)
		}
	})
}

// Once a day is enough.
func TestPrunesOnceADay(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		for _, c := range []struct {
			pass  time.Duration
			there bool
		}{{23 * time.Hour, true}, {2 * time.Hour, false}, {22 * time.Hour, true}, {2 * time.Hour, false}} {
			path, long := filepath.Join(r.d.outputs(), "claude-x-1-y.out"), time.Now().AddDate(0, 0, -30)
			put(t, path, "")
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
			r.pass(c.pass)
			if _, err := os.Lstat(path); (err == nil) != c.there {
				t.Errorf("%s later, want it there %v: %v", c.pass, c.there, err)
			}
		}
	})
}
