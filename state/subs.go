package state

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// SubStopped is the event of a Notice about sub-agents that have stopped while their session went on, or with it. It asks nothing of its
// user, and decides nothing about the session.
const SubStopped = "subagent_stopped"

// maxSubs is how many stops of sub-agents are remembered: those of the newest turns alone are looked at, and a workflow has hundreds.
const maxSubs = 1024

// Subs is what its user knows of a session's sub-agents.
type Subs struct {
	Asked time.Time `json:"asked,omitzero"` // the end of the newest turn of the session after which they were looked at
	Told  []string  `json:"told,omitempty"` // keys of the stops that its user was told of, the newest last
}

// SubsStopped has its user told of sub-agents that have stopped, in one notice, and once each. The session itself stays as it is:
// what was stopped or done stays so. Nil: nothing is new, or an attempt under way has the record.
func (s Session) SubsStopped(b Books, stops []detect.SubStop) *Change {
	stops = slices.DeleteFunc(slices.Clone(stops), func(x detect.SubStop) bool { return slices.Contains(s.Subs.Told, x.Key) })
	if len(stops) == 0 || s.open() {
		return nil
	}
	c, why := s.change(b, "T5"), detect.SubStopsWords(stops)
	c.Subs.Told = slices.Clip(c.Subs.Told)
	for _, x := range stops {
		c.Subs.Told = append(c.Subs.Told, x.Key)
	}
	c.Subs.Told = slices.Clone(c.Subs.Told[max(0, len(c.Subs.Told)-maxSubs):])
	c.record(SubStopped, stops[0].Key, 0, why, "")
	// It is not the session's own notice: what that asks of its user stands.
	c.Notices = append(c.Notices, Notice{At: c.now(), Event: SubStopped, Key: stops[0].Key, Session: Key(c.Session.Session), Reason: stops[0].Reason, Why: why})
	return c
}
