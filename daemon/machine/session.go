// Package machine decides what is done about a session. Step is a function from a session and an event to the session as
// it is then and the effects that follow. It reads no clock, file, process or store, starts nothing and waits for
// nothing: what it does not know it asks for, and the answer comes back as an event.
package machine

import (
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Session is one session that clawd has something to do with.
type Session struct {
	Rec     state.Session // as it is stored, with what was read of the files since
	Phase   Phase
	Guard   *Run   // a run of ours that has its verdict and goes on, or is being ended
	Job     Job    // what is being looked into
	Jobs    uint64 // so many there were
	Todo    Todo   // what is to be looked into next
	Files   Files  // how far they were looked at
	Holder  Holder
	Said    Said
	Trouble Trouble
	// Late is the wait that is over, and when its user is told what holds it back.
	Late Deadline
}

// New is a session as it is found: its record, and whether the store has one.
func New(rec state.Session, stored bool) Session {
	s := Session{Rec: rec, Phase: resting(rec.Phase), Files: Files{Found: !stored, Stamp: rec.Stamp}}
	if rec.Phase == state.Claimed {
		s.Phase = Claimed{Run{Claim: *rec.Claim, Restarted: true}}
	}
	return s
}

// Phase of a session. The store has its name (state.Phase) and what must outlive clawd; the rest is looked at anew.
type Phase interface{ phase() state.Phase }

type (
	// Following is a session that nothing is to be done for now.
	Following struct{}
	// Waiting for the time of its decision, or for what speaks against it to pass.
	Waiting struct {
		// Begun: nothing that is known speaks against an attempt when the time has come. Else it is looked at
		// again when something changes.
		Begun  bool
		Due    Timer     // of the decision, or of the next look where it was put off
		Grace  Timer     // after that, in time that the machine is awake for
		Again  time.Time // it was put off until then; zero: it was not
		OpenBy int       // pid of the live process that the wait was begun for; 0: none
		Roles  *Roles    // the agent's answer about the session's role; nil: it was not asked
		Ask    Timer     // when the agent is asked for its roles, ahead of the end
		Span   Deadline  // of the decision, in elapsed time
	}
	// Claimed is one with an attempt that is taken; nothing runs.
	Claimed struct{ Run Run }
	// Fired is one with an attempt whose gate may have been opened. Only the verdict ends it.
	Fired struct{ Run Run }
	// Held is one that is not resumed again for this stop, but by its user's order.
	Held struct{}
	// GivenUp is one that was tried often enough.
	GivenUp struct{}
)

func (Following) phase() state.Phase { return state.Following }
func (Waiting) phase() state.Phase   { return state.Waiting }
func (Claimed) phase() state.Phase   { return state.Claimed }
func (Fired) phase() state.Phase     { return state.Fired }
func (Held) phase() state.Phase      { return state.Held }
func (GivenUp) phase() state.Phase   { return state.GivenUp }

// resting is a phase without an attempt, as it begins.
func resting(p state.Phase) Phase {
	switch p {
	case state.Waiting:
		return Waiting{}
	case state.Held:
		return Held{}
	case state.GivenUp:
		return GivenUp{}
	}
	return Following{}
}

// Deadline is a time of the wall clock, and when it is over by the clock that nobody sets.
type Deadline struct {
	Wall time.Time
	Mono time.Duration
}

// Timer is when a session is to be looked at again. It is due as soon as one of its times has come.
type Timer struct {
	At    time.Time     // by the wall clock; zero: it does not count
	Mono  time.Duration // by the clock that nobody sets; 0: it does not count
	Awake time.Duration // when set, a sleep of the machine or a jump of its clock starts the timer anew
}

// Set tells whether there is anything to wait for.
func (t Timer) Set() bool { return !t.At.IsZero() || t.Mono != 0 }

// Over tells whether it is due.
func (t Timer) Over(w *World) bool {
	return !t.At.IsZero() && !w.Now.Before(t.At) || t.Mono != 0 && w.Mono >= t.Mono
}

// Wall is when it is due by the wall clock as it goes now.
func (t Timer) Wall(w *World) time.Time {
	if t.Mono == 0 {
		return t.At
	}
	if over := w.Now.Add(t.Mono - w.Mono); t.At.IsZero() || over.Before(t.At) {
		return over
	}
	return t.At
}

// awake is a timer that counts only while the machine is awake.
func (w *World) awake(d time.Duration) Timer {
	return Timer{Mono: w.Mono + max(d, 1), Awake: max(d, 1)}
}

// After is a timer that the wall clock does not count for.
func (w *World) After(d time.Duration) Timer { return Timer{Mono: w.Mono + max(d, 1)} }

// Files is what this clawd knows of looks at the session's files.
type Files struct {
	Stamp   string    // of the newest look from outside
	Gen     uint64    // counts those that found a change
	Found   bool      // read for the first time, and nothing was written since
	Unsaved bool      // read further than is stored; nothing in it is news
	Drawn   time.Time // when the screen of a silent turn was looked at
}

// Holder is what this clawd knows of who has the session open.
type Holder struct {
	Attended bool  // this clawd has seen the terminal's holder alive, and it may have run the turn
	Awaited  int   // pid of the process whose end makes it look again
	Gone     Timer // an unfinished turn's holder is gone, and that is yet to settle
	Settled  bool  // that has settled
}

// Todo is what is to be looked into as soon as nothing else is.
type Todo struct {
	Look   bool    // the files, and who has it open
	Anew   bool    // the config is a new one: decide anew
	Orders []Order // of its user, first come first
}

// any tells whether there is something that comes before a session's turn.
func (t Todo) any() bool { return t.Look || len(t.Orders) > 0 }

// Job is one look at a session, as far as it has got. What it found out it keeps to itself until it has found out all
// that it needs: then it is carried out as one step.
type Job struct {
	ID      uint64
	Kind    JobKind
	Open    bool   // a question waits for its answer
	Gen     uint64 // of the files when it began
	Rev     uint64 // of the record
	Turn    Turning
	Order   Order
	Answers Answers
}

// JobKind names what is looked into.
type JobKind uint8

const (
	Idle        JobKind = iota // nothing
	Looking                    // what the files hold, who has it open, and what follows
	Considering                // who has it open whose new stop is stored, and what follows
	Claiming                   // whether an attempt may be made now
	Obeying                    // an order of its user
)

// Answers are those that a job has.
type Answers struct {
	Files   *FilesSeen
	Holders *HoldersSeen
	Screen  *ScreenSeen
	Stop    *StopSeen
	Fit     *FitSeen
	All     *AllSeen
	Order   *OrderSeen
}

// Turning is how far a job is with the session's turn.
type Turning struct {
	Taken  bool          // it may start, and is looked at for the last time
	Lapse  Timer         // if that takes longer than this others may start
	Queued bool          // it waits for its turn
	At     time.Duration // when everything was looked at
	Looks  int           // in a row that something came in between
}

// Said is what was logged and is not logged again.
type Said struct {
	Decision resume.Decision
	Problem  string
	Done     string        // key of the good end
	Old      string        // key of a stop that is too old to be taken in
	Back     string        // why clawd holds back; empty: it does not
	Since    time.Duration // of Back, by the elapsed time
}

// Trouble is what failed.
type Trouble struct {
	Failed  bool // the last look failed: look again with the next rescan
	Failing int  // looks in a row that failed at an open session's terminal or server, or at the roles
}

// Run is one attempt, from its claim to the end of its process.
type Run struct {
	Claim     resume.Claim
	Restarted bool          // another clawd fired it, or was about to
	Began     bool          // a process of ours was begun
	Since     time.Duration // the claim, by the clock that nobody sets; 0: another clawd made it
	Stage     Stage
	Watch     Watch
}

// setBack tells whether the clock was set back since the claim. A clock that is kept right is slowed by less than this leaves.
func (r *Run) setBack(w *World) bool {
	awake := w.Mono - r.Since
	return r.Since > 0 && w.Now.Sub(r.Claim.At) < awake-awake/1000-time.Second
}

// Stage of a run.
type Stage uint8

const (
	Undone   Stage = iota // nothing was started, and that is yet to be stored
	Starting              // T2 is stored, the child is being prepared
	Opening               // T3 is stored, the gate is being opened
	Judging               // its records will tell
	Guarding              // it has resumed the session, and goes on
	Ending                // it has failed, and is to end
)

// Watch is what was seen of a run.
type Watch struct {
	Looking  bool // an answer is on its way
	News     bool // something happened meanwhile
	Next     Timer
	Dead     int // records that it had left when it was first seen dead, and one; 0: it lives
	Settle   Timer
	Blind    Silence // looks that failed
	Quiet    Silence
	Works    Silence // screens that showed the agent at work, without a record
	Rest     Silence
	Gone     Silence
	Yielded  string
	Ended    string // why clawd ended it
	Patience Timer  // of a run that is to end by itself
	Pressed  bool
}

// Silence measures how long something has lasted, in time that the machine was awake for.
type Silence struct {
	Looked, Since time.Time
}

// lasts tells for how long it has lasted at this look. A gap between two looks that is longer starts it anew.
func (q *Silence) lasts(now, active time.Time, gap time.Duration) time.Duration {
	if now.Sub(q.Looked) > gap || now.Before(q.Looked) {
		q.Since = now // the first look, or the machine slept or its clock was set
	}
	q.Looked = now
	if active.After(q.Since) {
		return now.Sub(active)
	}
	return now.Sub(q.Since)
}

// under gives the run whose verdict is awaited; false: there is none.
func (s *Session) under() (Run, bool) {
	switch p := s.Phase.(type) {
	case Claimed:
		return p.Run, true
	case Fired:
		return p.Run, true
	}
	return Run{}, false
}

// Attempted tells whether an attempt is under way, or its run goes on.
func (s *Session) Attempted() bool {
	_, under := s.under()
	return under || s.Guard != nil
}

// run gives the run of an attempt; false: it is over.
func (s *Session) run(token string) (Run, bool) {
	if r, ok := s.under(); ok && r.Claim.Token == token {
		return r, true
	}
	if s.Guard != nil && s.Guard.Claim.Token == token {
		return *s.Guard, true
	}
	return Run{}, false
}

// keep puts a run back as it is now.
func (s *Session) keep(r Run) {
	switch p := s.Phase.(type) {
	case Claimed:
		if p.Run.Claim.Token == r.Claim.Token {
			s.Phase = Claimed{r}
			return
		}
	case Fired:
		if p.Run.Claim.Token == r.Claim.Token {
			s.Phase = Fired{r}
			return
		}
	}
	s.Guard = &r
}

// Child is the pid of our process in it; 0: none.
func (s *Session) Child() int {
	if r, ok := s.under(); ok && r.Claim.Plan.Way == resume.Exec && r.Stage > Starting {
		return r.Claim.PID
	}
	if s.Guard != nil && s.Guard.Claim.Plan.Way == resume.Exec {
		return s.Guard.Claim.PID
	}
	return 0
}

// Works tells whether a run of ours is at work in it, or may soon be.
func (s *Session) Works() bool {
	w, waits := s.Phase.(Waiting)
	_, tries := s.under()
	return tries || s.Guard != nil || waits && w.Begun
}

// Unsaved is how far it was read, where that is not stored yet; nil: it is, or an attempt has its own.
func (s *Session) Unsaved(w *World) *state.Change {
	if !s.Files.Unsaved {
		return nil
	}
	return s.Rec.Noted(w.Books, s.Rec.Read())
}

// Saved takes in that this was stored.
func (s *Session) Saved(c *state.Change) { s.Rec, s.Files.Unsaved = c.Session, false }

// Hangs tells whether its fate hangs on a process, or the last look failed.
func (s *Session) Hangs(w *World) bool {
	p, waits := s.Phase.(Waiting)
	busy := s.stop().State != detect.Stopped && !s.Rec.Classifier.Last.At.IsZero() && w.Now.Sub(s.Rec.Classifier.Last.At) < 25*time.Hour
	open := s.Rec.Phase != state.Following && ((!waits || !p.Begun) && s.Guard == nil || s.Rec.Driven() || waits && p.OpenBy != 0)
	return s.Trouble.Failed || open || busy
}

// Looks tells whether it is yet to be said what its files hold.
func (s *Session) Looks() bool { return s.Todo.Look || s.Job.Kind == Looking }

// Queued tells whether it waits for its turn.
func (s *Session) Queued() bool { return s.Job.Turn.Queued }

// stop is the verdict on all that was read.
func (s *Session) stop() detect.Stop { return s.Rec.Classifier.Stop() }
