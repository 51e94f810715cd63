package daemon

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/notify"
)

// What could not be sent at once is not sent any more when there is nothing to do about it: its user went on in the session, had it
// resumed, or has clawd ignore it. What still needs him is sent.
func TestStaleNotice(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(r *rig, id string)
		sent bool
	}{
		"nothing":  {func(*rig, string) {}, true},
		"went on":  {func(r *rig, id string) { r.add(id, r.line(id, "user"), r.line(id, "answer")) }, false},
		"ignored":  {func(r *rig, id string) { r.obey(machine.Ignore, Order{Session: id}) }, false},
		"resumed":  {func(r *rig, id string) { r.obey(machine.Resume, Order{Session: id}) }, false},
		"anew":     {func(r *rig, id string) { r.add(id, r.line(id, "user"), r.line(id, "auth")) }, true},
		"restarts": {func(r *rig, id string) { r.down(); r.add(id, r.line(id, "user"), r.line(id, "answer")); r.start() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				_, hook := r.posts()
				hook.fail = errors.New("no network")
				r.start()
				id, _ := r.stopped("auth")
				r.pass(10 * time.Minute)
				c.act(r, id)
				r.pass(time.Minute)
				hook.mu.Lock()
				hook.fail, hook.got = nil, nil
				hook.mu.Unlock()
				r.pass(3 * time.Hour)
				got := hook.notices()
				if sent := len(got) == 1 && got[0].Event == "session_left"; sent != c.sent || len(got) > 1 || len(r.outbox()) > 0 && name != "resumed" {
					t.Errorf("sent: %v, %d wait", got, len(r.outbox()))
				}
			})
		})
	}
}

func (r *rig) obey(kind machine.OrderKind, o Order) {
	r.t.Helper()
	if _, err := r.d.Obey(r.work, kind, o); err != nil {
		r.t.Fatal(err)
	}
}

// Many notices are told as news of as many sessions as there are.
func TestManyNoticesOfOneSession(t *testing.T) {
	in(t, func(r *rig) {
		desktop, _ := r.posts()
		desktop.fail = errors.New("no screen")
		r.start()
		for range 2 {
			id, _ := r.stopped("auth")
			for range 3 {
				r.pass(time.Minute)
				r.add(id, r.line(id, "user"), r.line(id, "auth"))
			}
		}
		r.pass(time.Minute)
		desktop.mu.Lock()
		desktop.fail, desktop.got = nil, nil
		desktop.mu.Unlock()
		r.pass(3 * time.Hour)
		var whys []string
		for _, n := range desktop.notices() {
			whys = append(whys, n.Event+" "+n.Why)
		}
		if len(whys) != 2 || slices.ContainsFunc(desktop.notices(), func(n notify.Notice) bool { return n.Event == "many" }) {
			t.Errorf("told: %q", whys)
		}
	})
}
