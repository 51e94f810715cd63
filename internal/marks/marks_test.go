package marks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	put(t, Path(dir, s, "k", 12), `{"session":{"ag`)
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

// However many make a mark at once, one has made it, and it is whole.
func TestMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "again")
	path := Path(dir, detect.Session{Agent: "claude", ID: "s"}, "k", 1)
	errs := make(chan error)
	for n := range 8 {
		go func() { errs <- Make(path, resume.Claim{Token: "t", N: n + 1}) }()
	}
	made := 0
	for range 8 {
		switch err := <-errs; {
		case err == nil:
			made++
		case !errors.Is(err, ErrMade):
			t.Error(err)
		}
	}
	m, ok, err := Read(path)
	if made != 1 || err != nil || !ok || m.Claim.Token != "t" {
		t.Errorf("made %d times, %+v %v %v", made, m, ok, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v (%v) is left", left, err)
	}
}

// Where there are no hard links, the mark is made in its place, as much only once.
func TestNoHardLinks(t *testing.T) {
	dir := t.TempDir()
	s := detect.Session{Agent: "claude", ID: "s"}
	path, none := Path(dir, s, "k", 1), filepath.Join(dir, "none")
	if err := place(none, path, []byte("{\"token\":\"first\"}\n")); err != nil {
		t.Fatal(err)
	}
	if err := place(none, path, []byte("{\"token\":\"second\"}\n")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made again: %v", err)
	}
	if m, ok, err := Read(path); err != nil || !ok || m.Claim.Token != "first" {
		t.Errorf("%+v %v %v", m, ok, err)
	}
}

// One that was killed before its mark was there has made none.
func TestHalfMadeCountsForNothing(t *testing.T) {
	dir := t.TempDir()
	s := detect.Session{Agent: "claude", ID: "s"}
	path := Path(dir, s, "k", 1)
	put(t, path+".123"+half, `{"token":"t"}`)
	if n, _, err := Last(dir, s, "k"); n != 0 || err != nil {
		t.Errorf("mark %d (%v)", n, err)
	}
	if claims, err := Since(dir, time.Time{}); len(claims) != 0 || err != nil {
		t.Errorf("claims %v (%v)", claims, err)
	}
	if err := Make(path, resume.Claim{Token: "t"}); err != nil {
		t.Error(err)
	}
}

// A mark that could not be made to last goes, or it is said that it stays.
func TestUnmade(t *testing.T) {
	path, cause := filepath.Join(t.TempDir(), "mark"), errors.New("disk")
	put(t, path, "{}")
	if err := unmade(path, cause); !errors.Is(err, cause) || errors.Is(err, ErrStays) {
		t.Errorf("taken away: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it stays")
	}
	if err := unmade(path, nil); err != nil {
		t.Errorf("without a cause: %v", err)
	}
	put(t, filepath.Join(path, "in"), "")
	if err := unmade(path, cause); !errors.Is(err, cause) || !errors.Is(err, ErrStays) {
		t.Errorf("stays: %v", err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	mark := func(id string, age time.Duration) string {
		path := Path(dir, detect.Session{Agent: "x", ID: id}, "k", 1)
		if id == "torn" {
			put(t, path, `{"ses`)
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
	goes := []string{mark("gone", old), filepath.Join(dir, "x.1.1"+half)}
	put(t, goes[1], `{"ses`)
	if err := os.Chtimes(goes[1], now, now.Add(-old)); err != nil {
		t.Fatal(err)
	}
	err := Prune(dir, now.Add(-90*24*time.Hour), func(s detect.Session) bool { return strings.HasPrefix(s.ID, "gone") })
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stays {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range goes {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s stays", path)
		}
	}
}
