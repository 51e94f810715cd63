package daemon

import (
	"time"

	"github.com/clawd-project/clawd/detect"
)

// skewed: times of a record that is stamped so far ahead are taken to be as wrong as the stamp.
const skewed = 24 * time.Hour

// present is a record that is stamped ahead of the clock as of now: nothing waits for a time that only a wrong
// clock has seen.
func present(e detect.Event, now time.Time) detect.Event {
	ahead := e.At.Sub(now) // 292 years at most
	if ahead <= 0 {
		return e
	}
	stamped := e.At
	e.At = now
	if ahead < skewed {
		return e
	}
	back := func(t time.Time) time.Time {
		if t.Before(stamped) {
			return t
		}
		return now.Add(t.Sub(stamped))
	}
	e.Next = back(e.Next)
	if e.Failure != nil {
		f := *e.Failure
		f.ResetAt = back(f.ResetAt)
		e.Failure = &f
	}
	return e
}
