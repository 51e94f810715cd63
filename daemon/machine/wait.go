package machine

import (
	"fmt"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// decide says what to do about a new stop.
func (t *step) decide(stop detect.Stop, first bool, seen *StopSeen) resume.Decision {
	rec := t.s.Rec
	tried := rec.Tried()
	tried = resume.Tried{Since: stop.At, FirstRead: first, Agent: rec.Agent, HandedOn: tried.HandedOn,
		Refused: tried.Refused && rec.Stop.Key == stop.Key, Kept: tried.Kept && rec.Stop.Key == stop.Key}
	if e := rec.Episode; !rec.Overcome() {
		tried.Fresh, tried.Fruitless = e.Fresh, rec.Fruitless
		if e.Key == "" && !e.Since.IsZero() || rec.Made(stop) { // it took over from a session, or its own attempt made it
			tried.Since, tried.Attempts = e.Since, e.Attempts
		}
	}
	d := t.shortened(stop, t.w.Policy.Select(stop, tried).Decide(stop, tried, t.w.Now))
	if d.Strategy != resume.Leave && d.WakeAt.Before(t.w.Now) {
		d.WakeAt = t.w.Now.UTC() // a wait begins when it is decided on: that of a stop found late is not overdue
	}
	rec.Stop, rec.Decision = stop, d
	f := t.w.Facts(rec, rec.Classifier.Holder)
	outside(&f, seen.Facts)
	if found, ok := rules.Ask(rules.Stop, &f); ok {
		return leaving(found)
	}
	if f.Who.Exec { // its caller gets the answer
		d.Tell, d.GivenUp = false, false
	}
	return d
}

// next decides again after an attempt, from the record as it will be stored.
func (t *step) next(rec state.Session) resume.Decision {
	f := t.w.Facts(rec, rec.Classifier.Holder)
	if found, ok := rules.Ask(rules.Next, &f); ok {
		return leaving(found)
	}
	policy, now, stop := t.w.Policy, t.w.Now, rec.Stop
	tried := rec.Tried()
	own := rec.Claim != nil && rec.Claim.Stop.Key == stop.Key
	if own && stop.At.Before(rec.Claim.At) {
		stop.At = now // the same stop again: the delay counts from the attempt that had no effect
	}
	with := rec.Decision.With
	if rec.Decision.Asked && own && with != "" && tried.Kept { // he did not ask for the session's own agent
		d := policy.Select(stop, tried).Decide(stop, tried, now)
		d.Tell, d.Why = true, fmt.Sprintf("%s was to take over and did nothing; %s", with, d.Why)
		return d
	}
	if rec.Decision.Asked && own && now.Sub(rec.Episode.Since) <= policy.GiveUpAfter {
		// Nothing came of the attempt that was ordered, so the order stands.
		return policy.Ordered(stop, tried, now, resume.Order{Fresh: rec.Decision.Strategy == resume.FreshSession && with == "", With: with})
	}
	d := t.shortened(stop, policy.Select(stop, tried).Decide(stop, tried, now))
	if begun := rec.Decision.WakeAt; d.Strategy != resume.Leave && begun.After(d.WakeAt) && d.WakeAt.Before(now) {
		d.WakeAt = begun // it is over no earlier than by the decision before, or now
		if now.Before(begun) {
			d.WakeAt = now.UTC()
		}
	}
	return d
}

// shortened is what is done about an agent's own wait that is too long.
func (t *step) shortened(stop detect.Stop, d resume.Decision) resume.Decision {
	if stop.State != detect.Retrying || t.s.Rec.Classifier.SelfResume.Kind != "" || d.Strategy != resume.SameSession {
		return d
	}
	d.Grace = 0
	d.Why = fmt.Sprintf("the agent waits by itself; after max_inline_wait = %s its wait is ended", t.w.Config.Resume.MaxInlineWait)
	return d
}

// decideAgain applies a new config to a wait: what put it off may hold no longer. False: nothing more is to be done now.
func (t *step) decideAgain() bool {
	t.s.Todo.Anew = false
	if t.s.Rec.Phase != state.Waiting {
		return true
	}
	t.anew()
	if t.s.Rec.Decision.Asked { // what its user ordered stands
		return true
	}
	if !t.transition(t.s.Rec.Redecided(t.w.Books, t.s.Rec.Stop.Key, t.next(t.s.Rec))) {
		return false
	}
	t.s.Todo.Look = t.s.Rec.Phase != state.Waiting // that stands, whatever became of the files
	return !t.s.Todo.Look
}

// anew forgets why an attempt was put off.
func (t *step) anew() {
	t.unbegin()
	t.waiting(func(w *Waiting) { w.Again = time.Time{} })
	t.s.Said.Back = ""
}

// unbegin has a wait looked at anew before it goes on.
func (t *step) unbegin() {
	t.waiting(func(w *Waiting) { w.Begun, w.Grace, w.Roles, w.Ask = false, Timer{}, nil, Timer{} })
}

// consider has the wait of a session begin, or holds it back. What counts down already is looked at again only where
// who has it open may have changed.
func (t *step) consider() {
	w, waits := t.s.Phase.(Waiting)
	switch {
	case !waits:
		return
	case !w.Begun:
	case t.s.Guard != nil || !t.s.Rec.Info.Interactive && w.OpenBy == 0:
		return
	default:
		if !t.hold() {
			return
		}
		pid := 0
		if h := t.s.Rec.Classifier.Holder; rules.Attends(h) {
			pid = h.PID
		}
		if pid == w.OpenBy {
			return
		}
		t.unbegin()
	}
	if t.s.Guard != nil { // its run goes on
		return
	}
	if !t.hold() || t.untold() { // the rescan looks again
		return
	}
	t.fit()
}

// considerNext has the stop that was just taken in stored before anything else is asked: a process table takes its time, and a
// folder may hang.
func (t *step) considerNext() {
	t.s.Job.Kind = Considering
	t.save()
	t.consider()
}

// fit asks whether there could be an attempt, and begins the wait for it.
func (t *step) fit() {
	h, retrying := t.s.Rec.Classifier.Holder, t.s.Rec.Stop.State == detect.Retrying
	attended := rules.Attends(h)
	seen := t.s.Job.Answers.Fit
	if seen == nil {
		t.open = AskFit{t.rec(), t.w.Facts(t.s.Rec, h), attended && !retrying, t.w.beside(t.s.Rec)}
		return
	}
	if seen.Err != nil {
		t.failed = seen.Err
		return
	}
	f := seen.Facts
	if t.keepsBack(&f) {
		return
	}
	if found, ok := rules.Ask(rules.Wait, &f); ok {
		if found.Ends == rules.Later {
			t.postponed(resume.Outcome{Why: found.Why})
			return
		}
		t.leave(found)
		return
	}
	openBy := 0
	if attended {
		openBy = h.PID
	}
	t.waiting(func(w *Waiting) { w.OpenBy = openBy })
	switch own := t.s.Rec.Stop.SelfResumeAt; {
	case !attended:
	case retrying:
		if t.w.Now.Before(own.Add(t.s.Rec.Decision.Grace)) { // then it is clawd's turn
			t.standDown("the agent has armed its own continue", own)
		}
	case seen.Gone: // it has just ended, and how shows when its files have settled
		t.standDown(h.Why, time.Time{})
		return
	case seen.Way != nil:
		t.tellNoWay(seen.Way)
		t.standDown(h.Why, time.Time{})
		return
	}
	t.beginWait()
}

// keepsBack has the session's own agent go on after all where another one was to take over by itself, and cannot: that is no
// reason to leave the session. False: nothing speaks against it, or its user wants it so.
func (t *step) keepsBack(f *rules.Facts) bool {
	rec := t.s.Rec
	if rec.Decision.With == "" || rec.Decision.Asked {
		return false
	}
	if now := t.next(rec); now.With != rec.Decision.With { // its limit is nearly over, or the config is another one
		if t.transition(rec.Redecided(t.w.Books, rec.Stop.Key, now)) {
			t.unbegin()
			t.s.Todo.Look = true
		}
		return true
	}
	why, plan := "", f.Plan
	until := t.w.Peers.limited(rec.Decision.With)
	switch {
	case rules.Attends(f.Who.Holder):
		why = "the session is open"
	case until.After(t.w.Now):
		why = "a session of it waits for its own limit until " + until.Format(time.RFC3339)
	case plan.Unfit != "":
		why = plan.Unfit
	case plan.Err != nil:
		why = plan.Err.Error()
	case plan.HandOff != nil:
		why = plan.HandOff.Error()
	default:
		return false
	}
	kept := rec
	kept.Kept = rec.Stop.Key
	if t.transition(rec.KeptBack(t.w.Books, rec.Stop.Key, why, t.next(kept))) {
		t.log(Warn, "hand_over_failed", "no other agent takes over", Field{"with", rec.Decision.With}, Field{"why", why})
		t.unbegin()
		t.s.Todo.Look = true
	}
	return true
}

// tellNoWay tells the user, once, what keeps clawd from waking an open session.
func (t *step) tellNoWay(no *NoWay) {
	if no.Event == "" {
		return
	}
	do := fmt.Sprintf("type %q in its terminal", t.w.Config.Resume.Prompt)
	switch h := t.s.Rec.Classifier.Holder; {
	case h.Attach != "":
		do = fmt.Sprintf("%s, and type %q there", h.Attach, t.w.Config.Resume.Prompt)
	case h.Kind == detect.Server: // which may have none
		do = fmt.Sprintf("say %q in the program that shows it", t.w.Config.Resume.Prompt)
	}
	if t.s.Rec.Decision.Strategy == resume.FreshSession {
		do = "close it, and clawd starts a fresh session"
	}
	t.transition(t.s.Rec.Notified(t.w.Books, t.s.Rec.Stop.Key, no.Event, no.Why, do))
}

// rolesAhead is how long before the end of a wait the agent is asked for its roles.
const rolesAhead = 20 * time.Second

// beginWait has the wait count down.
func (t *step) beginWait() {
	w, _ := t.s.Phase.(Waiting)
	d := t.s.Rec.Decision
	w.Begun, w.Grace, w.Roles, w.Ask = true, Timer{}, nil, Timer{}
	w.Due = Timer{At: later(d.WakeAt, w.Again)}
	if t.s.Rec.Stop.State != detect.Retrying && t.s.Rec.Stop.ResetAt.IsZero() {
		// It is a span and no time of day: a clock that is set back does not lengthen it. The same wait that is begun
		// again goes on.
		if !w.Span.Wall.Equal(d.WakeAt) {
			w.Span = Deadline{d.WakeAt, t.w.Mono + d.WakeAt.Sub(t.w.Now)}
		}
		w.Due.Mono = max(w.Span.Mono, 1)
		if again := t.w.Mono + w.Again.Sub(t.w.Now); !w.Again.IsZero() && again > w.Due.Mono {
			w.Due.Mono = again
		}
	}
	if w.Again.IsZero() && d.WakeAt.After(t.w.Now) && w.OpenBy == 0 {
		w.Ask = Timer{At: d.WakeAt.Add(-rolesAhead)}
	}
	if d.Grace > 0 && w.Due.Over(t.w) {
		w.Grace = t.w.awake(d.Grace)
	}
	t.s.Phase = w
	if t.s.Said.Decision != d {
		t.s.Said.Decision = d
		t.log(Info, "resume_scheduled", "waiting to resume", Field{"strategy", string(d.Strategy)}, Field{"with", d.With}, Field{"wake_at", d.WakeAt},
			Field{"wait_s", Seconds(max(0, d.WakeAt.Sub(t.w.Now)))}, Field{"attempt", d.Attempt}, Field{"why", d.Why})
	}
}

// postponed says once why an attempt does not begin, and has the session looked at again then; zero: when something
// changes.
func (t *step) postponed(out resume.Outcome) {
	t.unbegin()
	if t.waiting(func(w *Waiting) { w.Again = out.Again }) {
		t.s.Todo.Look = t.s.Todo.Look || !out.Again.IsZero()
	}
	if !t.standsBy(out.Why) || t.short(out.Why) {
		return
	}
	fields := []Field{{"why", out.Why}}
	if !out.Again.IsZero() {
		fields = append(fields, Field{"again", out.Again.UTC()})
	}
	t.log(Info, "resume_postponed", "not now", fields...)
}

// standsBy notes why clawd holds back; false: it was said before.
func (t *step) standsBy(why string) bool {
	if t.s.Said.Back == why {
		return false
	}
	t.s.Said.Back, t.s.Said.Since = why, t.w.Mono
	return true
}

// lookIn gives when to look again at what keeps clawd from a window: ever later, the longer it has been the same.
func (t *step) lookIn(why string) time.Time {
	wait := lookSoon
	if t.s.Said.Back == why {
		wait = max(lookSoon, min((t.w.Mono-t.s.Said.Since)/10, lookMost))
	}
	return t.w.Now.Add(wait)
}

// standDown says once who goes first.
func (t *step) standDown(why string, until time.Time) {
	if !t.standsBy(why) {
		return
	}
	fields := []Field{{"why", why}}
	if !until.IsZero() {
		fields = append(fields, Field{"self_resume_at", until})
	}
	t.log(Info, "standing_down", "it is open or in use; resume waits", append(fields, Field{"wake_at", t.s.Rec.Decision.WakeAt})...)
}

// leave ends the wait for the stop as a rule says.
func (t *step) leave(found rules.Finding) {
	if found.Ends != rules.Quiet {
		t.transition(t.s.Rec.Left(t.w.Books, t.s.Rec.Stop.Key, found.Why, found.Command))
		return
	}
	if t.transition(t.s.Rec.Dropped(t.w.Books, t.s.Rec.Stop.Key, found.Why)) {
		t.log(Info, "resume_cancelled", "the wait ends", Field{"why", found.Why})
	}
}
