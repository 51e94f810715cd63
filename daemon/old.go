package daemon

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

const (
	// oldFor: a stop of so long ago is not spoken of.
	oldFor = 7 * 24 * time.Hour
	// maxOld bounds how many are named.
	maxOld = 20
)

// ruledOut tells whether a rule speaks against taking a stop up.
func (d *Daemon) ruledOut(rec state.Session, h detect.Holder) bool {
	f := d.facts(rec, h)
	f.Config.IgnoresProject = d.session(d.agent(rec.Agent), rec.Session).ignored(&rec)
	_, ok := rules.Ask(rules.Stop, &f)
	return ok
}

// facts are what the rules look at that the loop knows.
func (d *Daemon) facts(rec state.Session, h detect.Holder) (f rules.Facts) {
	d.loop.ask(func(l *loop) { f = l.w.Facts(rec, h) })
	return f
}

// tellOld names, once after the start, the sessions whose stop clawd would have resumed if it had been there:
// they were too old when it first read them, and wait for the user's word.
func (d *Daemon) tellOld() {
	_, policy := d.settings()
	now := d.now()
	var old []state.Session
	err := d.store.Sessions(func(rec state.Session) error {
		stop := rec.Classifier.Stop()
		if rec.Phase != state.Following || rec.EndsIn(stop) || now.Sub(stop.At) > oldFor || d.agent(rec.Agent) == nil {
			return nil
		}
		if policy.Select(stop, resume.Tried{}).Decide(stop, resume.Tried{}, now).Strategy != resume.Leave {
			rec.Stop = stop
			old = append(old, rec)
		}
		return nil
	})
	if err != nil {
		d.log.Debug().Str("event", "sessions_unread").Err(err).Msg("which sessions stopped before the start is not known")
		return
	}
	old = slices.DeleteFunc(old, func(rec state.Session) bool { return d.ruledOut(rec, rec.Classifier.Holder) })
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
