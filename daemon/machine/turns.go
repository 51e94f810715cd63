package machine

import (
	"maps"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// Turns say which sessions may start now: at most so many at a time, spaced out, and of those that wait for the same
// window of the same account one first.
type Turns struct {
	running int
	last    time.Duration   // of the last start; 0: there was none
	leads   map[string]lead // by account and window
}

// lead is the session that goes first into a window.
type lead struct {
	session string
	opened  bool          // it went through: the others may follow
	again   time.Duration // it was limited again: the others wait until then, too; 0: it was not
}

// NewTurns has nobody running.
func NewTurns() Turns { return Turns{leads: map[string]lead{}} }

// TurnMove is what a session does to the turns. It is an effect.
type TurnMove struct {
	Kind    TurnKind
	Session string // its key
	Window  string // empty: it shares nothing
	Verdict resume.Verdict
	Again   time.Duration // of a verdict: when the session tries again; 0: it does not
}

// TurnKind names a move.
type TurnKind uint8

const (
	TurnLeads  TurnKind = iota // it goes first into its window
	TurnTakes                  // it starts
	TurnLeaves                 // nothing of it runs any more
	TurnDrops                  // it does not start
	TurnJudges                 // how it went for it
	TurnCloses                 // there is a new limit in the window
)

// long is a pause that a change will end.
const long = time.Minute

// may says how long a session has to wait for its turn; 0: not at all. A refusal says that its window is still closed.
// leads: it is the one that goes first.
func (w *World) may(session, window string, since time.Time) (pause time.Duration, refusal *resume.Outcome, leads bool) {
	if w.Starting.Set() && !w.Starting.Over(w) {
		return long, nil, false
	}
	if window != "" {
		f, known := w.Turns.leads[window]
		left := f.again - w.Mono
		switch {
		case !known:
			leads = true
		case f.opened:
		case f.session == session:
			leads = f.again != 0 // this is the next try, and how it goes is yet to be seen
		case f.again != 0 && left > 0 && w.Now.Add(left).After(since):
			return 0, &resume.Outcome{Verdict: resume.Postponed, Again: w.Now.Add(left),
				Why: "another session of this account went first and is still limited"}, false
		case f.again != 0:
			leads = true
		default:
			return long, nil, false
		}
	}
	if w.Turns.running >= w.Config.Resume.MaxParallel {
		return long, nil, leads
	}
	if left := time.Duration(w.Config.Resume.Stagger) - (w.Mono - w.Turns.last); w.Turns.last != 0 && left > 0 {
		return left, nil, leads
	}
	return 0, nil, leads
}

// led tells whether a session went first into a window already.
func (t *Turns) led(window string) bool {
	_, known := t.leads[window]
	return known
}

// Move takes in what a session does.
func (t *Turns) Move(m TurnMove, now time.Duration) {
	f, known := t.leads[m.Window]
	own := known && m.Window != "" && f.session == m.Session
	if m.Kind == TurnLeads || m.Kind == TurnDrops || m.Kind == TurnJudges { // it is in no other window now, as where another account was logged in
		maps.DeleteFunc(t.leads, func(window string, f lead) bool { return window != m.Window && f.session == m.Session && !f.opened })
	}
	switch m.Kind {
	case TurnLeads:
		t.leads[m.Window] = lead{session: m.Session}
	case TurnTakes:
		t.running++
		t.last = now
	case TurnLeaves:
		t.running--
	case TurnDrops:
		if own && !f.opened {
			delete(t.leads, m.Window)
		}
	case TurnCloses:
		if f.opened {
			delete(t.leads, m.Window)
		}
	case TurnJudges:
		switch {
		case !own:
		case m.Verdict == resume.Resumed:
			f.opened = true
			t.leads[m.Window] = f
		case m.Verdict == resume.StoppedAgain && m.Again > 0:
			f.again = now + m.Again
			t.leads[m.Window] = f
		default: // it does not try again, or nothing can be learnt from it: another one goes first
			delete(t.leads, m.Window)
		}
	}
}

// Shortage is the machine's own state when it cannot give what a start needs: processes, memory, files, room
// on the disk, or clawd's own folders. It says nothing about a session, so no session pays for it: all wait,
// one of them tries again after a while, and the first start that goes through ends it.
type Shortage struct {
	Why   string // empty: there is none
	Tries int
	until time.Duration
}

const (
	shortFirst = 5 * time.Second
	shortMost  = 5 * time.Minute
)

// rests gives the refusal as long as the machine is to be left alone; nil: it is not.
func (w *World) rests() *resume.Outcome {
	if w.Short.Why == "" || w.Mono >= w.Short.until {
		return nil
	}
	return w.shortOf(w.Short.Why)
}

// shortOf puts a session off until the machine is tried again.
func (w *World) shortOf(why string) *resume.Outcome {
	s := w.Short
	if w.Mono >= s.until {
		s.step(w.Mono)
	}
	return &resume.Outcome{Verdict: resume.Postponed, Again: w.Now.Add(s.until - w.Mono), Why: why}
}

func (s *Shortage) step(now time.Duration) {
	s.until = now + min(shortFirst<<min(s.Tries, 10), shortMost)
	s.Tries++
}

// lacks notes what the machine lacks. It is told once, and not by each session that is put off for it.
func (t *step) lacks(why string) {
	t.lack = why
	t.do(ShortMove{Why: why})
}

func (t *step) short(why string) bool { return why != "" && (why == t.w.Short.Why || why == t.lack) }

// Lag is how long it takes now from a look to the store: other transactions come first, and a disk may be slow.
// Looks are accepted as long as they are not older than that, else no attempt would ever be made there. A shim
// looks once more anyway, and so does who types.
type Lag time.Duration

// lookEnds is how old a look may have become when it is acted on, where that does not take longer.
const lookEnds = time.Second

func (l Lag) most() time.Duration { return max(lookEnds, time.Duration(l)) }

// LagMove is how old a look was when it was to be acted on. It is an effect.
type LagMove struct{ Age time.Duration }

// Move takes it in.
func (l *Lag) Move(m LagMove) {
	switch most := l.most(); {
	case m.Age > most:
		*l = Lag(2 * m.Age)
	case m.Age < most/4:
		*l = Lag(most / 2)
	}
}

// ShortMove is what a start says of the machine. It is an effect.
type ShortMove struct {
	Why    string // what it lacks; empty: it lacks nothing, or one is let through
	Passed bool   // a start went through
}

// Move takes it in. began and ended say what there is to tell.
func (s *Shortage) Move(m ShortMove, now time.Duration) (began, ended bool) {
	switch {
	case m.Passed:
		ended = s.Why != ""
		*s = Shortage{}
	case m.Why == "": // one tries, and the others wait for how it goes
		if s.Why != "" {
			s.step(now)
		}
	default:
		if now >= s.until {
			s.step(now)
		}
		began = s.Why == ""
		s.Why = m.Why
	}
	return began, ended
}

// Running is how many have their turn.
func (t *Turns) Running() int { return t.running }
