package tail

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/clawd-project/clawd/internal/regular"
)

// ErrFar is given by Back where the lines looked for may lie further back than its limit.
var ErrFar = errors.New("nothing found among the last lines")

const (
	firstBack = 16 << 10 // most files tell their state in the last few lines
	// MaxBack is how far a Back goes.
	MaxBack = 16 << 20
)

// Back reads the whole lines of a file from its end. What stands behind the last newline is not
// a line yet.
type Back struct {
	f     *regular.File
	inode uint64
	limit int64
	lo    int64  // offset of buf[0]
	buf   []byte // file content from lo on, up to the line given last
	found bool   // the last newline was found, at end-1
	end   int64
	size  int64
	next  int64
	long  *long // buf lies in it; nil: it is small
}

// OpenBack opens a regular file to read at most its last MaxBack bytes.
func OpenBack(path string) (*Back, error) { return openBack(path, MaxBack) }

func openBack(path string, limit int64) (*Back, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	return &Back{f: f, inode: f.Inode, limit: limit, lo: f.Size, size: f.Size, next: firstBack}, nil
}

// Prev gives the line before the one given last, without its newline, and its offset. The line is
// valid until the next call. io.EOF: there is none; ErrFar: the limit is reached.
func (b *Back) Prev(ctx context.Context) (line []byte, offset int64, err error) {
	for {
		if !b.found {
			if i := bytes.LastIndexByte(b.buf, '\n'); i >= 0 {
				b.found, b.end, b.buf = true, b.lo+int64(i)+1, b.buf[:i]
			} else { // what stands behind the last newline is not held
				b.buf = nil
			}
		}
		if b.found {
			i := bytes.LastIndexByte(b.buf, '\n')
			if i >= 0 || b.lo == 0 && b.buf != nil {
				line, offset = b.buf[i+1:], b.lo+int64(i)+1
				if b.buf = b.buf[:max(i, 0)]; i < 0 {
					b.buf = nil
				}
				return line, offset, nil
			}
		}
		if err := b.more(ctx); err != nil {
			return nil, 0, err
		}
	}
}

// Each gives the lines from the last to the first, until f gives false. ErrFar: the limit is reached.
func (b *Back) Each(ctx context.Context, f func(line []byte, offset int64) (more bool)) error {
	for {
		line, offset, err := b.Prev(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !f(line, offset) {
			return nil
		}
	}
}

// Newest gives a file's lines from the last to the first, until f gives false, and no more than Back
// reaches.
func Newest(ctx context.Context, path string, f func(line []byte, offset int64) (more bool)) error {
	b, err := OpenBack(path)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := b.Each(ctx, f); !errors.Is(err, ErrFar) {
		return err
	}
	return nil
}

// more reads a further piece before buf, four times as long as the one before, or all of a long line.
func (b *Back) more(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if b.lo == 0 {
		return io.EOF
	}
	n := min(b.next, b.lo, b.limit-(b.size-b.lo))
	if n <= 0 {
		return ErrFar
	}
	b.next = min(4*b.next, longLine)
	b.free()
	var buf []byte
	if int64(len(b.buf))+n <= longLine {
		buf = make([]byte, n+int64(len(b.buf)))
	} else {
		var err error
		if n, err = b.rest(ctx); err != nil {
			return err
		}
		if b.long, err = room(ctx, int(n)+len(b.buf)); err != nil {
			return err
		}
		buf = b.long.buf
	}
	copy(buf[n:], b.buf)
	if _, err := b.f.ReadAt(buf[:n], b.lo-n); err != nil {
		return err
	}
	b.lo -= n
	b.buf = buf
	return nil
}

// rest looks how many bytes stand before buf of the line that it holds the end of, with the newline before
// that line; so a long line is held once.
func (b *Back) rest(ctx context.Context) (int64, error) {
	piece := make([]byte, chunk)
	for lo := b.lo; ; {
		n := min(chunk, lo, b.limit-(b.size-lo))
		switch {
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		case lo == 0:
			return b.lo, nil
		case n <= 0:
			return 0, ErrFar
		}
		if _, err := b.f.ReadAt(piece[:n], lo-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(piece[:n], '\n'); i >= 0 {
			return b.lo - (lo - n + int64(i)), nil
		}
		lo -= n
	}
}

// Cursor is the place behind the file's last whole line, for Open. It is known once Prev was
// called.
func (b *Back) Cursor() (string, error) {
	if !b.found && b.lo > 0 {
		return "", ErrFar
	}
	head, end, err := edges(b.f, b.end)
	if err != nil {
		return "", err
	}
	return cursor{offset: b.end, inode: b.inode, head: hash(head), tail: hash(end)}.String(), nil
}

// Close closes the file.
func (b *Back) Close() error {
	b.free()
	return b.f.Close()
}

// free gives back the room of a long line that was given, of which hardly anything is left.
func (b *Back) free() {
	if b.long != nil {
		b.buf = bytes.Clone(b.buf)
		b.long.free()
		b.long = nil
	}
}
