package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
// comments: the agent bears them there.
func WholeSettings(most int64, comments bool, sound func(settings any) error, paths ...string) error {
	for _, path := range paths {
		b, err := ReadSettings(path, most)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("it would run without its settings: %w", err)
		}
		text := bytes.TrimRightFunc(bytes.TrimPrefix(b, mark), unicode.IsSpace)
		if comments {
			text = bytes.TrimRightFunc(uncommented(text), unicode.IsSpace)
		}
		if b = bytes.TrimLeftFunc(text, unicode.IsSpace); len(b) == 0 {
			continue
		}
		bad, all := (*json.SyntaxError)(nil), any(nil)
		if err := json.Unmarshal(b, &all); errors.As(err, &bad) {
			line := 1 + bytes.Count(text[:min(len(text)-len(b)+int(bad.Offset), len(text))], []byte("\n"))
			return fmt.Errorf("it would run without its settings: %s, line %d: %w", path, line, err)
		}
		if err := sound(all); err != nil {
			return fmt.Errorf("it would run without its settings: %s: %w", path, err)
		}
	}
	return nil
}

// uncommented blanks comments out. A comma too many stays, which agents that bear comments do not bear.
func uncommented(b []byte) []byte {
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
