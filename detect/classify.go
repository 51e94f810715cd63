package detect

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Classifier folds the events of one session. Its fields are exported so that a store can keep
// it beside the cursor; the zero value is a session of which nothing is known.
//
// A session's files may tell one record twice (a row that is written again, a re-read after a
// crash). Feeding the same record again replaces what it said before and changes nothing else.
type Classifier struct {
	Last       Event     `json:"last,omitzero"`        // newest record of the conversation
	LastPrompt Event     `json:"last_prompt,omitzero"` // newest prompt, also when Last is newer
	Aside      bool      `json:"aside,omitempty"`      // a line that is none stands behind it
	Answered   time.Time `json:"answered,omitzero"`    // newest real answer
	Ended      time.Time `json:"ended,omitzero"`       // newest turn that ended well
	Retry      Event     `json:"retry,omitzero"`       // newest sign that the agent retries, since Last
	SelfResume Event     `json:"self_resume,omitzero"` // newest word on its own continue, since Last
	Strange    Event     `json:"strange,omitzero"`     // newest record that nobody knows, since Last
	Holder     Holder    `json:"holder,omitzero"`
	HolderAt   time.Time `json:"holder_at,omitzero"` // when that was seen; zero: at the end
}

// idleTime: an agent's own word that it is idle may be some time older than its newest record.
const idleTime = 10 * time.Second

// Feed takes the next event in the order of the files.
func (c *Classifier) Feed(e Event) {
	switch e.Kind {
	case KindHolder:
		if e.Holder != nil {
			c.Holder, c.HolderAt = *e.Holder, e.At
		}
	case KindAside:
		c.Aside = true
	case KindRetry:
		if !c.older(e) {
			c.Retry = e
		}
	case KindSelfResume:
		if !c.older(e) {
			c.SelfResume = e
		}
	case KindStrange:
		if !c.older(e) {
			c.Strange = e
		}
	default:
		if e.Kind == KindPrompt {
			c.LastPrompt, c.Aside = e, false
		}
		if e.Kind == KindAnswer && e.At.After(c.Answered) {
			c.Answered = e.At
		}
		if e.Kind == KindAnswer && e.Done && e.At.After(c.Ended) {
			c.Ended = e.At
		}
		if e.ID != c.Last.ID {
			// Whoever wrote this record was alive then, whatever was seen before.
			c.Retry, c.SelfResume, c.Holder = Event{}, Event{}, Holder{}
		}
		if e.Offset > c.Strange.Offset || e.Offset == 0 && e.ID != c.Last.ID { // else it is told late, when more was read
			c.Strange = Event{}
		}
		c.Last = e
	}
}

// older tells whether e stands before the newest record: then it was read again and speaks of what
// is over. Order is by place where the record has one, for clocks of one file may jump.
func (c *Classifier) older(e Event) bool {
	if e.Offset > 0 {
		return e.Offset < c.Last.Offset
	}
	return e.At.Before(c.Last.At)
}

// Stop gives the verdict on all that was fed.
func (c *Classifier) Stop() Stop {
	e := c.Last
	s := Stop{State: Running, Key: e.ID, At: e.At, Evidence: Evidence{Offset: e.Offset, Field: string(e.Kind)}}
	switch e.Kind {
	case KindFailure:
		c.failed(&s)
	case KindInterrupt:
		s.State, s.Reason = Stopped, Interrupted
	case KindDenied:
		s.State, s.Reason = Stopped, Completed
		s.Notes = append(s.Notes, "the turn ended because a permission was refused")
	case KindAnswer:
		if e.Done {
			s.State, s.Reason = Stopped, Completed
			break
		}
		c.unfinished(&s)
	case KindPrompt, KindToolResult, KindOpen:
		c.unfinished(&s)
	default:
		s.Key = ""
	}
	return s
}

