package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Why answers GET /v1/why: what was seen of a session, what was decided, and what comes next. Null is
// what is not known.
type Why struct {
	Agent    string        `json:"agent"`
	Session  string        `json:"session"`
	Project  string        `json:"project"`
	Path     string        `json:"path"`
	Phase    state.Phase   `json:"phase"`
	Ignored  bool          `json:"ignored"`
	Stop     *WhyStop      `json:"stop"`
	Subs     []WhySub      `json:"sub_agents,omitempty"` // those that stopped before they were done, and were not sent on
	Holder   WhyHolder     `json:"holder"`
	Decision WhyDecision   `json:"decision"`
	Next     string        `json:"next"`              // in a sentence
	Command  string        `json:"command,omitempty"` // what the user can type
	Old      string        `json:"old_session,omitempty"`
	New      string        `json:"new_session,omitempty"`
	History  []state.Entry `json:"history"` // oldest first
}

// WhyStop is the stop that was taken in last.
type WhyStop struct {
	State        detect.State    `json:"state"`
	Reason       detect.Reason   `json:"reason"`
	Window       detect.Window   `json:"window,omitempty"`
	At           time.Time       `json:"at"`
	RetryAfterS  *float64        `json:"retry_after_s"`
	ResetAt      *time.Time      `json:"reset_at"`
	SelfResumeAt *time.Time      `json:"self_resume_at"`
	Evidence     detect.Evidence `json:"evidence"`
	Notes        []string        `json:"notes,omitempty"`
	// Over: the session went on since, or its turn ended well.
	Over bool `json:"over"`
}

// WhySub is a sub-agent of the session that stopped before it was done.
type WhySub struct {
	ID      string        `json:"id"`
	Name    string        `json:"name,omitempty"`
	Reason  detect.Reason `json:"reason"`
	Window  detect.Window `json:"window,omitempty"`
	At      time.Time     `json:"at"`
	ResetAt *time.Time    `json:"reset_at"`
	Words   string        `json:"words"` // the same for people, times in UTC
}

// WhyHolder is who has the session open now.
type WhyHolder struct {
	Liveness detect.Liveness   `json:"liveness"`
	PID      int               `json:"pid,omitempty"`
	Kind     detect.HolderKind `json:"kind,omitempty"`
	Terminal string            `json:"terminal,omitempty"`
	Status   detect.Activity   `json:"status,omitempty"`
	Why      string            `json:"why"`
}

// WhyDecision is what was decided about the stop.
type WhyDecision struct {
	Strategy resume.Kind `json:"strategy,omitempty"`
	With     string      `json:"with,omitempty"` // the other agent that takes over
	Asked    bool        `json:"asked"`          // by its user
	WakeAt   *time.Time  `json:"wake_at"`
	Attempt  int         `json:"attempt,omitempty"`
	PID      int         `json:"pid,omitempty"` // of our running child
	// Flags says how the options are known that a run of ours gets: seen, recorded, unknown.
	Flags    detect.Known `json:"flags,omitempty"`
	Why      string       `json:"why"`
	HeldBack string       `json:"held_back,omitempty"` // why the resume does not begin though its time has come
}

// Why explains a session.
func (d *Daemon) Why(ctx context.Context, ref string) (Why, error) {
	s, rec, err := d.find(ref)
	if err != nil {
		return Why{}, err
	}
	w := Why{Agent: rec.Agent, Session: rec.ID, Project: rec.Info.Dir, Path: rec.Path, Phase: rec.Phase, Ignored: rec.Ignored,
		Old: rec.OldSession, New: rec.NewSession, Stop: whyStop(rec), Subs: s.whySubs(ctx, rec), History: []state.Entry{}}
	at := s.standing()
	holders, err := s.a.Live(ctx, s.ds, rec.Info)
	h := machine.Strongest(holders)
	if err != nil {
		h = detect.Holder{Liveness: detect.HolderUnknown, Why: err.Error()}
	}
	w.Holder = WhyHolder{Liveness: h.Liveness, PID: h.PID, Kind: h.Kind, Terminal: h.TTY, Status: h.Status, Why: h.Why}
	if h.Pane != "" {
		w.Holder.Terminal += " (tmux pane " + h.Pane + ")"
	}
	w.Decision = WhyDecision{Strategy: rec.Decision.Strategy, With: rec.Decision.With, Asked: rec.Decision.Asked, Attempt: rec.Decision.Attempt, Why: rec.Decision.Why, PID: at.child}
	w.Decision.Flags = s.flags(rec)
	if rec.Phase == state.Waiting {
		w.Decision.WakeAt = &rec.Decision.WakeAt
		w.Decision.HeldBack = at.back
	}
	err = d.store.History(func(e state.Entry) error {
		if e.Session == state.Key(rec.Session) {
			w.History = append(w.History, e)
		}
		return nil
	})
	w.Next, w.Command = s.whatNext(rec, h, at.child != 0)
	return w, err
}

