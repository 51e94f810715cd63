package machine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// cancelled is why clawd ended a run that its user wanted ended.
const cancelled = "you canceled it"

// news has a run looked at as soon as may be.
func (t *step) news(token string) {
	r, ok := t.s.run(token)
	if !ok || r.Stage < Judging {
		return
	}
	if r.Watch.Looking {
		r.Watch.News = true
		t.s.keep(r)
		return
	}
	t.lookAt(r, false)
}

func (t *step) lookAt(r Run, closely bool) {
	r.Watch.Looking, r.Watch.News, r.Watch.Next = true, false, t.w.After(lookEvery)
	t.s.keep(r)
	t.do(Look{Token: r.Claim.Token, Closely: closely, Read: r.Stage == Judging})
}

// watchDue looks at a run whose time has come.
func (t *step) watchDue(r Run) {
	w := r.Watch
	switch {
	case w.Looking && w.Next.Over(t.w):
		t.unseen(r)
	case w.Looking || !w.Next.Over(t.w) && !w.Settle.Over(t.w) && !w.Patience.Over(t.w):
	case r.Stage == Undone: // the rescan looks again
		t.unclaim(r, w.Ended, false)
	default:
		t.lookAt(r, false)
	}
}

func (w Watch) next() Timer {
	switch {
	case w.Looking:
		return w.Next
	case w.Settle.Set():
		return w.Settle
	case w.Patience.Set() && (!w.Next.Set() || w.Patience.Mono < w.Next.Mono):
		return w.Patience
	}
	return w.Next
}

// unseen does what is to be done for a run of ours whatever its files hold: they do not answer.
func (t *step) unseen(r Run) {
	r.Watch.Next = t.w.After(lookEvery)
	switch {
	case r.Claim.Plan.Way != resume.Exec:
	case r.Stage == Ending:
		t.press(&r)
	case r.Watch.Ended != "":
	case !t.s.Rec.Cancelled.IsZero():
		r.Watch.Ended = cancelled
		t.do(Halt{r.Claim.Token, false})
	default:
		t.outOfTime(&r)
	}
	t.s.keep(r)
}

// sighted takes in what is seen of a run.
func (t *step) sighted(e Sighted) {
	r, ok := t.s.run(e.Token)
	if !ok {
		return
	}
	r.Watch.Looking = false
	switch r.Stage {
	case Judging:
		if r.Claim.Plan.Way.Live() {
			t.judgeLive(r, e)
		} else {
			t.judge(r, e)
		}
	case Guarding:
		t.guard(r, e)
	case Ending:
		t.end(r, e)
	}
	if r, ok := t.s.run(e.Token); ok && r.Watch.News && !r.Watch.Looking {
		t.lookAt(r, false)
	}
}

// judge has the records of a process of ours tell what became of the attempt.
func (t *step) judge(r Run, e Sighted) {
	w := &r.Watch
	seen := len(e.Sight.Events) + 1
	if e.Err == nil {
		e.Sight.SetBack = r.setBack(t.w)
		settled := !e.Alive && w.Dead == seen && w.Settle.Set() && e.At >= w.Settle.Mono // a look may take its time
		if out, done := resume.Judge(r.Claim, e.Sight, e.Alive, settled); done {
			out.Session = e.Sight.Session
			if out.Verdict != resume.Resumed { // a resumed run goes on and is counted at its end
				out.CostUSD, out.Prompts = e.Sight.Output.CostUSD, e.Sight.Output.Prompts
			}
			t.settle(r, e, corrected(out, w.Yielded, w.Ended))
			return
		}
		t.giveWay(&r, e)
	}
	switch {
	case e.Alive:
		w.Dead, w.Settle = 0, Timer{}
		t.stalls(&r, e)
		w.Next = t.w.After(lookEvery)
	case e.Err != nil:
		if w.Blind.lasts(t.w.Now, time.Time{}, 4*e.Settle) > blindTime {
			t.settle(r, e, resume.Outcome{Verdict: resume.Unsure, Session: e.Sight.Session, Why: "what became of the attempt cannot be read: " + e.Err.Error(),
				CostUSD: e.Sight.Output.CostUSD, Prompts: e.Sight.Output.Prompts})
			return
		}
		w.Settle = t.w.awake(e.Settle)
	case w.Dead != seen || !w.Settle.Set() || w.Settle.Over(t.w):
		w.Blind, w.Dead, w.Settle, w.Next = Silence{}, seen, t.w.awake(e.Settle), Timer{}
	}
	t.s.keep(r)
}

