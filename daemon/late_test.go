package daemon

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/state"
)

// Its user hears once, after an hour, of a session that nothing but a question without an answer keeps from being resumed,
// or a process that never ends; a restart changes nothing of that, and the session is resumed when it has passed.
func TestHeldBackForAnHour(t *testing.T) {
	for name, c := range map[string]struct {
		set func(r *rig) (id string, pass func())
		why string
	}{
		"the roles are not answered": {func(r *rig) (string, func()) {
			answer := filepath.Join(r.root, "answer")
			r.wrap = func(of whole) agent.Agent { return &inRoles{of, "cat " + answer} }
			r.start()
			id, _ := r.stopped("limit")
			return id, func() { put(r.t, answer, "plan") }
		}, `whether "plan" is still there can't be seen`},
		"a headless run hangs": {func(r *rig) (string, func()) {
			r.start()
			id, _ := r.stopped("limit")
			r.procs.set(func() {
				r.procs.all = []agent.Proc{{PID: 901, Group: 901, Leader: 901, Start: 91, Comm: "claude"}}
				r.procs.argv[901] = []string{"claude", "-p", "--resume", id, "say done"}
			})
			put(r.t, filepath.Join(r.agentDir(), "sessions", "901.json"),
				fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli","status":"idle"}`, id, r.project))
			return id, func() { r.end(901) }
		}, "process 901 has the session open"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				_, hook := r.posts()
				r.seldom()
				id, pass := c.set(r)
				r.pass(50 * time.Minute)
				if s := r.status(id); s == nil || s.Status != state.Waits || !strings.Contains(s.Why, c.why) {
					t.Errorf("clawd status, before it is told: %+v", s)
				}
				r.down()
				r.start()
				r.pass(5 * time.Minute)
				if n := len(hook.notices()); n != 0 {
					t.Fatalf("told %d times too early", n)
				}
				r.pass(10 * time.Minute)
				told := hook.notices()
				if len(told) != 1 || told[0].Event != "session_put_off" || told[0].Session != id || !strings.Contains(told[0].Why, c.why) || told[0].Command != "clawd why "+id {
					t.Fatalf("told %+v; log:\n%s", told, r.log)
				}
				if why, err := r.d.Why(r.work, id); err != nil || !strings.Contains(why.Decision.HeldBack, c.why) {
					t.Errorf("clawd why: %q %v", why.Decision.HeldBack, err)
				}
				st, err := r.d.Status()
				if err != nil || len(st.Sessions) != 1 || st.Sessions[0].Status != state.NeedsYou || !strings.Contains(st.Sessions[0].Needs.What, c.why) {
					t.Errorf("clawd status: %+v %v", st.Sessions, err)
				}
				r.down()
				r.start()
				r.pass(5 * time.Hour)
				if a, b := len(hook.notices()), len(r.log.events("session_put_off")); a != 1 || b != 1 {
					t.Errorf("told %d times, %d in the log", a, b)
				}
				r.wantPhase(id, state.Waiting)
				pass()
				r.pass(2 * time.Hour)
				r.wantStarts(1)
			})
		})
	}
}
