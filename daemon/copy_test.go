package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/state"
)

// TestCopyWentOn: a project folder of the agent's that was copied, as people do when they move their project, has the same sessions.
// One that its user went on with in the copy is not resumed in the original; a copy that lies there, such as a backup, changes nothing.
func TestCopyWentOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		went   []string
		starts int
	}{{"a backup", nil, 1}, {"gone on with in the copy", []string{"user", "answer"}, 0}} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.start()
				id, _ := r.stopped("plan")
				r.pass(time.Minute)
				path := r.session(id).Path
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				other := filepath.Join(filepath.Dir(filepath.Dir(path)), "-home-dev-moved", id+".jsonl")
				put(t, other, string(text))
				for _, kind := range c.went {
					put(t, other, r.line(id, kind))
				}
				r.watch.send(fsnotify.Event{Name: other, Op: fsnotify.Write})
				r.pass(2 * time.Hour)
				if n := len(r.children.started()); n != c.starts {
					t.Errorf("%d starts, want %d", n, c.starts)
				}
				r.wantPhase(id, state.Following)
				if left := r.log.events("session_left"); c.starts == 0 && len(left) != 1 {
					t.Errorf("told: %v", left)
				}
			})
		})
	}
}

// TestStopBesideACopy: a copy that was found first does not hide what its original's user goes on with.
func TestStopBesideACopy(t *testing.T) {
	for _, folder := range []string{"-a", "zz"} { // before and behind that of the original
		in(t, func(r *rig) {
			id := uuid.NewString()
			other := filepath.Join(filepath.Dir(filepath.Dir(r.session(id).Path)), folder, id+".jsonl")
			text := r.line(id, "user") + r.line(id, "window")
			put(t, other, text)
			put(t, r.session(id).Path, text)
			r.start()
			r.watch.send(fsnotify.Event{Name: other, Op: fsnotify.Write})
			r.pass(time.Minute)
			r.add(id, r.line(id, "user"), r.line(id, "answer"), r.line(id, "user"), r.line(id, "limit"))
			r.pass(10 * time.Minute)
			if all := r.children.started(); len(all) != 1 || all[0].claim.Session.Path != r.session(id).Path {
				t.Errorf("%s: %d starts", folder, len(all))
			}
			r.down()
			r.start()
			r.pass(10 * time.Minute)
			if n := len(r.children.started()); n != 1 {
				t.Errorf("%s: %d starts after a restart", folder, n)
			}
		})
	}
}
