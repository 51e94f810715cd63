package daemon

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// watched is how many sessions are known.
func (d *Daemon) watched() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.seen)
	for key := range d.sessions {
		if _, seen := d.seen[key]; !seen {
			n++
		}
	}
	return n
}

const (
	// oldFor: a stop of so long ago is not spoken of.
	oldFor = 7 * 24 * time.Hour
	// maxOld bounds how many are named.
	maxOld = 20
)

// tellOld names, once after the start, the sessions whose stop clawd would have resumed if it had been there:
// they were too old when it first read them, and wait for the user's word.
func (d *Daemon) tellOld() {
	_, policy := d.settings()
	now := d.sleeper.Now()
	var old []state.Session
	err := d.store.Sessions(func(rec state.Session) error {
		stop := rec.Classifier.Stop()
		if rec.Phase != state.Following || rec.EndsIn(stop) || now.Sub(stop.At) > oldFor || d.agent(rec.Agent) == nil {
			return nil
		}
		if policy.Select(stop, resume.Tried{}).Decide(stop, resume.Tried{}, now).Strategy != resume.Leave {
			rec.Stop = stop
			f := d.facts(rec, rec.Classifier.Holder)
			d.seeProject(&f)
			if _, ok := rules.Ask(rules.Stop, &f); !ok {
				old = append(old, rec)
			}
		}
		return nil
	})
	if err != nil {
		d.log.Debug().Str("event", "sessions_unread").Err(err).Msg("which sessions stopped before the start is not known")
		return
	}
	slices.SortFunc(old, func(a, b state.Session) int { return b.Stop.At.Compare(a.Stop.At) })
	for i, rec := range old {
		if i == maxOld {
			d.log.Info().Str("event", "session_too_old").Int("more", len(old)-i).Msg("more sessions stopped before clawd watched them")
			return
		}
		d.log.Info().Str("event", "session_too_old").EmbedObject(name{rec}).Str("reason", string(rec.Stop.Reason)).Time("at", rec.Stop.At).
			Str("why", "it stopped before clawd watched it, longer ago than [watch] max_stop_age").Str("command", "clawd resume "+rec.ID).
			Msg("this session is not resumed")
	}
}

// recent tells whether a stop is young enough to be talked about when it is found late.
func (s *session) recent(stop detect.Stop) bool {
	_, p := s.d.settings()
	at := stop.At
	if stop.ResetAt.After(at) {
		at = stop.ResetAt
	}
	return s.d.sleeper.Now().Sub(at) <= p.MaxStopAge
}
