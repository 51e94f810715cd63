package resume

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Verdict on an attempt.
type Verdict string

const (
	Resumed      Verdict = "resumed"       // the agent's own record shows that it went on
	StoppedAgain Verdict = "stopped_again" // a new stop of its own
	Cut          Verdict = "cut"           // our prompt is there, no answer, and the process is gone
	NoEffect     Verdict = "no_effect"     // proved: nothing reached the provider
	ByHand       Verdict = "by_hand"       // the user or the agent went on: not our success
	Unsure       Verdict = "unknown"       // cannot be told, so it is not tried again
	// The following are not verdicts on a fire: nothing was fired.
	Postponed Verdict = "postponed" // not now; the session's loop looks again
	LeftAlone Verdict = "left"      // never, for this stop
)

// Outcome of a Run.
type Outcome struct {
	Verdict Verdict        `json:"verdict"`
	Why     string         `json:"why"`
	Proof   string         `json:"proof,omitempty"` // NoEffect: which rule, which bytes
	Refused bool           `json:"refused,omitempty"`
	Unsaid  bool           `json:"unsaid,omitempty"`  // NoEffect: the agent asked nothing, and nothing that is known says why
	Stop    *detect.Stop   `json:"stop,omitempty"`    // StoppedAgain, Cut: the new stop
	Again   time.Time      `json:"again,omitzero"`    // Postponed: look again then; zero: when something changes
	Command string         `json:"command,omitempty"` // LeftAlone: what to type instead; may be empty
	Session detect.Session `json:"session,omitzero"`  // the session that went on, when it is a fresh one
	Took    time.Duration  `json:"took,omitempty"`
	CostUSD float64        `json:"cost_usd,omitempty"` // of a run that ended with the verdict
	Prompts int            `json:"prompts,omitempty"`  // the same; see Output
	Prompt  string         `json:"prompt,omitempty"`   // detect.HashText of clawd's prompt, where a record has it in other words than the plan
}

// Claim is one attempt, as it stands in the ledger.
type Claim struct {
	Session   detect.Session `json:"session"`
	Stop      detect.Stop    `json:"stop"`
	Info      detect.Info    `json:"info"`
	Account   string         `json:"account,omitempty"` // whose quota it uses
	N         int            `json:"n"`                 // attempt number within the episode, from 1
	Token     string         `json:"token"`             // random; goes to the child
	Boot      string         `json:"boot"`
	At        time.Time      `json:"at"`
	Cursor    string         `json:"cursor"` // evidence: only records behind it count
	Plan      Plan           `json:"plan"`
	PID       int            `json:"pid,omitempty"` // also the process group
	Start     uint64         `json:"start,omitempty"`
	Mark      string         `json:"mark"`   // path of the mark file
	Output    string         `json:"output"` // path of the run's output
	OutputCut bool           `json:"output_cut,omitempty"`
	Attempts  int            `json:"attempts"`        // of the episode, this one included
	Noted     bool           `json:"noted,omitempty"` // the end of its run, which had resumed the session, is in the ledger
}

// Begins is the session that the attempt begins; its ID is empty where the agent chooses it.
func (c Claim) Begins() detect.Session {
	return detect.Session{Agent: cmp.Or(c.Plan.Agent, c.Session.Agent), ID: c.Plan.Session}
}

// Refusal of a claim. Its Outcome has the verdict Postponed, LeftAlone or ByHand.
type Refusal struct{ Outcome Outcome }

func (r *Refusal) Error() string { return r.Outcome.Why }

// Trigger starts what a plan says.
type Trigger interface {
	// Start prepares the child behind a closed gate: nothing of the agent runs yet, and nothing is
	// typed or sent. ctx bounds only the start. A *Refusal is no failed start: the machine cannot give what it needs.
	Start(ctx context.Context, c Claim) (Run, error)
	// Adopt takes up a child that was started before a restart. It never types or sends.
	Adopt(c Claim) Run
}

// Gate is how the opened gate answered.
type Gate string

const (
	GateExec   Gate = "exec"   // the mark is made and the agent runs
	GateTaken  Gate = "taken"  // the shim looked once more and did not make the mark
	GateMarked Gate = "marked" // the mark was there already: this attempt was made before
	GateShort  Gate = "short"  // the mark could not be made, and nothing of it is there
	GateFailed Gate = "failed" // the mark is made, exec failed
)

// Run is a child behind its gate, and the process group that comes of it. On a live way it is the
// holder that is reached: PID and Start are the holder's, Open acts, and Stop does nothing, or ends the
// command of ours that hands the prompt over (Queue).
type Run interface {
	PID() int
	Start() uint64
	// Open opens the gate and waits for its answer; why is for people.
	Open(ctx context.Context) (g Gate, why string, err error)
	// Abort closes the gate: the shim exits without an effect. Only before Open, but where clawd itself types or
	// sends: there Open goes no further.
	Abort()
	// Done is closed when no agent process of the group is left.
	Done() <-chan struct{}
	// Alive looks now.
	Alive() bool
	// Untouched, on a live way, says by which proof nothing that was typed or sent has reached the
	// agent; empty: there is none.
	Untouched(ctx context.Context) (proof string)
	// Working tells whether the terminal of a live way shows the agent at work. False: it does not, or
	// cannot be seen.
	Working(ctx context.Context) bool
	// Stop begins to end the group and returns at once: SIGTERM, after 10 s SIGKILL; polite: SIGINT
	// and 10 s before that. Further calls change nothing.
	Stop(polite bool)
	// Active is the last time that the run showed a sign of work.
	Active() time.Time
	// TrimOutput cuts the output file down when it is over its cap; before is called first.
	TrimOutput(before func() error) error
}

// ErrRewritten tells that another file has come in the place of the session's since the attempt. What came of that no look will tell.
var ErrRewritten = errors.New("the session's file was rewritten")

// Sight is what a Look found.
type Sight struct {
	Events   []detect.Event // behind the claim's cursor, in order
	Output   Output
	NoOutput bool   // what the run printed is gone or was cut: it proves nothing
	Grew     bool   // the session has more records behind the claim's cursor, of whatever kind
	Holder   string // a live holder that is not of our group, in words; empty: none
	SameBoot bool
	SetBack  bool           // the clock was set back since the claim: what came after it may be dated before
	Marked   bool           // the mark is there
	ExecFail string         // the mark says that exec failed
	Session  detect.Session // fresh sessions: the new one, as soon as it is known
}

// Output is what a run printed, as far as it proves anything.
type Output struct {
	Any      bool         // it printed something
	Began    bool         // the agent got as far as to open its session
	Refused  bool         // the agent says that it does not know the session
	NoInput  bool         // the agent says that no prompt came in the time it waits for one: on a busy machine it reads too late
	Idle     string       // why the agent did nothing in the session that it opened, as it says; empty: it says nothing of the kind
	Messages []string     // ids of messages and records that it printed
	Denials  int          // permissions refused
	Why      *detect.Stop // why it ended before it opened its session, as it says; nil: it says nothing that is known
	Failed   bool         // it reports an error of its own
	Session  string       // the id it says it writes to
	CostUSD  float64      // what the agent says the run cost; 0: it does not say
	// Mute: the agent may have asked before it printed anything, so that silence proves nothing.
	Mute    bool
	Prompts int // how many the run gave, those that the agent gave itself included; 0: it does not say
}

// Further is how many of a run's prompts are beyond the first, which counts for the budget when it is fired.
func Further(prompts int) int { return max(0, prompts-1) }
