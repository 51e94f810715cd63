package machine

import (
	"fmt"
	"slices"
	"time"

	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// OrderError refuses an order that would do harm, or comes to nothing.
type OrderError struct {
	Why     string
	Command string // what the user can type instead; may be empty
}

func (e *OrderError) Error() string { return e.Why }

// Refuse says why nothing comes of an order.
func Refuse(format string, args ...any) error { return &OrderError{Why: fmt.Sprintf(format, args...)} }

// ordered takes its user's word in. A resume is looked into.
func (t *step) ordered(o Order) {
	switch o.Kind {
	case Cancel:
		t.cancelOrder(o)
	case Ignore:
		t.ignoreOrder(o)
	default:
		t.s.Todo.Orders = append(slices.Clip(t.s.Todo.Orders), o)
	}
}

// tooLate forgets an order that nobody waits for any more.
func (t *step) tooLate(id uint64) {
	t.s.Todo.Orders = slices.DeleteFunc(slices.Clone(t.s.Todo.Orders), func(o Order) bool { return o.ID == id })
	if j := t.s.Job; j.Kind == Obeying && j.Order.ID == id {
		t.s.Job = Job{}
	}
}

// obey resumes a stopped session because its user wants it.
func (t *step) obey() {
	o := t.s.Job.Order
	reply := func(err error) { t.do(Reply{ID: o.ID, Err: err}) }
	if r, ok := t.s.under(); ok {
		reply(Refuse("it is being resumed right now, attempt %d since %s", r.Claim.N, r.Claim.At.Format(time.RFC3339)))
		return
	}
	seen := t.s.Job.Answers.Order
	if seen == nil {
		t.open = AskOrder{t.rec(), o.Order, t.w.beside(t.s.Rec)}
		return
	}
	if t.stale() {
		job := &t.s.Job
		job.Turn.Looks++
		job.Answers.Order, job.Gen, job.Rev = nil, t.s.Files.Gen, t.s.Rec.Rev
		if job.Turn.Looks >= maxLooks {
			reply(Refuse("something is written to the session right now; say it again"))
			return
		}
		t.save()
		t.obey()
		return
	}
	if seen.Err != nil {
		reply(seen.Err)
		return
	}
	rec := t.s.Rec
	rec.Stop, rec.Decision = seen.Stop, t.w.Policy.Ordered(seen.Stop, rec.TriedBefore(), t.w.Now, o.Order)
	f := t.w.Facts(rec, Strongest(seen.Holders))
	outside(&f, seen.Facts)
	if c := rec.Claim; rec.InQueue(t.w.Books) && slices.ContainsFunc(seen.Holders, c.Plan.Reaches) {
		f.Record.Queued = c.Plan.Holder
	}
	if found, ok := rules.Ask(rules.Order, &f); ok {
		reply(&OrderError{found.Why, found.Command})
		return
	}
	t.takeOrder(o, seen, rec.Decision)
}

func (t *step) takeOrder(o Order, seen *OrderSeen, d resume.Decision) {
	text := "it is resumed at " + d.WakeAt.Format(time.RFC3339)
	switch {
	case d.With != "":
		text = d.With + " takes over now"
	case !d.WakeAt.After(t.w.Now):
		text = "it is resumed now"
	}
	if seen.Way != "" {
		text = fmt.Sprintf("process %d has it open, and clawd cannot type there (%s): it is resumed when that process has ended", Strongest(seen.Holders).PID, seen.Way)
	}
	ch, err := t.s.Rec.Ordered(t.w.Books, seen.Stop, d)
	if err != nil {
		t.do(Reply{ID: o.ID, Err: err})
		return
	}
	t.write(ch)
	t.anew()
	rec := t.s.Rec
	t.log(Info, "resume_ordered", "resume requested", Field{"now", o.Now}, Field{"fresh", o.Fresh}, Field{"with", o.With},
		Field{"wake_at", rec.Decision.WakeAt}, Field{"attempt", rec.Decision.Attempt})
	t.do(Reply{ID: o.ID, Rec: rec, Text: text})
	t.s.Todo.Look = true
}

const nothingStarts = "nothing was started; the session stays stopped"

// takeBack has orders to resume come to nothing that are still looked into: its user has said something else since.
func (t *step) takeBack() (taken bool) {
	orders := t.s.Todo.Orders
	if j := t.s.Job; j.Kind == Obeying {
		orders = append(slices.Clip(orders), j.Order)
	}
	for _, o := range orders {
		t.do(Reply{ID: o.ID, Err: Refuse("it was canceled right after")})
		t.tooLate(o.ID)
	}
	return len(orders) > 0
}

// cancelOrder takes back what is done about a stop, or what was to be.
func (t *step) cancelOrder(o Order) {
	was, ours, taken := t.s.Rec, t.s.Child() != 0, !o.Run && t.takeBack()
	ch, err := was.CancelOrdered(t.w.Books, ours)
	switch {
	case o.Run && !ours:
		t.do(Reply{ID: o.ID, Err: Refuse("nothing to cancel")})
	case err != nil && taken:
		t.write(was.Recalled(t.w.Books))
		t.do(Reply{ID: o.ID, Rec: t.s.Rec, Text: nothingStarts})
	case err != nil:
		t.do(Reply{ID: o.ID, Rec: was, Err: Refuse("nothing to cancel: clawd is not going to resume this session"), Older: elder(was)})
	case was.TakenBack():
		t.write(ch)
		text := nothingStarts
		if !taken {
			text = "it was canceled before; nothing more is done about this stop"
		}
		t.do(Reply{ID: o.ID, Rec: t.s.Rec, Text: text})
	default:
		t.cancel(o, ch, ours)
	}
}

// cancel ends a wait, or the run that clawd started.
func (t *step) cancel(o Order, ch *state.Change, ours bool) {
	was := t.s.Rec
	if c, ok := t.s.Phase.(Claimed); ok {
		t.do(Abort{c.Run.Claim.Token})
		t.release(c.Run, t.w.turnWindow(&t.s.Rec))
		t.do(Forget{Token: c.Run.Claim.Token})
	}
	if r, ok := t.s.under(); ok && r.Stage == Opening {
		t.do(Abort{r.Claim.Token}) // where its gate is still closed
	}
	t.write(ch)
	t.anew()
	t.log(Info, "resume_cancelled", "resume canceled", Field{"phase", string(was.Phase)}, Field{"cause", "you canceled it"})
	text := "clawd's run is being ended; no other one follows"
	switch {
	case was.Phase == state.Waiting && !ours, was.Phase == state.Claimed:
		text = nothingStarts
	case was.Phase == state.Fired && was.Claim.Plan.Way.Live():
		text = "clawd's prompt is with the agent already, and nothing is undone; no other one follows for this stop"
	}
	t.do(Reply{ID: o.ID, Rec: t.s.Rec, Text: text})
	for _, r := range t.runs() {
		t.news(r.Claim.Token)
	}
	t.s.Todo.Look = true
}

// elder names, for daemon and user, the session that this one took over from; empty: none.
func elder(rec state.Session) string {
	if rec.OldSession == "" {
		return ""
	}
	return state.Key(rec.Named(rec.OldSession))
}

// ignoreOrder has clawd leave the session from now on, or no longer.
func (t *step) ignoreOrder(o Order) {
	was := t.s.Rec
	t.write(was.IgnoreOrdered(t.w.Books, o.Off))
	t.anew()
	event, text := "session_ignored", "clawd leaves it from now on"
	switch {
	case o.Off:
		event, text = "session_unignored", "clawd looks after its next stop again; \"clawd resume "+was.ID+"\" has this one resumed"
	case was.Phase == state.Claimed, was.Phase == state.Fired:
		text = "clawd leaves it once the attempt under way has ended; \"clawd cancel " + was.ID + "\" ends it"
	}
	t.log(Info, event, "as you asked", Field{"phase", string(was.Phase)})
	t.do(Reply{ID: o.ID, Rec: t.s.Rec, Text: text})
	t.s.Todo.Look = true
}
