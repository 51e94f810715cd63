package state

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// maxStarts: so many claims of one stop that never made a mark, and it is held.
const maxStarts = 3

// maxUnsaid: so many runs in a row that asked nothing, and nobody knows why, and its user is told. They are tried again all the same: a
// program that is being replaced heals, too.
const maxUnsaid = 3

// Limits on fires, from the config.
type Limits struct {
	PerSession int     // a day
	PerDay     int     // all sessions
	MaxCostUSD float64 // a day; 0: none
}

// Next decides about a stop within a verdict, from the record as it will be stored.
type Next func(Session) resume.Decision

func refuse(v resume.Verdict, again time.Time, why string) error {
	return &resume.Refusal{Outcome: resume.Outcome{Verdict: v, Again: again, Why: why}}
}

// MayTake says what the store knows against an attempt: the stop was settled, or the day's budget is spent.
func (s Session) MayTake(b Books, key string, l Limits) error {
	if err := s.waits(key); err != nil {
		return err
	}
	if how, over := s.change(b, "T2").dealt(key); over {
		return refuse(resume.LeftAlone, time.Time{}, fmt.Sprintf("this stop was settled before: %s", how.Verdict))
	}
	if s.Decision.Asked {
		return nil
	}
	return s.afford(b, l)
}

// afford refuses until tomorrow what today's budget does not hold.
func (s Session) afford(b Books, l Limits) error {
	today := b.Spent(b.Now())
	y, m, d := b.Now().Local().Date()
	tomorrow := time.Date(y, m, d+1, 0, 0, 0, 0, time.Local)
	if tomorrow.Day() == d { // where clocks are put forward at midnight, Go gives the hour before
		tomorrow = tomorrow.Add(time.Hour)
	}
	n := today.Sessions[s.root()]
	if s.Root != "" {
		n += today.Sessions[Key(s.Session)] // from before it was known which line it is of
	}
	switch {
	case n >= l.PerSession:
		return refuse(resume.Postponed, tomorrow, fmt.Sprintf("this session was resumed %s today; [budget] max_resumes_per_day is %d", count(n, "time"), l.PerSession))
	case today.Total >= l.PerDay:
		return refuse(resume.Postponed, tomorrow, fmt.Sprintf("%s today; [budget] max_resumes_per_day_total is %d", count(today.Total, "resume"), l.PerDay))
	case l.MaxCostUSD > 0 && today.CostUSD >= l.MaxCostUSD:
		return refuse(resume.Postponed, tomorrow, fmt.Sprintf("today's resumes cost %.2f USD; [budget] max_cost_usd is %.2f", today.CostUSD, l.MaxCostUSD))
	}
	return nil
}

// NextAttempt is the number of the next attempt for the stop. It names a mark, so none that has its verdict is given again,
// whatever is known of the episode.
func (s Session) NextAttempt(b Books) int {
	return max(s.Episode.Attempts, b.Closed(s.Session, s.Stop.Key).N) + 1
}

// Taken takes an attempt, whose particulars come with c (T2).
func (s Session) Taken(b Books, c resume.Claim) *Change {
	ch := s.change(b, "T2")
	if ch.Episode.Attempts == 0 { // a stop may be old before it is tried for the first time
		ch.Episode.Since = b.Now()
	}
	ch.Episode.Attempts = s.NextAttempt(b)
	c.Session, c.Stop, c.N, c.Attempts, c.At = s.Session, s.Stop, ch.Episode.Attempts, ch.Episode.Attempts, b.Now()
	ch.Phase, ch.Claim = Claimed, &c
	ch.spend(b.Now(), 1, 0)
	ch.record("claimed", s.Stop.Key, c.N, "", "")
	return ch
}

// Fired stores the child, before its gate opens (T3).
func (s Session) Fired(b Books, c resume.Claim) (*Change, error) {
	if err := s.own(c, Claimed); err != nil {
		return nil, err
	}
	ch := s.change(b, "T3")
	ch.Phase, ch.Claim = Fired, &c
	ch.record("fired", c.Stop.Key, c.N, string(c.Plan.Form), "")
	return ch, nil
}

// Adopted takes up an attempt for the stop that is waited for: its mark is there, and the store does not know of it.
func (s Session) Adopted(b Books, c resume.Claim) (*Change, error) {
	if err := s.waits(c.Stop.Key); err != nil {
		return nil, err
	}
	ch := s.change(b, "T1")
	ch.Phase, ch.Claim, ch.Episode.Attempts = Fired, &c, c.N
	ch.record("adopted", c.Stop.Key, c.N, "its mark is there", "")
	return ch, nil
}

// Unclaimed gives back an attempt whose child never made its mark. counts: the start itself failed, and the third
// one of a stop that does is held.
func (s Session) Unclaimed(b Books, c resume.Claim, why string, counts bool) (*Change, error) {
	if err := s.own(c, Claimed, Fired); err != nil {
		return nil, err
	}
	ch := s.change(b, "T4")
	if counts {
		ch.Starts++
	}
	ch.unclaim(why)
	switch {
	case !ch.Cancelled.IsZero():
		ch.cancelled()
	case ch.Starts >= maxStarts:
		ch.hold(fmt.Sprintf("starting the agent failed %s: %s", count(ch.Starts, "time"), why))
	}
	return ch, nil
}

