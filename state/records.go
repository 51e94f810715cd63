package state

import (
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Phase of a session.
type Phase string

const (
	Following Phase = "following" // nothing to do for it now
	Waiting   Phase = "waiting"   // for WakeAt, or for its holder to go
	Claimed   Phase = "claimed"   // an attempt is taken; this alone proves that nothing ran
	Fired     Phase = "fired"     // the gate may have been opened
	GivenUp   Phase = "given_up"  // tried enough; the user was told
	Held      Phase = "held"      // never again for this stop by itself; the user was told
)

// Key names a session in the store: agent/id.
func Key(s detect.Session) string { return s.Agent + "/" + s.ID }

// Ran says that a terminal's process was the only one there, after a turn had begun: what the turn wrote later it wrote.
type Ran struct {
	Turn   string    `json:"turn"`             // its prompt
	Shared bool      `json:"shared,omitempty"` // others were there as well before, while it ran
	PID    int       `json:"pid"`              // 0: several are there
	Start  uint64    `json:"start"`
	Boot   string    `json:"boot"`
	At     time.Time `json:"at"`
}

// By tells whether that is a process, and the turn is this one.
func (r Ran) By(h detect.Holder, turn string) bool {
	return turn != "" && r.Turn == turn && r.PID == h.PID && r.Start == h.Start && r.Boot == h.Boot
}

// Session is all that is known of one.
type Session struct {
	detect.Session
	Rev        uint64            `json:"rev,omitempty"` // counts what was written of it
	Info       detect.Info       `json:"info"`
	Stamp      string            `json:"stamp,omitempty"`
	Cursor     string            `json:"cursor,omitempty"`
	Classifier detect.Classifier `json:"classifier"`
	Phase      Phase             `json:"phase"`
	Stop       detect.Stop       `json:"stop,omitzero"`    // the newest that was taken in
	Prompt     string            `json:"prompt,omitempty"` // see Read.Prompt; of Stop
	Decision   resume.Decision   `json:"decision,omitzero"`
	Claim      *resume.Claim     `json:"claim,omitempty"` // phases claimed and fired; fired before: the last one
	Episode    Episode           `json:"episode,omitzero"`
	Fruitless  int               `json:"fruitless,omitempty"`    // resumes in a row after which no turn ended well
	Starts     int               `json:"starts,omitempty"`       // claims of this stop that never made a mark
	Unsaid     int               `json:"unsaid,omitempty"`       // runs for this stop in a row that asked nothing, and nothing that is known says why
	Refused    string            `json:"refused_stop,omitempty"` // key of the stop at which the agent refused this session
	Inert      string            `json:"inert_stop,omitempty"`   // key of the stop on which an idempotent run had no effect
	Kept       string            `json:"kept_stop,omitempty"`    // key of the stop from which another agent was to take over, and nothing came of it
	Ignored    bool              `json:"ignored,omitempty"`      // by its user's order
	Cancelled  time.Time         `json:"cancelled,omitzero"`     // its user's order to leave the stop and end the run; holds until somebody goes on or he wants it resumed
	Holder     detect.Holder     `json:"holder,omitzero"`        // the terminal's holder, as last seen alive
	HolderEnd  HolderEnd         `json:"holder_end,omitempty"`
	HolderGone time.Time         `json:"holder_gone,omitzero"`  // when HolderEnd was seen; never before what was read by then, for clocks are set back
	Shown      []int             `json:"shown,omitempty"`       // pids of the terminals of which any may show what a server of the agent has open
	Ran        Ran               `json:"ran,omitzero"`          // see there; where its records do not tell who wrote them
	Told       []string          `json:"told,omitempty"`        // notices about the stop that is waited for: its key, then the events
	Notice     *Notice           `json:"notice,omitempty"`      // the newest one; see Needs
	Root       string            `json:"root,omitempty"`        // first session of the line; empty: itself
	LastFire   time.Time         `json:"last_fire,omitzero"`    // of an attempt that resumed, or began this session
	FirePrompt string            `json:"fire_prompt,omitempty"` // hash of the prompt of the newest attempt that had one
	FireEnd    time.Time         `json:"fire_end,omitzero"`     // when that attempt had its verdict; zero: none that is known
	Sent       []string          `json:"sent,omitempty"`        // ids that the newest attempts chose for the records of their prompts; see maxSent
	OldSession string            `json:"old_session,omitempty"` // lineage: it took over from this one; see Named
	NewSession string            `json:"new_session,omitempty"` // lineage: this one took over from it; see Named
	Subs       Subs              `json:"subs,omitzero"`
	Updated    time.Time         `json:"updated"`
}

// Tried is what happened before in the episode of the stop that is known.
func (s Session) Tried() resume.Tried {
	return resume.Tried{Attempts: s.Episode.Attempts, Since: s.Episode.Since, Fresh: s.Episode.Fresh, Fruitless: s.Fruitless,
		Refused: s.Refused != "" && s.Refused == s.Stop.Key, Agent: s.Agent, HandedOn: s.handedOn(), Kept: s.Kept != "" && s.Kept == s.Stop.Key}
}

// handedOn tells whether it took over from a session of another agent.
func (s Session) handedOn() bool { return s.OldSession != "" && s.Named(s.OldSession).Agent != s.Agent }

// TriedBefore is what counts of it for an order: whom its user wants to take over is tried once more.
func (s Session) TriedBefore() resume.Tried {
	t := s.Tried()
	t.Since, t.Kept = time.Time{}, false
	return t
}

// Named gives the session that a lineage names: by its id, with "agent/" before that of another agent's. Path is not set.
func (s Session) Named(name string) detect.Session {
	if agent, id, ok := strings.Cut(name, "/"); ok {
		return detect.Session{Agent: agent, ID: id}
	}
	return detect.Session{Agent: s.Agent, ID: name}
}

// NameOf is the name of another session that Named takes.
func (s Session) NameOf(o detect.Session) string {
	if o.Agent != s.Agent {
		return Key(o)
	}
	return o.ID
}

// Handed gives the session that took over from this one at the stop that is known; its ID is empty where none did.
func (s Session) Handed() detect.Session {
	if s.NewSession == "" || s.Phase != Following || s.Claim == nil || s.Claim.Plan.Form != resume.FormFresh || s.Claim.Stop.Key != s.Stop.Key {
		return detect.Session{}
	}
	return s.Named(s.NewSession)
}

// Driven tells whether a person drove the session when it stopped: its records say so, or it was open in a
// terminal then, and the records do not tell or the agent names the session that the terminal shows.
func (s Session) Driven() bool {
	h := s.Holder
	return s.Info.Interactive || s.InTerminal() && (h.Sure || s.Info.Untold)
}

// InTerminal tells whether the remembered holder is a terminal's, and had the session open after the last prompt.
func (s Session) InTerminal() bool {
	return s.Holder.Kind == detect.Interactive && (s.HolderEnd == "" || !s.HolderGone.Before(s.asked()))
}

// asked is when the last prompt was given, as far as that was read.
func (s Session) asked() time.Time {
	if at := s.Classifier.LastPrompt.At; !at.IsZero() {
		return at
	}
	return s.Stop.At // its files are not read so far back
}

// HolderEnd says how the holder of an interactive session went.
type HolderEnd string

const (
	HolderQuit   HolderEnd = "quit"   // a person ended the program: its terminal lives on
	HolderHangup HolderEnd = "hangup" // the terminal or the machine went
	HolderCrash  HolderEnd = "crash"  // it left its registry entry behind
)

// Episode is a chain of stops that follow our own fires. A session that took over from one that was
// stopped again goes on with its chain.
type Episode struct {
	Key      string    `json:"key,omitempty"`  // of its first stop in this session
	Began    time.Time `json:"began,omitzero"` // when its first stop was written
	Since    time.Time `json:"since,omitzero"` // of the first attempt; before it: of the stop
	Attempts int       `json:"attempts,omitempty"`
	Fresh    int       `json:"fresh,omitempty"`
}

// Seen is a session that was looked at once and ends in nothing of interest.
type Seen struct {
	Stamp  string `json:"stamp"`
	Cursor string `json:"cursor"` // its end at that time
}

// Closed is the end of a stop that was fired for.
type Closed struct {
	At      time.Time      `json:"at"`
	N       int            `json:"n"`
	Verdict resume.Verdict `json:"verdict"`
	Proof   string         `json:"proof,omitempty"`
	// Reopened is when its user wanted the stop resumed all the same.
	Reopened time.Time `json:"reopened,omitzero"`
}

// Budget counts the fires of one day.
type Budget struct {
	Total    int            `json:"total"`
	Sessions map[string]int `json:"sessions"`
	CostUSD  float64        `json:"cost_usd"`
}

// Stats are counted for good.
type Stats struct {
	Stops         map[detect.Reason]int `json:"stops"`
	TotalResumes  int                   `json:"total_resumes"`
	Failures      int                   `json:"failures"` // fires that did not resume
	GivenUp       int                   `json:"given_up"`
	Recovered     int                   `json:"recovered"` // of the resumes: fresh sessions
	SecondsWaited float64               `json:"seconds_waited"`
	SecondsSaved  float64               `json:"seconds_saved"` // for how long resumed runs worked
	LastResume    time.Time             `json:"last_resume,omitzero"`
}

// Entry of the history.
type Entry struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // stop, scheduled, claimed, fired, unclaimed, a verdict, held, ...
	Session string    `json:"session"`
	Key     string    `json:"key,omitempty"`
	N       int       `json:"n,omitempty"`
	Why     string    `json:"why,omitempty"`
	Proof   string    `json:"proof,omitempty"`
}

// Delivery is a channel that is still to have a notice.
type Delivery struct {
	Channel string    `json:"channel"`
	Tries   int       `json:"tries,omitempty"` // that failed
	Next    time.Time `json:"next,omitzero"`   // not before
}

// HandedOver is the event of a Notice that asks nothing of its user: another agent went on with a session's work.
const HandedOver = "session_handed_over"

// Notice is something that the user must be told at least once.
type Notice struct {
	Seq     uint64        `json:"-"`
	At      time.Time     `json:"at"`
	Event   string        `json:"event"`         // resume_given_up, session_left, session_held, session_unreachable, session_blocked, session_put_off, HandedOver, SubStopped
	Key     string        `json:"key,omitempty"` // of the stop that it is about
	Session string        `json:"session"`
	Reason  detect.Reason `json:"reason"`
	Why     string        `json:"why"`
	Command string        `json:"command,omitempty"`
	Logged  bool          `json:"logged,omitempty"` // it stands in the log
	Left    []Delivery    `json:"left,omitempty"`   // channels that do not have it yet
}
