package detect

import "time"

// State of a session.
type State string

const (
	Running  State = "running"
	Retrying State = "retrying" // the agent itself waits or retries, or has armed its own continue
	Asking   State = "asking"   // it asks you: permission, question, menu
	Stopped  State = "stopped"
)

// Reason of a stop. The empty Reason means that there is no stop.
type Reason string

const (
	RateLimit      Reason = "rate_limit"
	UsageLimit     Reason = "usage_limit"
	Overloaded     Reason = "overloaded"
	ServerError    Reason = "server_error"
	Network        Reason = "network"
	ContextFull    Reason = "context_full"
	Crashed        Reason = "crashed"
	Auth           Reason = "auth"
	Billing        Reason = "billing"
	InvalidRequest Reason = "invalid_request"
	Interrupted    Reason = "interrupted"
	Completed      Reason = "completed"
	Unknown        Reason = "unknown"
)

// Reasons lists every reason, in the order of the documentation.
var Reasons = []Reason{
	RateLimit, UsageLimit, Overloaded, ServerError, Network, ContextFull, Crashed,
	Auth, Billing, InvalidRequest, Interrupted, Completed, Unknown,
}

// Window is the quota window that a usage limit belongs to; empty where the agent does not say.
type Window string

const (
	FiveHour Window = "five_hour"
	Daily    Window = "daily"
	Weekly   Window = "weekly"
	Monthly  Window = "monthly"
	Model    Window = "model"
)

// Session names one session of one agent. ID has the agent's own form, which the agent package
// has checked; Path is the file or database in which it lies.
type Session struct {
	Agent string `json:"agent"`
	ID    string `json:"session"`
	Path  string `json:"path"`
}

// Info is what the files say of a session as a whole. A zero field was not told.
type Info struct {
	Dir         string    `json:"dir,omitempty"`          // the session's working folder, as recorded
	Version     string    `json:"version,omitempty"`      // of the agent that wrote last
	Model       string    `json:"model,omitempty"`        // provider/model or model, the agent's own form
	Mode        string    `json:"mode,omitempty"`         // permission mode as last recorded
	Interactive bool      `json:"interactive,omitempty"`  // last driven from a terminal UI, not headless
	Untold      bool      `json:"untold,omitempty"`       // the records do not tell Interactive: an old version
	Parent      string    `json:"parent,omitempty"`       // set: a sub-agent's session
	Provider    string    `json:"provider,omitempty"`     // whose quota it uses, where the agent has several
	FirstPrompt string    `json:"first_prompt,omitempty"` // hash of the first prompt, never its text
	Created     time.Time `json:"created,omitzero"`
	Tokens      int64     `json:"tokens,omitempty"` // context of the last answer: input + cache + output
	Archived    bool      `json:"archived,omitempty"`
	Setup       Setup     `json:"setup,omitzero"` // of the prompt that the newest record belongs to
	Options
}

// Setup is what a prompt ran with, as far as the agent records it. A resume is given the same.
type Setup struct {
	Role   string `json:"role,omitempty"`   // the agent's own word for a named set of permissions: opencode's "plan"
	Model  string `json:"model,omitempty"`  // as Info.Model
	Effort string `json:"effort,omitempty"` // the agent's own word, such as "low"; empty: its default
	// Bound: the prompt brought limits of its own, such as a list of tools, that no command can give again.
	Bound bool `json:"bound,omitempty"`
}

// Merge takes over every field that newer tells.
func (i *Info) Merge(newer Info) {
	set := func(dst *string, v string) {
		if v != "" {
			*dst = v
		}
	}
	set(&i.Dir, newer.Dir)
	set(&i.Version, newer.Version)
	set(&i.Model, newer.Model)
	set(&i.Mode, newer.Mode)
	set(&i.Parent, newer.Parent)
	set(&i.Provider, newer.Provider)
	if i.FirstPrompt == "" {
		i.FirstPrompt = newer.FirstPrompt
	}
	if i.Created.IsZero() {
		i.Created = newer.Created
	}
	if newer.Tokens != 0 {
		i.Tokens = newer.Tokens
	}
	i.Archived = i.Archived || newer.Archived
	i.merge(newer.Options)
	if newer.Setup != (Setup{}) { // as a whole: what it lacks, the prompt did not have
		i.Setup = newer.Setup
	}
	if newer.Version != "" || newer.Interactive || newer.Untold { // a message line was among them, so Interactive was told too
		i.Interactive, i.Untold = newer.Interactive, newer.Untold
	}
}

