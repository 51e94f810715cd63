package machine

import (
	"errors"
	"io/fs"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// look reads what is new, says what it means, and has what follows from it begin.
func (t *step) look() {
	if t.s.Todo.Anew && !t.decideAgain() {
		return
	}
	f := t.s.Job.Answers.Files
	if f == nil {
		t.open = AskFiles{t.rec()}
		return
	}
	t.s.Trouble.Failed = false
	switch {
	case errors.Is(f.Err, fs.ErrNotExist) && t.s.Rec.Phase == state.Waiting:
		t.consider() // what becomes of it is told when its wait is over
		return
	case f.Err != nil:
		t.failed = f.Err
		return
	case f.Anew && t.s.Rec.Phase != state.Following && !Told(f.Fold, t.s.Rec.Stop):
		t.rewritten()
		t.consider() // read anew from the same cursor when it changes, and before a claim
		return
	}
	if first := t.s.Rec.Cursor == "" || f.Anew; first {
		t.s.Files.Found = true
	} else if f.News {
		t.s.Files.Found = false
	}
	if f.News {
		t.s.Holder.Gone, t.s.Holder.Settled = Timer{}, false // whoever has gone wrote more, so that settles anew
	}
	switch {
	case f.Skipped > 0:
		t.log(Warn, "records_skipped", "records that cannot be read were skipped", Field{"skipped", f.Skipped}, Field{"why", f.Problem})
	case f.Problem != "" && f.Anew:
		t.log(Info, "file_rewritten", "the session is read from its beginning", Field{"why", f.Problem})
	case f.Problem != "":
		t.log(Warn, "session_error", "a part of the session cannot be read", Field{"why", f.Problem})
	}
	t.classify(f)
}

// classify acts on the verdict over all that was read.
func (t *step) classify(f *FilesSeen) {
	t.fold(f)
	t.sawSubs(f)
	stop := t.s.stop()
	armed := stop.State == detect.Retrying && stop.Reason != "" // the agent's own continue
	known := t.known(stop)
	if t.inTheMiddle(stop, known, f.News) {
		if !t.hold() {
			return
		}
		stop = t.s.stop()
		known = stop.Key != "" && stop.Key == t.s.Rec.Stop.Key
	}
	if known = known && stop.Reason != detect.Completed; !known { // one record may tell both the stop and the good end
		silent, ok := t.silent(stop)
		if !ok {
			return
		}
		if silent.Key != "" {
			stop, armed = silent, true
			known = stop.Key == t.s.Rec.Stop.Key
		}
	}
	if stop.Reason == detect.Completed && f.News && t.s.Said.Done != stop.Key && t.recent(stop) {
		t.s.Said.Done = stop.Key
		t.logLeft(stop, resume.Left{}.Decide(stop, resume.Tried{}, t.w.Now).Why)
	}
	t.act(stop, armed, known, !f.News)
}

// fold puts what was read on top of the record.
func (t *step) fold(f *FilesSeen) {
	rec := &t.s.Rec
	t.s.Files.Unsaved = t.s.Files.Unsaved || rec.Cursor != f.Cursor || rec.Stamp != t.s.Files.Stamp
	rec.Classifier, rec.Cursor, rec.Stamp = f.Fold, f.Cursor, t.s.Files.Stamp
	rec.Info.Merge(f.Info)
	if t.s.Files.Found && f.News && rec.Info.Dir != "" {
		t.log(Debug, "session_found", "session found")
	}
}

// inTheMiddle tells whether a turn has no end, so that only its holder tells whether it still goes on.
func (t *step) inTheMiddle(stop detect.Stop, known, news bool) bool {
	untold := t.s.Rec.Holder.Liveness == "" && t.s.Rec.Info.Interactive
	unnamed := t.s.Rec.Holder.Kind == detect.Interactive && !t.s.Rec.Holder.Sure && t.s.Rec.HolderEnd == ""
	unseen := (t.s.Rec.Info.Untold || unnamed) && (t.s.Rec.Ran.Turn != t.s.Rec.Classifier.LastPrompt.ID || t.s.Rec.Ran.PID == 0)
	return stop.State != detect.Stopped && !known && (!news || t.s.Files.Found || untold || unseen)
}

// known tells whether a stop was taken in, or is too old for that.
func (t *step) known(stop detect.Stop) bool {
	return stop.Key != "" && (stop.Key == t.s.Rec.Stop.Key || "cut:"+stop.Key == t.s.Rec.Stop.Key || stop.Key == t.s.Said.Old)
}

// act does what a verdict asks for. read: its records are not new.
func (t *step) act(stop detect.Stop, armed, known, read bool) {
	waits := t.s.Rec.Phase == state.Waiting
	switch {
	case (stop.IsStop() || armed) && !known:
		t.stopped(stop, read)
	case known && stop.Reason == detect.Interrupted && waits && t.s.Rec.Stop.Reason != detect.Interrupted && t.s.Rec.Stop.Reason != detect.Crashed:
		const why = "you stopped it after the limit"
		t.transition(t.s.Rec.Dropped(t.w.Books, stop.Key, why))
		t.logLeft(stop, why)
	case known && (stop.IsStop() || armed) && waits && (stop.State != t.s.Rec.Stop.State || !stop.SelfResumeAt.Equal(t.s.Rec.Stop.SelfResumeAt)):
		t.refined(stop)
	case known && stop.State == detect.Retrying && waits:
		if again := t.impatient(stop); again.Key != "" && !again.At.Equal(t.s.Rec.Stop.At) { // it asked once more, and waits anew
			t.refined(again)
			return
		}
		t.consider()
	case known:
		t.consider()
	case t.s.Rec.Phase == state.Held && stop.State == detect.Running && (t.s.Rec.AtWork() || t.s.Rec.InQueue(t.w.Books)): // it has been told
	case t.s.Rec.Phase != state.Following:
		t.wentOn(stop)
	}
}

// errTakingOver puts off what is found in a session that an attempt under way has begun: it is taken in
// when the attempt has its verdict, which hands over how often was tried before.
var errTakingOver = errors.New("the attempt that began this session has no verdict yet")

// transition stores a change of the record, which the phase allows: it was just looked at.
func (t *step) transition(c *state.Change, err error) bool {
	if err != nil {
		t.failed = err
		return false
	}
	t.write(c)
	return true
}

// stopped takes in a new stop and begins what is decided about it. read: its records are not new.
func (t *step) stopped(stop detect.Stop, read bool) {
	t.anew()
	if t.w.takingOver(t.s.Rec) {
		t.failed = errTakingOver
		return
	}
	seen := t.s.Job.Answers.Stop
	if seen == nil {
		t.open = AskStop{t.rec(), stop}
		return
	}
	if seen.Err != nil {
		t.failed = seen.Err
		return
	}
	first := t.s.Files.Found
	d := t.decide(stop, first || stop.At.Before(t.w.Here.Started), seen)
	before := first || read && stop.At.Before(t.w.Here.Started) // it was left for its age by the clawd before
	if before && seen.Made == nil && d.Strategy == resume.Leave && !t.w.Here.Lost && !t.recent(stop) {
		t.log(Debug, "session_left", "old stop", Field{"reason", string(stop.Reason)}, Field{"at", stop.At}, Field{"why", d.Why})
		t.s.Said.Old = stop.Key
		return
	}
	if seen.Problem != nil {
		t.problem(seen.Problem, unreadable)
	}
	r := t.s.Rec.Read()
	r.Prompt = seen.Prompt
	if !t.transition(t.s.Rec.Stopped(t.w.Books, r, stop, d, seen.Made)) {
		return
	}
	if t.s.Rec.Stop.Key != stop.Key { // it was dealt with before
		return
	}
	t.logStop(stop)
	if stop.Reason == detect.UsageLimit {
		t.do(TurnMove{Kind: TurnCloses, Session: state.Key(t.s.Rec.Session), Window: t.w.window(&t.s.Rec, &stop)})
	}
	if t.s.Rec.Phase == state.Following && !d.Tell {
		t.logLeft(stop, d.Why)
	}
	if r, fired := t.s.under(); fired {
		t.adopt(r)
		return
	}
	t.considerNext()
}

// wentOn notes that somebody else went on, or that the turn ended well.
func (t *step) wentOn(stop detect.Stop) {
	was := t.s.Rec.Phase
	if !t.transition(t.s.Rec.WentOn(t.w.Books, t.s.Rec.Read(), "it was continued")) {
		return
	}
	t.anew()
	t.log(Info, "resume_cancelled", "it was continued; resume canceled", Field{"outcome", string(resume.ByHand)},
		Field{"phase", string(was)}, Field{"state", string(stop.State)})
}

// refined takes in what became known later about the stop that is waited for: the agent's own
// continue was armed, dropped or moved.
func (t *step) refined(stop detect.Stop) {
	rec := t.s.Rec
	rec.Stop = stop
	d := rec.Decision
	if !d.Asked { // what its user ordered stands
		d = t.next(rec)
	}
	t.unbegin()
	if t.transition(t.s.Rec.Refined(t.w.Books, stop, d)) {
		t.consider()
	}
}

// rewritten says once that the session's file lacks the stop that is waited for.
func (t *step) rewritten() {
	if t.s.Said.Problem == rules.Rewritten {
		return
	}
	t.s.Said.Problem = rules.Rewritten
	t.log(Info, "file_rewritten", "clawd keeps waiting; if the stop is not back when the wait is over, the session is left", Field{"why", rules.Rewritten})
}

// recent tells whether a stop is young enough to be talked about when it is found late.
func (t *step) recent(stop detect.Stop) bool {
	return t.w.Now.Sub(later(stop.At, stop.ResetAt)) <= t.w.Policy.MaxStopAge
}

// A turn that is silent may stand at a limit that no file tells of.
const (
	silentFor  = time.Minute     // before the first look at the screen
	silentLook = 5 * time.Minute // between two
)

// silent looks whether an agent that says nothing in mid turn waits for what clawd can shorten: a
// limit that it draws on its screen alone, or its own wait that is longer than its user accepts. The
// zero Stop says no.
func (t *step) silent(stop detect.Stop) (detect.Stop, bool) {
	if !rules.Attends(t.s.Rec.Classifier.Holder) || stop.State == detect.Stopped || stop.Reason != "" || stop.Key == "" {
		return detect.Stop{}, true
	}
	if stop.State == detect.Retrying {
		return t.impatient(stop), true
	}
	last := t.s.Rec.Classifier.Last
	if t.w.Now.Sub(last.At) < silentFor || t.w.Now.Sub(t.s.Files.Drawn) < silentLook {
		return detect.Stop{}, true
	}
	rec := t.s.Rec
	rec.Stop = detect.Stop{At: last.At}
	seen := t.s.Job.Answers.Screen
	if seen == nil {
		t.open = AskScreen{&rec, t.w.beside(rec)}
		return detect.Stop{}, false
	}
	if seen.Err != nil {
		t.failed = seen.Err
		return detect.Stop{}, false
	}
	t.s.Files.Drawn = t.w.Now
	if seen.Failure == nil {
		return detect.Stop{}, true
	}
	t.s.Rec.Classifier.Feed(detect.Event{Kind: detect.KindFailure, ID: "screen:" + last.ID, At: t.w.Now, Offset: last.Offset, Failure: seen.Failure})
	t.held = false // a new record says nothing of who has it open
	return t.s.stop(), true
}

// impatient makes a stop of an agent's own wait that may be longer than max_inline_wait, where its
// server takes the order to end it. A wait whose end is not known is ended when it has lasted so long.
func (t *step) impatient(stop detect.Stop) detect.Stop {
	most, since := time.Duration(t.w.Config.Resume.MaxInlineWait), t.s.Rec.Classifier.Retry.At
	ends := stop.SelfResumeAt
	if most == 0 || t.s.Rec.Classifier.Holder.URL == "" || !ends.IsZero() && ends.Sub(since) <= most {
		return detect.Stop{}
	}
	stop.Reason, stop.At, stop.SelfResumeAt = detect.RateLimit, since, since.Add(most)
	stop.Notes = append(stop.Notes, "the agent waits by itself")
	return stop
}

// Told tells whether files that were read anew say what is to be known of a stop: they end in it, or hold
// something newer. Else they may be in the middle of being written back (copytruncate, a backup, an editor).
func Told(c detect.Classifier, stop detect.Stop) bool {
	now := c.Stop()
	return now.Key != "" && (now.Key == stop.Key || "cut:"+now.Key == stop.Key || now.Key == "cut:"+stop.Key || now.At.After(stop.At))
}

func (t *step) logStop(stop detect.Stop) {
	fields := []Field{{"reason", string(stop.Reason)}, {"state", string(stop.State)}, {"at", stop.At}, {"window", string(stop.Window)}}
	if stop.RetryAfter != nil {
		fields = append(fields, Field{"retry_after_s", Seconds(*stop.RetryAfter)})
	}
	if !stop.ResetAt.IsZero() {
		fields = append(fields, Field{"reset_at", stop.ResetAt})
	}
	fields = append(fields, Field{"evidence", stop.Evidence})
	if stop.Status != 0 {
		fields = append(fields, Field{"status", stop.Status})
	}
	if len(stop.Notes) > 0 {
		fields = append(fields, Field{"notes", stop.Notes})
	}
	t.log(Info, "session_stopped", "the session stopped", fields...)
}

// logLeft says that there is nothing to do; what its user has to do is told through the outbox.
func (t *step) logLeft(stop detect.Stop, why string) {
	t.log(Debug, "session_left", "left alone", Field{"reason", string(stop.Reason)}, Field{"why", why})
}

// Seconds are to the millisecond: more digits say nothing.
func Seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond).Milliseconds()) / 1000
}
