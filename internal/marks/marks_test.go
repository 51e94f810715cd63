package marks

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

func TestMarks(t *testing.T) {
	dir := t.TempDir()
	s := detect.Session{Agent: "claude", ID: "s"}
	if n, _, err := Last(dir, s, "k"); n != 0 || err != nil {
		t.Errorf("no mark: %d %v", n, err)
	}
	for n := range 11 {
		if err := Make(Path(dir, s, "k", n+1), resume.Claim{N: n + 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(Path(dir, s, "k", 12), []byte(`{"session":{"ag`), 0o600); err != nil {
		t.Fatal(err)
	}
	n, m, err := Last(dir, s, "k")
	if n != 12 || err != nil || m.Claim.N != 0 {
		t.Errorf("a torn mark counts: %d %+v %v", n, m, err)
	}
	for _, other := range []struct{ agent, id, key string }{{"claude", "s", "k2"}, {"claude", "s2", "k"}, {"opencode", "s", "k"}, {"claude", "s\x00k", ""}} {
		if n, _, _ := Last(dir, detect.Session{Agent: other.agent, ID: other.id}, other.key); n != 0 {
			t.Errorf("%v has the marks of another stop", other)
		}
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	mark := func(id string, age time.Duration) string {
		path := Path(dir, detect.Session{Agent: "x", ID: id}, "k", 1)
		if id == "torn" {
			if err := os.WriteFile(path, []byte(`{"ses`), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := Make(path, resume.Claim{Session: detect.Session{Agent: "x", ID: id, Path: "/" + id}}); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, young := 100*24*time.Hour, 80*24*time.Hour
	stays := []string{mark("kept", old), mark("gone-young", young), mark("torn", old)}
	goes := mark("gone", old)
	err := Prune(dir, now.Add(-90*24*time.Hour), func(s detect.Session) bool { return strings.HasPrefix(s.ID, "gone") })
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stays {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(goes); err == nil {
		t.Error("the mark of a session that is gone stays")
	}
}
