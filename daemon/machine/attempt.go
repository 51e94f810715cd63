package machine

import (
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// How long things take around a run.
const (
	lookEvery  = 15 * time.Second // bounds how long a run goes unseen when nothing signals
	liveLook   = time.Second      // the same, while the proof of a live way is awaited
	blindTime  = 10 * time.Minute // a failing look at the files of an ended run is tried again for so long
	startAgain = 30 * time.Second // after a start that failed
	leaveTime  = 30 * time.Second // what a run is given to end by itself after it has failed
)

// started takes in the child that stands behind its gate, or that there is none.
func (t *step) started(e Started) {
	r, ok := t.s.run(e.Token)
	switch {
	case !ok: // it was given back meanwhile
		t.do(Abort{e.Token})
		return
	case r.Stage != Starting:
		return
	case e.Why != "" && e.Short:
		t.lacks(e.Why)
		t.unclaim(r, e.Why, false)
		t.putOff(*t.w.shortOf(e.Why))
		return
	case e.Why != "" && e.Left:
		t.unclaim(r, e.Why, false)
		if t.s.Rec.Phase == state.Waiting {
			t.transition(t.s.Rec.Left(t.w.Books, t.s.Rec.Stop.Key, e.Why, ""))
		}
		return
	case e.Why != "":
		t.unclaim(r, e.Why, true)
		t.putOff(resume.Outcome{Again: t.w.Now.Add(startAgain), Why: e.Why})
		return
	}
	r.Claim.PID, r.Claim.Start, r.Stage, r.Began = e.PID, e.Start, Opening, r.Claim.Plan.Way == resume.Exec
	if !t.transition(t.s.Rec.Fired(t.w.Books, r.Claim)) { // its user took it back
		t.failed = nil
		t.do(Abort{e.Token})
		return
	}
	t.s.Phase = Fired{r}
	t.logStarted(r.Claim)
	t.do(Open{e.Token})
}

// putOff has a session that was given back wait on.
func (t *step) putOff(out resume.Outcome) {
	if t.s.Rec.Phase != state.Waiting {
		return
	}
	t.postponed(out)
}

func (t *step) logStarted(c resume.Claim) {
	text := "Resuming session"
	switch {
	case c.Plan.Form == resume.FormFresh:
		text = "Starting a fresh session that takes over"
	case c.Stop.Reason == detect.RateLimit || c.Stop.Reason == detect.UsageLimit:
		text = "Resuming session after rate limit"
	}
	plan := string(c.Plan.Form)
	if c.Plan.Way.Live() {
		plan = string(c.Plan.Way)
	}
	fields := []Field{{"reason", string(c.Stop.Reason)}, {"plan", plan}, {"with", c.Plan.Agent}, {"attempt", c.N}, {"pid", c.PID}}
	if c.Plan.Auth != "" {
		fields = append(fields, Field{"auth", c.Plan.Auth}, Field{"output", c.Output})
	}
	t.log(Info, "resume_started", text, append(fields, Field{"flags", string(c.Plan.Flags)}, Field{"waited_s", Seconds(c.At.Sub(c.Stop.At))})...)
}

// opened takes in how the gate answered.
func (t *step) opened(e Opened) {
	r, ok := t.s.run(e.Token)
	if !ok || r.Stage != Opening {
		return
	}
	switch {
	case e.Err != nil: // the answer was lost: only evidence can tell
	case e.Gate == resume.GateTaken, e.Gate == resume.GateShort:
		if e.Short {
			t.lacks(e.Why)
		}
		t.unclaim(r, e.Why, false)
		t.putOff(resume.Outcome{Why: e.Why})
		return
	case e.Gate == resume.GateMarked: // this attempt was made before, and its output was another one
		t.outputCut(&r)
	case e.Gate == resume.GateExec:
		t.do(ShortMove{Passed: true})
	}
	r.Stage = Judging
	t.s.keep(r)
	t.news(e.Token)
}

// unclaim gives an attempt back that has started nothing.
func (t *step) unclaim(r Run, why string, failed bool) {
	c := r.Claim
	window := t.w.turnWindow(&t.s.Rec)
	ch, err := t.s.Rec.Unclaimed(t.w.Books, c, why, failed)
	if err != nil {
		return
	}
	t.s.Phase = Waiting{}
	t.write(ch)
	t.release(r, window)
	level := Warn
	if t.short(why) {
		level = Debug
	}
	t.log(level, "claim_settled", "attempt not started, not counted", Field{"attempt", c.N},
		Field{"held", t.s.Rec.Phase == state.Held}, Field{"why", why})
	t.do(Forget{Token: c.Token, Keep: r.Began})
}

// release gives the turn of a run back that has started nothing, and says so to others of its window.
func (t *step) release(r Run, window string) {
	if r.Stage == Undone && r.Restarted { // it was the turn of another clawd
		return
	}
	key := state.Key(t.s.Rec.Session)
	t.do(TurnMove{Kind: TurnJudges, Session: key, Window: window, Verdict: resume.Postponed})
	t.do(TurnMove{Kind: TurnLeaves, Session: key})
}
