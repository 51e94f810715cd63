package daemon

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/clawd-project/clawd/detect"
)

// What waits for others of its folder does not begin after the end either.
func TestNothingThatWaitsBeginsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEffects(context.Background())
		s := &session{key: "a/b", ds: detect.Session{Path: "/f/x"}}
		hangs, began := make(chan struct{}), false
		for range inOneFolder {
			e.do(s, func() { <-hangs })
		}
		e.do(s, func() { began = true })
		patience := make(chan struct{})
		close(patience)
		if left := e.end(patience, func() {}); len(left) != 1 {
			t.Fatal(left)
		}
		close(hangs)
		synctest.Wait()
		if began {
			t.Error("something began after the end")
		}
	})
}
