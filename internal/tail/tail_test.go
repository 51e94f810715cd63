package tail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// grow appends, as the writers of these files do.
func grow(t rapid.TB, path, text string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

type result struct {
	Lines   []string
	Offsets []int64
	Skipped int
	Anew    string
	Cursor  string
}

func readAll(t rapid.TB, path, from string, max int) result {
	r, err := openMax(path, from, max)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := result{Anew: r.Anew()}
	for {
		line, off, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			got.Skipped, got.Cursor = r.Skipped(), r.Cursor()
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got.Lines, got.Offsets = append(got.Lines, string(line)), append(got.Offsets, off)
	}
}

// offset is a cursor's; -1: it is none.
func offset(c string) int64 {
	if x, ok := parseCursor(c); ok {
		return x.offset
	}
	return -1
}

func TestPartialLineWaits(t *testing.T) {
	p := filepath.Join(t.TempDir(), "f")
	write(t, p, "one\ntw")
	a := readAll(t, p, "", MaxLine)
	if d := cmp.Diff([]string{"one"}, a.Lines); d != "" {
		t.Error(d)
	}
	grow(t, p, "o\n")
	b := readAll(t, p, a.Cursor, MaxLine)
	if d := cmp.Diff(result{Lines: []string{"two"}, Offsets: []int64{4}, Cursor: b.Cursor}, b); d != "" {
		t.Error(d)
	}
	if offset(b.Cursor) != 8 || offset("x") != -1 {
		t.Errorf("offset(%q) = %d", b.Cursor, offset(b.Cursor))
	}
}

func TestAnew(t *testing.T) {
	long := strings.Repeat("0123456789abcdef\n", 100)
	for _, c := range []struct {
		name, want string
		change     func(p string)
		cursor     func(c string) string
	}{
		{"untouched", "", func(string) {}, nil},
		{"grown", "", func(p string) { grow(t, p, "more\n") }, nil},
		{"emptied", "the file was truncated", func(p string) { write(t, p, "") }, nil},
		{"truncated and grown past the offset", "the file was rewritten",
			func(p string) { write(t, p, strings.Repeat("another line\n", 300)) }, nil},
		{"same head, other bytes before the offset", "the file was rewritten",
			func(p string) { write(t, p, long[:len(long)-20]+strings.Repeat("x", 19)+"\nmore\n") }, nil},
		{"same tail, other head", "the file was rewritten",
			func(p string) { write(t, p, "X"+long[1:]) }, nil},
		{"replaced by an equal file", "the file was replaced", func(p string) {
			write(t, p+".new", long)
			if err := os.Rename(p+".new", p); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"foreign cursor", "the stored position cannot be read", func(string) {}, func(string) string { return "17" }},
		{"cursor with rubbish behind", "the stored position cannot be read", func(string) {}, func(c string) string { return c + " " }},
		{"negative offset", "the stored position cannot be read", func(string) {}, func(string) string { return "1:-5:1:a:b" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := filepath.Join(t.TempDir(), "f")
			write(t, p, long)
			from := readAll(t, p, "", MaxLine).Cursor
			if c.cursor != nil {
				from = c.cursor(from)
			}
			c.change(p)
			got := readAll(t, p, from, MaxLine)
			if got.Anew != c.want {
				t.Errorf("Anew = %q, want %q", got.Anew, c.want)
			}
			if whole := readAll(t, p, "", MaxLine); c.want != "" && !slices.Equal(got.Lines, whole.Lines) {
				t.Errorf("after %q the file was not read from its beginning", c.want)
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	p := filepath.Join(t.TempDir(), "f")
	write(t, p, "12345678\n123456789\nx\n")
	got := readAll(t, p, "", 8)
	if d := cmp.Diff(result{Lines: []string{"12345678", "x"}, Offsets: []int64{0, 19}, Skipped: 1, Cursor: got.Cursor}, got); d != "" {
		t.Error(d)
	}
}

// TestTooLongWithoutEnd: a line without an end is too long from the same byte on, whether the buffer
// holds it or not.
func TestTooLongWithoutEnd(t *testing.T) {
	for _, before := range []string{"", "x\n"} {
		for n, skipped := range map[int]int{chunk: 0, chunk + 1: 1} {
			p := filepath.Join(t.TempDir(), "f")
			write(t, p, before+strings.Repeat("a", n))
			if got := readAll(t, p, "", chunk); got.Skipped != skipped {
				t.Errorf("%d bytes behind %q: %d lines skipped, want %d", n, before, got.Skipped, skipped)
			}
		}
	}
}

// TestHugeLineIsNotHeld reads a line of 100 MiB (a hole in the file) in two portions.
func TestHugeLineIsNotHeld(t *testing.T) {
	p := filepath.Join(t.TempDir(), "f")
	write(t, p, "first\n")
	if err := os.Truncate(p, 100<<20); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a := readAll(t, p, "", MaxLine)
	runtime.ReadMemStats(&after)
	if d := cmp.Diff(result{Lines: []string{"first"}, Offsets: []int64{0}, Skipped: 1, Cursor: a.Cursor}, a); d != "" {
		t.Error(d)
	}
	if offset(a.Cursor) != 100<<20 {
		t.Errorf("the cursor stands at %d: the line would be read again each time", offset(a.Cursor))
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d MiB were allocated for a line that is passed over", n>>20)
	}
	grow(t, p, "rest\nlast\n")
	b := readAll(t, p, a.Cursor, MaxLine)
	if d := cmp.Diff(result{Lines: []string{"last"}, Offsets: []int64{100<<20 + 5}, Cursor: b.Cursor}, b); d != "" {
		t.Error(d)
	}
}

func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f"), "x\n")
	if err := os.Symlink("f", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "fifo", ".", "absent"} {
		if r, err := Open(filepath.Join(dir, name), ""); err == nil {
			r.Close()
			t.Errorf("Open(%s) worked", name)
		}
		if b, err := OpenBack(filepath.Join(dir, name)); err == nil {
			b.Close()
			t.Errorf("OpenBack(%s) worked", name)
		}
	}
}

// text draws a file's content: lines of all lengths around the cap and the chunk.
func text(t *rapid.T, label string) string {
	var b strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, label+" lines") {
		n := rapid.SampledFrom([]int{0, 1, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1000, chunk - 1, chunk, chunk + 1}).Draw(t, label+" length")
		b.WriteString(strings.Repeat(string(rune('a'+b.Len()%26)), n))
		if rapid.IntRange(0, 9).Draw(t, label+" end") > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestPortions: however the file grows, portions and the whole give the same lines.
func TestPortions(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		p := filepath.Join(dir, fmt.Sprint(n))
		defer os.Remove(p)
		max := rapid.SampledFrom([]int{8, 300, chunk, MaxLine}).Draw(t, "cap")
		content := text(t, "content")
		grow(t, p, "")
		var parts result
		for len(content) > 0 {
			k := rapid.IntRange(1, len(content)).Draw(t, "portion")
			grow(t, p, content[:k])
			content = content[k:]
			got := readAll(t, p, parts.Cursor, max)
			if got.Anew != "" {
				t.Fatalf("a file that only grew: %s", got.Anew)
			}
			parts.Lines, parts.Offsets = append(parts.Lines, got.Lines...), append(parts.Offsets, got.Offsets...)
			parts.Skipped, parts.Cursor = parts.Skipped+got.Skipped, got.Cursor
		}
		whole := readAll(t, p, "", max)
		if parts.Cursor == "" {
			parts.Cursor = whole.Cursor
		}
		if d := cmp.Diff(whole, parts); d != "" {
			t.Fatalf("portions (-whole +portions):\n%s", d)
		}
	})
}

// TestRewritten: after a cut or a rewrite nothing old is given as new, and nothing new is lost.
func TestRewritten(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		p := filepath.Join(dir, fmt.Sprint(n))
		defer os.Remove(p)
		old, now := text(t, "old"), text(t, "now")
		keep := rapid.IntRange(0, len(old)).Draw(t, "keep")
		grow(t, p, old)
		from := readAll(t, p, "", MaxLine)
		if err := os.Truncate(p, int64(keep)); err != nil {
			t.Fatal(err)
		}
		grow(t, p, now)
		got, whole := readAll(t, p, from.Cursor, MaxLine), readAll(t, p, "", MaxLine)
		read := int(offset(from.Cursor))
		content := old[:keep] + now
		switch {
		case got.Anew != "":
			if !slices.Equal(got.Lines, whole.Lines) {
				t.Fatal("Anew, but not from the beginning")
			}
		case len(content) < read:
			t.Fatal("truncated, and not noticed")
		case content[:min(read, headLen)] != old[:min(read, headLen)], content[max(0, read-tailLen):read] != old[max(0, read-tailLen):read]:
			t.Fatal("rewritten, and not noticed")
		default:
			i := slices.Index(whole.Offsets, int64(read))
			if i < 0 {
				i = len(whole.Offsets)
			}
			if !slices.Equal(got.Lines, whole.Lines[i:]) {
				t.Fatal("lines behind the cursor are wrong")
			}
		}
	})
}

func backAll(t rapid.TB, path string, limit int64) (lines []string, offsets []int64, cursor string, err error) {
	b, err := openBack(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for {
		line, off, err := b.Prev(context.Background())
		if err != nil {
			c, _ := b.Cursor()
			slices.Reverse(lines)
			slices.Reverse(offsets)
			return lines, offsets, c, err
		}
		lines, offsets = append(lines, string(line)), append(offsets, off)
	}
}

// TestBack: backward gives the lines of forward, and its cursor is the end of forward.
func TestBack(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		p := filepath.Join(dir, fmt.Sprint(n))
		defer os.Remove(p)
		grow(t, p, text(t, "content"))
		want := readAll(t, p, "", MaxLine)
		lines, offsets, cursor, err := backAll(t, p, MaxBack)
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, result{Lines: lines, Offsets: offsets, Cursor: cursor}); d != "" {
			t.Fatalf("(-forward +backward):\n%s", d)
		}
	})
}

