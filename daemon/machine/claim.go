package machine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

const (
	// LookLasts is how old a look, and the list of processes that it reads, may be when the attempt is claimed. Whatever fires looks once
	// more.
	LookLasts = 50 * time.Millisecond
	// maxLooks is how often in a row a claim looks, where something happens in the session each time.
	maxLooks = 3
	// turnLasts is how long a session that may start now may take to look for the last time, before others may.
	turnLasts = 2 * time.Second
	// askLasts is how long it may take when its agent has a question to answer, too: that is a start of the agent, and is
	// ended after a minute. Others that went ahead would only wait for the same agent, or have it start more often.
	askLasts = 70 * time.Second
	// rolesMost is how long a question about roles that failed is put off at most.
	rolesMost = time.Hour
	// lookSoon and lookMost are when to look again at what keeps clawd from an open session.
	lookSoon = time.Minute
	lookMost = 10 * time.Minute
	// wallStep is when to look again after a refusal that the files do not bear out.
	wallStep = 10 * time.Second
)

// claim looks once more at everything that could forbid an attempt, waits for the session's turn, and takes it.
func (t *step) claim() {
	w, waits := t.s.Phase.(Waiting)
	if !waits || !w.Begun || t.s.Guard != nil {
		t.unturn()
		return
	}
	if t.w.Here.Dry {
		t.log(Info, "resume_started", "would resume now", Field{"dry_run", true}, Field{"attempt", t.s.Rec.Decision.Attempt})
		t.transition(t.s.Rec.Left(t.w.Books, t.s.Rec.Stop.Key, "dry run", "")) // or it would begin again at once in the rehearsal's store
		return
	}
	if out := t.w.rests(); out != nil {
		t.unturn()
		t.postponed(*out)
		return
	}
	seen := t.s.Job.Answers.All
	if seen == nil {
		rec := t.rec()
		judged := t.w.Books.Closed(rec.Session, rec.Stop.Key).N
		t.open = AskAll{rec, t.w.Facts(t.s.Rec, t.s.Rec.Classifier.Holder), w.Roles, t.w.beside(*rec), w.OpenBy, judged, t.s.Job.Turn.Taken}
		return
	}
	old := false
	if !t.s.Job.Turn.Queued { // else everything is looked at once more when its turn has come
		age := t.w.Mono - seen.At
		t.do(LagMove{age})
		old = age > t.w.Lag.most()
	}
	if t.stale() || old {
		if t.lookAgain() {
			t.claim()
		}
		return
	}
	if t.forbidden(seen) {
		t.unturn()
		return
	}
	t.start(seen)
}

// stale tells whether something happened in the session since everything was looked at.
func (t *step) stale() bool {
	return t.s.Job.Gen != t.s.Files.Gen || t.s.Job.Rev != t.s.Rec.Rev
}

// lookAgain has everything looked at once more. False: that was tried often enough for now.
func (t *step) lookAgain() bool {
	job := &t.s.Job
	job.Turn.Looks++
	job.Answers.All, job.Gen, job.Rev, job.Turn.Queued = nil, t.s.Files.Gen, t.s.Rec.Rev, false
	if job.Turn.Looks < maxLooks {
		t.save()
		return true
	}
	t.unturn()
	t.postponed(resume.Outcome{Again: t.w.Now, Why: "everything is looked at once more: " + state.ErrMoved.Error()})
	return false
}

// unturn gives back the turn that was taken.
func (t *step) unturn() {
	key, window := state.Key(t.s.Rec.Session), t.w.turnWindow(&t.s.Rec)
	if t.s.Job.Turn.Taken {
		t.do(TurnMove{Kind: TurnLeaves, Session: key})
		t.do(TurnMove{Kind: TurnJudges, Session: key, Window: window, Verdict: resume.Postponed})
	} else {
		t.do(TurnMove{Kind: TurnDrops, Session: key, Window: window})
	}
	t.s.Job.Turn = Turning{}
}

// turnWindow is the window whose turns the session waits for: none where its user does not want it to wait for how it goes
// for another one.
func (w *World) turnWindow(rec *state.Session) string {
	if rec.Decision.Asked || rec.Decision.With != "" { // whose limits are others
		return ""
	}
	return w.window(rec, &rec.Stop)
}

