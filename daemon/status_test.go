package daemon

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// status is what "clawd status" hears of a session; nil: it is at rest.
func (r *rig) status(id string) *SessionStatus {
	r.t.Helper()
	told, err := r.d.Status()
	if err != nil {
		r.t.Fatal(err)
	}
	text, err := json.Marshal(told)
	if err != nil {
		r.t.Fatal(err)
	}
	var st Status
	if err := json.Unmarshal(text, &st); err != nil {
		r.t.Fatalf("%v: %s", err, text)
	}
	for _, s := range st.Sessions {
		if s.Session == id {
			return &s
		}
	}
	return nil
}

// What was left to its user stays in the status until the session went on, for 7 days at most.
func TestStatusNeedsYou(t *testing.T) {
	for _, kind := range []string{"auth", "odd"} {
		in(t, func(r *rig) {
			r.seldom()
			r.start()
			id, _ := r.stopped(kind)
			r.pass(time.Minute)
			s := r.status(id)
			if s == nil || s.Status != state.NeedsYou || s.Needs == nil || s.Needs.What == "" || s.Needs.Command != "clawd resume "+id {
				t.Fatalf("%s: %+v", kind, s)
			}
			r.down()
			r.start()
			if s := r.status(id); s == nil || s.Status != state.NeedsYou {
				t.Errorf("%s, after a restart: %+v", kind, s)
			}
			gone, _ := r.stopped(kind)
			r.pass(time.Second)
			r.add(gone, r.line(gone, "go on"), r.line(gone, "answer"))
			r.pass(time.Minute)
			if s := r.status(gone); s != nil {
				t.Errorf("%s: it went on, and stands as %+v", kind, s)
			}
			r.pass(7 * 24 * time.Hour)
			if s := r.status(id); s != nil {
				t.Errorf("%s, after a week: %+v", kind, s)
			}
		})
	}
}

func TestStatusHeld(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		rec := r.wantPhase(id, state.Waiting)
		r.hold(rec.Session, rec.Stop.Key, "it is odd")
		s := r.status(id)
		if s == nil || s.Status != state.NeedsYou || s.Why != "it is odd" || s.Needs.What != "it is odd" || s.WakeAt != nil {
			t.Errorf("held: %+v", s)
		}
		w, err := r.d.Why(t.Context(), id)
		if err != nil || w.Decision.Why != "it is odd" {
			t.Errorf("why: %q, %v", w.Decision.Why, err)
		}
		id, _ = r.stopped("limit")
		r.wantPhase(id, state.Waiting)
		if _, err := r.d.Obey(r.work, machine.Cancel, Order{Session: id}); err != nil {
			t.Fatal(err)
		}
		if s := r.status(id); s == nil || s.Status != state.OnHold || !strings.Contains(s.Why, "cancel") || s.Needs != nil {
			t.Errorf("cancelled: %+v", s)
		}
	})
}

func TestStatusAtRest(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		if s := r.status(id); s == nil || s.Status != state.Waits || s.WakeAt == nil || s.Needs != nil {
			t.Errorf("waiting: %+v", s)
		}
		r.add(id, r.line(id, "go on"), r.line(id, "answer"))
		r.pass(time.Minute)
		if s := r.status(id); s != nil {
			t.Errorf("at rest: %+v", s)
		}
		seat := r.d.loop.seats[state.Key(r.session(id))]
		seat.s.Guard = &machine.Run{Stage: machine.Guarding, Claim: resume.Claim{PID: 7}} // as after a resume
		if s := r.status(id); s == nil || s.Status != Running || s.Reason != "" || s.Why != "" {
			t.Errorf("running: %+v", s)
		}
		seat.s.Guard = nil
		if st, err := r.d.Status(); err != nil || st.Watched != 1 {
			t.Errorf("%d watched, %v", st.Watched, err)
		}
	})
}

// What its user has clawd ignore is listed for as long as that holds, so that it can be taken back.
func TestStatusIgnored(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		order := func(kind machine.OrderKind, o Order) {
			if _, err := r.d.Obey(r.work, kind, o); err != nil {
				t.Fatal(err)
			}
		}
		for _, stop := range []string{"limit", "auth"} {
			id, _ := r.stopped(stop)
			r.pass(time.Minute)
			order(machine.Ignore, Order{Session: id})
			for _, later := range []time.Duration{0, 8 * 24 * time.Hour} {
				r.pass(later)
				if s := r.status(id); s == nil || s.Status != state.OnHold || !s.Ignored || s.Needs != nil || s.WakeAt != nil {
					t.Errorf("%s, ignored %s ago: %+v", stop, later, s)
				}
			}
			order(machine.Ignore, Order{Session: id, Off: true})
			if s := r.status(id); s != nil && (s.Status == state.OnHold || s.Ignored) {
				t.Errorf("%s, ignored no longer: %+v", stop, s)
			}
		}
	})
}
