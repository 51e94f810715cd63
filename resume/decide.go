package resume

import (
	"fmt"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Kind names a strategy.
type Kind string

const (
	SameSession  Kind = "same_session"
	FreshSession Kind = "fresh_session"
	Leave        Kind = "leave"
)

// UnmarshalText takes one of the three names.
func (k *Kind) UnmarshalText(b []byte) error {
	switch v := Kind(b); v {
	case SameSession, FreshSession, Leave:
		*k = v
		return nil
	}
	return fmt.Errorf("%q is not one of same_session, fresh_session, leave", b)
}

// Policy is what the config says about resuming.
type Policy struct {
	Backoff     Backoff
	MaxAttempts int             // by backoff, per episode; then the ladder
	Margin      time.Duration   // after a reset time
	Probe       []time.Duration // the ladder; its last step repeats
	GiveUpAfter time.Duration   // past the episode's first attempt, or the time at which its limit ends
	MaxStopAge  time.Duration   // of a stop that is read for the first time
	MaxOverdue  time.Duration   // of a wait that passed while clawd was down
	Grace       time.Duration   // for the agent's own continue, before a take-over
	Reasons     map[detect.Reason]Kind
	WhenLimited string // name of the agent that takes over at a usage limit; empty: the limit is waited for
}

// DefaultPolicy is what holds where the config is silent.
func DefaultPolicy() Policy {
	return Policy{
		Backoff:     Backoff{Kind: Exponential, Base: 30 * time.Second, Cap: 5 * time.Minute, Jitter: 0.1},
		MaxAttempts: 5, Margin: time.Minute, Probe: []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour},
		GiveUpAfter: 24 * time.Hour, MaxStopAge: time.Hour, MaxOverdue: 12 * time.Hour, Grace: 2 * time.Minute,
		Reasons: DefaultReasons(),
	}
}

// DefaultReasons is the strategy for each reason where the config is silent.
func DefaultReasons() map[detect.Reason]Kind {
	return map[detect.Reason]Kind{
		detect.RateLimit: SameSession, detect.UsageLimit: SameSession, detect.Overloaded: SameSession,
		detect.ServerError: SameSession, detect.Network: SameSession, detect.ContextFull: FreshSession,
		detect.Crashed: Leave, detect.Auth: Leave, detect.Billing: Leave, detect.InvalidRequest: Leave,
		detect.Interrupted: Leave, detect.Completed: Leave, detect.Unknown: Leave,
	}
}

// Tried is what happened before in the episode.
type Tried struct {
	Attempts  int       // fires that counted
	Since     time.Time // when the episode's first attempt was made; before it: when its first stop was written
	Fresh     int       // fresh sessions that this line already took
	Refused   bool      // the agent said that it does not know the session, though its files are there
	Fruitless int       // episodes in a row, before this one, in which no turn ended well
	FirstRead bool      // the stop was written while clawd did not run, or found in files that it had not followed
	Asked     bool      // its user wants it: no bound on age, number or good sense of attempts holds
	Agent     string    // whose session it is
	HandedOn  bool      // it took over from a session of another agent, so its own limit is waited for
	Kept      bool      // another agent was to take over from this stop, and nothing came of it
}

// Decision is what will be done, when, and why.
type Decision struct {
	Strategy Kind      `json:"strategy"`
	WakeAt   time.Time `json:"wake_at,omitzero"` // UTC; may lie in the past: then at once
	Attempt  int       `json:"attempt,omitempty"`
	Probe    bool      `json:"probe,omitempty"`    // a step of the ladder: nothing says that the limit is over
	GivenUp  bool      `json:"given_up,omitempty"` // tried enough; the user is told
	Tell     bool      `json:"tell,omitempty"`     // left, and the user ought to know
	Asked    bool      `json:"asked,omitempty"`    // by its user's order
	With     string    `json:"with,omitempty"`     // fresh_session: the agent that takes over; empty: the session's own
	Why      string    `json:"why"`
	// Grace is waited after WakeAt, in time that the machine is awake for: the agent was to go on by
	// itself then.
	Grace time.Duration `json:"grace,omitempty"`
}

