// Package jsonl is what agents have in common that keep a session as a file of JSON lines: the loops that read it
// on and from its end, and what a scan remembers of its folders. A file is known again by its cursor (package
// tail), lines that are too long are passed over, and a last line without its end is none yet.
package jsonl

import (
	"context"
	"errors"
	"io"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/tail"
)

// Lines is a file that is read line by line: a tail.Reader, or what an agent makes of a file in another form.
type Lines interface {
	// Next gives the next whole line, without its newline, and its offset. The line is valid until the next call.
	Next(ctx context.Context) (line []byte, offset int64, err error)
	Cursor() string
	Offset() int64
	Skipped() int
	Anew() string
	Close() error
}

// All is a limit without an end.
const All = -1

// Each gives the lines of r that begin before limit, an offset, until f gives false.
func Each(ctx context.Context, r Lines, limit int64, f func(line []byte, off int64) (more bool)) error {
	for limit == All || r.Offset() < limit {
		line, off, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !f(line, off) {
			return nil
		}
	}
	return nil
}

// Begin is the Batch of a Read over r, before the first line.
func Begin(r Lines) *agent.Batch { return &agent.Batch{Anew: r.Anew() != "", Problem: r.Anew()} }

// Read gives all lines behind the place that r was opened at. b counts those that were too long.
func Read(ctx context.Context, r Lines, b *agent.Batch, f func(line []byte, off int64)) error {
	err := Each(ctx, r, All, func(line []byte, off int64) bool { f(line, off); return true })
	if n := r.Skipped(); n > 0 && err == nil {
		b.Skip("a line is too long", n)
	}
	return err
}

// Object gives a line that is a JSON object as a whole. b counts what is none; an empty line is nothing.
func Object(b *agent.Batch, line []byte) (object []byte, ok bool) {
	object, ok = agent.Object(line)
	if !ok && len(object) > 0 {
		b.Skip(agent.ErrShape.Error(), 1)
	}
	return object, ok
}

// Says is what a line tells of how a session ends.
type Says int

const (
	Nothing Says = iota // the line before it is to be asked
	MayStop             // in what may be a stop
	NoStop
)

// Tail asks say about a file's lines, the last one first, until one tells. If it is no stop, or no line of the whole
// file tells, pos is the file's end; a file whose last megabytes tell nothing may end in a stop.
func Tail(ctx context.Context, path string, say func(b *tail.Back, line []byte, off int64) Says) (maybe bool, pos string, err error) {
	b, err := tail.OpenBack(path)
	if err != nil {
		return false, "", err
	}
	defer b.Close()
	said := Nothing
	err = b.Each(ctx, func(line []byte, off int64) bool {
		said = say(b, line, off)
		return said == Nothing
	})
	switch {
	case errors.Is(err, tail.ErrFar):
		return true, "", nil
	case err != nil:
		return false, "", err
	case said == MayStop:
		return true, "", nil
	}
	pos, err = b.Cursor()
	return false, pos, err
}

// LastPrompt gives what the newest line says that has a prompt; empty: none has.
func LastPrompt(ctx context.Context, path string, prompt func(line []byte, off int64) (text string, ok bool)) (last string, err error) {
	err = tail.Newest(ctx, path, func(line []byte, off int64) bool {
		text, ok := prompt(line, off)
		if ok {
			last = text
		}
		return !ok
	})
	return last, err
}

// Before gives the whole lines of a file that begin before an offset, with where each begins.
func Before(ctx context.Context, path string, limit int64, line func(line []byte, off int64)) error {
	r, err := tail.Open(path, "")
	if err != nil {
		return err
	}
	defer r.Close()
	return Each(ctx, r, limit, func(text []byte, off int64) bool { line(text, off); return true })
}