// forbidden acts on what speaks against an attempt. False: nothing does.
func (t *step) forbidden(seen *AllSeen) bool {
	if h := seen.Facts.Who.Holder; rules.Attends(h) && !t.behind(h) { // he may have quit before anybody looks again
		t.sawHolder(h, seen.Terminals)
	}
	if t.keepsBack(&seen.Facts) {
		return true
	}
	rec := t.s.Rec
	f := t.w.Facts(*seen.Rec, seen.Facts.Who.Holder)
	outside(&f, seen.Facts)
	found, ruled := rules.Ask(rules.Claim, &f)
	if !ruled && seen.Err == nil && seen.Short == "" && seen.Later == nil && seen.Way == nil && seen.Made == nil {
		f.World = t.w.siblings(*seen.Rec) // what keeps an open session from being reached is told first
		found, ruled = rules.Ask(rules.Claim, &f)
	}
	if seen.Live && !ruled && seen.Err == nil && seen.Way == nil {
		t.s.Trouble.Failing = 0
	}
	switch {
	case ruled:
		t.ruled(found)
	case seen.Err != nil:
		t.failed = seen.Err
	case seen.Made != nil: // it is judged by what became of it, and no other one is made
		if t.transition(rec.Adopted(t.w.Books, *seen.Made)) {
			t.postponed(resume.Outcome{Why: fmt.Sprintf("attempt %d was made already, as its mark says", seen.Made.N)})
			r, _ := t.s.under()
			t.adopt(r)
		}
	case seen.Short != "":
		t.lacks(seen.Short)
		t.postponed(*t.w.shortOf(seen.Short))
	case seen.Gone: // how it went decides, and that is to be found out
		t.postponed(resume.Outcome{Again: t.w.Now, Why: "the process that had it open is gone"})
	case seen.Way != nil:
		no := t.failing(*seen.Way)
		t.tellNoWay(&no)
		t.postponed(resume.Outcome{Again: t.lookIn(no.Why), Why: no.Why})
	case seen.Lacks == Unanswered: // the agent does not answer, so it is asked ever less often
		out := *seen.Later
		out.Again = t.w.Now.Add(min(time.Minute<<min(t.s.Trouble.Failing, 10), rolesMost))
		t.s.Trouble.Failing++
		t.postponed(out)
	case seen.Later != nil:
		t.postponed(*seen.Later)
	default:
		return t.unaffordable()
	}
	return true
}

// maxFailing: after so many looks in a row that failed an open session counts as unreachable.
const maxFailing = 5

// failing counts looks at an open session that fail. What does not pass its user must hear of.
func (t *step) failing(no NoWay) NoWay {
	switch no.Event {
	case Blocked:
		t.s.Trouble.Failing = 0
	case "":
		t.s.Trouble.Failing++
		if (no.Elsewhere || t.s.Trouble.Failing >= maxFailing) && t.s.Rec.Stop.State != detect.Retrying {
			no.Event, no.Why = Unreachable, strings.TrimPrefix(no.Why, NotWoken)
		}
	}
	return no
}

// ruled acts on a rule that holds.
func (t *step) ruled(found rules.Finding) {
	switch {
	case found.Ends == rules.ByOthers: // the files are to bear it out, and not at once again
		t.postponed(resume.Outcome{Again: t.w.Now.Add(wallStep), Why: found.Why})
	case found.Ends == rules.Later && found.Again > 0:
		t.postponed(resume.Outcome{Again: t.w.Now.Add(found.Again), Why: found.Why})
	case found.Ends == rules.Later:
		t.postponed(resume.Outcome{Why: found.Why})
	default:
		t.leave(found)
		t.s.Todo.Look = true
	}
}