// Settled takes the verdict on a fired attempt, with everything that follows from it (T4). r is how far the
// session was read; its cursor may be empty where it could not be.
func (s Session) Settled(b Books, c resume.Claim, o resume.Outcome, r Read, next Next) (*Change, error) {
	if err := s.own(c, Fired); err != nil {
		return nil, err
	}
	ch := s.change(b, "T4")
	key := c.Stop.Key
	ch.close(key, Closed{At: b.Now(), N: c.N, Verdict: o.Verdict, Proof: o.Proof})
	ch.record(string(o.Verdict), key, c.N, o.Why, o.Proof)
	if o.Verdict != resume.Resumed && o.Verdict != resume.ByHand {
		ch.Counts.Failures++
	}
	claim := *s.Claim
	claim.Noted = o.Verdict != resume.Resumed
	prompt := cmp.Or(o.Prompt, c.Plan.Prompt) // a hook of its user's may have changed it
	claim.Plan.Prompt = prompt
	ch.Claim = &claim
	if prompt != "" && (o.Verdict != resume.NoEffect || o.Stop != nil && o.Stop.Key != key) { // else no prompt of its own stands in the session
		ch.FirePrompt, ch.FireEnd = prompt, b.Now()
	}
	if id := c.Plan.MessageID; id != "" {
		ch.Sent = append(ch.Sent[max(0, len(ch.Sent)-maxSent+1):len(ch.Sent):len(ch.Sent)], id)
	}
	if more := resume.Further(o.Prompts); o.CostUSD > 0 || more > 0 {
		ch.spend(b.Now(), more, o.CostUSD)
	}
	switch {
	case o.Verdict == resume.Resumed:
		ch.resumed(c, o)
	case o.Verdict == resume.ByHand:
		ch.Phase, ch.Episode = Following, Episode{Fresh: ch.Episode.Fresh}
	case !ch.Cancelled.IsZero():
		ch.cancelledRun(c, o)
	case o.Verdict == resume.StoppedAgain:
		ch.stoppedAgain(c, o, r, next)
	case o.Verdict == resume.NoEffect:
		ch.noEffect(c, o, next)
	default: // Cut, Unsure
		switch {
		case c.Plan.Form == resume.FormFresh: // what stands in the new session is told when its files are read
			ch.heir(c, o.Session)
		case o.Stop != nil:
			ch.Stop = *o.Stop
		}
		ch.hold(o.Why)
	}
	return ch, nil
}

func (c *Change) resumed(claim resume.Claim, o resume.Outcome) {
	c.Counts.TotalResumes++
	c.Counts.SecondsWaited += claim.At.Sub(claim.Stop.At).Seconds()
	c.Counts.LastResume = c.now()
	c.Phase, c.LastFire = Following, claim.At
	c.Fruitless++
	c.Episode = Episode{Fresh: c.Episode.Fresh}
	if claim.Plan.Form != resume.FormFresh {
		return
	}
	c.Counts.Recovered++
	c.handOver(claim, o.Session)
}

// handOver has a new session go on in place of the old one. False: there is none.
func (c *Change) handOver(claim resume.Claim, ds detect.Session) bool {
	heir := c.heir(claim, ds)
	if heir == nil {
		return false
	}
	if claim.Plan.Agent != "" && c.Cancelled.IsZero() {
		c.tell(HandedOver, fmt.Sprintf("it stopped by %s, and %s took over its work", claim.Stop.Reason, claim.Plan.Agent), "clawd why "+Key(ds))
	}
	c.NewSession, c.Notice = c.NameOf(ds), nil // nothing is to be done here any more
	heir.Prompt, c.Prompt = c.Prompt, ""
	return true
}

// heir gives a new session the old one's budget, its attempts and its count of fruitless resumes. Nil: there is no new session,
// or it is not known.
func (c *Change) heir(claim resume.Claim, ds detect.Session) *Session {
	if claim.Plan.Form != resume.FormFresh || ds.ID == "" {
		return nil
	}
	rec := c.books.Record(ds)
	rec.written(c.now())
	rec.OldSession, rec.Root = rec.NameOf(c.Session.Session), c.root()
	rec.Episode.Fresh = c.Episode.Fresh + fresh(claim)
	if rec.Claim == nil || rec.Claim.At.Before(claim.At) { // else clawd has gone on with it, and had lost what began it
		rec.Fruitless, rec.LastFire, rec.FirePrompt, rec.FireEnd = c.Fruitless, claim.At, c.FirePrompt, c.FireEnd
		rec.Cancelled = c.Cancelled
		if c.Episode.Attempts > 0 {
			rec.Episode.Since, rec.Episode.Attempts = c.Episode.Since, max(rec.Episode.Attempts, c.Episode.Attempts)
		}
	}
	c.Heirs = append(c.Heirs, rec)
	return &c.Heirs[len(c.Heirs)-1]
}

