package daemon

import (
	"context"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/plain"
	"github.com/clawd-project/clawd/state"
)

// session names one session to what works for it outside the loop. It holds nothing of how the session stands: that is the
// loop's.
type session struct {
	d   *Daemon
	a   agent.Agent
	ds  detect.Session
	key string
}

func (d *Daemon) session(a agent.Agent, ds detect.Session) *session {
	return &session{d, a, ds, state.Key(ds)}
}

// name is a session in a log line.
type name struct{ rec state.Session }

func (n name) MarshalZerologObject(e *zerolog.Event) {
	e.Str("agent", n.rec.Agent).Str("session", n.rec.ID)
	said(e, "project", plain.Foreign(n.rec.Info.Dir))
}

func (d *Daemon) named(key string) name {
	agentName, id, _ := strings.Cut(key, "/")
	ds := detect.Session{Agent: agentName, ID: id}
	rec, ok, err := d.store.Session(ds)
	if err != nil || !ok {
		rec.Session = ds
	}
	return name{rec}
}

// MarshalZerologObject gives the fields that every line about a session has.
func (s *session) MarshalZerologObject(e *zerolog.Event) { s.d.named(s.key).MarshalZerologObject(e) }

// said adds a field that has something to say.
func said(e *zerolog.Event, key, value string) {
	if value != "" {
		e.Str(key, value)
	}
}

// poke has a session looked at soon.
func (d *Daemon) poke(s *session) { d.loop.post(mail{s: s, e: machine.Touched{}}) }

// onward reads a session on from where a record of it stands, and puts that on top of what is known. A file
// that was read anew is folded anew.
func (s *session) readOn(ctx context.Context, rec *state.Session) *machine.FilesSeen {
	f := &machine.FilesSeen{Fold: rec.Classifier}
	var anew detect.Classifier
	batch, err := s.a.Read(ctx, s.ds, agent.Cursor(rec.Cursor), func(e detect.Event) {
		e = present(e, s.d.now())
		f.Fold.Feed(e)
		anew.Feed(e)
		f.News = true
	})
	if batch.Anew {
		f.Fold = anew
	}
	f.Info, f.Cursor, f.Anew, f.Skipped, f.Problem, f.Err = batch.Info, string(batch.Cursor), batch.Anew, batch.Skipped, batch.Problem, err
	return f
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
