package daemon

import (
	"context"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/state"
)

// onward is what was read of a session, and what is known with it.
type onward struct {
	agent.Batch
	fold detect.Classifier
	news bool // there was an event
}

// readOn reads a session on from where a record of it stands, and puts that on top of what is known. A file
// that was read anew is folded anew.
func (s *session) readOn(ctx context.Context, rec state.Session) (onward, error) {
	o := onward{fold: rec.Classifier}
	var anew detect.Classifier
	var err error
	o.Batch, err = s.a.Read(ctx, s.ds, agent.Cursor(rec.Cursor), func(e detect.Event) {
		e = present(e, s.d.sleeper.Now())
		o.fold.Feed(e)
		anew.Feed(e)
		o.news = true
	})
	if o.Anew {
		o.fold = anew
	}
	return o, err
}

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

// told tells whether files that were read anew say what is to be known of a stop: they end in it, or hold
// something newer. Else they may be in the middle of being written back (copytruncate, a backup, an editor).
func told(c detect.Classifier, stop detect.Stop) bool {
	now := c.Stop()
	return now.Key != "" && (now.Key == stop.Key || "cut:"+now.Key == stop.Key || now.Key == "cut:"+stop.Key || now.At.After(stop.At))
}

// rewritten says once that the session's file lacks the stop that is waited for.
func (s *session) rewritten() {
	if s.quiet == rules.Rewritten {
		return
	}
	s.quiet = rules.Rewritten
	s.d.log.Info().Str("event", "file_rewritten").EmbedObject(s).Str("why", rules.Rewritten).
		Msg("the wait goes on; if the stop is not back when the wait is over, the session is left")
}