func (c *Classifier) failed(s *Stop) {
	f := c.Last.Failure
	if f == nil { // an agent package that says failure must say which
		s.State, s.Reason = Stopped, Unknown
		return
	}
	f.fill(s)
	switch {
	case c.Strange.Kind != "":
		*s = Stop{State: Stopped, Reason: Unknown, Key: s.Key, At: s.At, Status: s.Status, Evidence: s.Evidence, NotResumable: s.NotResumable,
			Notes: []string{"a record that clawd does not know follows the failure, and may say that the session went on or that you stopped it"}}
	case !c.SelfResume.Next.IsZero() && c.Holder.Liveness != Gone && c.Holder.Liveness != LeftBehind:
		// Only a living process can keep its promise. Whether it lives may not be known; then
		// doing nothing is right too.
		s.State, s.SelfResumeAt = Retrying, c.SelfResume.Next
		if s.ResetAt.Truncate(time.Minute).Equal(s.SelfResumeAt) { // it names the minute; the failure knows the second
			s.SelfResumeAt = s.ResetAt
		}
	case c.SelfResume.Kind != "" && c.SelfResume.Next.IsZero() && c.SelfResume.Done:
		// Done: the user dropped the agent's own continue. That is an interruption.
		s.Reason = Interrupted
		s.Notes = append(s.Notes, "you canceled the agent's own continue")
	}
}

// fill writes what the record says into the verdict.
func (f *Failure) fill(s *Stop) {
	s.State, s.Reason, s.Window, s.Status = Stopped, f.Reason, f.Window, f.Status
	s.RetryAfter, s.ResetAt, s.ResetMinute = f.RetryAfter, f.ResetAt, f.ResetMinute
	s.Evidence.Source, s.Evidence.Field = f.Source, f.Field
	s.Notes = append(s.Notes, f.Notes...)
	s.Text, s.NotResumable = f.Text, f.NotResumable
	if !s.ResetAt.IsZero() { // a text was read before its window was known
		t, notes := clamp(s.ResetAt, s.At, s.Window.longest())
		if s.ResetAt = t; len(f.Notes) == 0 { // else it was cut before, and said so
			s.Notes = append(s.Notes, notes...)
		}
	}
}

// Stop is the verdict on a failure that is known from a message alone. False: it is not known why.
func (f *Failure) Stop(at time.Time) (Stop, bool) {
	s := Stop{At: at}
	f.fill(&s)
	return s, f.Reason != Unknown && f.Reason != ""
}

// unfinished judges a turn that has neither ended nor failed, by who holds the session.
func (c *Classifier) unfinished(s *Stop) {
	switch c.Holder.Liveness {
	case Alive:
		switch {
		case c.Holder.Status == Asks:
			s.State = Asking
		case c.Retry.Kind != "":
			s.State = Retrying
			s.SelfResumeAt = c.Retry.Next
		case c.Holder.Status == Idle && c.Holder.Sure && c.Holder.Kind != Headless && !c.HolderAt.IsZero() && c.HolderAt.Sub(c.Last.At) < idleTime:
			// It has only just been asked.
		case c.Holder.Status == Idle && c.Holder.Sure && c.Holder.Kind != Headless:
			// Idle in mid turn: the user stopped it during a retry wait, which leaves no record.
			s.State, s.Reason = Stopped, Interrupted
			s.Notes = append(s.Notes, "the agent is idle in mid turn: interrupted, as far as can be told")
		case c.Holder.Status == "" && c.Last.ToolCall:
			s.CouldBe = []State{Running, Asking}
		case c.Holder.Status == "" || c.Holder.Status == Busy && !c.Last.ToolCall:
			// Busy is an agent's word for its silent waits between two tries, too.
			s.CouldBe = []State{Running, Retrying}
		}
	case LeftBehind:
		s.State, s.Reason, s.Key = Stopped, Crashed, "cut:"+c.Last.ID
		s.Evidence.Field = "holder"
		s.Notes = append(s.Notes, c.Holder.Why)
	case Gone:
		s.State, s.Reason, s.Key = Stopped, Interrupted, "cut:"+c.Last.ID
		s.Evidence.Field = "holder"
		s.Notes = append(s.Notes, "the process ended in mid turn; clawd can't tell whether you ended it")
	default:
		s.CouldBe = []State{Running, Retrying, Asking, Stopped}
	}
}

// HashText names a text without keeping it. Blanks around it and the quotes that a shell-minded
// agent adds (opencode stores "a b" for one argument with a blank) do not count.
func HashText(text string) string {
	t := strings.TrimSpace(text)
	if len(t) >= 2 && t[0] == '"' && t[len(t)-1] == '"' {
		t = t[1 : len(t)-1]
	}
	sum := sha256.Sum256([]byte(t))
	return hex.EncodeToString(sum[:8])
}
