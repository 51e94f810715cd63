package resume

import (
	"context"
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
	Stop    *detect.Stop   `json:"stop,omitempty"`    // StoppedAgain, Cut: the new stop
	Again   time.Time      `json:"again,omitzero"`    // Postponed: look again then; zero: when something changes
	Held    bool           `json:"held,omitempty"`    // the user is told and the stop is kept
	Command string         `json:"command,omitempty"` // LeftAlone: what to type instead; may be empty
	Session detect.Session `json:"session,omitzero"`  // the session that went on, when it is a fresh one
	Took    time.Duration  `json:"took,omitempty"`
	CostUSD float64        `json:"cost_usd,omitempty"` // of a run that ended with the verdict
}

// Claim is one attempt, as it stands in the ledger.
type Claim struct {
	Session   detect.Session `json:"session"`
	Stop      detect.Stop    `json:"stop"`
	Info      detect.Info    `json:"info"`
	N         int            `json:"n"`     // attempt number within the episode, from 1
	Token     string         `json:"token"` // random; goes to the child
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

// Job is one decision to carry out.
type Job struct {
	Session  detect.Session
	Stop     detect.Stop
	Decision Decision
	// NotBefore, when it is later than the decision's time, is when to look again.
	NotBefore time.Time
	// Claim, when set, was fired before a restart: it is settled, never fired.
	Claim *Claim
	// Guard: the claim has its verdict, resumed, and its run goes on, or ended while nobody looked.
	Guard bool
	// Failed: the claim has another verdict, and its run is still there.
	Failed bool
}

// Ports are the world of a Run.
type Ports struct {
	Sleeper  Sleeper
	Ledger   Ledger
	Trigger  Trigger
	Evidence Evidence
	// Stall ends a child that has shown no sign of work for so long; 0: never.
	Stall time.Duration
	// Timeout ends a child after so long, whatever it does; 0: never.
	Timeout time.Duration
	// Settle is how long "nothing" must stay nothing once the child is gone (5 s; 90 s where the
	// agent's files lie on a network file system).
	Settle time.Duration
}

// Sleeper waits.
type Sleeper interface {
	// Until returns nil once the wall clock has passed t, also when the machine slept over it.
	Until(ctx context.Context, t time.Time) error
	// Awake waits d of time in which the machine was awake; a sleep or a clock jump starts it anew.
	Awake(ctx context.Context, d time.Duration) error
	Now() time.Time
}

// Ledger remembers. Every method is one transaction: when it returns an error nothing changed.
type Ledger interface {
	// Wait writes the decision down before it is waited for.
	Wait(ctx context.Context, j Job) error
	// Claim looks once more at everything that could forbid the fire, and takes the attempt. A
	// *Refusal says why not.
	Claim(ctx context.Context, j Job) (Claim, error)
	// Fired stores the child, before its gate opens.
	Fired(ctx context.Context, c Claim) error
	// Unclaim gives back an attempt that never made a mark. failed: the start itself failed, which
	// is not tried for ever.
	Unclaim(ctx context.Context, c Claim, why string, failed bool) error
	// Close writes the verdict on a fired attempt.
	Close(ctx context.Context, c Claim, o Outcome) error
	// Ended notes the end of a resumed run, with what it printed. why says that clawd ended it.
	Ended(ctx context.Context, c Claim, out Output, why string) error
	// Yielded notes that a run is being ended because who is in the session.
	Yielded(ctx context.Context, c Claim, who string) error
	// OutputCut notes that the run's output was cut down, before it is.
	OutputCut(ctx context.Context, c Claim) error
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
	// Abort closes the gate: the shim exits without an effect. Only before Open.
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

// Evidence is what the agent's own files say.
type Evidence interface {
	// Look reads everything behind the claim's cursor. An error is not "nothing"; what the run printed
	// comes with it.
	Look(ctx context.Context, c Claim) (Sight, error)
	// Changed signals that there may be something new; it may signal too often.
	Changed() <-chan struct{}
}

// Sight is what a Look found.
type Sight struct {
	Events   []detect.Event // behind the claim's cursor, in order
	Output   Output
	NoOutput bool   // what the run printed is gone or was cut: it proves nothing
	Grew     bool   // the session has more records behind the claim's cursor, of whatever kind
	Holder   string // a live holder that is not of our group, in words; empty: none
	SameBoot bool
	Marked   bool           // the mark is there
	ExecFail string         // the mark says that exec failed
	Session  detect.Session // fresh sessions: the new one, as soon as it is known
	// Cancelled: its user wants the run ended.
	Cancelled bool
}

// Output is what a run printed, as far as it proves anything.
type Output struct {
	Began    bool     // the agent got as far as to open its session
	Refused  bool     // the agent says that it does not know the session
	Idle     string   // why the agent did nothing in the session that it opened, as it says; empty: it says nothing of the kind
	Messages []string // ids of messages and records that it printed
	Denials  int      // permissions refused
	Failed   bool     // it reports an error of its own
	Session  string   // the id it says it writes to
	CostUSD  float64  // what the agent says the run cost; 0: it does not say
}
