package state

import (
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// Peek reads beside a clawd that has the store open, changes nothing and does not wait.
func TestPeek(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	s, clock := openAt(t, path)
	defer s.Close()
	one, two := detect.Session{Agent: "a", ID: "one"}, detect.Session{Agent: "a", ID: "two"}
	waiting(t, s, one, "k")
	waiting(t, s, two, "k2")
	hold(t, s, two, "k2", "odd")
	must(t, s.SignAlive())
	before, err := os.ReadFile(path)
	must(t, err)
	found := map[string]Session{}
	known, err := Peek(path, func(rec Session) { found[rec.ID] = rec })
	must(t, err)
	is(t, len(found), 2)
	is(t, found["one"].Phase, Waiting)
	is(t, known.Alive.Equal(clock.Time), true)
	stats, err := s.Stats()
	must(t, err)
	is(t, len(stats.Stops) > 0, true)
	is(t, maps.Equal(known.Stats.Stops, stats.Stops), true)
	standing, n := found["two"].Standing(clock.Time)
	is(t, standing, NeedsYou)
	is(t, n.Why, "odd")
	after, err := os.ReadFile(path)
	must(t, err)
	is(t, string(after) == string(before), true)
}

func TestPeekAtAnything(t *testing.T) {
	dir := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"absent":  func(string) error { return nil },
		"folder":  func(p string) error { return os.Mkdir(p, 0o700) },
		"pipe":    func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"garbage": func(p string) error { return os.WriteFile(p, []byte("precious"), 0o600) },
	} {
		path := filepath.Join(dir, name)
		must(t, make(path))
		if _, err := Peek(path, func(Session) { t.Error("a session") }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
