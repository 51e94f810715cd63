package resume

import (
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Form of a resume.
type Form string

const (
	FormPrompt     Form = "prompt"     // the agent's own resume with a prompt
	FormIdempotent Form = "idempotent" // goes on by itself, sends nothing when there is nothing to go on with
	FormFresh      Form = "fresh"      // a new session with a hand-off
)

// Way is how a plan reaches the agent.
type Way string

const (
	Exec  Way = ""      // a process of ours runs the agent headless; nobody else has the session open
	Queue Way = "queue" // a process of ours hands the prompt to the live holder through the agent's own queue
	HTTP  Way = "http"  // a request to the live holder's server
	Tmux  Way = "tmux"  // keys into the live holder's tmux pane
	PTY   Way = "pty"   // keys into the live holder's terminal, which clawd wrap owns
)

// Live ways reach a process that has the session open and is not ours.
func (w Way) Live() bool { return w != Exec }

// Plan is one way to wake a session, as data.
type Plan struct {
	Way     Way      `json:"way,omitempty"`
	Form    Form     `json:"form"`
	Agent   string   `json:"agent,omitempty"`  // FormFresh: whose session it begins; empty: the old one's agent
	Session string   `json:"session"`          // the id that the agent will write to; empty: the agent chooses it
	Argv    []string `json:"argv"`             // Argv[0] is an absolute path
	Dir     string   `json:"dir"`              // working folder of the child
	Env     []string `json:"-"`                // KEY=VALUE set for the child, on top of ours; may hold secrets, so never stored
	Unset   []string `json:"unset,omitempty"`  // variables the child must not get
	Auth    string   `json:"auth"`             // "login" or "key": who pays, as far as stat tells
	Prompt  string   `json:"prompt,omitempty"` // detect.HashText of the prompt that the agent will record; empty: its own (idempotent)
	Stdin   []byte   `json:"-"`                // what the child reads from stdin; nil: an empty stdin
	// Flags says how the options are known that the run is given; empty: the agent has none to give.
	Flags detect.Known `json:"flags,omitempty"`
	// Rest is how long a run whose turn ended well may be there and do nothing, for an agent that may hang then;
	// 0: as long as it likes, for work in the background may be what it waits for.
	Rest time.Duration `json:"rest,omitempty"`
	// Hangs is how long a run that has failed may be there and say nothing, for an agent that may then wait for ever; 0: as long as it
	// likes. It is for a caller who waits: the daemon ends a run that failed anyway.
	Hangs time.Duration `json:"hangs,omitempty"`
	// Live ways.
	Titled    bool          `json:"titled,omitempty"`     // Tmux, PTY: the terminal's title must name the session
	Keys      string        `json:"keys,omitempty"`       // Tmux, PTY: the prompt to type, without Enter
	Longer    string        `json:"-"`                    // Tmux, PTY: a prompt that says more, for an input box that has room for it
	URL       string        `json:"url,omitempty"`        // HTTP: where the request goes
	Health    string        `json:"health,omitempty"`     // HTTP: what must answer first
	Status    string        `json:"status,omitempty"`     // HTTP: answers what the sessions do, by their ids
	Roles     string        `json:"roles,omitempty"`      // HTTP: answers which roles there are; empty: no role is asked for
	Role      string        `json:"role,omitempty"`       // HTTP: the role that must be among them
	Abort     string        `json:"abort,omitempty"`      // HTTP: posted before, to end the holder's own wait; empty: nothing
	Newest    string        `json:"newest,omitempty"`     // HTTP: lists the session's newest message, by which Abort is seen to be over
	Body      []byte        `json:"body,omitempty"`       // HTTP
	User      string        `json:"-"`                    // HTTP basic auth; never stored
	Password  string        `json:"-"`                    // HTTP basic auth; never stored
	Unlock    string        `json:"-"`                    // HTTP: what its user can do when the server wants a password
	MessageID string        `json:"message_id,omitempty"` // id of the prompt's record, when we choose it
	Holder    detect.Holder `json:"holder,omitzero"`      // the process that is reached
	Shown     []int         `json:"shown,omitempty"`      // Queue: pids of the terminals that may show the session; they must still be there
}

// Reaches tells whether a process is the plan's holder.
func (p Plan) Reaches(h detect.Holder) bool {
	return h.Liveness == detect.Alive && h.PID == p.Holder.PID && h.Start == p.Holder.Start
}