// giveWay ends a run where somebody else is in the session, or where its user wants it ended.
func (t *step) giveWay(r *Run, e Sighted) {
	w := &r.Watch
	if who := resume.Foreign(r.Claim, e.Sight); e.Alive && who != "" && w.Yielded == "" {
		w.Yielded = who
		t.log(Warn, "resume_yielded", "you use it; clawd's run stopped", Field{"attempt", r.Claim.N}, Field{"pid", r.Claim.PID}, Field{"why", who})
		t.do(Halt{r.Claim.Token, true})
	}
	if !t.s.Rec.Cancelled.IsZero() && e.Alive && w.Ended == "" {
		w.Ended = cancelled
		t.do(Halt{r.Claim.Token, false})
	}
}

// corrected is the verdict on a run that clawd ended itself. One that gave way is theirs,
// unless it had an answer first; for one that was ended for its time, "nothing" proves nothing. It cost what it cost all the same.
func corrected(out resume.Outcome, yielded, ended string) resume.Outcome {
	switch {
	case out.Verdict == resume.Resumed:
		return out
	case yielded != "":
		return resume.Outcome{Verdict: resume.ByHand, Why: "clawd's run gave way to " + yielded, CostUSD: out.CostUSD, Prompts: out.Prompts}
	case ended != "" && out.Verdict == resume.NoEffect:
		return resume.Outcome{Verdict: resume.Unsure, Why: "clawd ended its run (" + ended + ") and no record shows what it did", CostUSD: out.CostUSD, Prompts: out.Prompts}
	case ended != "":
		out.Why += "; clawd ended the run: " + ended
	}
	return out
}

// stalls ends a living run that is silent or over its time.
func (t *step) stalls(r *Run, e Sighted) {
	stall := time.Duration(t.w.Config.Resume.Stall)
	silent := stall > 0 && r.Watch.Quiet.lasts(t.w.Now, e.Active, 2*lookEvery) > stall
	if !t.outOfTime(r) && silent {
		r.Watch.Ended = fmt.Sprintf("no sign of work for stall = %s", t.w.Config.Resume.Stall)
		t.do(Halt{r.Claim.Token, false})
	}
	if e.Long {
		t.outputCut(r)
		t.do(Trim{r.Claim.Token})
	}
}

// outputCut: what the run printed proves nothing any more, after a restart, too.
func (t *step) outputCut(r *Run) {
	if ch := t.s.Rec.OutputCut(t.w.Books, r.Claim); ch != nil {
		t.write(ch)
	}
	r.Claim.OutputCut = true
}

// outOfTime ends a run that is over its time.
func (t *step) outOfTime(r *Run) bool {
	timeout := time.Duration(t.w.Config.Resume.Timeout)
	if timeout <= 0 || t.w.Now.Sub(r.Claim.At) <= timeout {
		return false
	}
	r.Watch.Ended = fmt.Sprintf("it ran longer than timeout = %s", t.w.Config.Resume.Timeout)
	t.do(Halt{r.Claim.Token, false})
	return true
}

// pace sets when a live attempt is looked at next: seldom once its prompt was taken, or it was quiet for long, for what it writes is told
// of. gap: looks that are further apart say nothing of the time between; waited: for how long nothing was written.
func (t *step) pace(r *Run, e Sighted, prompted bool) (gap, waited time.Duration) {
	w := &r.Watch
	w.Next = t.w.After(liveLook)
	if !e.Alive || !prompted && w.Quiet.Looked.Sub(w.Quiet.Since) <= lookEvery {
		gap = 5 * liveLook
		return gap, w.Quiet.lasts(t.w.Now, lastOf(e.Sight), gap)
	}
	gap = 2 * lookEvery
	waited = w.Quiet.lasts(t.w.Now, lastOf(e.Sight), gap)
	w.Next = t.w.After(lookEvery)
	if left := r.Claim.Plan.Way.Proof() - waited; !prompted && left < lookEvery {
		w.Next = t.w.After(max(left, liveLook))
	}
	return gap, waited
}