// Kind of an Event.
type Kind string

const (
	// KindPrompt: somebody asked. Meta: the agent wrote it itself (Claude's "Continue from where
	// you left off."). A tool result is not a prompt.
	KindPrompt Kind = "prompt"
	// KindAnswer: real output of the model. Done: the turn ended well with it. ToolCall: it ends
	// in a tool call, so a result or another answer must follow.
	KindAnswer Kind = "answer"
	// KindToolResult: a tool came back; the model must be asked again.
	KindToolResult Kind = "tool_result"
	// KindOpen: a request has begun and has no outcome yet (opencode's row without completed).
	KindOpen Kind = "open"
	// KindFailure: the record in which the agent itself says that the turn failed.
	KindFailure Kind = "failure"
	// KindInterrupt: the agent's own mark that the user stopped the turn.
	KindInterrupt Kind = "interrupt"
	// KindDenied: the turn ended because a permission was refused.
	KindDenied Kind = "denied"
	// KindRetry: the agent waits and asks again by itself; Next where it says when.
	KindRetry Kind = "retry"
	// KindSelfResume: the agent has armed (Next set) or dropped (Next zero) its own continue.
	KindSelfResume Kind = "self_resume"
	// KindAside: a line on the user's side that is kept for the next prompt, and begins no turn.
	KindAside Kind = "aside"
	// KindStrange: a record that this clawd does not know: of a kind that no pinned version writes, or without what every
	// record of its kind has. It may say anything, so a failure before it is not acted on.
	KindStrange Kind = "strange"
	// KindHolder: what is known of the process that has the session open; see Holder.
	KindHolder Kind = "holder"
)

// Event is one record of an agent in words common to all agents. It never holds a text.
type Event struct {
	Kind     Kind      `json:"kind"`
	ID       string    `json:"id,omitempty"`     // the record's own id; empty for KindHolder
	Parent   string    `json:"parent,omitempty"` // the record it answers or hangs below
	Msg      string    `json:"msg,omitempty"`    // id of the model's message, where it differs from ID
	At       time.Time `json:"at,omitzero"`      // when it was written, UTC
	Offset   int64     `json:"offset,omitempty"` // byte offset of the line, or row id
	Done     bool      `json:"done,omitempty"`
	ToolCall bool      `json:"tool_call,omitempty"`
	Meta     bool      `json:"meta,omitempty"`
	Headless bool      `json:"headless,omitempty"` // written by a headless run
	Hash     string    `json:"hash,omitempty"`     // KindPrompt: HashText of the prompt
	Next     time.Time `json:"next,omitzero"`      // KindRetry, KindSelfResume
	Failure  *Failure  `json:"failure,omitempty"`
	Holder   *Holder   `json:"holder,omitempty"`
}

// Failure is what an agent's own failure record says, already in our words.
type Failure struct {
	Reason      Reason         `json:"reason"`
	Window      Window         `json:"window,omitempty"`
	Status      int            `json:"status,omitempty"`      // HTTP status; 0: none recorded
	RetryAfter  *time.Duration `json:"retry_after,omitempty"` // as recorded, counted from At; nil: not recorded
	ResetAt     time.Time      `json:"reset_at,omitzero"`
	ResetMinute bool           `json:"reset_minute,omitempty"` // ResetAt names a whole minute, not a second
	Source      string         `json:"source,omitempty"`       // "transcript", "database", "storage", "report", "message"
	Field       string         `json:"field,omitempty"`        // the field that decided
	Notes       []string       `json:"notes,omitempty"`        // e.g. that a time was clamped
	Text        string         `json:"-"`                      // redacted text, only for reason unknown; never logged
	// NotResumable: the agent cannot go on in this session, which has no turn to go back to.
	NotResumable bool `json:"not_resumable,omitempty"`
}

// ResetIn sets the reset time from a wait that counts from at. Where at is zero, the wait counts from
// a time that nobody knows, and there is no reset time.
func (f *Failure) ResetIn(at time.Time, wait time.Duration) {
	f.ResetAt, f.ResetMinute = time.Time{}, false
	if !at.IsZero() {
		f.ResetAt = at.Add(wait).UTC()
	}
}

