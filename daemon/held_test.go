package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/held"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// exec holds a session as clawd exec does.
func (r *rig) exec(id string) *held.Lock {
	r.t.Helper()
	l, err := held.Take(r.d.held(), "claude", id)
	if err != nil {
		r.t.Fatal(err)
	}
	return l
}

// A session that clawd exec has open is its caller's, also what it ended with.
func TestHeldByExec(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id := uuid.NewString()
		l := r.exec(id)
		r.add(id, r.line(id, "user"), r.line(id, "limit"))
		r.pass(2 * time.Hour) // it waits for long, and nothing is fired meanwhile
		if n := len(r.children.started()); n != 0 {
			t.Fatalf("%d starts beside clawd exec", n)
		}
		if rec := r.rec(id); rec.Phase != state.Waiting {
			t.Errorf("phase %s, want waiting", rec.Phase)
		}
		refuses := func(want string) {
			t.Helper()
			if _, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: resume.Order{Now: true}}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("an order: %v, want %q", err, want)
			}
		}
		refuses(rules.ExecHas)
		l.Close()
		refuses("told its caller")
		r.pass(3 * time.Hour)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts of what the caller of clawd exec was told", n)
		}
		r.wantUntold(id)
		if told := r.log.events("resume_scheduled"); len(told) != 0 {
			t.Errorf("a resume is announced that never comes: %v", told)
		}
	})
}

// wantUntold makes sure that nobody was told of a session, at a channel or by a warning.
func (r *rig) wantUntold(id string) {
	r.t.Helper()
	for _, e := range r.log.all() {
		if e["session"] == id && (e["level"] == "warn" || e["level"] == "error") {
			r.t.Errorf("told: %v", e)
		}
	}
	if n, err := r.d.store.Outbox(); err != nil || len(n) != 0 {
		r.t.Errorf("outbox %v, %v", n, err)
	}
	if s := r.status(id); s != nil {
		r.t.Errorf("in the status: %+v", s)
	}
}

// What needs a person is the caller's to hear, while clawd exec runs and after it.
func TestHeldNeedsNobodyElse(t *testing.T) {
	for _, kind := range []string{"auth", "odd"} {
		in(t, func(r *rig) {
			r.start()
			id := uuid.NewString()
			l := r.exec(id)
			r.add(id, r.line(id, "user"), r.line(id, kind))
			r.pass(time.Minute)
			r.wantUntold(id)
			l.Close()
			r.pass(30 * time.Second)
			r.wantUntold(id)
			r.pass(5 * time.Hour)
			r.wantUntold(id)
		})
	}
}

// A session that clawd exec once had open is as any other when it stops later.
func TestHeldBefore(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id := uuid.NewString()
		l := r.exec(id)
		r.add(id, r.line(id, "user"), r.line(id, "answer"))
		l.Close()
		r.pass(time.Minute)
		r.add(id, r.line(id, "user"), r.line(id, "limit"))
		r.pass(10 * time.Minute)
		if n := len(r.children.started()); n == 0 {
			t.Errorf("it was left alone; log:\n%s", r.log)
		}
	})
}

// The shim looks, too: clawd exec may have come since the claim.
func TestHeldLastLook(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		rec := r.rec(id)
		c := resume.Claim{Session: r.session(id), Stop: rec.Stop, Info: rec.Info, Cursor: rec.Cursor}
		a := r.d.agent("claude")
		if why := LastLook(t.Context(), a, c, r.d.held()); why != "" {
			t.Fatal(why)
		}
		l := r.exec(id)
		if why := LastLook(t.Context(), a, c, r.d.held()); why != rules.ExecHas {
			t.Errorf("%q", why)
		}
		l.Close()
		if why := LastLook(t.Context(), a, c, r.d.held()); !strings.Contains(why, "told its caller") {
			t.Errorf("%q", why)
		}
	})
}
