package jsonl

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.jsonl")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestRead(t *testing.T) {
	path := file(t, "{\"a\":1}\n\nno object\n"+strings.Repeat("x", tail.MaxLine+1)+"\n{}\n{\"torn\":")
	r, err := tail.Open(path, "")
	must(t, err)
	defer r.Close()
	b := Begin(r)
	var lines []string
	must(t, Read(t.Context(), r, b, func(line []byte, _ int64) {
		if object, ok := Object(b, line); ok {
			lines = append(lines, string(object))
		}
	}))
	if want := []string{`{"a":1}`, "{}"}; !slices.Equal(lines, want) || b.Skipped != 2 || b.Problem != agent.ErrShape.Error() || b.Anew {
		t.Errorf("%q, %+v", lines, b)
	}
	other, err := tail.Open(path, "?")
	must(t, err)
	defer other.Close()
	if b := Begin(other); !b.Anew || b.Problem == "" {
		t.Errorf("a cursor that does not fit: %+v", b)
	}
}

func TestEach(t *testing.T) {
	for _, c := range []struct {
		limit int64
		last  string
		want  string
	}{{All, "", "abcd"}, {4, "", "ab"}, {3, "", "ab"}, {All, "c", "abc"}, {0, "", ""}} {
		r, err := tail.Open(file(t, "a\nb\nc\nd\n"), "")
		must(t, err)
		got := ""
		must(t, Each(t.Context(), r, c.limit, func(line []byte, _ int64) bool { got += string(line); return string(line) != c.last }))
		if must(t, r.Close()); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestTail(t *testing.T) {
	say := func(_ *tail.Back, line []byte, _ int64) Says {
		return map[string]Says{"stop": MayStop, "end": NoStop}[string(line)]
	}
	for _, c := range []struct {
		text        string
		maybe, ends bool
	}{
		{"end\nstop\nx\n", true, false}, {"stop\nend\nx\n", false, true}, {"x\n", false, true}, {"", false, true}, {"end\nstop", false, true},
		{"end\n" + strings.Repeat(strings.Repeat("x", 1000)+"\n", tail.MaxBack/1000), true, false},
	} {
		path := file(t, c.text)
		maybe, pos, err := Tail(t.Context(), path, say)
		if err != nil || maybe != c.maybe || (pos != "") != c.ends {
			t.Errorf("%.20q: %v, %q, %v", c.text, maybe, pos, err)
			continue
		}
		if r, err := tail.Open(path, pos); c.ends && (err != nil || r.Anew() != "" || r.Offset() != int64(strings.LastIndexByte(c.text, '\n')+1)) {
			t.Errorf("%.20q: the place %q is not the end", c.text, pos)
		}
	}
}

func TestLastPrompt(t *testing.T) {
	prompt := func(line []byte, _ int64) (string, bool) { return strings.CutPrefix(string(line), "p ") }
	for text, want := range map[string]string{"p a\np b\nx\n": "b", "x\n": "", "p a\np b": "a"} {
		if got, err := LastPrompt(t.Context(), file(t, text), prompt); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// scanned is a folder with a cache over it.
type scanned struct {
	t     *testing.T
	root  string
	cache Cache
	asked []string
}

func (s *scanned) look(name string, before Seen, listed bool) (Seen, bool, error) {
	s.asked = append(s.asked, name)
	switch {
	case !listed && Dormant(before.Touched):
		before.Passed = true
		return before, true, nil
	case filepath.Ext(name) != ".jsonl":
		return before, false, errors.New(name + " is misnamed")
	}
	now, err := Look(detect.Session{ID: name, Path: filepath.Join(s.root, name)}, before)
	return now, true, err
}

// scan gives the names that are listed, and those that were asked about.
func (s *scanned) scan(every bool) (listed, asked string, err error) {
	s.asked = nil
	all, err := s.cache.Folder(filepath.Dir(s.root), s.root, every, nil, s.look)
	for _, x := range all {
		if x.Stamp == "" || x.Session.ID == "" {
			s.t.Errorf("%+v", x)
		}
		listed += x.Session.ID + " "
	}
	slices.Sort(s.asked)
	return listed, strings.Join(s.asked, " "), err
}

func TestCache(t *testing.T) {
	s := &scanned{t: t, root: filepath.Join(t.TempDir(), "d")}
	old := time.Now().Add(-48 * time.Hour)
	aged := func() { t.Helper(); must(t, os.Chtimes(s.root, old, old)) }
	put := func(name string, at time.Time) {
		path := filepath.Join(s.root, name)
		must(t, os.WriteFile(path, []byte("x"), 0o600))
		must(t, os.Chtimes(path, at, at))
	}
	if listed, _, err := s.scan(true); listed != "" || err != nil {
		t.Errorf("no folder: %q, %v", listed, err)
	}
	must(t, os.Mkdir(s.root, 0o700))
	put("new.jsonl", time.Now())
	put("old.jsonl", old)
	put("x.txt", old)
	aged()
	if listed, asked, err := s.scan(false); listed != "new.jsonl old.jsonl " || asked != "new.jsonl old.jsonl x.txt" || err == nil || err.Error() != "x.txt is misnamed" {
		t.Errorf("at first: %q, asked %q, %v", listed, asked, err)
	}
	if listed, asked, err := s.scan(false); listed != "new.jsonl " || asked != "new.jsonl old.jsonl" || err != nil {
		t.Errorf("with nothing new: %q, asked %q, %v", listed, asked, err)
	}
	if listed, _, _ := s.scan(true); listed != "new.jsonl old.jsonl " {
		t.Errorf("everything: %q", listed)
	}
	put("b.jsonl", time.Now()) // the folder's time of change tells
	if listed, asked, _ := s.scan(false); listed != "b.jsonl new.jsonl old.jsonl " || !strings.Contains(asked, "x.txt") {
		t.Errorf("with another: %q, asked %q", listed, asked)
	}
	must(t, os.Remove(filepath.Join(s.root, "b.jsonl")))
	aged()
	if listed, _, _ := s.scan(true); listed != "new.jsonl old.jsonl " {
		t.Errorf("with one gone: %q", listed)
	}
	s.cache.Forget(filepath.Join(s.root, "old.jsonl"))
	if listed, _, _ := s.scan(false); listed != "new.jsonl old.jsonl " {
		t.Errorf("with one forgotten: %q", listed)
	}
	must(t, os.Rename(s.root, s.root+"2"))
	must(t, os.Symlink(s.root+"2", s.root))
	if listed, _, err := s.scan(true); listed != "" || !errors.As(err, new(*agent.Refused)) {
		t.Errorf("a link: %q, %v", listed, err)
	}
	looks := 0
	for range 20 {
		if s.cache.Every() {
			looks++
		}
	}
	if looks != 2 {
		t.Errorf("%d of 20 scans look at everything", looks)
	}
}

// A file that comes right after a listing may leave the folder's time of change as it was.
func TestCacheOfABusyFolder(t *testing.T) {
	s := &scanned{t: t, root: t.TempDir()}
	soon := time.Now().Add(time.Hour)
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		must(t, os.WriteFile(filepath.Join(s.root, name), []byte("x"), 0o600))
		must(t, os.Chtimes(s.root, soon, soon))
		if listed, _, err := s.scan(false); !strings.Contains(listed, name) || err != nil {
			t.Errorf("%q, %v; %s has come", listed, err, name)
		}
	}
}

func TestLook(t *testing.T) {
	s := detect.Session{ID: "a", Path: file(t, "x")}
	first, err := Look(s, Seen{})
	must(t, err)
	first.Session.Agent = "kept"
	if same, err := Look(s, first); err != nil || same.Session.Agent != "kept" {
		t.Errorf("what has not changed is made anew: %+v, %v", same, err)
	}
	must(t, os.WriteFile(s.Path, []byte("xy"), 0o600))
	if now, err := Look(s, first); err != nil || now.Stamp == first.Stamp || now.Session.Agent != "" {
		t.Errorf("%+v, %v", now, err)
	}
	must(t, os.Chmod(s.Path, 0o606))
	if now, err := Look(s, first); !errors.As(err, new(*agent.Refused)) || now.Stamp != "" || now.ModTime.IsZero() {
		t.Errorf("%+v, %v", now, err)
	}
	must(t, os.Remove(s.Path))
	if _, err := Look(s, first); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
