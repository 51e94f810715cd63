package tail

import (
	"context"
	"sync"
	"time"
)

const (
	// longLine is from how many bytes on a line is a long one.
	longLine = 1 << 20
	// longReaders is how many long lines are held at a time, whoever reads: many of them would add up.
	longReaders = 2
	// longPatience is how long to wait for others: a file may be on a disk that hangs.
	longPatience = 10 * time.Second
)

var (
	longPlaces  = make(chan struct{}, longReaders)
	longBuffers sync.Pool // what was read last is hardly garbage yet when the next one comes
)

// long is room for a long line.
type long struct {
	buf    *[]byte
	placed bool
}

// room waits for its turn and gives n bytes.
func room(ctx context.Context, n int) (*long, error) {
	l := new(long)
	select {
	case longPlaces <- struct{}{}:
		l.placed = true
	default:
		late := time.NewTimer(longPatience)
		defer late.Stop()
		select {
		case longPlaces <- struct{}{}:
			l.placed = true
		case <-late.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if b, ok := longBuffers.Get().(*[]byte); ok && cap(*b) >= n {
		l.buf = b
	} else {
		b := make([]byte, n)
		l.buf = &b
	}
	*l.buf = (*l.buf)[:n]
	return l, nil
}

// free lets the next one in; nil: there is nothing to free.
func (l *long) free() {
	if l == nil {
		return
	}
	longBuffers.Put(l.buf)
	if l.placed {
		<-longPlaces
	}
}
