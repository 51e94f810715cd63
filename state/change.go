package state

import (
	"errors"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// ErrPhase says that the session is not in the phase that the transition starts from.
var ErrPhase = errors.New("the session has moved on in the meantime")

// ErrMoved says that something was written of the session since it was looked at.
var ErrMoved = errors.New("the session was written in the meantime")

// Books are what a transition may look up beside the session's own record: what was committed before.
type Books interface {
	// Now is the time of the transition, in UTC.
	Now() time.Time
	// Closed tells how a stop of a session ended; the zero value: it was never fired for.
	Closed(s detect.Session, key string) Closed
	// Spent gives the budget of the day that a time is in.
	Spent(at time.Time) Budget
	// Record gives another session's record; a new one if there is none.
	Record(s detect.Session) Session
}

// Change is one transition of a session: its record as it is to be stored, and all that is written with it. Each
// transition is a function from the record, and from what the books say, to a Change, and writes nothing itself. A nil
// Change says that there is nothing to write.
type Change struct {
	Session
	name    string // of the transition, as crash points call it
	books   Books
	History []Entry
	Notices []Notice
	Closed  map[string]Closed // stops of this session, by key
	Spent   []Spent
	Counts  Stats     // to be added
	Heirs   []Session // other sessions' records
	unknown *detect.Stop
	notes   []given
	signs   bool // a sign of life goes with it
}

// Spent is what is added to the budget of the day that At is in.
type Spent struct {
	At    time.Time
	Root  string // key of the line's first session
	Fires int
	USD   float64
}

// change begins a transition.
func (s Session) change(b Books, name string) *Change {
	s.written(b.Now())
	return &Change{Session: s, name: name, books: b}
}

// written counts a change of the record.
func (s *Session) written(now time.Time) {
	s.Rev++
	s.Updated = now
}

// Tells says whether there is something in it for its user.
func (c *Change) Tells() bool { return len(c.Notices) > 0 }

func (c *Change) now() time.Time { return c.books.Now() }

func (c *Change) record(kind, key string, n int, why, proof string) {
	c.History = append(c.History, Entry{At: c.now(), Kind: kind, Session: Key(c.Session.Session), Key: key, N: n, Why: why, Proof: proof})
}

// tell has the user told. command is what to type.
func (c *Change) tell(event, why, command string) {
	n := Notice{At: c.now(), Event: event, Key: c.Stop.Key, Session: Key(c.Session.Session), Reason: c.Stop.Reason, Why: why, Command: command}
	c.Notice = &n
	c.Notices = append(c.Notices, n)
}

// count notes a stop that was not known.
func (c *Change) count(stop detect.Stop) {
	if c.Counts.Stops == nil {
		c.Counts.Stops = map[detect.Reason]int{}
	}
	c.Counts.Stops[stop.Reason]++
	c.record("stop", stop.Key, 0, string(stop.Reason), "")
}

// close notes how a stop ended.
func (c *Change) close(key string, how Closed) {
	if c.Closed == nil {
		c.Closed = map[string]Closed{}
	}
	c.Closed[key] = how
}

// dealt gives how a stop ended. over: it is not fired for again, but by its user's order.
func (c *Change) dealt(key string) (how Closed, over bool) {
	how = c.books.Closed(c.Session.Session, key)
	ordered := c.Phase == Waiting && c.Decision.Asked && !how.Reopened.IsZero()
	return how, how.Verdict != "" && how.Verdict != resume.NoEffect && !ordered
}

// spend adds to the budget of the day that at is in.
func (c *Change) spend(at time.Time, fires int, usd float64) {
	c.Spent = append(c.Spent, Spent{at, c.root(), fires, usd})
}

// decided puts the session into the phase that its decision asks for.
func (c *Change) decided() {
	d := c.Decision
	switch {
	case d.Strategy != resume.Leave:
		c.Phase = Waiting
		c.record("scheduled", c.Stop.Key, d.Attempt, d.Why, "")
	case d.GivenUp:
		c.Phase = GivenUp
		c.Counts.GivenUp++
		c.record("given_up", c.Stop.Key, c.Episode.Attempts, d.Why, "")
		c.tell("resume_given_up", d.Why, "")
	default:
		c.Phase = Following
		c.record("left", c.Stop.Key, 0, d.Why, "")
		if d.Tell {
			c.tell("session_left", d.Why, "")
		}
	}
}

// hold is for good, and its user is told.
func (c *Change) hold(why string) {
	c.tell("session_held", why, "")
	c.keep(why)
}

// keep is what holds without a word to the user.
func (c *Change) keep(why string) {
	c.Phase, c.Decision.Why = Held, why
	if c.Decision.Strategy == "" { // an order that came back into a new store
		c.Decision.Strategy = resume.Leave
	}
	c.record("held", c.Stop.Key, c.Episode.Attempts, why, "")
}

// leave ends the wait.
func (c *Change) leave(why string) {
	c.Decision = resume.Decision{Strategy: resume.Leave, Why: why}
	c.Phase, c.Prompt = Following, ""
	c.record("left", c.Stop.Key, 0, why, "")
}

// unclaim goes back to where the session was before its claim.
func (c *Change) unclaim(why string) {
	was := *c.Claim
	c.Phase, c.Claim = Waiting, nil
	c.Episode.Attempts--
	c.spend(was.At, -1, 0)
	c.record("unclaimed", was.Stop.Key, was.N, why, "")
}

// cancelled holds a stop that its user took back. He knows, so nobody is told.
func (c *Change) cancelled() {
	c.keep(byUser)
	c.note(true)
}

// note keeps what its user ordered, in a file of its own. held: the stop is to be left.
func (c *Change) note(held bool) { c.notes = append(c.notes, noted(c.Session, c.now(), held)) }

func noted(s Session, now time.Time, held bool) given {
	g := given{Session: s.Session, Dir: s.Info.Dir, At: now, Ignored: s.Ignored, Cancelled: s.Cancelled}
	if held {
		stop := s.Stop
		stop.Text = "" // the key is what counts
		g.Held = &stop
	}
	return g
}

// own makes sure that a claim is still its session's.
func (s Session) own(c resume.Claim, phases ...Phase) error {
	for _, p := range phases {
		if s.Phase == p && s.Claim != nil && s.Claim.Token == c.Token {
			return nil
		}
	}
	return ErrPhase
}

// waits makes sure that a stop is still waited for.
func (s Session) waits(key string) error {
	if s.Phase != Waiting || s.Stop.Key != key {
		return ErrPhase
	}
	return nil
}
