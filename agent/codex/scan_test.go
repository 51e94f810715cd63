package codex

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

const meta = `{"timestamp":"2026-11-21T00:22:09Z","type":"session_meta","payload":{"id":"` + sid + `"}}` + "\n"

// scanned gives the paths below root that a Scan lists, beside what it refuses.
func scanned(t *testing.T, c *Codex, hint string) []string {
	t.Helper()
	all, err := c.Scan(t.Context(), hint)
	agenttest.Refused(t, err)
	var paths []string
	for _, x := range all {
		rel, err := filepath.Rel(c.root, x.Session.Path)
		if err != nil || x.Stamp == "" || x.ModTime.IsZero() {
			t.Errorf("%+v, %v", x, err)
		}
		paths = append(paths, rel)
	}
	slices.Sort(paths)
	return paths
}

func TestScan(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	one, two := "rollout-2026-11-21T00-22-09-"+sid, "rollout-2026-11-22T00-22-09-"+other
	put(t, filepath.Join(root, day, one+".jsonl"), meta)
	put(t, filepath.Join(root, "sessions/2026/11/22", two+".jsonl.zst"), "")
	for _, junk := range []string{day + "/notes.jsonl", day + "/rollout-x-" + sid + ".jsonl", day + "/" + one + ".jsonl.bak", "sessions/x/11/21/" + two + ".jsonl", "sessions/2026/" + two + ".jsonl"} {
		put(t, filepath.Join(root, junk), meta)
	}
	if err := os.Symlink(filepath.Join(root, day), filepath.Join(root, "sessions/2026/11/23")); err != nil {
		t.Fatal(err)
	}
	both := []string{day + "/" + one + ".jsonl", "sessions/2026/11/22/" + two + ".jsonl.zst"}
	put(t, filepath.Join(root, "thread-writer-locks", sid+".lock"), "")
	for hint, want := range map[string][]string{
		"": both, "sessions": both, "sessions/2026": both, "sessions/2026/11": both, day: both[:1], "sessions/2026/11/23": nil,
		both[0]: both[:1], both[1]: both[1:], "sessions/2026/11/23/" + one + ".jsonl": nil, "sessions/2026/11/22/" + one + ".jsonl": nil,
		"thread-writer-locks/" + sid + ".lock": both[:1], "thread-writer-locks/x.lock": nil, "config.toml": nil, "../elsewhere": nil,
	} {
		path := hint
		if path != "" {
			path = filepath.Join(root, hint)
		}
		if got := scanned(t, c, path); !slices.Equal(got, want) {
			t.Errorf("hint %q: %q, want %q", hint, got, want)
		}
	}
	// A lock of a session that no scan has seen: its id tells when it was begun.
	if got := scanned(t, over(root, procTable{}, agent.Config{}), filepath.Join(root, "thread-writer-locks", sid+".lock")); !slices.Equal(got, both[:1]) {
		t.Errorf("a lock alone: %q", got)
	}
}

// TestScanDormant: scans that look at young files alone still list the old ones, and see new files,
// gone files and gone locks.
func TestScanDormant(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	s := rolloutOf(root, sid)
	lock := filepath.Join(root, "thread-writer-locks", sid+".lock")
	put(t, s.Path, meta)
	put(t, lock, "")
	old := time.Now().Add(-72 * time.Hour)
	if err := os.Chtimes(s.Path, old, old); err != nil {
		t.Fatal(err)
	}
	stamps := map[string]bool{}
	look := func(what string, want int) {
		t.Helper()
		all, err := c.Scan(t.Context(), "")
		if err != nil || len(all) != want {
			t.Fatalf("%s: %d sessions, err %v", what, len(all), err)
		}
		for _, x := range all {
			if x.Session.ID == sid {
				stamps[x.Stamp] = true
			}
		}
	}
	look("first", 1)
	look("nothing happened", 1)
	if len(stamps) != 1 {
		t.Errorf("stamps %v although nothing was written", stamps)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	look("the lock went", 1)
	if len(stamps) != 2 {
		t.Error("the stamp does not show that the lock went")
	}
	put(t, rolloutOf(root, other).Path, meta)
	look("another one came", 2)
	if err := os.Remove(s.Path); err != nil {
		t.Fatal(err)
	}
	look("one went", 1)
}

// TestArchived: a rollout is moved when it is archived or packed; while both are there, the plain
// one counts.
func TestArchived(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	s := rolloutOf(root, sid)
	away := filepath.Join(root, "archived_sessions", filepath.Base(s.Path))
	put(t, s.Path, meta)
	put(t, s.Path+".zst", "x")
	put(t, away, meta)
	if got := scanned(t, c, ""); !slices.Equal(got, []string{day + "/" + filepath.Base(s.Path)}) {
		t.Errorf("all three: %q", got)
	}
	for _, p := range []string{s.Path, s.Path + ".zst"} {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	if got := scanned(t, c, ""); !slices.Equal(got, []string{"archived_sessions/" + filepath.Base(s.Path)}) {
		t.Errorf("archived: %q", got)
	}
	b, err := agenttest.Read(t.Context(), c, sessionAt(t, away), "")
	if err != nil || !b.Info.Archived {
		t.Errorf("archived %v, err %v", b.Info.Archived, err)
	}
}

// A rollout that comes right after its folder was listed may leave the folder's time of change as it was.
func TestScanInTheSameTick(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	dir := filepath.Dir(rolloutOf(root, sid).Path)
	put(t, rolloutOf(root, sid).Path, meta)
	tick := time.Now()
	for n := range 3 { // the first scan looks at every file, the others at what changed
		if n == 2 {
			put(t, rolloutOf(root, other).Path, meta)
		}
		if err := os.Chtimes(dir, tick, tick); err != nil {
			t.Fatal(err)
		}
		all, err := c.Scan(t.Context(), "")
		if want := []int{1, 1, 2}[n]; err != nil || len(all) != want {
			t.Errorf("scan %d: %d sessions, want %d; err %v", n, len(all), want, err)
		}
	}
}