// fresh is 1 for an attempt that begins a session of the same agent, whose context is as full again before long.
func fresh(c resume.Claim) int {
	if c.Plan.Agent != "" {
		return 0
	}
	return 1
}

func (c *Change) stoppedAgain(claim resume.Claim, o resume.Outcome, r Read, next Next) {
	if c.Decision.Probe {
		c.spend(claim.At, -1, 0)
	}
	if c.handOver(claim, o.Session) {
		c.Phase = Following // the stop stands in the new session, and is taken in from its files
		return
	}
	c.Stop, c.Prompt, c.Starts, c.Unsaid = *o.Stop, "", 0, 0
	if r.Cursor != "" && r.Classifier.Last.ID == c.Stop.Key { // else there is more than this stop, which its own read takes in
		c.Info, c.Cursor, c.Classifier = r.Info, r.Cursor, r.Classifier
	}
	c.count(c.Stop)
	c.Decision = next(c.Session)
	c.decided()
}

func (c *Change) noEffect(claim resume.Claim, o resume.Outcome, next Next) {
	c.Starts = 0 // it did start
	if c.Decision.Probe {
		c.spend(claim.At, -1, 0)
	}
	if o.Stop != nil {
		c.Stop = *o.Stop
	}
	if o.Refused {
		c.Refused = c.Stop.Key
	}
	switch {
	case claim.Plan.Form == resume.FormIdempotent:
		c.Inert = c.Stop.Key
	case claim.Plan.Agent != "":
		c.Kept = c.Stop.Key
	}
	if c.Unsaid++; !o.Unsaid {
		c.Unsaid = 0
	}
	if c.Decision = next(c.Session); c.Decision.GivenUp {
		c.Decision.Why += ": " + o.Why
	}
	c.decided()
	if c.Phase == Waiting && c.Unsaid >= maxUnsaid {
		c.notify(putOff, fmt.Sprintf("%d attempts in a row asked nothing: %s; clear that up; clawd keeps trying", c.Unsaid, o.Why), "clawd why "+c.ID)
	}
}

// cancelledRun is the verdict on a run that its user wanted ended: whatever it was, no other follows.
func (c *Change) cancelledRun(claim resume.Claim, o resume.Outcome) {
	if !c.handOver(claim, o.Session) && o.Stop != nil {
		c.Stop, c.Prompt = *o.Stop, ""
		c.count(c.Stop)
	}
	c.cancelled()
}

// Ended notes the end of a claim's run that had resumed its session: what it cost, and for how long it
// worked while nobody had to. It counts once. blocked, when not empty, says that it was refused
// permissions; that ends the episode and is told.
func (s Session) Ended(b Books, c resume.Claim, out resume.Output, workedSeconds float64, blocked string) *Change {
	ch := s.change(b, "T5")
	if s.Claim != nil && s.Claim.Token == c.Token {
		if s.Claim.Noted {
			return nil
		}
		claim := *s.Claim
		claim.Noted = true
		ch.Claim = &claim
	}
	ch.spend(b.Now(), resume.Further(out.Prompts), out.CostUSD)
	ch.Counts.SecondsSaved += workedSeconds
	if blocked == "" || s.open() {
		return ch
	}
	ch.record("blocked", ch.Stop.Key, 0, blocked, "")
	if heir := s.Handed(); heir.ID != "" {
		ch.heirBlocked(b.Record(heir), blocked)
		return ch
	}
	ch.Episode = Episode{}
	if ch.Cancelled.IsZero() { // else its user knows
		ch.tell("session_left", blocked, "")
	}
	return ch
}

// heirBlocked tells of the session that took over what became of it.
func (c *Change) heirBlocked(heir Session, why string) {
	if heir.open() || heir.Phase == Waiting {
		return // what comes of it is told
	}
	heir.written(c.now())
	heir.Episode = Episode{}
	if heir.Cancelled.IsZero() {
		n := Notice{At: c.now(), Event: "session_left", Key: heir.Stop.Key, Session: Key(heir.Session), Reason: c.Stop.Reason, Why: why}
		heir.Notice = &n
		c.Notices = append(c.Notices, n)
	}
	c.Heirs = append(c.Heirs, heir)
}

// OutputCut notes that the output of a run no longer proves anything. Where the attempt is settled nothing is proved by it
// any more.
func (s Session) OutputCut(b Books, c resume.Claim) *Change {
	if errors.Is(s.own(c, Fired), ErrPhase) {
		return nil
	}
	ch := s.change(b, "T4")
	claim := *s.Claim
	claim.OutputCut = true
	ch.Claim = &claim
	return ch
}

// count is how many there are of what one is called.
func count(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return fmt.Sprintf("%d %s", n, one)
}
