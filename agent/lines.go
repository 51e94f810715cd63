package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrShape says that a line is not one whole JSON object.
var ErrShape = errors.New("a line is not a whole JSON object")

// Object gives a line without its carriage return. ok is the cheapest sign that it is a whole JSON object:
// neither torn nor overwritten with NUL bytes.
func Object(line []byte) (trimmed []byte, ok bool) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	return line, len(line) >= 2 && line[0] == '{' && line[len(line)-1] == '}'
}

// Unmarshal reads JSON. A field of another type than expected is left out: an agent may change what is
// hardly needed. What holds more than maxValues values is not read, as each may take a hundred bytes.
func Unmarshal(b []byte, v any) error {
	if tooMany(b) {
		return errMany
	}
	err := json.Unmarshal(b, v)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return nil
	}
	return err
}

const maxValues = 1 << 20

var errMany = fmt.Errorf("a line holds more than %d values", maxValues)

// tooMany counts the commas outside of strings.
func tooMany(b []byte) bool {
	if len(b) <= maxValues {
		return false
	}
	n, text, escaped := 0, false, false
	for _, c := range b {
		switch {
		case escaped:
			escaped = false
		case text && c == '\\':
			escaped = true
		case c == '"':
			text = !text
		case c == ',' && !text:
			n++
		}
	}
	return n > maxValues
}

// Line is one line of what a program printed.
type Line struct {
	Text  []byte // without its end; valid until the next line; nil when it is longer than the cap
	Whole bool   // it ended with a newline
	Long  bool   // longer than the cap
}

// Lines gives the lines of r, the last one also without a newline. A line of more than most bytes is
// told and not held. The error is the reader's, other than io.EOF.
func Lines(r io.Reader, most int, each func(Line)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > most; long {
			line = line[:0]
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		if text := bytes.TrimRight(line, "\r\n"); long {
			each(Line{Whole: err == nil, Long: true})
		} else if err == nil || len(text) > 0 {
			each(Line{Text: text, Whole: err == nil})
		}
		if line, long = line[:0], false; err != nil {
			return nil //nolint:nilerr // the end
		}
	}
}
