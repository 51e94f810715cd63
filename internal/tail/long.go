package tail

import (
	"context"
	"math/bits"
	"sync"
	"time"
)

const (
	// longLine is from how many bytes on a line is a long one.
	longLine = 1 << 20
	// longReaders is how many long lines are held at a time, whoever reads: they would add up.
	longReaders = 1
	// longIdle is how long room is kept that nobody needs. Given back at once, it would be garbage beside the
	// room for the next line.
	longIdle = 30 * time.Second
)

// Patience is how long to wait for others that hold a long line: a file may be on a disk that hangs.
var Patience = 10 * time.Second

var (
	longPlaces = make(chan struct{}, longReaders)
	longRoom   spare
)

// spare is room that is not needed now.
type spare struct {
	mu  sync.Mutex
	buf []byte
	n   int // times that there was some
}

// take gives n bytes.
func (s *spare) take(n int) []byte {
	s.mu.Lock()
	b := s.buf
	s.buf = nil
	s.mu.Unlock()
	if cap(b) < n {
		b = make([]byte, 1<<bits.Len(uint(n-1)))
	}
	return b[:n]
}

func (s *spare) put(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = b
	s.n++
	n := s.n
	time.AfterFunc(longIdle, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.n == n {
			s.buf = nil
		}
	})
}

// long is room for a long line.
type long struct {
	buf    []byte
	placed bool
}

// room waits for its turn and gives n bytes.
func room(ctx context.Context, n int) (*long, error) {
	l := new(long)
	select {
	case longPlaces <- struct{}{}:
		l.placed = true
	default:
		late := time.NewTimer(Patience)
		defer late.Stop()
		select {
		case longPlaces <- struct{}{}:
			l.placed = true
		case <-late.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	l.buf = longRoom.take(n)
	return l, nil
}

// free lets the next one in; nil: there is nothing to free.
func (l *long) free() {
	if l == nil {
		return
	}
	longRoom.put(l.buf)
	if l.placed {
		<-longPlaces
	}
}
