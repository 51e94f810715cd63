package state

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// ErrPhase says that the session is not in the phase that the transition starts from.
var ErrPhase = errors.New("the session has moved on in the meantime")

// ErrMoved says that something was written of the session since it was looked at.
var ErrMoved = errors.New("the session was written in the meantime")

// maxStarts: so many claims of one stop that never made a mark, and it is held.
const maxStarts = 3

// Read is what a read of the agent's files found.
type Read struct {
	Session    detect.Session
	Info       detect.Info
	Stamp      string
	Cursor     string
	Classifier detect.Classifier
	// Prompt is the text of the last prompt, for a stop whose session the agent may delete before a
	// fresh one takes over; else empty. The caller bounds it. It is dropped with the stop, or goes over
	// to the session that takes over.
	Prompt string
}

func (s *Session) take(r Read) {
	s.Session, s.Info, s.Stamp, s.Cursor, s.Classifier = r.Session, r.Info, r.Stamp, r.Cursor, r.Classifier
	if s.Overcome(r.Classifier) {
		s.Fruitless, s.Episode, s.LastFire = 0, Episode{}, time.Time{}
	}
	if !s.CancelStands(r.Classifier) {
		s.Cancelled = time.Time{}
	}
}

// Overcome tells whether the attempts so far count no longer, after what was read: a turn ended well
// since the last one, or a person went on. Not every agent records who prompted, so a prompt in the very
// words of the attempt that was written before its verdict is taken for its own.
func (s Session) Overcome(c detect.Classifier) bool {
	if s.LastFire.IsZero() {
		return false
	}
	ours := s.FirePrompt != "" && c.LastPrompt.Hash == s.FirePrompt && !c.LastPrompt.At.After(s.FireEnd)
	return c.Ended.After(s.LastFire) || !ours && s.personAfter(c.LastPrompt, s.LastFire)
}

// CancelStands tells whether its user's order to end the run still counts, after what was read.
func (s Session) CancelStands(c detect.Classifier) bool {
	return !s.Cancelled.IsZero() && !c.Ended.After(s.Cancelled) && !s.personAfter(c.LastPrompt, s.Cancelled)
}

func (s Session) personAfter(p detect.Event, t time.Time) bool {
	typed := s.Claim != nil && s.Claim.Plan.Way.Live() && p.Hash != "" && p.Hash == s.Claim.Plan.Prompt
	return p.At.After(t) && !p.Headless && !p.Meta && !typed
}

// open tells whether an attempt of it is under way, so that only its verdict may write.
func (s Session) open() bool { return s.Phase == Claimed || s.Phase == Fired }

// Progress stores how far sessions were read, with a sign of life. It is T1 without news, so it may come late.
func (s *Store) Progress(reads []Read) error {
	return s.update("T1", func(t tx) error {
		for _, r := range reads {
			rec := t.session(r.Session)
			if rec.open() {
				continue
			}
			rec.take(r)
			if err := t.save(rec); err != nil {
				return err
			}
		}
		return t.alive()
	})
}

