package state

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/detect"
)

func TestLaunches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	s, _ := openAt(t, path)
	launch := detect.Launch{PID: 7, Start: 70, Boot: "b", Flags: []detect.Flag{{Name: "--tools", Values: []string{""}}, {Name: "--bare"}}, Lost: []string{"--x"}, Seen: noon}
	waiting(t, s, one, "k")
	must(t, s.SetLaunches(map[string]detect.Launch{Key(one): launch, Key(two): launch}))
	must(t, s.Close())
	s, clock := openAt(t, path)
	got, err := s.Launches()
	must(t, err)
	if d := cmp.Diff(map[string]detect.Launch{Key(one): launch, Key(two): launch}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// They go with their sessions, and not at once: a process is seen before its session is.
	for _, c := range []struct {
		age  time.Duration
		want int
	}{{time.Hour, 2}, {100 * 24 * time.Hour, 1}} {
		clock.Time = noon.Add(c.age)
		must(t, s.Prune(90*24*time.Hour, func(Session) bool { return false }))
		got, err = s.Launches()
		must(t, err)
		is(t, len(got), c.want)
	}
}