// unaffordable acts on what the books say against an attempt.
func (t *step) unaffordable() bool {
	l := state.Limits{PerSession: t.w.Config.Budget.MaxResumesPerDay, PerDay: t.w.Config.Budget.MaxResumesPerDayTotal, MaxCostUSD: t.w.Config.Budget.MaxCostUSD}
	err := t.s.Rec.MayTake(t.w.Books, t.s.Rec.Stop.Key, l)
	refused := (*resume.Refusal)(nil)
	switch {
	case err == nil:
		return false
	case !errors.As(err, &refused):
		t.failed = err
	case refused.Outcome.Verdict == resume.LeftAlone:
		t.transition(t.s.Rec.Left(t.w.Books, t.s.Rec.Stop.Key, refused.Outcome.Why, refused.Outcome.Command))
	default:
		t.postponed(refused.Outcome)
	}
	return true
}

// start takes the attempt when it is the session's turn.
func (t *step) start(seen *AllSeen) {
	key, window := state.Key(t.s.Rec.Session), t.w.turnWindow(&t.s.Rec)
	if job := &t.s.Job; !job.Turn.Taken {
		pause, refusal, leads := t.w.may(key, window, t.s.Rec.Stop.At)
		if refusal != nil {
			t.postponed(*refusal)
			return
		}
		if leads {
			t.do(TurnMove{Kind: TurnLeads, Session: key, Window: window})
		}
		if pause > 0 {
			job.Turn.Queued, t.stay = true, true
			return
		}
		t.do(TurnMove{Kind: TurnTakes, Session: key})
		job.Turn.Taken, job.Turn.Queued = true, false
		lasts := turnLasts
		if seen.Lacks == Unasked {
			lasts = askLasts
		}
		if seen.Lacks == Unasked || t.w.Mono-job.Turn.At > LookLasts {
			job.Answers.All, job.Turn.Lapse = nil, t.w.After(lasts)
			t.save()
			t.claim()
			return
		}
	}
	if t.w.Short.Why != "" {
		t.do(ShortMove{}) // this one tries
	}
	t.take(seen)
}

// take is T2: from here on only the verdict ends the attempt.
func (t *step) take(seen *AllSeen) {
	rec, token := *seen.Rec, t.w.Token()
	n := t.s.Rec.NextAttempt(t.w.Books)
	mark, output := t.w.Paths(rec.Session, t.s.Rec.Stop.Key, n, token)
	c := resume.Claim{Token: token, Boot: t.w.Here.Boot, Info: rec.Info, Account: t.w.Account(rec.Agent, rec.Info), Cursor: rec.Cursor, Plan: seen.Plan, Mark: mark, Output: output}
	t.s.Trouble.Failing = 0
	t.subsStopped(seen.Subs)
	t.write(t.s.Rec.Taken(t.w.Books, c))
	t.s.Phase = Claimed{Run{Claim: *t.s.Rec.Claim, Since: t.w.Mono, Stage: Starting}}
	t.do(Start{*t.s.Rec.Claim, seen.Rec, seen.Live})
}

// lapse lets others start where a session takes too long for its last look. It may start when it has looked, if others
// leave it room.
func (t *step) lapse() {
	turn := &t.s.Job.Turn
	if !turn.Taken || !t.s.Job.Open || !turn.Lapse.Set() || !turn.Lapse.Over(t.w) {
		return
	}
	key := state.Key(t.s.Rec.Session)
	t.do(TurnMove{Kind: TurnLeaves, Session: key})
	t.do(TurnMove{Kind: TurnDrops, Session: key, Window: t.w.turnWindow(&t.s.Rec)})
	turn.Taken, turn.Lapse = false, Timer{}
}

// MayTurn tells whether a session that waits for its turn may start now.
func (s *Session) MayTurn(w *World) bool {
	if !s.Queued() {
		return false
	}
	pause, refusal, _ := w.may(state.Key(s.Rec.Session), w.turnWindow(&s.Rec), s.Rec.Stop.At)
	return pause == 0 || refusal != nil
}

// NextTurn is when the next session may start, of those that only have to keep their distance; not set: when something
// changes.
func (w *World) NextTurn() Timer {
	if w.Starting.Set() && !w.Starting.Over(w) {
		return w.Starting
	}
	at := w.Turns.last + time.Duration(w.Config.Resume.Stagger)
	if w.Turns.last == 0 || at <= w.Mono || w.Turns.running >= w.Config.Resume.MaxParallel {
		return Timer{}
	}
	return Timer{Mono: at}
}