const (
	maxFruitless = 3
	// minuteSlack: a reset time without seconds may come up to this much later than it says.
	minuteSlack = 60 * time.Second
	// handOverFrom: a limit that is over sooner is waited for, whatever WhenLimited says.
	handOverFrom = 10 * time.Minute
)

// Select gives the strategy for a stop: what the config says for its reason, a fresh session
// where the agent refuses the old one or cannot go on in it.
func (p Policy) Select(s detect.Stop, t Tried) Strategy {
	kind := p.Reasons[s.Reason]
	armed := s.State == detect.Retrying && !s.SelfResumeAt.IsZero()
	if s.State != detect.Stopped && !armed || s.Reason == detect.Interrupted || s.Reason == detect.Completed {
		kind = Leave
	}
	switch {
	case kind == SameSession && p.handsOver(s, t): // unless it is over by then: see Fresh
		return Fresh{p, p.WhenLimited}
	case kind == FreshSession, kind == SameSession && (t.Refused || s.NotResumable):
		return Fresh{Policy: p}
	case kind == SameSession:
		return Same{p}
	}
	return Left{}
}

// handsOver tells whether another agent may take over from a stop.
func (p Policy) handsOver(s detect.Stop, t Tried) bool {
	return p.WhenLimited != "" && p.WhenLimited != t.Agent && s.Reason == detect.UsageLimit && s.State == detect.Stopped && !t.Kept && !t.HandedOn
}

// Order is how a user wants a stop resumed.
type Order struct {
	Now   bool   `json:"now,omitempty"`   // else at the policy's time
	Fresh bool   `json:"fresh,omitempty"` // by a new session that takes over
	With  string `json:"with,omitempty"`  // by a new session of this agent
}

// Ordered says what is done about a stop that its user wants resumed, whatever was decided before.
func (p Policy) Ordered(s detect.Stop, t Tried, now time.Time, o Order) Decision {
	t.Asked = true
	var st Strategy = Same{p}
	switch {
	case o.With != "" && o.With != t.Agent && !t.Kept:
		st = Fresh{p, o.With}
	case o.Fresh || o.With == t.Agent && o.With != "" || t.Refused || s.NotResumable || p.Reasons[s.Reason] == FreshSession:
		st = Fresh{Policy: p}
	}
	d := st.Decide(s, t, now)
	d.Asked, d.Why = true, "you ordered it; "+d.Why
	if o.Now {
		d.WakeAt, d.Probe, d.Grace, d.Why = now.UTC(), false, 0, "you ordered it now"
	}
	return d
}

// common holds for every strategy that fires: when to stop trying.
func (p Policy) common(s detect.Stop, t Tried, now time.Time) (Decision, bool) {
	last, since := later(s.At, s.ResetAt), t.Since
	if since.IsZero() {
		since = s.At
	}
	switch {
	case t.Asked:
	case t.FirstRead && now.Sub(last) > p.MaxStopAge:
		return Decision{Strategy: Leave, Tell: true, Why: fmt.Sprintf(
			"the stop is %s old and was read for the first time; max_stop_age is %s", human(now.Sub(last)), human(p.MaxStopAge))}, true
	case t.Fruitless >= maxFruitless:
		return Decision{Strategy: Leave, GivenUp: true, Tell: true, Why: fmt.Sprintf(
			"%d resumes in a row went on without a turn that ended well", t.Fruitless)}, true
	case t.Attempts > 0 && now.Sub(later(since, ends(s, since))) > p.GiveUpAfter:
		return Decision{Strategy: Leave, GivenUp: true, Tell: true, Why: fmt.Sprintf(
			"%s in %s; give_up_after is %s", attempts(t.Attempts), human(now.Sub(since)), human(p.GiveUpAfter))}, true
	}
	return Decision{}, false
}

