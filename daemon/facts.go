package daemon

import (
	"errors"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// facts are what the rules look at that is known without asking anyone. rec has the stop and what is decided about
// it; h is who has the session open.
func (d *Daemon) facts(rec state.Session, h detect.Holder) rules.Facts {
	cfg, policy := d.settings()
	end := map[state.HolderEnd]rules.End{"": rules.NotSeen, state.HolderQuit: rules.Quit, state.HolderHangup: rules.Hangup}
	how, ok := end[rec.HolderEnd]
	if !ok {
		how = rules.OtherEnd
	}
	return rules.Facts{
		Stop: rec.Stop, Info: rec.Info, Asked: rec.Decision.Asked,
		Record: rules.Record{Session: rec.Session, Owner: d.claimsStop(firstOf(rec)), Ignored: rec.Ignored, Cancelled: rec.CancelStands(rec.Classifier),
			Driven: rec.Driven(), Overdue: d.overdue(rec.Decision.WakeAt)},
		Who: rules.Who{Holder: h, End: how},
		Config: rules.Config{AfterQuit: cfg.Resume.AfterQuit == "resume", AfterHangup: cfg.Resume.AfterHangup == "resume",
			MaxOverdue: policy.MaxOverdue, GiveUpAfter: policy.GiveUpAfter},
	}
}

// seeProject adds what the config says about the project. It follows links, so it is not for a transaction.
func (d *Daemon) seeProject(f *rules.Facts) {
	cfg, _ := d.settings()
	f.Config.IgnoresProject = cfg.Watch.Ignores(f.Info.Dir)
}

// askCallers adds what clawd exec has to do with the session.
func (d *Daemon) askCallers(f *rules.Facts) (err error) {
	f.Who.Exec, f.Who.ExecTold, err = callers(d.held(), f.Record.Session, f.Stop)
	return err
}

// planFacts adds what became of the plan.
func (d *Daemon) planFacts(f *rules.Facts, rec state.Session, err error) {
	f.Plan = rules.Plan{Err: err, Waited: d.sleeper.Now().Sub(rec.Decision.WakeAt)}
	if u := (*agent.Unfit)(nil); errors.As(err, &u) {
		f.Plan = rules.Plan{Unfit: u.Reason(), Command: u.Command}
	}
}

// unplanned refuses a claim for which there is no plan.
func (d *Daemon) unplanned(rec state.Session, err error) error {
	f := d.facts(rec, detect.Holder{})
	d.planFacts(&f, rec, err)
	found, _ := rules.Ask(rules.Claim, &f)
	return &ruledError{found}
}

// leaving is the decision by a rule.
func leaving(found rules.Finding) resume.Decision {
	return resume.Decision{Strategy: resume.Leave, Why: found.Why, Tell: found.Ends == rules.Tells}
}

// ruledError refuses a claim by a rule.
type ruledError struct{ rules.Finding }

func (e *ruledError) Error() string { return e.Why }

// leave ends the wait for a stop as a rule says.
func (s *session) leave(key string, found rules.Finding) error {
	if found.Ends != rules.Quiet {
		err := s.d.store.Leave(s.ds, key, found.Why, found.Command)
		s.d.tell()
		return err
	}
	err := s.d.store.Drop(s.ds, key, found.Why)
	if err == nil {
		s.d.log.Info().Str("event", "resume_cancelled").EmbedObject(s).Str("why", found.Why).Msg("the wait ends")
	}
	return err
}

// first is the session that had a stop first. A record that stands in two sessions was copied from one to the other: a
// fork or an import.
type first struct {
	agent, stop, id string
	created         time.Time
	fired           bool // an attempt was made for it there, so none is made for a copy
}

func firstOf(rec state.Session) first {
	return first{rec.Agent, rec.Stop.Key, rec.ID, rec.Info.Created, rec.Claim != nil && rec.Claim.Stop.Key == rec.Stop.Key}
}

// claimsStop gives the session that had a stop first: the one that was begun first, or was seen first where
// that does not tell.
func (d *Daemon) claimsStop(s first) (owner string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	stop := s.agent + "\x00" + s.stop
	o := d.owners[stop]
	takes := !o.fired && (s.fired || !s.created.IsZero() && s.created.Before(o.created))
	switch {
	case s.stop == "":
		return s.id
	case o.id == s.id:
		s.fired = s.fired || o.fired
	case o.id != "" && !takes:
		return o.id
	}
	d.owners[stop] = s
	return s.id
}
