package daemon

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Status answers GET /v1/status.
type Status struct {
	PID      int             `json:"pid"` // 0: no daemon runs, and this is what its store says
	Version  string          `json:"version"`
	Started  time.Time       `json:"started"`
	Config   string          `json:"config"`
	DryRun   bool            `json:"dry_run"`
	Agents   []AgentStatus   `json:"agents"`
	Watched  int             `json:"watched"`  // sessions that are known
	Sessions []SessionStatus `json:"sessions"` // those that need their user, wait, run or are on hold
	Stats    state.Stats     `json:"stats"`
}

// AgentStatus is one agent.
type AgentStatus struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// SessionStatus is one session that is not at rest.
type SessionStatus struct {
	Agent    string        `json:"agent"`
	Session  string        `json:"session"`
	Project  string        `json:"project"`
	Phase    state.Phase   `json:"phase"`
	Reason   detect.Reason `json:"reason"`
	Strategy resume.Kind   `json:"strategy,omitempty"` // empty: its stop is over
	WakeAt   *time.Time    `json:"wake_at"`
	LeftS    float64       `json:"left_s"` // seconds until wake_at; 0 when it has passed
	Attempt  int           `json:"attempt"`
	PID      int           `json:"pid,omitempty"`     // of our running child
	Why      string        `json:"why"`               // of what is decided; of a wait that is over, what holds the resume back
	Ignored  bool          `json:"ignored,omitempty"` // by its user, from now on
	// Status is what there is to say in one word: needs_you, waiting, resuming, running, on_hold.
	Status state.Standing `json:"status"`
	Needs  *Needs         `json:"needs"` // what its user is to do; null: nothing
	Links
}

// Links are the sessions before and after one that went on afresh; empty: none.
type Links struct {
	Old string `json:"old_session,omitempty"`
	New string `json:"new_session,omitempty"`
}

// Needs is what a session needs from its user.
type Needs struct {
	What    string    `json:"what"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// Running is the standing of a session in which a run of clawd's that resumed it works.
const Running state.Standing = "running"

// Status tells what the daemon does now.
func (d *Daemon) Status() (Status, error) {
	st := Status{PID: os.Getpid(), Version: d.o.Version, Started: d.started.UTC(), Config: d.o.ConfigPath, DryRun: d.dry(), Sessions: []SessionStatus{},
		Watched: d.watched()}
	for _, a := range d.agents {
		as := AgentStatus{Name: a.Name()}
		if p, err := d.program(a); err != nil {
			as.Missing = err.Error()
		} else {
			as.Path, as.Version = p.Path, p.Version
		}
		st.Agents = append(st.Agents, as)
	}
	standings, read := d.atHand()
	now := d.now()
	err := d.store.Sessions(func(rec state.Session) error {
		key := state.Key(rec.Session)
		if c, ok := read[key]; ok {
			rec.Classifier = c
		}
		at := standings[key]
		if s, ok := Stands(rec, now, at.child); ok {
			if s.Status == state.Waits && s.LeftS == 0 { // what was waited for is over
				s.Why = cmp.Or(at.back, s.Why)
			}
			st.Sessions = append(st.Sessions, s)
		}
		return nil
	})
	if err != nil {
		return st, err
	}
	slices.SortFunc(st.Sessions, func(a, b SessionStatus) int {
		return cmp.Or(int(a.LeftS-b.LeftS), strings.Compare(a.Session, b.Session))
	})
	st.Stats, err = d.store.Stats()
	return st, err
}

// atHand is what the loop knows of sessions, by their keys, and the store does not, and what was read since.
func (d *Daemon) atHand() (standings map[string]standing, read map[string]detect.Classifier) {
	standings, read = map[string]standing{}, map[string]detect.Classifier{}
	d.loop.ask(func(l *loop) {
		for key, s := range l.seats {
			if s.s.Files.Unsaved {
				read[key] = s.s.Rec.Classifier
			}
			standings[key] = standing{s.s.Child(), s.s.HeldBack()}
		}
	})
	return standings, read
}

// Stands says how a session stands; false: it is at rest. pid is our child in it; 0: none.
func Stands(rec state.Session, now time.Time, pid int) (SessionStatus, bool) {
	s := SessionStatus{Agent: rec.Agent, Session: rec.ID, Project: rec.Info.Dir, Phase: rec.Phase, Attempt: rec.Decision.Attempt, PID: pid,
		Ignored: rec.Ignored, Links: Links{Old: rec.OldSession, New: rec.NewSession}}
	status, told := rec.Standing(now)
	if s.Status = status; status == state.Done || rec.Ignored && status == state.OnHold && pid != 0 {
		s.Status = Running // and its stop is over
		return s, pid != 0
	}
	s.Reason, s.Strategy, s.Why = rec.Stop.Reason, rec.Decision.Strategy, rec.Decision.Why
	if rec.Phase == state.Waiting {
		s.WakeAt, s.LeftS = &rec.Decision.WakeAt, max(0, rec.Decision.WakeAt.Sub(now).Seconds())
	}
	if s.Status == state.NeedsYou {
		s.Why, s.Needs = told.Why, &Needs{What: told.Why, Command: told.Command, Since: told.At}
		if s.Needs.Command == "" {
			s.Needs.Command = "clawd resume " + rec.ID
		}
	}
	return s, true
}

// watched is how many sessions are known.
func (d *Daemon) watched() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.seen)
	for key := range d.followed {
		if _, seen := d.seen[key]; !seen {
			n++
		}
	}
	return n
}
