package sim

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// obeyed: what its user ordered is done.
func (r *run) obeyed(key string, c resume.Claim) {
	switch o := r.wants[key]; {
	case o.ignored && o.since.Before(c.At):
		r.fails("order", "%s: attempt %d, and it is to be ignored since %s", key, c.N, o.since.Format(time.TimeOnly))
	case o.cancelled && o.since.Before(c.At):
		r.fails("order", "%s: attempt %d, and it was cancelled at %s", key, c.N, o.since.Format(time.TimeOnly))
	}
}

// left: nobody's session goes on that he quit, or whose turn he stopped.
func (by *clawd) left(key string, c resume.Claim) {
	r := by.run
	if c.Stop.Reason == detect.Completed || c.Stop.Reason == detect.Interrupted && !r.decided[c.Token].Asked {
		r.fails("left", "%s: attempt %d for a turn that ended as %s", key, c.N, c.Stop.Reason)
	}
	d, cfg := r.person[key], r.config().Resume
	switch {
	case c.Plan.Way == resume.Queue && !d.known: // which of two terminals showed it, and that it was one which has gone, nobody saw
	case c.Plan.Way == resume.HTTP && !d.known && r.mayHaveRun(c): // nor who had the server work
	case d.among: // the same
	case d.began.After(c.Stop.At) && d.brief && !by.met(c, d): // it came and went between two looks, and ran nothing
	case !c.Info.Interactive && !by.saw(c, d) || d.boots != r.boots || r.decided[c.Token].Asked || !d.at.Before(c.At):
	case (d.what == broke || d.at.Before(c.Stop.At)) && r.askedSince(actor.Clawd, key, d.at): // in a queue there may be a turn after that, and a run of clawd's has stopped of its own
	case d.what == broke && r.odd[key] && c.At.Sub(d.at) < seenIn: // its lines come late, and nobody could read of it yet
	case d.what == broke:
		r.fails("left", "%s: attempt %d, and its turn was stopped at %s", key, c.N, d.at.Format(time.TimeOnly))
	case d.what == string(quits) && cfg.AfterQuit == "leave":
		r.fails("left", "%s: attempt %d, and it was quit at %s", key, c.N, d.at.Format(time.TimeOnly))
	case d.what == string(hangsUp) && cfg.AfterHangup == "leave" && cfg.AfterQuit == "leave" && r.mono()-r.confAt > time.Minute:
		r.fails("left", "%s: attempt %d, and its terminal was closed at %s", key, c.N, d.at.Format(time.TimeOnly))
	}
}

// saw tells whether a clawd saw the terminal in which a person did something last, for a session whose records do not tell that it is
// one's. What clawd has run since is none.
func (by *clawd) saw(c resume.Claim, d deed) bool {
	return c.Info.Untold && !by.askedSince(actor.Clawd, state.Key(c.Session), d.at) && by.met(c, d)
}

// met tells whether a clawd saw a person's terminal.
func (by *clawd) met(c resume.Claim, d deed) bool {
	rec, _, err := by.hand.Store().Session(c.Session)
	must(err)
	return rec.Holder.PID == d.pid && rec.Holder.Kind == detect.Interactive
}

// want is what a user has ordered, and was promised.
type want struct {
	ignored   bool
	cancelled bool // and nobody has gone on since
	since     time.Time
	resumed   time.Time // when it was last wanted resumed
}

// patient: an agent that goes on by itself is given its time, while the machine is awake.
func (by *clawd) patient(key string, c resume.Claim) {
	r := by.run
	d := r.decided[c.Token]
	if d.Grace == 0 || d.Asked {
		return
	}
	awake, own := r.mono()-max(r.woke, by.since), r.wall().Sub(c.Stop.SelfResumeAt)
	if awake < d.Grace {
		r.fails("I11", "%s: taken over %s after the machine woke up or clawd started", key, awake)
	}
	if own < d.Grace && own < awake {
		r.fails("I11", "%s: taken over %s after the agent was to go on by itself", key, own)
	}
}

// claims: an attempt is taken by a look at everything that is no older than the last word of the session's files. What the shim
// still finds is what comes after that.
func (c *clawd) claims(s daemon.Step) {
	key := c.name + " " + state.Key(s.Now.Rec.Session)
	switch e := s.Event.(type) {
	case machine.Touched:
		c.heard[key] = c.heard[key] || e.Stamp != ""
	case machine.Sighted:
		if e.Err != nil && s.Was.Rec.Phase == state.Fired && s.Now.Rec.Phase != state.Fired { // which session it began is not known
			if heir := c.takesOver(state.Key(s.Now.Rec.Session), e.Token); heir != "" {
				c.renews(heir)
			}
		}
	}
	for _, e := range s.Effects {
		switch e := e.(type) {
		case machine.Ask:
			if _, last := e.Question.(machine.AskAll); last {
				delete(c.heard, key)
			}
		case machine.Start:
			if c.heard[key] {
				c.fails("I10", "%s: attempt %d is taken by a look from before something was written", state.Key(s.Now.Rec.Session), e.Claim.N)
			}
		}
	}
}

// takesOver gives the session that a run of clawd's has begun in place of another one: the run under way, or that of an attempt.
// Empty: there is none.
func (r *run) takesOver(key, token string) string {
	for _, x := range r.runs {
		if (x.claim.Token == token || token == "" && !x.over) && x.body != nil && x.claim.Plan.Form == resume.FormFresh && state.Key(x.claim.Session) == key {
			return x.body.cast.Name() + "/" + x.body.ID()
		}
	}
	return ""
}

// between tells whether somebody else went on in a session after one of clawd's prompts and before another one. A window knows of
// nothing but its own turn; that it asks for a stop of somebody else's only once is I6.
func (r *run) between(one, other *actor.Ask) bool {
	return slices.ContainsFunc(r.world.Ledger.Asks, func(c *actor.Ask) bool {
		return c.By == actor.Person && c.Agent == one.Agent && c.Session == one.Session && c.At.After(one.At) && c.At.Before(other.At)
	})
}
