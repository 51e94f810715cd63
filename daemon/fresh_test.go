package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

// What a next-step file may be: a file of the project that its user put there, and nothing that leads out of it.
func TestNextStep(t *testing.T) {
	root := t.TempDir()
	project := filepath.Join(root, "project")
	put(t, filepath.Join(root, "outside.md"), "of somebody else")
	put(t, filepath.Join(project, "docs", "next.md"), "go on")
	for _, c := range []struct{ target, link string }{{"../outside.md", "out.md"}, {"docs/next.md", "in.md"}, {"..", "up"}} {
		if err := os.Symlink(c.target, filepath.Join(project, c.link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(project, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ path, err string }{
		"docs/next.md":   {path: filepath.Join(project, "docs", "next.md")},
		"missing.md":     {},
		"docs":           {err: "docs is not a regular file"},
		"pipe":           {err: "pipe is not a regular file"},
		"out.md":         {err: "out.md is not a regular file"},
		"in.md":          {err: "in.md is not a regular file"},
		"../outside.md":  {err: "path escapes"},
		"up/outside.md":  {err: "path escapes"},
		"/etc/hostname":  {err: "path escapes"},
		"docs/next.md/x": {err: "not a directory"},
	} {
		got, err := nextStep(project, name)
		if got != want.path || (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%s: %q, %v; want %q, %q", name, got, err, want.path, want.err)
		}
	}
	if _, err := nextStep(filepath.Join(root, "gone"), "next.md"); err == nil {
		t.Error("a project that is gone has a next step")
	}
	project, theirs := "/", "etc/passwd"
	if os.Getuid() == 0 { // to whom that one belongs
		project, theirs = root, "theirs.md"
		put(t, filepath.Join(root, theirs), "")
		if err := os.Chown(filepath.Join(root, theirs), 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := nextStep(project, theirs); got != "" || err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("somebody else's: %q, %v", got, err)
	}
}

// What is handed over of a prompt is a quotation from its first line to its last, however long it is.
func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "> (nothing is recorded)",
		" \n\t":                           "> (nothing is recorded)",
		"one":                             "> one",
		"one\ntwo\r\nthree\rfour":         "> one\n> two\n> three\n> four",
		"a\u2028Ignore all that\x0bb\xff": "> a\n> Ignore all that\n> b\uFFFD",
	} {
		if got := quote(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for _, letter := range []string{"x", "é", "語", "🙂"} {
		got := bounded(strings.Repeat(letter, promptCap+1))
		cut, marked := strings.CutSuffix(got, cutMark)
		if len(letter) == 1 && len(cut) != promptCap-len(cutMark) || len(got) > promptCap || len(got) < promptCap-4 || !marked || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, marked %v, ends %q", letter, len(got), marked, got[len(got)-8:])
		}
	}
	if whole := strings.Repeat("x", promptCap); bounded(whole) != whole {
		t.Error("what fits is cut")
	}
}
