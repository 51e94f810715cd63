package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"github.com/tidwall/jsonc"
)

// ReadJSONC reads a settings file that may have comments, as ReadSettings finds it. A field of another type is left out (Unmarshal).
func ReadJSONC(path string, most int64, v any) error {
	b, err := ReadSettings(path, most)
	if err != nil {
		return err
	}
	return Unmarshal(jsonc.ToJSON(bytes.TrimPrefix(b, mark)), v)
}

// mark is what some editors begin a file with.
var mark = []byte("\ufeff")

// WholeSettings says which of the files with the user's settings, of at most so many bytes each, is no JSON, or is not as sound has it.
// Some agents pass over such a file in a headless run, without a word, and over all that it forbids; in their terminal they say so first.
// plain makes JSON, of as many bytes, of what else the agent bears there; nil: it bears nothing else. sound: nil: all JSON is.
func WholeSettings(most int64, plain func([]byte) []byte, sound func(settings any) error, paths ...string) error {
	for _, path := range paths {
		b, err := ReadSettings(path, most)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("it would run without its settings: %w", err)
		}
		text := bytes.TrimRightFunc(bytes.TrimPrefix(b, mark), unicode.IsSpace)
		if plain != nil {
			text = bytes.TrimRightFunc(plain(text), unicode.IsSpace)
		}
		if b = bytes.TrimLeftFunc(text, unicode.IsSpace); len(b) == 0 {
			continue
		}
		bad, all := (*json.SyntaxError)(nil), any(nil)
		if err := json.Unmarshal(b, &all); errors.As(err, &bad) {
			line := 1 + bytes.Count(text[:min(len(text)-len(b)+int(bad.Offset), len(text))], []byte("\n"))
			return fmt.Errorf("it would run without its settings: %s, line %d: %w", path, line, err)
		}
		if sound == nil {
			continue
		}
		if err := sound(all); err != nil {
			return fmt.Errorf("it would run without its settings: %s: %w", path, err)
		}
	}
	return nil
}

// FilesIn lists a folder's files by the end of their names. What cannot be listed has none.
func FilesIn(folder, ending string) (paths []string) {
	all, _ := os.ReadDir(folder) // see above
	for _, e := range all {
		if strings.HasSuffix(e.Name(), ending) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// Uncommented blanks comments out, for an agent that bears them and no comma too many.
func Uncommented(b []byte) []byte {
	b = bytes.Clone(b)
	for at := 0; at < len(b); at++ {
		var end int // behind what begins here
		switch rest := b[at:]; {
		case rest[0] == '"':
			for at++; at < len(b) && b[at] != '"'; at++ {
				if b[at] == '\\' {
					at++
				}
			}
			continue
		case bytes.HasPrefix(rest, []byte("//")):
			if end = bytes.IndexByte(rest, '\n'); end < 0 {
				end = len(rest)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			if end = bytes.Index(rest[2:], []byte("*/")) + 4; end < 4 {
				return b // it has no end
			}
		}
		for ; end > 0; end-- {
			if c := &b[at+end-1]; *c != '\n' {
				*c = ' '
			}
		}
	}
	return b
}