func TestBackLimit(t *testing.T) {
	p := filepath.Join(t.TempDir(), "f")
	write(t, p, strings.Repeat("x", 100_000)+"\nlast\n")
	lines, _, cursor, err := backAll(t, p, 50_000)
	if !errors.Is(err, ErrFar) || !slices.Equal(lines, []string{"last"}) || offset(cursor) != 100_006 {
		t.Errorf("got %d lines, cursor %q, err %v", len(lines), cursor, err)
	}
	write(t, p, strings.Repeat("x", 100_000))
	if lines, _, cursor, err := backAll(t, p, 50_000); !errors.Is(err, ErrFar) || len(lines) != 0 || cursor != "" {
		t.Errorf("without a newline: %d lines, cursor %q, err %v", len(lines), cursor, err)
	}
}

func FuzzCursor(f *testing.F) {
	dir := f.TempDir()
	p := filepath.Join(dir, "f")
	content := bytes.Repeat([]byte("0123456\n"), 100)
	if err := os.WriteFile(p, content, 0o600); err != nil {
		f.Fatal(err)
	}
	f.Add(readAll(f, p, "", MaxLine).Cursor)
	f.Add("1:9223372036854775807s:1::")
	f.Fuzz(func(t *testing.T, from string) {
		got := readAll(t, p, from, MaxLine)
		if got.Anew != "" && len(got.Lines) != 100 {
			t.Errorf("Anew gave %d lines", len(got.Lines))
		}
	})
}
