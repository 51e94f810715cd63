package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tarball is a gzipped tar of files: name, content, name, content.
func tarball(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gzipped is a text that is packed, and no tar.
func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestInside(t *testing.T) {
	archive := tarball(t, "package/a.js", `x="in a script"`, "package/b.js", `y="in none"`, "package/linux-x64/c.node", "\x00compiled text\x00")
	program := slices.Concat([]byte("\x7fELF\x1f\x8b\x08 looks like one\x00"), gzipped(t, "no archive"), archive, []byte("\x1f\x8b\x08"),
		tarball(t, "package/d.js", `z="in a second one"`), []byte("\x00the rest"))
	read := func(named map[string]string) (got []string, err error) {
		err = inside(program, named, func(s string) { got = append(got, s) })
		return got, err
	}
	got, err := read(map[string]string{"package/a.js": "literals", "package/linux-*/c.node": "compiled", "package/d.js": "literals"})
	if want := []string{"in a script", "compiled text", "in a second one"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := read(map[string]string{"package/a.js": "literals", "package/gone.js": "literals"}); err == nil || !strings.Contains(err.Error(), "package/gone.js") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestUnpackedBounds(t *testing.T) {
	archive := tarball(t, "a", strings.Repeat("a", 100_000), "b", strings.Repeat("b", 100_000))
	for name, c := range map[string]struct {
		program []byte
		most    int64
		fails   bool
	}{
		"whole":    {archive, 1 << 20, false},
		"too long": {archive, 150_000, true},
		"cut":      {archive[:len(archive)*3/4], 1 << 20, true},
	} {
		err := unpacked(c.program, c.most, func(string, io.Reader) error { return nil })
		if (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A version that says hardly anything of what the one before said is not recorded.
func TestLost(t *testing.T) {
	top, cache := t.TempDir(), t.TempDir()
	t.Setenv("CLAWD_AGENT_CACHE", cache)
	old, now := pin{"copilot", "1.0.1"}, pin{"copilot", "1.0.2"}
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(top, "e2e/agents/pinned"), "copilot 1.0.1\n")
	write(filepath.Join(top, "agent/copilot/vocab.json"), `{"npm": "x", "files": [["x/app.js"]], "read": "literals", "records": []}`)
	said := list{{class: notice, text: "Your limit resets {}."}, {class: notice, text: "Your quota resets {}."}, {class: notice, text: "Usage limit reached"}}
	if err := said.write(listFile(top, old)); err != nil {
		t.Fatal(err)
	}
	for code, lost := range map[string]bool{`x="Your limit resets {}."`: true, `x="Your limit resets {}.";y="Your quota resets {}."`: false} {
		write(filepath.Join(cache, now.name(), "node_modules/x/app.js"), code)
		if err := os.RemoveAll(listFile(top, now)); err != nil {
			t.Fatal(err)
		}
		err := mainErr(t.Context(), top, now, true, io.Discard)
		if (err != nil) != lost || lost && !strings.Contains(err.Error(), "2 of the 3 strings of copilot 1.0.1 are gone") {
			t.Errorf("%s: %v", code, err)
		}
		if _, err := os.Stat(listFile(top, now)); (err != nil) != lost {
			t.Errorf("%s: recorded: %v", code, err)
		}
	}
}