// standing is what the loop knows of a session beside its record.
type standing struct {
	child int    // pid of our running child; 0: none
	back  string // why clawd holds back; empty: it does not
}

func (s *session) standing() (at standing) {
	s.d.loop.ask(func(l *loop) {
		if seat := l.seats[s.key]; seat != nil {
			at = standing{seat.s.Child(), seat.s.HeldBack()}
		}
	})
	return at
}

// flags says how the options are known of the run that waits or goes on.
func (s *session) flags(rec state.Session) detect.Known {
	switch rec.Phase {
	case state.Waiting:
		if p, err := s.plan(&rec, []byte("-")); err == nil {
			return p.Flags
		}
	case state.Claimed, state.Fired:
		return rec.Claim.Plan.Flags
	}
	return ""
}

func whyStop(rec state.Session) *WhyStop {
	st := rec.Stop
	if st.Key == "" {
		if st = rec.Classifier.Stop(); !st.IsStop() { // else it was too old to be taken in
			return nil
		}
	}
	w := &WhyStop{Over: over(rec), State: st.State, Reason: st.Reason, Window: st.Window, At: st.At, ResetAt: orNull(st.ResetAt),
		SelfResumeAt: orNull(st.SelfResumeAt), Evidence: st.Evidence, Notes: st.Notes}
	if st.RetryAfter != nil {
		w.RetryAfterS = new(st.RetryAfter.Seconds())
	}
	return w
}

// orNull is a time that JSON has null for where it is not known.
func orNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// over tells whether a session at rest does not end in a stop any more.
func over(rec state.Session) bool {
	now := rec.Classifier.Stop()
	return rec.Phase == state.Following && !rec.EndsIn(now) && !now.IsStop()
}

// whatNext says what clawd will do, and what the user can type.
func (s *session) whatNext(rec state.Session, h detect.Holder, runs bool) (next, command string) {
	again := "clawd resume " + s.ds.ID
	switch rec.Phase {
	case state.Waiting:
		at := rec.Decision.WakeAt
		if !at.After(s.d.now()) {
			return fmt.Sprintf("Attempt %d is due.", rec.Decision.Attempt), again + " --now"
		}
		return fmt.Sprintf("Attempt %d starts at %s.", rec.Decision.Attempt, at.Format(time.RFC3339)), again + " --now"
	case state.Claimed:
		return fmt.Sprintf("Attempt %d is being started.", rec.Claim.N), "clawd cancel " + s.ds.ID
	case state.Fired:
		return fmt.Sprintf("Attempt %d runs since %s; the agent's own files will show how it went.", rec.Claim.N, rec.Claim.At.Format(time.RFC3339)), "clawd cancel " + s.ds.ID
	}
	f := s.d.facts(rec, h)
	_ = s.ask(&f, &rec) // then the others speak
	found, ruled := rules.Ask(rules.Stop, &f)
	f.Asked = true
	if _, refused := rules.Ask(rules.Order, &f); ruled && found.Command == "" && !refused {
		found.Command = again
	}
	switch {
	case rec.Phase == state.Following && runs:
		return "It was resumed, and clawd's run is still working.", "clawd cancel " + s.ds.ID
	case ruled && (rec.Ignored || !over(rec)):
		return "Nothing: " + found.Why + ".", found.Command
	case rec.Handed().ID != "" && !over(rec):
		return "Nothing: session " + rec.NewSession + " continues its work.", "clawd why " + state.Key(rec.Handed())
	case over(rec):
		return "Nothing to do: the session has not stopped, or it finished.", ""
	case rules.Attends(h):
		return fmt.Sprintf("Nothing by itself. Continue where it is open (process %d), or have clawd do it.", h.PID), again
	}
	rec.Decision = resume.Decision{Strategy: resume.SameSession}
	if _, err := s.plan(&rec, nil); err != nil {
		if u := (*agent.Unfit)(nil); errors.As(err, &u) {
			return "Nothing by itself: " + u.Why + ".", u.Command
		}
	}
	return "Nothing by itself. Continue it by hand, or have clawd resume it.", again
}