// Stopped is T1: a read found a stop that was not known. d says what will be done about it; adopt,
// when set, is an attempt that was already made for it (its mark was found, the store had lost it).
func (s *Store) Stopped(r Read, stop detect.Stop, d resume.Decision, adopt *resume.Claim) (Session, error) {
	var rec Session
	err := s.update("T1", func(t tx) (err error) {
		rec = t.session(r.Session)
		if rec.open() {
			return ErrPhase
		}
		known := rec.Stop.Key == stop.Key && stop.Key != ""
		rec.take(r)
		before, closed := t.closed(rec, stop.Key)
		switch dealt := closed || before.N > 0; {
		case dealt && !known && rec.Phase == Waiting:
			return t.hold(&rec, "its files end in a stop again that was dealt with before this one")
		case closed, dealt && !known, known && rec.Phase != Following:
			return t.save(rec)
		}
		rec.Stop, rec.Prompt, rec.Decision, rec.Starts = stop, r.Prompt, d, 0
		if !known || rec.Episode.Key == "" {
			// Attempts without an effect have their marks, so the next one has a number of its own; also when
			// its user had ordered another stop of the same episode in between.
			made := before.N
			if rec.Episode.Key == stop.Key {
				made = max(made, rec.Episode.Attempts)
			}
			if e := rec.Episode; e.Key == "" && !e.Since.IsZero() { // of the session that it took over from
				rec.Episode.Key, rec.Episode.Attempts = stop.Key, max(made, e.Attempts)
			} else {
				rec.Episode.Key, rec.Episode.Since, rec.Episode.Attempts = stop.Key, stop.At, made
			}
			rec.Episode.Began = stop.At
		}
		if !known {
			if err := errors.Join(
				t.stats(func(st *Stats) { st.Stops[stop.Reason]++ }), t.unknown(r, stop),
				t.history(rec, "stop", stop.Key, 0, string(stop.Reason), "")); err != nil {
				return err
			}
		}
		if adopt != nil {
			rec.Phase, rec.Claim, rec.Episode.Attempts = Fired, adopt, adopt.N
			return t.save(rec)
		}
		return t.decided(&rec)
	})
	return rec, err
}

// decided puts rec into the phase that its decision asks for, and saves it.
func (t tx) decided(rec *Session) error {
	d := rec.Decision
	var err error
	switch {
	case d.Strategy != resume.Leave:
		rec.Phase = Waiting
		err = t.history(*rec, "scheduled", rec.Stop.Key, d.Attempt, d.Why, "")
	case d.GivenUp:
		rec.Phase = GivenUp
		err = errors.Join(t.stats(func(st *Stats) { st.GivenUp++ }),
			t.history(*rec, "given_up", rec.Stop.Key, rec.Episode.Attempts, d.Why, ""), t.tell(rec, "resume_given_up", d.Why, ""))
	default:
		rec.Phase = Following
		err = t.history(*rec, "left", rec.Stop.Key, 0, d.Why, "")
		if d.Tell {
			err = errors.Join(err, t.tell(rec, "session_left", d.Why, ""))
		}
	}
	return errors.Join(err, t.save(*rec))
}

// WentOn is T1: somebody else went on in a session that had stopped, or its turn ended. It gives
// back the phase that the session was in.
func (s *Store) WentOn(r Read, why string) (was Phase, err error) {
	err = s.update("T1", func(t tx) error {
		rec := t.session(r.Session)
		was = rec.Phase
		if rec.open() {
			return ErrPhase
		}
		rec.take(r)
		if rec.Phase != Following {
			if err := t.history(rec, string(resume.ByHand), rec.Stop.Key, 0, why, ""); err != nil {
				return err
			}
			rec.Phase, rec.Prompt, rec.Episode, rec.Cancelled = Following, "", Episode{Fresh: rec.Episode.Fresh}, time.Time{}
		}
		return t.save(rec)
	})
	return was, err
}

// Wait stores a decision for the stop that is known. It does not replace what its user ordered: the
// decision may be older than the order.
func (s *Store) Wait(ds detect.Session, key string, d resume.Decision) error {
	return s.update("T1", func(t tx) error {
		rec := t.session(ds)
		if rec.Phase != Waiting || rec.Stop.Key != key || rec.Decision.Asked && rec.Decision != d {
			return ErrPhase
		}
		if rec.Decision == d {
			return nil
		}
		rec.Decision = d
		return t.decided(&rec)
	})
}

// Refine stores what became known later about the stop that is waited for, with what is done then.
func (s *Store) Refine(ds detect.Session, stop detect.Stop, d resume.Decision) error {
	return s.update("T1", func(t tx) error {
		rec := t.session(ds)
		if rec.Phase != Waiting || rec.Stop.Key != stop.Key {
			return ErrPhase
		}
		rec.Stop, rec.Decision = stop, d
		return t.decided(&rec)
	})
}

// told tells whether a notice of this kind about a stop was given.
func (s Session) told(event, key string) bool {
	return len(s.Told) > 0 && s.Told[0] == key && slices.Contains(s.Told[1:], event)
}

