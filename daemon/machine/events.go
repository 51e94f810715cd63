package machine

import (
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Event is something that happens to a session.
type Event interface{ event() }

type (
	// Restored comes first, when clawd starts, to a session that was not at rest.
	Restored struct{ Alive bool } // its run still goes on
	// Touched says that its files may hold something new, or that who has it open may be another one.
	Touched struct{ Stamp string } // empty: look in any case
	// Answered brings what was asked for.
	Answered struct {
		Job    uint64 // that asked
		Answer Answer
	}
	// Due says that one of its timers may be over.
	Due struct{}
	// Turn comes when others have started or ended: it may be its turn.
	Turn struct{}
	// Jumped says that the machine slept or its clock was set, and by how much.
	Jumped struct{ By time.Duration }
	// Renewed says that the config is a new one.
	Renewed struct{}
	// Ordered is its user's word.
	Ordered struct{ Order Order }
	// Started says that the child stands behind its gate, or that there is none.
	Started struct {
		Token string
		PID   int
		Start uint64
		Why   string // there is none
		Short bool   // for what the machine lacks
		Left  bool   // and there will be none for this stop
	}
	// Opened is how the gate answered.
	Opened struct {
		Token string
		Gate  resume.Gate
		Why   string
		Err   error // the answer was lost: only evidence can tell
		Short bool
	}
	// Gone says that no process of the run is left, or that something new is to be seen of it.
	Gone struct{ Token string }
	// Sighted brings what is seen of a run.
	Sighted struct {
		Token  string
		At     time.Duration // when the look began, by the clock that nobody sets
		Sight  resume.Sight
		Err    error
		Alive  bool
		Active time.Time // the last sign of work
		Wrote  time.Time // the newest output
		Long   bool      // the output is longer than it may be
		Settle time.Duration
		// Of a live way, where no record of the prompt has come in time:
		Asked     bool       // the terminal was looked at
		Working   bool       // it shows the agent at work
		Untouched string     // by which proof nothing has reached the agent; empty: there is none
		Read      state.Read // how far the session's files go, for a verdict
	}
	// Refused says that what the step before this one was to write could not be written. Nothing of it happened.
	Refused struct {
		Err error
		On  Event
	}
	// TooLate says that nobody waits for an order's answer any more.
	TooLate struct{ ID uint64 }
	// Stopping says that clawd ends.
	Stopping struct{}
)

func (Restored) event() {}
func (Touched) event()  {}
func (Answered) event() {}
func (Due) event()      {}
func (Turn) event()     {}
func (Jumped) event()   {}
func (Renewed) event()  {}
func (Ordered) event()  {}
func (Started) event()  {}
func (Opened) event()   {}
func (Gone) event()     {}
func (Sighted) event()  {}
func (Refused) event()  {}
func (TooLate) event()  {}
func (Stopping) event() {}

// OrderKind is what a user orders.
type OrderKind string

const (
	Resume OrderKind = "resume"
	Cancel OrderKind = "cancel"
	Ignore OrderKind = "ignore"
)

// Order of a user about one session.
type Order struct {
	ID   uint64 // Reply names it
	Kind OrderKind
	resume.Order
	Off bool // ignore: no longer
	Run bool // cancel: only a run of clawd's
}

// Effect is something that is done after a step, outside of it.
type Effect interface{ effect() }

type (
	// Write is stored before anything else of the step happens.
	Write struct{ Change *state.Change }
	// Ask is answered by an Answered.
	Ask struct {
		Job      uint64
		Question Question
	}
	// Start prepares a child behind its gate.
	Start struct {
		Claim resume.Claim
		Rec   *state.Session // as it was looked at
		Live  bool
	}
	// Open opens the gate.
	Open struct{ Token string }
	// Abort closes the gate for good.
	Abort struct{ Token string }
	// Adopt takes up a run from before a restart.
	Adopt struct {
		Claim resume.Claim
		Info  detect.Info
	}
	// Look is answered by a Sighted. Closely: also at the terminal of a live way.
	Look struct {
		Token   string
		Closely bool
		Read    bool // read how far the session's files go, too
	}
	// Halt begins to end a run.
	Halt struct {
		Token  string
		Polite bool
	}
	// Trim cuts a run's output when it is too long.
	Trim struct{ Token string }
	// Forget lets go of a run that is over. Keep: see that the session is still there.
	Forget struct {
		Token string
		Keep  bool
	}
	// Await makes the session look again soon after a process has ended.
	Await struct{ PID int }
	// Reply answers an order.
	Reply struct {
		ID    uint64
		Rec   state.Session // as it is then
		Text  string
		Err   error
		Older string // cancel: agent/id of the session that it took over from, whose run may be meant
	}
	// Log is a line.
	Log struct {
		Level  Level
		Event  string
		Text   string
		Fields []Field
	}
)

func (Write) effect()     {}
func (Ask) effect()       {}
func (Start) effect()     {}
func (Open) effect()      {}
func (Abort) effect()     {}
func (Adopt) effect()     {}
func (Look) effect()      {}
func (Halt) effect()      {}
func (Trim) effect()      {}
func (Forget) effect()    {}
func (Await) effect()     {}
func (Reply) effect()     {}
func (Log) effect()       {}
func (TurnMove) effect()  {}
func (ShortMove) effect() {}
func (LagMove) effect()   {}

// Level of a log line.
type Level uint8

const (
	Debug Level = iota
	Info
	Warn
	Error
)

// Field of a log line. An empty string is left out.
type Field struct {
	Key   string
	Value any
}

// Question is what a session's decision hangs on and what only the machine can tell. It is answered outside the loop.
type Question interface{ question() }

type (
	// AskFiles reads the session's files on.
	AskFiles struct{ Rec *state.Session }
	// AskHolders asks who has the session open, and what became of who had.
	AskHolders struct{ Rec *state.Session }
	// AskScreen asks what the terminal of a silent turn shows.
	AskScreen struct {
		Rec    *state.Session
		Beside Beside
	}
	// AskStop asks what else there is to know of a stop: the marks of earlier attempts, the text of the last prompt.
	AskStop struct {
		Rec  *state.Session
		Stop detect.Stop
	}
	// AskFit asks whether there could be an attempt at all, and for a session that somebody has open by which way.
	AskFit struct {
		Rec    *state.Session
		Facts  rules.Facts
		Live   bool
		Beside Beside
	}
	// AskAll is the last look before an attempt, at everything.
	AskAll struct {
		Rec    *state.Session
		Facts  rules.Facts // as far as they are known
		Roles  *Roles      // the agent's answer, ahead; nil: none
		Beside Beside
		OpenBy int
		Judged int  // the newest attempt for the stop on which the store has a verdict
		Turn   bool // it is the session's turn
	}
	// AskRoles asks the agent for its roles, ahead of the end of a wait.
	AskRoles struct{ Rec *state.Session }
	// AskOrder looks at everything that speaks against its user's order.
	AskOrder struct {
		Rec    *state.Session
		Order  resume.Order
		Beside Beside
	}
)

func (AskFiles) question()   {}
func (AskHolders) question() {}
func (AskScreen) question()  {}
func (AskStop) question()    {}
func (AskFit) question()     {}
func (AskAll) question()     {}
func (AskRoles) question()   {}
func (AskOrder) question()   {}

// Answer to a question. It has its place among those that a job has.
type Answer interface{ answer(*Answers) }

type (
	// FilesSeen answers AskFiles.
	FilesSeen struct {
		Fold    detect.Classifier // with everything that was read
		Info    detect.Info
		Cursor  string
		News    bool // there was an event
		Anew    bool
		Skipped int
		Problem string
		Subs    []detect.SubStop // sub-agents that have stopped; looked for where the session's own turn has ended
		SubsAt  time.Time        // that end; zero: they were not looked for
		Err     error
	}
	// HoldersSeen answers AskHolders.
	HoldersSeen struct {
		All []detect.Holder
		Terminals
		Exec   bool          // clawd exec has it open
		Settle time.Duration // how long "gone" must stay so
		Past   Past
		Err    error
	}
	// ScreenSeen answers AskScreen.
	ScreenSeen struct {
		Failure *detect.Failure // nil: it shows no limit
		Err     error
	}
	// StopSeen answers AskStop.
	StopSeen struct {
		Facts   rules.Facts   // of clawd exec and of the config
		Made    *resume.Claim // the newest attempt that has a mark
		Prompt  string
		Problem error // the prompt could not be read
		Err     error
	}
	// FitSeen answers AskFit.
	FitSeen struct {
		Facts rules.Facts // with what was seen
		Way   *NoWay      // of a session that somebody has open; nil: there is one
		Gone  bool        // nobody has it open any more
		Err   error
	}
	// AllSeen answers AskAll.
	AllSeen struct {
		Facts rules.Facts
		Rec   *state.Session // with what was read
		Plan  resume.Plan
		Subs  []detect.SubStop // as in FilesSeen, in the turn that stopped
		Live  bool
		Terminals
		Made  *resume.Claim // an attempt on which the store has no verdict
		Way   *NoWay
		Later *resume.Outcome // put off; nil: it is not
		Short string          // for what the machine lacks
		Roles *Roles
		Lacks Lack          // why there are no roles, where they are wanted
		Gone  bool          // nobody has it open any more, and somebody had
		At    time.Duration // by the clock that nobody sets
		Err   error
	}
	// OrderSeen answers AskOrder.
	OrderSeen struct {
		Stop    detect.Stop
		Facts   rules.Facts
		Holders []detect.Holder
		Way     string // why clawd can't type where it is open; empty: it can
		Err     error
	}
)

// Lack is why the roles of an agent are not known.
type Lack int

const (
	_          Lack = iota
	Unanswered      // they were asked for, without an answer
	Unasked         // they are still to be asked for, when it is the session's turn
)

func (v *FilesSeen) answer(a *Answers)   { a.Files = v }
func (v *HoldersSeen) answer(a *Answers) { a.Holders = v }
func (v *ScreenSeen) answer(a *Answers)  { a.Screen = v }
func (v *StopSeen) answer(a *Answers)    { a.Stop = v }
func (v *FitSeen) answer(a *Answers)     { a.Fit = v }
func (v *AllSeen) answer(a *Answers)     { a.All = v }
func (*Roles) answer(*Answers)           {} // they are the wait's
func (v *OrderSeen) answer(a *Answers)   { a.Order = v }

// Terminals is what is known of those that have the session open in a terminal, by their pids.
type Terminals struct {
	Wraps map[int]detect.Holder // those that clawd wrap owns the terminal of, with its program
	Late  []int                 // those that were started after the prompt, so that they did not run the turn
}

// Past is what is to be seen of a holder that had the session open.
type Past struct {
	LeaderLives bool            // the shell of its terminal
	Lived       bool            // it was there when it was asked who has it open
	Over        bool            // it is not there any more, for sure
	Wrap        state.HolderEnd // as clawd wrap noted it
	WrapTold    bool            // that is known
}

// What a user is told of a session that waits: somebody has it open, or something else holds it back.
const (
	Unreachable = "session_unreachable"
	Blocked     = "session_blocked"
	PutOff      = "session_put_off"
	// NotWoken is said before a failure that may pass.
	NotWoken = "the open session cannot be woken: "
)

// NoWay says why a session that somebody has open can't be woken now.
type NoWay struct {
	Event     string // that its user is told by; empty: he is not
	Why       string
	Elsewhere bool // its process shows another session: that does not pass
}

// Roles is what the agent said of the role that a session runs in.
type Roles struct {
	Role string
	At   time.Time // zero: it was not asked
	Err  error
}
