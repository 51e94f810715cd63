package state

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

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

// Read is what was read of the session's files, as its record has it.
func (s Session) Read() Read {
	return Read{Session: s.Session, Info: s.Info, Stamp: s.Stamp, Cursor: s.Cursor, Classifier: s.Classifier}
}

func (s *Session) take(r Read) {
	s.Session, s.Info, s.Stamp, s.Cursor, s.Classifier = r.Session, r.Info, r.Stamp, r.Cursor, r.Classifier
	if p := s.Classifier.LastPrompt; s.HolderEnd != "" && !s.prompted(p) && s.personAfter(p, s.HolderGone) && s.personAfter(p, s.LastFire) {
		s.Holder, s.HolderEnd, s.HolderGone = detect.Holder{}, "", time.Time{} // it was open in another terminal since
	}
	if s.Overcome() {
		s.Fruitless, s.Episode, s.LastFire = 0, Episode{}, time.Time{}
	}
	if !s.CancelStands() {
		s.Cancelled = time.Time{}
	}
}

// maxSent bounds the ids that are kept. A server that hangs may take a prompt long after its attempt had its verdict, and a newer one was made.
const maxSent = 16

// prompted tells whether a prompt is that of the newest attempt. Not every agent records who prompted, so one in the very
// words of the attempt that was written before its verdict is taken for its own; one with an id that an attempt chose always is.
func (s Session) prompted(p detect.Event) bool {
	if c := s.Claim; c != nil && c.Plan.MessageID != "" && p.ID == c.Plan.MessageID || slices.Contains(s.Sent, p.ID) {
		return true
	}
	return s.FirePrompt != "" && p.Hash == s.FirePrompt && (s.FireEnd.IsZero() || !p.At.After(s.FireEnd))
}

// AtWork tells whether the newest prompt is that of the newest attempt, so that a turn that goes on is clawd's own.
func (s Session) AtWork() bool {
	p := s.Classifier.LastPrompt
	return s.Claim != nil && !p.At.Before(s.Claim.At) && s.prompted(p)
}

// InQueue tells whether the prompt of the newest attempt may still lie in the agent's queue: whether it ran could not be told, it is
// not the newest one, and it runs when a turn ends well, which none has since.
func (s Session) InQueue(b Books) bool {
	c := s.Claim
	return c != nil && c.Plan.Way == resume.Queue && b.Closed(s.Session, c.Stop.Key).Verdict == resume.Unsure && !s.Classifier.Ended.After(c.At) && !s.AtWork()
}

// Overcome tells whether the attempts so far count no longer, after what was read: a turn ended well
// since the last one, or a person went on.
func (s Session) Overcome() bool {
	if s.LastFire.IsZero() {
		return false
	}
	p := s.Classifier.LastPrompt
	return s.Classifier.Ended.After(s.LastFire) || !s.prompted(p) && s.personAfter(p, s.LastFire)
}

// CancelStands tells whether its user's order to end the run still counts, after what was read: nobody went on after it, by
// hand or by a script. One of several turns that were at work by then may end well, and another one stop after that: only what the
// agent begins by itself after a good end is something new.
func (s Session) CancelStands() bool {
	c, p := s.Classifier, s.Classifier.LastPrompt
	others := p.At.After(s.Cancelled) && !s.prompted(p) && (!p.Meta || c.Ended.After(s.Cancelled))
	return !s.Cancelled.IsZero() && !others
}

// Made tells whether a stop came of the newest attempt, whose verdict did not know of it: the episode goes on.
func (s Session) Made(stop detect.Stop) bool {
	if s.Claim == nil || s.Episode.Attempts == 0 || !stop.At.After(s.Claim.At) || s.Classifier.Answered.After(s.Claim.At) {
		return false
	}
	p := s.Classifier.LastPrompt
	return !p.At.After(s.Claim.At) || p.Meta || s.Claim.Plan.Prompt != "" && p.Hash == s.Claim.Plan.Prompt
}

// OursSince tells whether the newest answer came of clawd's own attempt, and of nobody else's prompt.
func (s Session) OursSince() bool {
	if s.Claim == nil || s.Classifier.Answered.Before(s.Claim.At) {
		return false
	}
	p := s.Classifier.LastPrompt
	ours := s.Claim.Plan.Prompt != "" && p.Hash == s.Claim.Plan.Prompt
	return ours || !s.personAfter(p, s.Claim.At)
}

