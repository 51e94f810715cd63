package daemon

import (
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// summary is what other sessions may know of one.
type summary struct {
	session     string
	dir         string
	parent      string // of a sub-agent's session
	created     time.Time
	firstPrompt string
	answered    time.Time
	busyAt      time.Time // newest record of an unfinished turn
	last        time.Time // newest record
	interactive bool      // a person drives it, or the wait was begun for who has it open
}

func (s *session) summarize() {
	c := &s.rec.Classifier
	sum := &summary{session: s.ds.ID, dir: s.rec.Info.Dir, parent: s.rec.Info.Parent, created: s.rec.Info.Created, firstPrompt: s.rec.Info.FirstPrompt, answered: c.Answered,
		last: c.Last.At, interactive: s.rec.Driven() || s.openBy != 0}
	if c.Stop().State != detect.Stopped {
		sum.busyAt = c.Last.At
	}
	s.sum.Store(sum)
	s.open.Store(s.rec.Phase != state.Following)
}
