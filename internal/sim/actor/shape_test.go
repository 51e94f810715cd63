package actor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shaper gives the shape of a record: its type, the sorted names of its keys, and so on down where deep
// says so. What an agent's user or a provider chose to say, such as a tool's input, has no shape.
type shaper struct {
	deep func(path string) bool
	skip []string // keys that come and go without a meaning
	// split makes several records of one that holds them; nil: none does.
	split func(line []byte) [][]byte
}

// each gives the records of a text.
func (s shaper) each(text []byte) (all [][]byte) {
	for l := range bytes.Lines(text) {
		if s.split == nil {
			all = append(all, l)
			continue
		}
		all = append(all, s.split(l)...)
	}
	return all
}

func (s shaper) of(line []byte) (string, error) {
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		return "", err
	}
	var b strings.Builder
	if o, ok := v.(map[string]any); ok {
		for _, k := range []string{"type", "subtype"} {
			if t, ok := o[k].(string); ok {
				b.WriteString(t + " ")
			}
		}
	}
	s.put(&b, v, "")
	return b.String(), nil
}

func (s shaper) put(b *strings.Builder, v any, path string) {
	switch v := v.(type) {
	case map[string]any:
		var keys []string
		for k := range v {
			if !slices.Contains(s.skip, k) {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		b.WriteByte('{')
		for _, k := range keys {
			b.WriteString(k)
			if p := path + "." + k; s.deep(p) {
				b.WriteByte(':')
				s.put(b, v[k], p)
			}
			b.WriteByte(' ')
		}
		b.WriteByte('}')
	case []any:
		var all []string
		for _, e := range v {
			var eb strings.Builder
			s.put(&eb, e, path+"[]")
			all = append(all, eb.String())
		}
		slices.Sort(all)
		b.WriteString("[" + strings.Join(slices.Compact(all), "|") + "]")
	case nil:
		b.WriteString("null")
	case string:
		b.WriteString("s")
	case bool:
		b.WriteString("b")
	default:
		b.WriteString("n")
	}
}

// shapes are those of the lines of files.
func (s shaper) shapes(t testing.TB, patterns ...string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, p := range patterns {
		paths, err := filepath.Glob(p)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s names %d files, err %v", p, len(paths), err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			must(t, err)
			for _, l := range s.each(b) {
				if sh, err := s.of(l); err == nil {
					all[sh] = true
				}
			}
		}
	}
	return all
}

// check tells of the lines of a text whose shape nobody recorded.
func (s shaper) check(t testing.TB, known map[string]bool, text []byte, where string) (lines int) {
	t.Helper()
	for _, l := range s.each(text) {
		sh, err := s.of(l)
		if err != nil {
			t.Errorf("%s: %v in %q", where, err, l)
			continue
		}
		lines++
		if !known[sh] {
			t.Errorf("%s: nobody wrote a record of this shape:\n%s\nnearest: %s\nline: %s", where, sh, nearest(known, sh), l)
		}
	}
	return lines
}

// misses: where a key is cut out that the adapter looks at, a record of a text has a shape that nobody recorded.
func (s shaper) misses(t testing.TB, known map[string]bool, text []byte, cuts ...string) {
	t.Helper()
	for _, cut := range cuts {
		if !bytes.Contains(text, []byte(cut)) {
			t.Fatalf("no record has %s", cut)
		}
		unknown := 0
		key := strings.Trim(cut, ",")
		rest := strings.NewReplacer(key+",", "", ","+key, "", key, "").Replace(string(text))
		for l := range strings.Lines(rest) {
			sh, err := s.of([]byte(l))
			must(t, err)
			if !known[sh] {
				unknown++
			}
		}
		if unknown == 0 {
			t.Errorf("nobody missed %s", cut)
		}
	}
}

// nearest gives the known shape that has most of the same words.
func nearest(known map[string]bool, sh string) (best string) {
	words, most := strings.Fields(sh), -1
	var all []string
	for k := range known {
		all = append(all, k)
	}
	slices.Sort(all)
	for _, k := range all {
		n := 0
		for _, w := range strings.Fields(k) {
			if slices.Contains(words, w) {
				n += 2
			}
			n--
		}
		if n > most && strings.Fields(k)[0] == words[0] {
			best, most = k, n
		}
	}
	return best
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
