package agent

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

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
