package daemon

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// notice is a line in which the agent speaks of its own continue.
func (r *rig) notice(id, text string) string {
	return fmt.Sprintf(`{"type":"system","subtype":"informational","level":"notice","content":%q,"uuid":%q,"parentUuid":null,"isSidechain":false,"timestamp":%q,"entrypoint":"cli","cwd":%q,"sessionId":%q,"version":"2.1.329"}`+"\n",
		text, uuid.NewString(), time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), r.project, id)
}

// The agent has armed its own continue: what it does then decides, and clawd takes over only if it
// does nothing.
func TestOwnContinue(t *testing.T) {
	const armed = "Usage limit reached · continuing automatically at 1:00am · esc to cancel"
	for _, c := range []struct {
		name   string
		then   func(r *rig, id string) // 10 min after the stop
		starts int                     // two hours later
		at     time.Duration           // of the first, after the stop
		phase  state.Phase
	}{
		{"it does not go on", func(*rig, string) {}, 1, time.Hour + 2*time.Minute, state.Following},
		{"it goes on", func(r *rig, id string) {
			r.pass(50*time.Minute + 40*time.Second)
			r.add(id, r.notice(id, "Usage limit reset · Continuing automatically"), r.record(id, "meta", "", interactive), r.record(id, "answer", "", interactive))
		}, 0, 0, state.Following},
		{"its user cancels it", func(r *rig, id string) {
			r.add(id, r.notice(id, "Automatic continue cancelled · /rate-limit-options to re-arm"))
		}, 0, 0, state.Following},
		{"it drops it itself", func(r *rig, id string) {
			r.add(id, r.notice(id, "Automatic continue stopped after repeated usage-limit hits · /rate-limit-options to try again"))
		}, 1, time.Hour + time.Minute, state.Following},
		{"its user logs in elsewhere", func(r *rig, id string) { // who pays may be another one
			r.add(id, r.notice(id, "Automatic continue stopped · your login changed or ended · send a prompt to continue"))
		}, 0, 0, state.Following},
		{"its terminal is closed", func(r *rig, _ string) {
			entry := filepath.Join(r.agentDir(), "sessions", "901.json")
			remove(r.t, entry)
			r.end(900, 901)
			r.watch.send(fsnotify.Event{Name: entry, Op: fsnotify.Remove})
		}, 1, time.Hour + time.Minute, state.Following},
		{"clawd is started anew", func(r *rig, _ string) { r.down(); r.pass(time.Hour); r.start() }, 1, time.Hour + 12*time.Minute, state.Following},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.o.Config.Agent["claude"] = agent.Config{Command: r.o.Config.Agent["claude"].Command, ConfigDir: r.agentDir(),
					Args: []string{"--permission-mode", "acceptEdits"}}
				id := uuid.NewString()
				r.openAs(id, resume.Tmux, "idle")
				began := time.Now()
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive), r.notice(id, armed))
				r.pass(10 * time.Minute)
				if e := r.log.events("standing_down"); len(e) != 1 || e[0]["self_resume_at"] != "2000-01-01T01:00:00Z" {
					t.Fatalf("standing_down: %v; log:\n%s", e, r.log)
				}
				c.then(r, id)
				r.pass(2 * time.Hour)
				all := r.children.started()
				if len(all) != c.starts {
					t.Fatalf("%d starts, want %d; log:\n%s", len(all), c.starts, r.log)
				}
				if c.starts > 0 {
					if at := all[0].claim.At.Sub(began); at < c.at || at > c.at+20*time.Second {
						t.Errorf("started %s after the stop, want %s", at, c.at)
					}
				}
				r.wantPhase(id, c.phase)
			})
		})
	}
}

// An agent that does not go on by itself, where clawd cannot type either, is no line a minute.
func TestOwnContinueIsSaidOnce(t *testing.T) {
	for _, way := range []resume.Way{resume.Exec, resume.Tmux} {
		in(t, func(r *rig) {
			if way == resume.Tmux {
				r.children.blocked = fmt.Errorf("no tmux")
			}
			id := r.open(way, "plan")
			r.add(id, r.notice(id, "Usage limit reached · continuing automatically at 1:00am · esc to cancel"))
			r.pass(5 * time.Hour)
			n := len(r.log.events("standing_down")) + len(r.log.events("resume_postponed"))
			if n > 8 {
				t.Errorf("%d lines in five hours; log:\n%s", n, r.log)
			}
		})
	}
}

// The agent names the minute of the reset alone. One that is over for some seconds is still the agent's turn.
func TestOwnContinueInThisMinute(t *testing.T) {
	in(t, func(r *rig) {
		id := uuid.NewString()
		r.openAs(id, resume.Tmux, "idle")
		r.pass(time.Hour + 8*time.Second)
		r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive), r.notice(id, "Usage limit reached · continuing automatically at 1:00am · esc to cancel"))
		r.pass(time.Second)
		if e := r.log.events("standing_down"); len(e) != 1 {
			t.Errorf("standing_down: %v; log:\n%s", e, r.log)
		}
		r.wantStarts(0)
	})
}
