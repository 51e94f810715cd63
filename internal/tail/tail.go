// Package tail reads the lines of append-only files of strangers.
//
// Reading is pulled: [Reader.Next] gives one line after the other up to the size that the file had
// when it was opened, and [Reader.Cursor] says where to go on. A last line without its newline
// stays for the next time. A line over the cap is passed over without being held, and counted.
// A file that was truncated, replaced or rewritten is read from its beginning, which Anew says.
// There is no goroutine and no state outside the Reader.
package tail

import (
	"bytes"
	"context"
	"io"

	"github.com/clawd-project/clawd/internal/regular"
)

// MaxLine is the longest line that is given, in bytes without its newline.
const MaxLine = 16 << 20

const chunk = 64 << 10

// Reader reads one file forward. It is not for several goroutines.
type Reader struct {
	f       *regular.File
	size    int64 // of the file when it was opened: a busy writer must not keep us here
	inode   uint64
	max     int
	anew    string
	skipped int

	off       int64 // in the file, of buf[r]
	buf       []byte
	long      *long // buf is; nil: it is small
	r, s, w   int   // buf[r:s] was searched for a newline, buf[s:w] was not
	skip      bool
	head, end []byte // what the cursor's hashes are taken of, all before off
}

// Open opens a regular file and goes to the cursor; the empty cursor is the beginning. A cursor
// that does not fit is no error: see Anew.
func Open(path, from string) (*Reader, error) { return openMax(path, from, MaxLine) }

func openMax(path, from string, max int) (*Reader, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{f: f, size: f.Size, inode: f.Inode, max: max}
	if from != "" {
		r.seek(from)
	}
	return r, nil
}

// seek goes to the cursor if it fits the file.
func (r *Reader) seek(from string) {
	c, ok := parseCursor(from)
	switch {
	case !ok:
		r.anew = "the stored position cannot be read"
	case c.inode != r.inode:
		r.anew = "the file was replaced"
	case c.offset > r.size:
		r.anew = "the file was truncated"
	}
	if r.anew != "" {
		return
	}
	head, end, err := edges(r.f, c.offset)
	if err != nil || hash(head) != c.head || hash(end) != c.tail {
		r.anew = "the file was rewritten"
		return
	}
	r.off, r.skip, r.head, r.end = c.offset, c.skip, head, end
}

// Anew says in words why the file is read from its beginning although there was a cursor; empty:
// the cursor fitted.
func (r *Reader) Anew() string { return r.anew }

// Skipped counts the lines over the cap that were met.
func (r *Reader) Skipped() int { return r.skipped }

// Next gives the next whole line without its newline, and its offset. The line is valid until the
// next call. io.EOF: there is no further whole line. A line may be passed over that takes long.
func (r *Reader) Next(ctx context.Context) (line []byte, offset int64, err error) {
	for {
		if i := bytes.IndexByte(r.buf[r.s:r.w], '\n'); i >= 0 {
			line, offset = r.buf[r.r:r.s+i], r.off
			r.consume(r.s + i + 1)
			if r.skip { // this was the rest of a line that is counted already
				r.skip = false
				continue
			}
			if len(line) > r.max {
				r.skipped++
				continue
			}
			return line, offset, nil
		}
		r.s = r.w
		if r.skip {
			r.consume(r.w)
		} else if r.w-r.r > r.max {
			r.pass()
		}
		if err := r.fill(ctx); err != nil {
			return nil, 0, err
		}
	}
}

// pass begins to pass over a line that is too long.
func (r *Reader) pass() {
	r.skip = true
	r.skipped++
	r.consume(r.w)
}

// consume passes over buf[r:to].
func (r *Reader) consume(to int) {
	b := r.buf[r.r:to]
	if n := headLen - len(r.head); n > 0 {
		r.head = append(r.head, b[:min(n, len(b))]...)
	}
	if len(b) >= tailLen {
		r.end = append(r.end[:0], b[len(b)-tailLen:]...)
	} else {
		r.end = append(r.end, b...)
		r.end = r.end[max(0, len(r.end)-tailLen):]
	}
	r.off += int64(len(b))
	r.r, r.s = to, to
}

// fill reads more behind buf[:w]. io.EOF: there is no more.
func (r *Reader) fill(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.shrink()
	left := r.size - r.off - int64(r.w-r.r)
	if left <= 0 {
		return io.EOF
	}
	if r.r > 0 {
		copy(r.buf, r.buf[r.r:r.w])
		r.s, r.w, r.r = r.s-r.r, r.w-r.r, 0
	}
	if r.w == len(r.buf) {
		n, long, err := r.rest()
		if err != nil {
			return err
		}
		if long {
			r.pass()
			return nil
		}
		if err := r.grow(ctx, r.w+max(n, int(min(left, chunk)))); err != nil { // most looks find a few new lines
			return err
		}
	}
	room := r.buf[r.w:]
	if left < int64(len(room)) {
		room = room[:left]
	}
	n, err := r.f.ReadAt(room, r.off+int64(r.w))
	r.w += n
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.EOF
	}
	return err
}

// grow makes room for n bytes.
func (r *Reader) grow(ctx context.Context, n int) error {
	if n <= longLine {
		r.buf = append(make([]byte, 0, n), r.buf[:r.w]...)[:n]
		return nil
	}
	l, err := room(ctx, n)
	if err == nil {
		copy(l.buf, r.buf[:r.w])
		r.buf, r.long = l.buf, l
	}
	return err
}

// shrink gives back the room of a long line that was given.
func (r *Reader) shrink() {
	if r.long != nil && r.w-r.r <= chunk {
		small := make([]byte, chunk)
		r.s, r.w = r.s-r.r, copy(small, r.buf[r.r:r.w])
		r.r, r.buf = 0, small
		r.long.free()
		r.long = nil
	}
}

// rest looks how many bytes of a line that fills buf are still to come, its newline counted, or that
// the line is too long; so a long line is held once, and one that is too long never. io.EOF: it has
// no end yet.
func (r *Reader) rest() (n int, long bool, err error) {
	if r.w == 0 {
		return 0, false, nil
	}
	piece := make([]byte, chunk)
	for {
		got, err := r.f.ReadAt(piece[:min(chunk, max(0, r.size-r.off-int64(r.w+n)))], r.off+int64(r.w+n))
		if i := bytes.IndexByte(piece[:got], '\n'); i >= 0 {
			return n + i + 1, r.w+n+i > r.max, nil
		}
		n += got
		switch {
		case r.w+n > r.max: // as Next decides it when the bytes are held
			return 0, true, nil
		case got == 0 && err == nil:
			return 0, false, io.EOF
		case got == 0:
			return 0, false, err
		}
	}
}

// Cursor is the place behind the last line that Next passed.
func (r *Reader) Cursor() string {
	return cursor{offset: r.off, skip: r.skip, inode: r.inode, head: hash(r.head), tail: hash(r.end)}.String()
}

// Offset is that place in bytes.
func (r *Reader) Offset() int64 { return r.off }

// Close closes the file.
func (r *Reader) Close() error {
	r.buf, r.r, r.s, r.w = nil, 0, 0, 0
	r.long.free()
	r.long = nil
	return r.f.Close()
}
