package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// gated is a log whose reader reads when it is told to.
type gated struct {
	reads chan struct{}
	taken strings.Builder
	fails error
}

func (g *gated) Write(p []byte) (int, error) {
	<-g.reads
	g.taken.Write(p)
	return len(p), g.fails
}

// A reader that stands still holds the log up once, and gets every line in its order when it goes on; who reads gets each line at once.
func TestLogReaderStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gated{reads: make(chan struct{})}
		k := &keeper{out: g}
		var want strings.Builder
		write := func(n int) time.Duration {
			began := time.Now()
			for range n {
				line := fmt.Sprintln("line", want.Len())
				want.WriteString(line)
				if n, err := k.Write([]byte(line)); n != len(line) || err != nil {
					t.Fatalf("%d, %v", n, err)
				}
			}
			return time.Since(began)
		}
		for range 2 {
			if took := write(1000); took != logPatience {
				t.Errorf("1000 lines take %v", took)
			}
			for range 1000 {
				g.reads <- struct{}{}
			}
			synctest.Wait()
			if g.taken.String() != want.String() {
				t.Error("what is read is not what was written")
			}
		}
		done := make(chan struct{})
		go func() { defer close(done); write(1) }()
		<-time.After(logPatience / 2)
		select {
		case <-done:
			t.Error("a line counts as written before it is")
		default:
		}
		g.reads <- struct{}{}
		<-done
		if g.taken.String() != want.String() {
			t.Error("the last line is not there")
		}
		close(g.reads)
		g.fails = errors.New("the disk is full")
		if _, err := k.Write([]byte("lost\n")); !errors.Is(err, g.fails) {
			t.Errorf("a line that is refused: %v", err)
		}
	})
}

// What is kept is bounded: then a line waits for its reader.
func TestLogReaderNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gated{reads: make(chan struct{})}
		k, wrote := &keeper{out: g}, 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			for line := make([]byte, 1<<20); wrote < 6; wrote++ {
				_, _ = k.Write(line)
			}
		}()
		<-time.After(time.Hour)
		synctest.Wait()
		if wrote != 5 { // one is on its way, four are kept
			t.Errorf("%d MB were taken", wrote)
		}
		close(g.reads)
		<-done
	})
}
