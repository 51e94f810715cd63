package resume

// Form of a resume.
type Form string

const (
	FormPrompt     Form = "prompt"     // the agent's own resume with a prompt
	FormIdempotent Form = "idempotent" // goes on by itself, sends nothing when there is nothing to go on with
	FormFresh      Form = "fresh"      // a new session with a hand-off
)

// Plan is one way to wake a session, as data. It is an exec plan: later kinds (http, tmux, pty)
// become further optional fields.
type Plan struct {
	Form    Form     `json:"form"`
	Session string   `json:"session"`          // the id that the agent will write to; empty: the agent chooses it
	Argv    []string `json:"argv"`             // Argv[0] is an absolute path
	Dir     string   `json:"dir"`              // working folder of the child
	Env     []string `json:"-"`                // KEY=VALUE set for the child, on top of ours; may hold secrets, so never stored
	Unset   []string `json:"unset,omitempty"`  // variables the child must not get
	Auth    string   `json:"auth"`             // "login" or "key": who pays, as far as stat tells
	Prompt  string   `json:"prompt,omitempty"` // detect.HashText of the prompt that the agent will record; empty: its own (idempotent)
	Stdin   []byte   `json:"-"`                // what the child reads from stdin; nil: an empty stdin
}