// judgeLive has the records tell what became of keys that were typed or a prompt that was sent. Nothing is ended, for the
// process is not ours.
func (t *step) judgeLive(r Run, e Sighted) {
	w := &r.Watch
	now, none := t.w.Now, time.Time{}
	prompted := e.Err == nil && resume.Prompted(r.Claim, e.Sight)
	gap, waited := t.pace(&r, e, prompted)
	if e.Err != nil {
		t.blind(r, e, gap)
		return
	}
	w.Blind.Looked = none
	settled := false
	if e.Alive {
		w.Gone.Looked = none
	} else {
		settled = w.Gone.lasts(now, none, gap) >= e.Settle
	}
	out, done := resume.JudgeLive(r.Claim, e.Sight, e.Alive, settled)
	stall := time.Duration(t.w.Config.Resume.Stall)
	switch {
	case done:
	case !e.Alive:
		t.s.keep(r)
		return
	case prompted && stall > 0 && waited > stall: // others wait for its turn, and for how it goes
		out = resume.Outcome{Verdict: resume.Unsure,
			Why: fmt.Sprintf("the agent took clawd's prompt and shows no sign of work for stall = %s; look at its terminal", t.w.Config.Resume.Stall)}
	case prompted || !e.Asked && waited < r.Claim.Plan.Way.Proof():
		t.s.keep(r)
		return
	case !e.Asked:
		t.lookAt(r, true)
		return
	case e.Working && (stall <= 0 || w.Works.lasts(now, lastOf(e.Sight), 2*r.Claim.Plan.Way.Proof()) <= stall):
		w.Quiet.Looked = none // some write nothing down before their answer ends; look again later
		t.s.keep(r)
		return
	case e.Working: // on an answer that may never come, as the agent's user would see
		out = resume.Outcome{Verdict: resume.Unsure,
			Why: fmt.Sprintf("the agent has worked for stall = %s and written nothing down; look at its terminal", t.w.Config.Resume.Stall)}
	default:
		out = resume.Silent(r.Claim, e.Sight, e.Untouched, r.Restarted)
	}
	t.settle(r, e, out)
}

// blind: the records of a live attempt cannot be read. While its process lives they may come back, as when a disk is mounted again, but for
// those of a file in whose place another one came. Its user is told in the end, for a file that was removed never does.
func (t *step) blind(r Run, e Sighted, gap time.Duration) {
	patience := blindTime
	if e.Alive && !errors.Is(e.Err, resume.ErrRewritten) {
		patience = max(patience, time.Duration(t.w.Config.Resume.Stall))
	}
	if r.Watch.Blind.lasts(t.w.Now, time.Time{}, gap) < patience {
		t.s.keep(r)
		return
	}
	t.settle(r, e, resume.Outcome{Verdict: resume.Unsure, Why: "what became of the attempt cannot be read: " + e.Err.Error()})
}

// lastOf is when the newest record came that is seen of an attempt, or when the agent said that it asks again; zero: there
// is none.
func lastOf(s resume.Sight) (at time.Time) {
	for _, e := range s.Events {
		at = later(at, later(e.At, e.Next))
	}
	return at
}

// settle is T4: the verdict, with everything that follows from it.
func (t *step) settle(r Run, e Sighted, out resume.Outcome) {
	c, window := r.Claim, t.w.turnWindow(&t.s.Rec)
	out.Took = t.w.Now.Sub(c.At)
	ch, err := t.s.Rec.Settled(t.w.Books, c, out, e.Read, t.next)
	if err != nil {
		return
	}
	t.s.Phase = Following{}
	t.write(ch)
	rec := t.s.Rec
	t.do(TurnMove{Kind: TurnJudges, Session: state.Key(rec.Session), Window: window, Verdict: out.Verdict, Again: max(0, rec.Decision.WakeAt.Sub(t.w.Now))})
	t.logVerdict(c, out)
	t.s.Todo.Look = true // the files may hold more than the verdict needed
	if c.Plan.Way.Live() {
		if c.Plan.Way == resume.Queue { // a command that hangs must not hand the prompt over later
			t.do(Halt{c.Token, false})
		}
		t.letGo(r)
		return
	}
	r.Stage, r.Watch = Ending, Watch{Patience: t.w.After(leaveTime)}
	if out.Verdict == resume.Resumed {
		r.Stage, r.Watch = Guarding, Watch{}
	}
	t.s.Guard = &r
	t.lookAt(r, false)
}

// letGo lets go of a run that is over.
func (t *step) letGo(r Run) {
	if t.s.Guard != nil && t.s.Guard.Claim.Token == r.Claim.Token {
		t.s.Guard = nil
	}
	t.do(TurnMove{Kind: TurnLeaves, Session: state.Key(t.s.Rec.Session)})
	t.do(Forget{Token: r.Claim.Token, Keep: r.Began})
	t.s.Todo.Look = true
}

