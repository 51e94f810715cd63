package machine

import (
	"errors"
	"io/fs"
	"time"

	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// step is one step while it is thought through.
type step struct {
	w       *World
	s       Session
	effects []Effect
	open    Question // what is not known yet; nil: everything is
	stay    bool     // the job under way waits for its turn
	saved   Session  // the job under way goes back to this when there is more to be found out
	done    int      // effects that stay then
	failed  error    // the job under way comes to nothing
	lack    string   // what the machine lacks, as this step has found
	held    bool     // this job has taken in who has the session open
}

// Step says what becomes of a session by an event. Its effects are carried out in their order, but nothing of them
// happens, nor is the session as it says, when a Write among them fails: then Refused comes.
func Step(w *World, s Session, e Event) (Session, []Effect) {
	t := &step{w: w, s: s}
	switch e := e.(type) {
	case Restored:
		t.restored(e)
	case Touched:
		t.touched(e)
	case Answered:
		t.answered(e)
	case Due, Turn:
		t.due()
	case Jumped:
		t.jumped(e.By)
	case Renewed:
		t.s.Todo.Anew = true
		if t.s.Rec.Phase != state.Following {
			t.s.Todo.Look = true
		}
	case Ordered:
		t.ordered(e.Order)
	case Started:
		t.started(e)
	case Opened:
		t.opened(e)
	case Gone:
		t.news(e.Token)
	case Sighted:
		t.sighted(e)
	case Refused: // it writes nothing, so it cannot be refused itself
		t.refused(e)
		return t.s, t.effects
	case TooLate:
		t.tooLate(e.ID)
	case Stopping:
		t.stopping()
		return t.s, t.effects
	}
	t.work()
	t.late(&s)
	return t.s, t.effects
}

func (t *step) do(e Effect) { t.effects = append(t.effects, e) }

// write stores a transition. A nil change writes nothing.
func (t *step) write(c *state.Change) {
	if c == nil {
		return
	}
	t.s.Rec = c.Session
	t.s.Files.Unsaved = false
	t.do(Write{c})
	t.phase()
}

// phase brings the phase to what the record says.
func (t *step) phase() {
	if t.s.Phase.phase() == t.s.Rec.Phase {
		return
	}
	switch t.s.Rec.Phase {
	case state.Claimed:
		t.s.Phase = Claimed{Run{Claim: *t.s.Rec.Claim}}
	case state.Fired:
		r, ok := t.s.under()
		if r.Claim = *t.s.Rec.Claim; !ok {
			r.Stage, r.Restarted, r.Began = Judging, true, r.Claim.Plan.Way == resume.Exec
		}
		t.s.Phase = Fired{r}
	default:
		t.s.Phase = resting(t.s.Rec.Phase)
	}
}

func (t *step) log(l Level, event, text string, fields ...Field) {
	t.do(Log{l, event, text, fields})
}

// work looks into what there is to look into, until nothing is left or something has to be found out first.
func (t *step) work() {
	for {
		if !t.begin() || t.s.Job.Open {
			return
		}
		t.save()
		t.open, t.stay, t.failed, t.held = nil, false, nil, false
		switch t.s.Job.Kind {
		case Looking:
			t.look()
		case Considering:
			t.consider()
		case Claiming:
			t.claim()
		case Obeying:
			t.obey()
		}
		switch {
		case t.failed != nil:
			t.back()
			t.fail(t.failed)
			continue
		case t.open != nil: // what was done so far is done again when that is known
		case t.stay && !t.s.Todo.any():
			return
		case t.stay:
			continue
		default:
			t.s.Job = Job{}
			continue
		}
		question := t.open
		t.back()
		t.s.Job.Open = true
		t.do(Ask{t.s.Job.ID, question})
		return
	}
}

// save has what was done so far stay, whatever else is still to be found out.
func (t *step) save() { t.saved, t.done = t.s, len(t.effects) }

// back undoes what was done since.
func (t *step) back() { t.s, t.effects = t.saved, t.effects[:t.done] }

// begin takes up what is to be looked into next. False: nothing is.
func (t *step) begin() bool {
	_, tries := t.s.under()
	w, waits := t.s.Phase.(Waiting)
	if t.s.Job.Kind != Idle { // it waits for its turn, and what is new in the session comes first
		if !t.s.Job.Turn.Queued || !t.s.Todo.any() {
			return true
		}
		t.endJob() // it may not come back to it
		t.s.Todo.Look = true
	}
	job := Job{Gen: t.s.Files.Gen, Rev: t.s.Rec.Rev}
	switch {
	case len(t.s.Todo.Orders) > 0:
		job.Kind, job.Order = Obeying, t.s.Todo.Orders[0]
		t.s.Todo.Orders = t.s.Todo.Orders[1:]
	case tries:
		return false
	case t.s.Todo.Look:
		job.Kind, t.s.Todo.Look = Looking, false
	case waits && w.Begun && t.s.Guard == nil && w.over(t):
		job.Kind = Claiming
	default:
		return false
	}
	t.s.Jobs++
	job.ID = t.s.Jobs
	t.s.Job = job
	return true
}

// waiting changes what is known of the wait. False: the session does not wait.
func (t *step) waiting(change func(*Waiting)) bool {
	w, waits := t.s.Phase.(Waiting)
	if waits {
		change(&w)
		t.s.Phase = w
	}
	return waits
}

// over tells whether the wait is over.
func (p Waiting) over(t *step) bool {
	return p.Due.Over(t.w) && (t.s.Rec.Decision.Grace == 0 || p.Grace.Set() && p.Grace.Over(t.w))
}

// answered takes an answer in. One to a job that was given up is dropped.
func (t *step) answered(e Answered) {
	if r, ok := e.Answer.(*Roles); ok {
		t.waiting(func(w *Waiting) { w.Roles = r })
		return
	}
	job := &t.s.Job
	if job.ID != e.Job || !job.Open {
		return
	}
	job.Open = false
	e.Answer.answer(&job.Answers)
	if all, ok := e.Answer.(*AllSeen); ok {
		job.Turn.At = t.w.Mono
		t.waiting(func(w *Waiting) { w.Roles = all.Roles })
	}
}

// rec is a copy of the record for a question, which is answered elsewhere.
func (t *step) rec() *state.Session {
	rec := t.s.Rec
	return &rec
}

// touched has the session looked at.
func (t *step) touched(e Touched) {
	if e.Stamp != "" {
		t.s.Files.Stamp = e.Stamp
		t.s.Files.Gen++
	}
	for _, r := range t.runs() {
		t.news(r.Claim.Token)
	}
	if _, tries := t.s.under(); tries && e.Stamp == "" {
		return // nothing was written: it is looked at when the attempt has its verdict
	}
	t.s.Todo.Look = true
}

// due looks at the timers.
func (t *step) due() {
	if g := t.s.Holder.Gone; g.Set() && g.Over(t.w) {
		t.s.Holder.Gone, t.s.Holder.Settled = Timer{}, true
		if t.s.Todo.Look = true; t.s.Job.Kind == Looking || t.s.Job.Kind == Considering {
			t.s.Job = Job{} // what it has seen is older
		}
	}
	if w, waits := t.s.Phase.(Waiting); waits && w.Begun {
		if w.Due.Over(t.w) && t.s.Rec.Decision.Grace > 0 && !w.Grace.Set() {
			w.Grace = t.w.awake(t.s.Rec.Decision.Grace)
		}
		if w.Ask.Set() && w.Ask.Over(t.w) {
			w.Ask = Timer{}
			t.do(Ask{0, AskRoles{t.rec()}})
		}
		t.s.Phase = w
	}
	t.lapse()
	for _, r := range t.runs() {
		t.watchDue(r)
	}
}

// runs are those of the session.
func (t *step) runs() (all []Run) {
	if r, ok := t.s.under(); ok {
		all = append(all, r)
	}
	if t.s.Guard != nil {
		all = append(all, *t.s.Guard)
	}
	return all
}

// jumped starts anew what counts only while the machine is awake.
func (t *step) jumped(by time.Duration) {
	t.untried(by)
	anew := func(timer *Timer) {
		if timer.Awake > 0 {
			*timer = t.w.awake(timer.Awake)
		}
	}
	anew(&t.s.Holder.Gone)
	t.patient()
	for _, r := range t.runs() {
		anew(&r.Watch.Settle)
		t.s.keep(r)
	}
}

// untried has an episode's time go on from where it stood: nothing was tried while the machine slept, and a clock that was set says
// nothing of how long was tried. It is stored with what comes next.
func (t *step) untried(by time.Duration) {
	e := &t.s.Rec.Episode
	if _, tries := t.s.under(); e.Attempts > 0 && (tries || t.s.Rec.Phase == state.Waiting) {
		e.Since, t.s.Files.Unsaved = e.Since.Add(by), true
	}
}

// patient gives an agent that was to go on by itself its time once more. What was about to be done in its place is not done:
// the machine may have slept right then, and the agent wakes up with it.
func (t *step) patient() {
	if t.s.Rec.Decision.Grace == 0 {
		return
	}
	switch p := t.s.Phase.(type) {
	case Waiting:
		if t.s.Job.Kind == Claiming {
			t.endJob()
			t.s.Todo.Look = true
		} else if p.Grace.Set() {
			p.Grace = Timer{} // it begins when the wait is over, which it may not be by a clock that was set back
			t.s.Phase = p
		}
	case Claimed:
		t.do(Abort{p.Run.Claim.Token}) // its gate stays closed, and the attempt is given back
	case Fired:
		if p.Run.Stage == Opening {
			t.do(Abort{p.Run.Claim.Token}) // if it is not open yet
		}
	}
}

// Next is when the session is to be looked at again; not set: when something happens.
func (s *Session) Next(w *World) Timer {
	var next Timer
	soonest := func(t Timer) {
		if t.Set() && (!next.Set() || t.Wall(w).Before(next.Wall(w))) {
			next = t
		}
	}
	soonest(s.Holder.Gone)
	if p, waits := s.Phase.(Waiting); waits && p.Begun && s.Guard == nil && s.Job.Kind == Idle {
		switch {
		case !p.Due.Over(w):
			soonest(p.Due)
			soonest(p.Ask)
		case p.Grace.Set():
			soonest(p.Grace)
		default:
			soonest(p.Due)
		}
	}
	if _, waits := s.Phase.(Waiting); waits {
		switch wake := s.Rec.Decision.WakeAt; {
		case w.Now.Before(wake):
			soonest(Timer{At: wake})
		case w.Mono < s.Late.Mono:
			soonest(Timer{Mono: s.Late.Mono})
		}
	}
	soonest(s.Job.Turn.Lapse)
	if r, ok := s.under(); ok {
		soonest(r.Watch.next())
	}
	if s.Guard != nil {
		soonest(s.Guard.Watch.next())
	}
	return next
}

// fail ends a job that came to nothing. What failed now would fail at once again, so it is tried again with the next
// rescan.
func (t *step) fail(err error) {
	job := t.s.Job
	t.s.Trouble.Failed = true
	t.endJob()
	switch {
	case job.Kind == Obeying:
		t.do(Reply{ID: job.Order.ID, Err: err})
	case !errors.Is(err, errTakingOver):
		t.problem(err, unreadable)
	}
}

// endJob lets go of the job that came to nothing, and of its turn. An attempt that was about to be made is looked at as
// any other before the next one is.
func (t *step) endJob() {
	if t.s.Job.Kind == Claiming {
		t.unturn()
		t.unbegin()
	}
	t.s.Job = Job{}
}

const unreadable = "can't read this session; the others are not affected"

// problem says once what keeps the session from being looked at, or from being written down.
func (t *step) problem(err error, text string) {
	if t.s.Said.Problem == err.Error() {
		return
	}
	t.s.Said.Problem = err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		// Its user removed it; what waited in it is left and told when it falls due.
		t.log(Debug, "session_gone", "the session's files are gone", Field{"error", err})
		return
	}
	t.log(Error, "session_error", text, Field{"error", err})
}

// leaving is the decision by a rule.
func leaving(found rules.Finding) resume.Decision {
	return resume.Decision{Strategy: resume.Leave, Why: found.Why, Tell: found.Ends == rules.Tells}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