func (s Session) personAfter(p detect.Event, t time.Time) bool {
	typed := s.Claim != nil && s.Claim.Plan.Way.Live() && p.Hash != "" && p.Hash == s.Claim.Plan.Prompt
	return p.At.After(t) && !p.Headless && !p.Meta && !typed
}

// open tells whether an attempt of it is under way, so that only its verdict may write.
func (s Session) open() bool { return s.Phase == Claimed || s.Phase == Fired }

// Noted takes in how far a session was read. It is no news, so it may come late; an attempt under way has its own.
func (s Session) Noted(b Books, r Read) *Change {
	if s.open() {
		return nil
	}
	c := s.change(b, "T1")
	c.take(r)
	c.signs = true
	return c
}

// Stopped takes in a stop that was not known. d says what will be done about it; adopt, when set, is an attempt that was
// already made for it (its mark was found, the store had lost it).
func (s Session) Stopped(b Books, r Read, stop detect.Stop, d resume.Decision, adopt *resume.Claim) (*Change, error) {
	if s.open() {
		return nil, ErrPhase
	}
	c := s.change(b, "T1")
	known := c.Stop.Key == stop.Key && stop.Key != ""
	c.take(r)
	before, over := c.dealt(stop.Key)
	switch dealt := over || before.N > 0; {
	case dealt && !known && c.Phase == Waiting:
		c.hold("its files end in a stop again that was dealt with before this one")
		return c, nil
	case over, dealt && !known, known && c.Phase != Following:
		return c, nil
	}
	c.Stop, c.Prompt, c.Decision, c.Starts, c.Unsaid = stop, r.Prompt, d, 0, 0
	if !known || c.Episode.Key == "" {
		c.begin(stop, before)
	}
	if !known {
		c.unknown = &stop
		c.count(stop)
	}
	if adopt != nil {
		c.Phase, c.Claim, c.Episode.Attempts = Fired, adopt, adopt.N
		return c, nil
	}
	c.decided()
	return c, nil
}

// begin begins an episode with a stop, or goes on with that of the session that it took over from.
func (c *Change) begin(stop detect.Stop, before Closed) {
	// Attempts without an effect have their marks, so the next one has a number of its own; also when
	// its user had ordered another stop of the same episode in between.
	made := before.N
	if c.Episode.Key == stop.Key {
		made = max(made, c.Episode.Attempts)
	}
	if c.Made(stop) {
		c.Episode.Key, c.Episode.Attempts = stop.Key, max(made, c.Episode.Attempts)
		return
	}
	if e := c.Episode; e.Key == "" && !e.Since.IsZero() { // of the session that it took over from
		c.Episode.Key, c.Episode.Attempts = stop.Key, max(made, e.Attempts)
	} else {
		c.Episode.Key, c.Episode.Since, c.Episode.Attempts = stop.Key, stop.At, made
	}
	c.Episode.Began = stop.At
}

// WentOn takes in that somebody else went on in a session that had stopped, or that its turn ended. Where it goes on by a prompt of
// clawd's own that was taken late, so does the episode.
func (s Session) WentOn(b Books, r Read, why string) (*Change, error) {
	if s.open() {
		return nil, ErrPhase
	}
	c := s.change(b, "T1")
	c.take(r)
	if c.Phase != Following {
		c.record(string(resume.ByHand), c.Stop.Key, 0, why, "")
		c.Phase, c.Prompt = Following, ""
		if late := c.Classifier.LastPrompt; !c.AtWork() || !c.Classifier.Ended.Before(late.At) {
			c.Episode = Episode{Fresh: c.Episode.Fresh}
		}
	}
	return c, nil
}

// Redecided takes a decision for the stop that is known. It does not replace what its user ordered: the
// decision may be older than the order.
func (s Session) Redecided(b Books, key string, d resume.Decision) (*Change, error) {
	if err := s.waits(key); err != nil || s.Decision == d {
		return nil, err
	}
	if s.Decision.Asked {
		return nil, ErrPhase
	}
	c := s.change(b, "T1")
	c.Decision = d
	c.decided()
	return c, nil
}