// Tell puts a notice about a stop that is waited for into the outbox, once for each event.
func (s *Store) Tell(ds detect.Session, key, event, why, command string) error {
	rec, _, err := s.Session(ds)
	if err != nil || rec.told(event, key) {
		return err
	}
	return s.update("T5", func(t tx) error {
		rec := t.session(ds)
		if rec.Phase != Waiting || rec.Stop.Key != key {
			return ErrPhase
		}
		if len(rec.Told) == 0 || rec.Told[0] != key {
			rec.Told = []string{key}
		}
		rec.Told = append(rec.Told, event)
		if err := errors.Join(t.history(rec, event, key, 0, why, ""), t.tell(&rec, event, why, command)); err != nil {
			return err
		}
		return t.save(rec)
	})
}

// Limits on fires, from the config.
type Limits struct {
	PerSession int     // a day
	PerDay     int     // all sessions
	MaxCostUSD float64 // a day; 0: none
}

// Claim is T2. check runs inside the transaction, after the store's own checks: it looks at the
// files and processes once more and gives the attempt's particulars; its error is returned as it
// is and nothing is written.
func (s *Store) Claim(ds detect.Session, key string, l Limits, check func(Session) (resume.Claim, error)) (resume.Claim, error) {
	var c resume.Claim
	err := s.update("T2", func(t tx) error {
		rec := t.session(ds)
		if rec.Phase != Waiting || rec.Stop.Key != key {
			return ErrPhase
		}
		if cl, closed := t.closed(rec, key); closed {
			return refuse(resume.LeftAlone, time.Time{}, fmt.Sprintf("this stop was settled before: %s", cl.Verdict))
		}
		if !rec.Decision.Asked {
			if err := t.afford(rec, l); err != nil {
				return err
			}
		}
		var err error
		if c, err = check(rec); err != nil {
			return err
		}
		if rec.Episode.Attempts == 0 { // a stop may be old before it is tried for the first time
			rec.Episode.Since = t.now
		}
		rec.Episode.Attempts++
		c.Session, c.Stop, c.N, c.Attempts, c.At = ds, rec.Stop, rec.Episode.Attempts, rec.Episode.Attempts, t.now
		rec.Phase, rec.Claim = Claimed, &c
		_, err = t.budget(func(b *Budget) { b.Total++; b.Sessions[rec.root()]++ })
		return errors.Join(err, t.history(rec, "claimed", key, c.N, "", ""), t.save(rec))
	})
	return c, err
}

func refuse(v resume.Verdict, again time.Time, why string) error {
	return &resume.Refusal{Outcome: resume.Outcome{Verdict: v, Again: again, Why: why}}
}

// afford refuses until tomorrow what today's budget does not hold.
func (t tx) afford(rec Session, l Limits) error {
	b, err := t.budget(nil)
	if err != nil {
		return err
	}
	y, m, d := t.now.Local().Date()
	tomorrow := time.Date(y, m, d+1, 0, 0, 0, 0, time.Local)
	switch {
	case b.Sessions[rec.root()] >= l.PerSession:
		return refuse(resume.Postponed, tomorrow, fmt.Sprintf("this session was resumed %d times today; [budget] max_resumes_per_day is %d", b.Sessions[rec.root()], l.PerSession))
	case b.Total >= l.PerDay:
		return refuse(resume.Postponed, tomorrow, fmt.Sprintf("%d resumes today; [budget] max_resumes_per_day_total is %d", b.Total, l.PerDay))
	case l.MaxCostUSD > 0 && b.CostUSD >= l.MaxCostUSD:
		return refuse(resume.Postponed, tomorrow, fmt.Sprintf("today's resumes cost %.2f USD; [budget] max_cost_usd is %.2f", b.CostUSD, l.MaxCostUSD))
	}
	return nil
}

// own gives the record of a claim's session if the claim is still its own.
func (t tx) own(c resume.Claim, phases ...Phase) (Session, error) {
	rec := t.session(c.Session)
	for _, p := range phases {
		if rec.Phase == p && rec.Claim != nil && rec.Claim.Token == c.Token {
			return rec, nil
		}
	}
	return rec, ErrPhase
}

