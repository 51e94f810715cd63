package tail

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// longFile has long lines of several sizes among short ones.
func longFile(t *testing.T) (path string, want []string) {
	for _, n := range []int{3, 5 * longLine, 3, 3 * longLine, longLine - 1, longLine, longLine + 1, 0, 2*longLine + chunk, 7} {
		want = append(want, strings.Repeat(string(rune('a'+len(want))), n))
	}
	path = filepath.Join(t.TempDir(), "f")
	write(t, path, strings.Join(want, "\n")+"\nnot whole")
	return path, want
}

func TestLongLines(t *testing.T) {
	path, want := longFile(t)
	if got := readAll(t, path, "", MaxLine); !slices.Equal(got.Lines, want) || got.Skipped != 0 {
		t.Errorf("forward: %d lines, %d skipped", len(got.Lines), got.Skipped)
	}
	if lines, _, _, err := backAll(t, path, 20*longLine); !slices.Equal(lines, want) || !errors.Is(err, io.EOF) {
		t.Errorf("backward: %d lines, %v", len(lines), err)
	}
	if lines, _, _, err := backAll(t, path, 10*longLine); !slices.Equal(lines, want[2:]) || !errors.Is(err, ErrFar) {
		t.Errorf("as far as the limit: %d lines, %v", len(lines), err)
	}
	r, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, n := range []int{0, 1, 0} { // a short line, a long one, a short one
		if _, _, err := r.Next(t.Context()); err != nil || len(longPlaces) != n {
			t.Errorf("%d places are taken, want %d; %v", len(longPlaces), n, err)
		}
	}
}

// TestLongLinesInTurn: a few long lines are held at a time. Short ones wait for nobody, and nobody waits for a
// reader that hangs for ever.
func TestLongLinesInTurn(t *testing.T) {
	before := longPlaces
	defer func() { longPlaces = before }()
	path, _ := longFile(t)
	synctest.Test(t, func(t *testing.T) {
		longPlaces = make(chan struct{}, longReaders)
		next := func(ctx context.Context, r *Reader) error {
			t.Helper()
			if line, _, err := r.Next(ctx); err != nil || len(line) != 3 {
				t.Fatalf("a short line: %d bytes, %v", len(line), err)
			}
			_, _, err := r.Next(ctx)
			return err
		}
		open := func() *Reader {
			r, err := Open(path, "")
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		var held []*Reader
		for range longReaders {
			r := open()
			if err := next(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			held = append(held, r)
		}
		ctx, cancel := context.WithTimeout(t.Context(), Patience/2)
		defer cancel()
		r := open()
		if err := next(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one more: %v", err)
		}
		r.Close()
		r = open()
		began := time.Now()
		if err := next(t.Context(), r); err != nil || time.Since(began) != Patience {
			t.Errorf("behind readers that hang: %v after %s", err, time.Since(began))
		}
		r.Close()
		r = open()
		time.AfterFunc(time.Second, func() { held[0].Close() })
		began = time.Now()
		if err := next(t.Context(), r); err != nil || time.Since(began) != time.Second {
			t.Errorf("behind one that ends: %v after %s", err, time.Since(began))
		}
		r.Close()
		for _, r := range held[1:] {
			r.Close()
		}
		if n := len(longPlaces); n != 0 {
			t.Errorf("%d places are still taken", n)
		}
	})
}

func (s *spare) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf != nil
}

// TestRoomIsUsedAgain: room is kept for the next line, and not for ever.
func TestRoomIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s spare
		one := s.take(3 * longLine)
		s.put(one)
		<-time.After(longIdle - time.Second) // virtual time
		two := s.take(4 * longLine)
		if &one[0] != &two[0] || len(two) != 4*longLine {
			t.Error("other room")
		}
		s.put(two)
		<-time.After(longIdle - time.Second) // virtual time
		if !s.holds() {
			t.Error("given back before its time")
		}
		<-time.After(time.Second) // virtual time
		synctest.Wait()
		if s.holds() {
			t.Error("kept for ever")
		}
		if small := s.take(longLine + 1); len(small) != longLine+1 {
			t.Errorf("%d bytes", len(small))
		}
	})
}

// ending is a context that ends while something is at work that looks at it.
type ending struct {
	context.Context
	looks atomic.Int64
}

func (e *ending) Err() error {
	if e.looks.Add(1) > 100 {
		return context.Canceled
	}
	return nil
}

// TestEndsInALine: who reads a line that is too long ends when its context does.
func TestEndsInALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "first\n")
	if err := os.Truncate(path, 1<<40); err != nil { // a hole
		t.Fatal(err)
	}
	r, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx := &ending{Context: t.Context()}
	for err == nil {
		_, _, err = r.Next(ctx)
	}
	if errors.Is(err, io.EOF) || r.Offset() > 1<<30 {
		t.Errorf("%v at %d", err, r.Offset())
	}
	b, err := OpenBack(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx.looks.Store(100)
	if _, _, err := b.Prev(ctx); err == nil || errors.Is(err, io.EOF) || errors.Is(err, ErrFar) {
		t.Errorf("backward: %v", err)
	}
}
