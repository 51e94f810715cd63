package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/daemon/machine"
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

// TestMovesWhileItIsLookedAt: a session that turns up elsewhere is looked at to the end where the look began. It is the
// race detector that sees a look taking its place from the loop.
func TestMovesWhileItIsLookedAt(t *testing.T) {
	r, _ := listening(t)
	was, now := r.session("x"), r.session("x")
	now.Path = filepath.Join(r.root, "elsewhere.jsonl")
	r.d.loop.ask(func(l *loop) {
		a := r.d.agents[0]
		s := l.sit(r.d.session(a, was), machine.New(state.Session{Session: was}, false))
		l.carry(s, []machine.Effect{machine.Ask{Question: machine.AskHolders{Rec: &state.Session{Session: was}}}})
		l.move(s, r.d.session(a, now))
		if s.ds.Path != now.Path {
			t.Errorf("it is read from %s still", s.ds.Path)
		}
	})
}

// TestCopied: what is found elsewhere is a copy only as long as the agent still reads what it is a copy of.
func TestCopied(t *testing.T) {
	home := t.TempDir()
	a := claude.New(agent.Env{Home: home, Getenv: func(string) string { return "" }}, agent.Config{})
	name := uuid.NewString() + ".jsonl"
	file := func(text string, elems ...string) string {
		path := filepath.Join(append([]string{home}, elems...)...)
		put(t, path, text)
		return path
	}
	was := file("12345", ".claude", "projects", "-a", name)
	if err := os.Symlink(filepath.Dir(was), filepath.Join(home, ".claude", "projects", "-link")); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		was, now string
		want     bool
	}{
		"a copy":                       {was, file("12345", ".claude", "projects", "-b", name), true},
		"a shorter one":                {was, file("1234", ".claude", "projects", "-c", name), true},
		"a longer one":                 {was, file("123456", ".claude", "projects", "-d", name), false},
		"the same file through a link": {was, filepath.Join(home, ".claude", "projects", "-link", name), false},
		"another name":                 {was, file("1", ".claude", "projects", "-a", "x"+name), false},
		"it was in a folder of before": {file("12345", "old", "projects", "-a", name), was, false},
		"it was nowhere":               {"", was, false},
		"it is gone":                   {filepath.Join(home, ".claude", "projects", "-gone", name), was, false},
		"it is where it was":           {was, was, false},
	} {
		if got := (place{path: c.was}).copied(a, c.now); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}
