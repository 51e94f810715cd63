package resume

import (
	"fmt"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Strategy is one way to answer a stop.
type Strategy interface {
	Kind() Kind
	// Decide says what to do. It depends on its arguments only.
	Decide(s detect.Stop, t Tried, now time.Time) Decision
}

// Same resumes the same session.
type Same struct{ Policy }

// Kind is SameSession.
func (Same) Kind() Kind { return SameSession }

// Decide waits for the reset time, else the Retry-After, else by backoff.
func (st Same) Decide(s detect.Stop, t Tried, now time.Time) Decision {
	if d, done := st.common(s, t, now); done {
		return d
	}
	d := st.When(s, t)
	d.Strategy = SameSession
	return d
}

// Fresh lets a new session take over.
type Fresh struct {
	Policy
	With string // the agent whose session it is; empty: the old one's
}

// Kind is FreshSession.
func (Fresh) Kind() Kind { return FreshSession }

// Decide takes over at once where waiting cannot help, else when the wait is over. A line of
// fresh sessions gets one: the next full context would only be handed on again.
func (st Fresh) Decide(s detect.Stop, t Tried, now time.Time) Decision {
	if st.With != "" && !t.Asked && !s.ResetAt.IsZero() && s.ResetAt.Sub(now) < handOverFrom {
		return Same{st.Policy}.Decide(s, t, now)
	}
	if d, done := st.common(s, t, now); done {
		return d
	}
	if s.Reason == detect.ContextFull && t.Fresh > 0 && !t.Asked && st.With == "" {
		return Decision{Strategy: Leave, GivenUp: true, Tell: true,
			Why: "the context is full again in a session that took over from a full one"}
	}
	d := st.When(s, t)
	switch {
	case st.With != "": // whose limits are others
		d.WakeAt, d.Probe, d.Grace, d.With = later(s.At, now), false, 0, st.With
		d.Why = fmt.Sprintf("it stopped by %s, and a new session of %s takes over", s.Reason, st.With)
	case t.Refused && t.Attempts < 2:
		d.WakeAt, d.Why = later(s.ResetAt, now), "the agent refuses the session though its files are there"
	case s.Reason == detect.ContextFull && t.Attempts == 0:
		d.WakeAt, d.Why = later(s.At, s.ResetAt), "the context is full, so the same session cannot go on"
	case s.NotResumable:
		d.Why += "; the session has no turn to go back to, so a new one takes over"
	}
	d.Strategy, d.WakeAt = FreshSession, d.WakeAt.UTC()
	return d
}

// Left does nothing.
type Left struct{}

// Kind is Leave.
func (Left) Kind() Kind { return Leave }

// Decide says why nothing is done.
func (st Left) Decide(s detect.Stop, _ Tried, _ time.Time) Decision {
	d := Decision{Strategy: Leave}
	switch s.Reason {
	case detect.Completed:
		d.Why = "the turn ended well"
	case detect.Interrupted:
		d.Why = "you stopped it, or it looks like that"
	case detect.Auth:
		d.Tell, d.Why = true, "the login or key is refused: a person must sign in"
	case detect.Billing:
		d.Tell, d.Why = true, "the account is out of credit: a person must decide about money"
	case detect.InvalidRequest:
		d.Tell, d.Why = true, "the provider refuses the request: asking again would fail again"
	case detect.Crashed:
		d.Tell, d.Why = true, "the process died in mid turn; [resume.reasons] crashed = \"same_session\" would resume it"
	case detect.Unknown:
		d.Tell, d.Why = true, "no rule knows why it failed"
	case "":
		d.Why = "it has not stopped"
	default:
		d.Tell, d.Why = true, fmt.Sprintf("[resume.reasons] %s = \"leave\"", s.Reason)
	}
	return d
}