// Fired is T3.
func (s *Store) Fired(c resume.Claim) error {
	return s.update("T3", func(t tx) error {
		rec, err := t.own(c, Claimed)
		if err != nil {
			return err
		}
		rec.Phase, rec.Claim = Fired, &c
		return errors.Join(t.history(rec, "fired", c.Stop.Key, c.N, string(c.Plan.Form), ""), t.save(rec))
	})
}

// Adopt takes up an attempt for the stop that is waited for: its mark is there, and the store does not know of it.
func (s *Store) Adopt(c resume.Claim) error {
	return s.update("T1", func(t tx) error {
		rec := t.session(c.Session)
		if rec.Phase != Waiting || rec.Stop.Key != c.Stop.Key {
			return ErrPhase
		}
		rec.Phase, rec.Claim, rec.Episode.Attempts = Fired, &c, c.N
		return errors.Join(t.history(rec, "adopted", c.Stop.Key, c.N, "its mark is there", ""), t.save(rec))
	})
}

// Unclaim gives back an attempt whose child never made its mark. The third one of a stop is held.
func (s *Store) Unclaim(c resume.Claim, why string, counts bool) (held bool, err error) {
	err = s.update("T4", func(t tx) error {
		rec, err := t.own(c, Claimed, Fired)
		if err != nil {
			return err
		}
		if counts {
			rec.Starts++
		}
		err = t.unclaim(&rec, why)
		if !rec.Cancelled.IsZero() {
			held = true
			return errors.Join(err, t.cancelled(&rec))
		}
		if held = rec.Starts >= maxStarts; held {
			return errors.Join(err, t.hold(&rec, fmt.Sprintf("starting the agent failed %d times: %s", rec.Starts, why)))
		}
		return errors.Join(err, t.save(rec))
	})
	return held, err
}

// unclaim puts rec back to where it was before its claim, unsaved.
func (t tx) unclaim(rec *Session, why string) error {
	c := *rec.Claim
	rec.Phase, rec.Claim = Waiting, nil
	rec.Episode.Attempts--
	return errors.Join(t.giveBack(*rec, c.At), t.history(*rec, "unclaimed", c.Stop.Key, c.N, why, ""))
}

// hold is T5.
func (t tx) hold(rec *Session, why string) error {
	if err := t.tell(rec, "session_held", why, ""); err != nil {
		return err
	}
	return t.keep(rec, why)
}

// keep is what holds without a word to the user.
func (t tx) keep(rec *Session, why string) error {
	rec.Phase, rec.Decision.Why = Held, why
	if rec.Decision.Strategy == "" { // an order that came back into a new store
		rec.Decision.Strategy = resume.Leave
	}
	return errors.Join(t.history(*rec, "held", rec.Stop.Key, rec.Episode.Attempts, why, ""), t.save(*rec))
}

// Drop ends the wait of a stop that the user knows of, without a word to him.
func (s *Store) Drop(ds detect.Session, key, why string) error {
	return s.update("T1", func(t tx) error {
		rec := t.session(ds)
		if rec.Phase != Waiting || rec.Stop.Key != key {
			return ErrPhase
		}
		rec.Decision = resume.Decision{Strategy: resume.Leave, Why: why}
		rec.Phase, rec.Prompt = Following, ""
		return errors.Join(t.history(rec, "left", key, 0, why, ""), t.save(rec))
	})
}

// Leave ends the wait of a stop by rule, and tells the user: command is what to type instead.
func (s *Store) Leave(ds detect.Session, key, why, command string) error {
	return s.update("T1", func(t tx) error {
		rec := t.session(ds)
		if rec.Phase != Waiting || rec.Stop.Key != key {
			return ErrPhase
		}
		rec.Decision = resume.Decision{Strategy: resume.Leave, Why: why}
		rec.Phase, rec.Prompt = Following, ""
		if err := errors.Join(t.history(rec, "left", key, 0, why, ""), t.tell(&rec, "session_left", why, command)); err != nil {
			return err
		}
		return t.save(rec)
	})
}