func (t *step) logVerdict(c resume.Claim, o resume.Outcome) {
	rec := t.s.Rec
	switch o.Verdict {
	case resume.Resumed:
		t.log(Info, "resume_succeeded", "resumed", Field{"attempt", c.N}, Field{"took_s", Seconds(o.Took)}, Field{"total_resumes", Total{}})
		if c.Plan.Form == resume.FormFresh {
			t.log(Info, "session_recovered", "a fresh session took over", Field{"old", rec.ID}, Field{"new", rec.NameOf(o.Session)})
		}
	case resume.ByHand:
		t.log(Info, "claim_settled", "it was continued", Field{"attempt", c.N}, Field{"outcome", string(o.Verdict)}, Field{"why", o.Why})
	default:
		next := "nothing; the user decides"
		if rec.Phase == state.Waiting {
			next = "attempt at " + rec.Decision.WakeAt.Format(time.RFC3339)
		}
		fields := []Field{{"attempt", c.N}, {"outcome", string(o.Verdict)}, {"why", o.Why}, {"next", next}, {"proof", o.Proof}}
		if o.Stop != nil {
			fields = append(fields, Field{"reason", string(o.Stop.Reason)})
		}
		t.log(Warn, "resume_failed", "resume failed", fields...)
		if c.Plan.Agent != "" && o.Verdict == resume.NoEffect {
			t.log(Warn, "hand_over_failed", "no other agent takes over", Field{"with", c.Plan.Agent}, Field{"why", o.Why})
		}
	}
}

// guard stays with a resumed run until it ends: a second holder or a foreign prompt has the right
// of way, silence and the output's size have their bounds.
func (t *step) guard(r Run, e Sighted) {
	w := &r.Watch
	if e.Alive {
		if e.Err == nil {
			t.giveWay(&r, e)
			if w.Ended == "" && w.Yielded == "" && r.Claim.Plan.Rest > 0 && w.Rest.lasts(t.w.Now, e.Active, 2*lookEvery) > r.Claim.Plan.Rest && turnOver(e.Sight) {
				t.do(Halt{r.Claim.Token, false}) // that run ended well
			}
		}
		t.stalls(&r, e)
		w.Next = t.w.After(lookEvery)
		t.s.keep(r)
		return
	}
	if e.Err != nil {
		t.problem(e.Err, unreadable)
	}
	t.ended(r, e)
}

// ended notes the end of a resumed run, with what it printed.
func (t *step) ended(r Run, e Sighted) {
	c, out, why := r.Claim, e.Sight.Output, ""
	if r.Watch.Ended != "" {
		why = "clawd ended its run: " + r.Watch.Ended
	}
	if out.Denials > 0 {
		why = "the resumed run was refused permissions that a person would have to give"
	}
	end := t.w.Now
	if e.Wrote.After(c.At) && e.Wrote.Before(end) {
		end = e.Wrote // it may have ended while clawd was not running
	}
	worked := Seconds(end.Sub(c.At))
	if ch := t.s.Rec.Ended(t.w.Books, c, out, worked, why); ch != nil {
		t.write(ch)
	}
	level, fields := Info, []Field{}
	if why != "" {
		level, fields = Warn, append(fields, Field{"why", why})
	}
	fields = append(fields, Field{"attempt", c.N}, Field{"worked_s", worked})
	if out.CostUSD > 0 {
		fields = append(fields, Field{"cost_usd", math.Round(out.CostUSD*1e6) / 1e6})
	}
	if out.Denials > 0 {
		fields = append(fields, Field{"blocked", "permission"}, Field{"denials", out.Denials})
	}
	t.log(level, "run_ended", "clawd's run ended", fields...)
	t.letGo(r)
}

// end waits for a run that has nothing more to do, and ends it when it goes on all the same.
func (t *step) end(r Run, e Sighted) {
	if !e.Alive || t.press(&r) {
		t.letGo(r)
		return
	}
	t.s.keep(r)
}

// press ends a run that was to end by itself, when its time for that is over or its user cancels it. True: that was tried before.
func (t *step) press(r *Run) (tried bool) {
	w := &r.Watch
	if !w.Patience.Over(t.w) && (w.Pressed || t.s.Rec.Cancelled.IsZero()) {
		return false
	}
	if w.Pressed {
		return true
	}
	t.do(Halt{r.Claim.Token, false})
	w.Pressed, w.Patience = true, t.w.After(leaveTime)
	return false
}

// turnOver tells whether the newest record of the conversation is the good end of a turn.
func turnOver(s resume.Sight) bool {
	for _, e := range slices.Backward(s.Events) {
		if e.Kind != detect.KindRetry && e.Kind != detect.KindHolder && e.Kind != detect.KindAside && e.Kind != detect.KindStrange {
			return e.Kind == detect.KindAnswer && e.Done
		}
	}
	return false
}

// Total stands in a log line for the number of all resumes.
type Total struct{}