// windowLength is how long a window lasts whose reset is not recorded. A model's is a week.
var windowLength = map[detect.Window]time.Duration{
	detect.FiveHour: 5 * time.Hour, detect.Daily: 24 * time.Hour, detect.Weekly: 7 * 24 * time.Hour,
	detect.Model: 7 * 24 * time.Hour, detect.Monthly: 31 * 24 * time.Hour,
}

// ends is when what the stop speaks of is over, at the latest: there is no sense in giving up before. since is when the
// episode began: what is asked for again and again, or lasts as long each time, counts once. Zero: nobody says.
func ends(s detect.Stop, since time.Time) time.Time {
	switch {
	case !s.ResetAt.IsZero():
		return s.ResetAt
	case s.RetryAfter != nil:
		return since.Add(*s.RetryAfter)
	case s.Reason == detect.UsageLimit && s.Window != "":
		return since.Add(windowLength[s.Window])
	}
	return time.Time{}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// When gives the time of the next attempt after a stop that may pass, and the reason for it: the reset time, else the
// Retry-After, else the backoff or the ladder. It asks for no strategy.
func (p Policy) When(s detect.Stop, t Tried) Decision {
	n := t.Attempts + 1
	next := func(at time.Time, why string) Decision {
		return Decision{WakeAt: later(s.At, at).UTC(), Attempt: n, Why: why}
	}
	grown := s.At.Add(p.Backoff.Delay(n, spread(s.Key, n)))
	switch {
	case s.State == detect.Retrying:
		d := next(s.SelfResumeAt, fmt.Sprintf("the agent has set its own retry for %s; clawd takes over only if it has not gone on %s later",
			s.SelfResumeAt.UTC().Format(time.RFC3339), human(p.Grace)))
		d.Grace = p.Grace
		return d
	case !s.ResetAt.IsZero():
		margin, unit := p.Margin, ""
		if s.ResetMinute && margin < minuteSlack {
			margin, unit = minuteSlack, ", given to the minute"
		}
		at := s.ResetAt.Add(margin)
		why := fmt.Sprintf("the %s resets at %s%s; plus a margin of %s", limitName(s), s.ResetAt.UTC().Format(time.RFC3339), unit, human(margin))
		if n > 1 && grown.After(at) {
			return next(grown, why+fmt.Sprintf("; attempt %d waits %s as the time has passed", n, human(grown.Sub(s.At))))
		}
		return next(at, why)
	case s.RetryAfter != nil:
		at := s.At.Add(*s.RetryAfter)
		why := fmt.Sprintf("the provider asked to wait %s (Retry-After)", human(*s.RetryAfter))
		if n > 1 && grown.After(at) {
			return next(grown, why+fmt.Sprintf("; attempt %d waits %s, for it was not enough before", n, human(grown.Sub(s.At))))
		}
		return next(at, why)
	case s.Reason == detect.UsageLimit:
		return p.ladder(s, t, t.Attempts, "no reset time is recorded")
	case n > p.MaxAttempts:
		return p.ladder(s, t, n-p.MaxAttempts-1, attempts(p.MaxAttempts)+" by backoff did not help")
	}
	return next(grown, fmt.Sprintf("no Retry-After is recorded by the agent: %s backoff, attempt %d, %s", p.Backoff.name(), n, human(grown.Sub(s.At))))
}

func (p Policy) ladder(s detect.Stop, t Tried, step int, why string) Decision {
	d := p.Probe[min(max(step, 0), len(p.Probe)-1)]
	if !t.Since.IsZero() && s.At.Sub(t.Since) > p.GiveUpAfter && windowLength[s.Window] > p.GiveUpAfter {
		d = max(d, p.GiveUpAfter/4) // a week of hourly probes would fill the session
	}
	return Decision{WakeAt: s.At.Add(d).UTC(), Attempt: t.Attempts + 1, Probe: true,
		Why: fmt.Sprintf("%s: probe %d of the ladder, after %s", why, step+1, human(d))}
}

func (b Backoff) name() string {
	if b.Func != nil {
		return "custom"
	}
	return string(b.Kind)
}

func limitName(s detect.Stop) string {
	if s.Window != "" {
		return string(s.Window) + " limit"
	}
	return "limit"
}

func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
