package daemon

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/state"
)

// over writes a session's file in place, as copytruncate and some editors do.
func (r *rig) over(id, text string) {
	r.t.Helper()
	path := r.session(id).Path
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		r.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		r.t.Fatal(err)
	}
	if r.d != nil {
		r.watch.send(fsnotify.Event{Name: path, Op: fsnotify.Write})
	}
	r.pass(time.Second)
}

// The same records once more are no news, also while they are being written back.
func TestWrittenBack(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, key := r.stopped("plan")
		whole, err := os.ReadFile(r.session(id).Path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(whole), "\n")
		for _, text := range []string{"", lines[0], string(whole), "", string(whole)} {
			r.over(id, text)
			r.pass(time.Minute) // with a rescan
			r.wantPhase(id, state.Waiting)
		}
		if n := len(r.log.events("resume_cancelled")); n != 0 {
			t.Errorf("%d waits ended", n)
		}
		if n := len(r.log.events("file_rewritten")); n == 0 {
			t.Error("not told")
		}
		r.pass(2 * time.Hour)
		if all := r.children.started(); len(all) != 1 || all[0].claim.Stop.Key != key {
			t.Errorf("%d starts, want 1; log:\n%s", len(all), r.log)
		}
	})
}

// A stop that is not written back is left when the wait is over, and its user is told.
func TestNotWrittenBack(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("plan")
		r.over(id, "")
		r.pass(3 * time.Hour)
		r.wantStarts(0)
		r.wantPhase(id, state.Following)
		if e := r.log.events("session_left"); len(e) != 1 || e[0]["why"] != rules.Rewritten {
			t.Errorf("told %v", e)
		}
	})
}

// What somebody wrote after the stop counts, also in a file that was rewritten.
func TestRewrittenAndWentOn(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("plan")
		whole, err := os.ReadFile(r.session(id).Path)
		if err != nil {
			t.Fatal(err)
		}
		r.pass(time.Minute)
		r.over(id, string(whole)+r.line(id, "more")+r.line(id, "answer"))
		r.wantPhase(id, state.Following)
		r.pass(3 * time.Hour)
		r.wantStarts(0)
	})
}

// A record that is stamped ahead of the clock waits from now on.
func TestStampedAhead(t *testing.T) {
	for name, stamp := range map[string]string{"a century": "9999-12-31T23:59:59.000Z", "a day": "", "soon": ""} {
		for _, kind := range []string{"limit", "plan"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				in(t, func(r *rig) {
					r.start()
					now := time.Now().UTC()
					switch name {
					case "a day":
						stamp = now.Add(30 * time.Hour).Format("2006-01-02T15:04:05.000Z")
					case "soon":
						stamp = now.Add(40 * time.Minute).Format("2006-01-02T15:04:05.000Z")
					}
					id := "5f7a0000-0000-4000-8000-000000000001"
					line := strings.Replace(r.line(id, kind), now.Format("2006-01-02T15:04:05.000Z"), stamp, 1)
					if !strings.Contains(line, stamp) {
						t.Fatal("not stamped")
					}
					r.add(id, r.line(id, "user"), line)
					rec := r.wantPhase(id, state.Waiting)
					if left := rec.Decision.WakeAt.Sub(now); left > 70*time.Minute || kind == "limit" && left > time.Minute {
						t.Errorf("it waits %s (%s)", left, rec.Decision.Why)
					}
					r.pass(2 * time.Hour)
					if n := len(r.children.started()); n == 0 {
						t.Errorf("not resumed; log:\n%s", r.log)
					}
				})
			})
		}
	}
}

// What an attempt's own stop is stamped with counts as little.
func TestStampedAheadAfterAnAttempt(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) {
			if c.ask(); c.claim.N == 1 {
				line := r.line(c.claim.Session.ID, "limit")
				put(t, c.claim.Session.Path, strings.Replace(line, `"timestamp":"2000-`, `"timestamp":"9999-`, 1))
			} else {
				c.say("answer")
			}
			c.end()
		}
		r.start()
		r.stopped("limit")
		r.pass(2 * time.Hour)
		r.wantStarts(2)
	})
}