// KeptBack has the session's own agent go on after all with a stop from which another one was to take over: the decision is
// d now.
func (s Session) KeptBack(b Books, key, why string, d resume.Decision) (*Change, error) {
	if err := s.waits(key); err != nil {
		return nil, err
	}
	c := s.change(b, "T1")
	c.Kept, c.Decision = key, d
	c.record("kept", key, 0, why, "")
	c.decided()
	return c, nil
}

// Refined takes in what became known later about the stop that is waited for, with what is done then.
func (s Session) Refined(b Books, stop detect.Stop, d resume.Decision) (*Change, error) {
	if err := s.waits(stop.Key); err != nil {
		return nil, err
	}
	c := s.change(b, "T1")
	c.Stop, c.Decision = stop, d
	c.decided()
	return c, nil
}

// told tells whether a notice of this kind about a stop was given.
func (s Session) told(event, key string) bool {
	return len(s.Told) > 0 && s.Told[0] == key && slices.Contains(s.Told[1:], event)
}

// Notified has its user told about a stop that is waited for, once for each event.
func (s Session) Notified(b Books, key, event, why, command string) (*Change, error) {
	if s.told(event, key) {
		return nil, nil
	}
	if err := s.waits(key); err != nil {
		return nil, err
	}
	c := s.change(b, "T5")
	c.notify(event, why, command)
	return c, nil
}

// notify is Notified, of the stop that is known.
func (c *Change) notify(event, why, command string) {
	key := c.Stop.Key
	if c.told(event, key) {
		return
	}
	if len(c.Told) == 0 || c.Told[0] != key {
		c.Told = []string{key}
	}
	c.Told = append(slices.Clip(c.Told), event)
	c.record(event, key, 0, why, "")
	c.tell(event, why, command)
}

// Dropped ends the wait of a stop that the user knows of, without a word to him.
func (s Session) Dropped(b Books, key, why string) (*Change, error) {
	if err := s.waits(key); err != nil {
		return nil, err
	}
	c := s.change(b, "T1")
	c.leave(why)
	return c, nil
}

// Left ends the wait of a stop by rule, and tells the user: command is what to type instead.
func (s Session) Left(b Books, key, why, command string) (*Change, error) {
	c, err := s.Dropped(b, key, why)
	if err == nil {
		c.tell("session_left", why, command)
	}
	return c, err
}

// ShownBy remembers which terminals may show what a server of the agent has open.
func (s Session) ShownBy(b Books, pids []int) *Change {
	c := s.change(b, "holder")
	c.Shown = pids
	return c
}

// RanBy remembers which terminal's process was the only one there while a turn ran.
func (s Session) RanBy(b Books, r Ran) *Change {
	c := s.change(b, "holder")
	c.Ran = r
	return c
}

// Witnessed tells whether the turn that stopped ran in a terminal's process: nobody else was there, or clawd's prompt was typed there.
func (s Session) Witnessed(h detect.Holder) bool {
	turn := s.Classifier.LastPrompt
	if c := s.Claim; c != nil && c.Plan.Way.Live() && c.Plan.Holder.PID == h.PID && c.Plan.Holder.Start == h.Start && c.Plan.Prompt == turn.Hash && !turn.At.Before(c.At) {
		return true
	}
	return s.Ran.By(h, turn.ID) && s.Stop.At.After(s.Ran.At)
}

// Doubtful tells whether another terminal's process was there while the newest turn ran, which may have run it: nothing was written since.
func (s Session) Doubtful(h detect.Holder) bool {
	turn := s.Classifier.LastPrompt.ID
	return turn != "" && s.Ran.Turn == turn && (s.Ran.Shared || !s.Ran.By(h, turn)) && !s.Witnessed(h)
}

// HolderSeen remembers who holds an interactive session, or how that holder went.
func (s Session) HolderSeen(b Books, h detect.Holder, end HolderEnd) *Change {
	c := s.change(b, "holder")
	c.Holder, c.HolderEnd, c.HolderGone = h, end, time.Time{}
	if end != "" {
		if c.HolderGone = b.Now(); c.HolderGone.Before(s.asked()) {
			c.HolderGone = s.asked()
		}
	}
	return c
}