// Liveness of a session's holder.
type Liveness string

const (
	Alive         Liveness = "alive"
	Gone          Liveness = "gone"        // ended and cleaned up after itself, or no trace of one
	LeftBehind    Liveness = "left_behind" // its registry entry or lock is there, the process is not: it crashed or was killed
	HolderUnknown Liveness = "unknown"
)

// HolderKind tells how the holder was started.
type HolderKind string

const (
	Headless    HolderKind = "headless"
	Interactive HolderKind = "interactive"
	Server      HolderKind = "server"
)

// Activity is what a holder says that it does. Another word is the agent's own.
type Activity string

const (
	Busy Activity = "busy"
	Idle Activity = "idle"
	Asks Activity = "asking" // it asks you
)

// Holder is the live process that has a session open, or what is left of it.
type Holder struct {
	Liveness    Liveness   `json:"liveness"`
	Kind        HolderKind `json:"kind,omitempty"`
	PID         int        `json:"pid,omitempty"`
	Start       uint64     `json:"start,omitempty"`        // start time in clock ticks since boot (/proc/PID/stat field 22)
	Boot        string     `json:"boot,omitempty"`         // boot id
	Leader      int        `json:"leader,omitempty"`       // pid of its session leader
	LeaderStart uint64     `json:"leader_start,omitempty"` // start time of that leader
	Group       int        `json:"group,omitempty"`        // process group
	Status      Activity   `json:"status,omitempty"`       // empty: not told
	Since       time.Time  `json:"since,omitzero"`         // when it said so first; zero: not told
	Foreign     bool       `json:"foreign,omitempty"`      // it lives, or lived, in another pid namespace or on another machine
	Outlives    bool       `json:"outlives,omitempty"`     // a server that keeps a session open when the terminals that showed it have ended
	Sure        bool       `json:"sure,omitempty"`         // false: it may hold this session (same folder), nothing says which
	Named       bool       `json:"named,omitempty"`        // sure by its arguments alone: in a terminal its user may have gone over to another session
	TTY         string     `json:"tty,omitempty"`          // its controlling terminal, e.g. /dev/pts/3
	Tmux        string     `json:"tmux,omitempty"`         // socket of the tmux server that it runs in
	Pane        string     `json:"pane,omitempty"`         // its tmux pane, e.g. %3
	Wrap        int        `json:"wrap,omitempty"`         // pid of the program that clawd wrap started, which is it or one above it
	WrapStart   uint64     `json:"wrap_start,omitempty"`   // start time of that program
	URL         string     `json:"url,omitempty"`          // where its HTTP server listens, on loopback
	Attach      string     `json:"attach,omitempty"`       // the command that shows it, where it runs in the background
	// Hung: left behind, and still there: it waits for ever for an answer that nobody can give. A run that goes on with the
	// session ends it first, or it would write its end among what that run writes.
	Hung bool   `json:"hung,omitempty"`
	Why  string `json:"why,omitempty"` // how we know, in words
}

// Evidence says where the verdict comes from.
type Evidence struct {
	Source string `json:"source"`
	Offset int64  `json:"offset"`
	Field  string `json:"field"`
}

// Stop is the verdict on a session.
type Stop struct {
	State        State          `json:"state"`
	CouldBe      []State        `json:"could_be,omitempty"`
	Reason       Reason         `json:"reason,omitempty"`
	Window       Window         `json:"window,omitempty"`
	Key          string         `json:"key,omitempty"` // names the stop: the id of the record that says it
	At           time.Time      `json:"at,omitzero"`   // when the stop was written
	Status       int            `json:"status,omitempty"`
	RetryAfter   *time.Duration `json:"retry_after,omitempty"`
	ResetAt      time.Time      `json:"reset_at,omitzero"`
	ResetMinute  bool           `json:"reset_minute,omitempty"`
	SelfResumeAt time.Time      `json:"self_resume_at,omitzero"`
	Evidence     Evidence       `json:"evidence,omitzero"`
	Notes        []string       `json:"notes,omitempty"`
	Text         string         `json:"-"`                       // see Failure.Text
	NotResumable bool           `json:"not_resumable,omitempty"` // see Failure.NotResumable
}

// IsStop tells whether the session stopped for a reason that is not its good end.
func (s Stop) IsStop() bool {
	return s.State == Stopped && s.Reason != Completed && s.Reason != ""
}
