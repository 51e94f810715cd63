// Package actor plays coding agents for the simulator. An actor writes real files, in the shapes that
// the real agent of one version wrote in the recorded runs, and the real adapters of clawd read them.
//
// Nothing here has a clock, a goroutine, or randomness of its own: every call is given the time, and
// all that is drawn comes from World.Rand. The same seed and the same calls give the same bytes, with
// the same times of change.
package actor

import (
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// World is what the actors of one seed share.
type World struct {
	Home     string // the user's home; the agents' folders lie in it
	Procs    *Table
	Ledger   *Ledger
	Rand     *rand.Rand
	Zone     *time.Location // in which the agents write times without a zone; nil: UTC
	Provider func(Request) Answer
	Env      []string // of processes that a person starts
}

// Tmp is the folder for temporary files ($TMPDIR).
func (w *World) Tmp() string { return filepath.Join(w.Home, "tmp") }

func (w *World) zone() *time.Location {
	if w.Zone == nil {
		return time.UTC
	}
	return w.Zone
}

// Request is one request as the provider gets it.
type Request struct {
	Agent, Session, Dir string
	By                  By
	At                  time.Time
	Step                int // requests of the turn before this one; own retries do not count
	Try                 int // own retries before this one
}

// By says whose will a prompt was.
type By string

// Who can give a prompt.
const (
	Person By = "person"
	Clawd  By = "clawd"
	Itself By = "itself" // the agent went on by itself
)

// Kind is what a provider answers.
type Kind string

// What a provider can answer. The zero Kind is a good answer.
const (
	Done         Kind = ""
	CallsTool    Kind = "tool"         // then it is asked again
	RateLimited  Kind = "rate_limit"   // 429
	UsedUp       Kind = "usage_limit"  // 429 of a plan
	Overloaded   Kind = "overloaded"   // 529
	Broken       Kind = "server_error" // 500
	Unauthorized Kind = "auth"         // 401
	NoCredit     Kind = "billing"      // 400
	TooLong      Kind = "context_full" // 400
	Unreachable  Kind = "network"
	Cut          Kind = "cut"    // the line broke in the middle of the answer
	Silent       Kind = "silent" // no answer ever comes
)

// Answer is one answer.
type Answer struct {
	Kind       Kind
	Took       time.Duration // from the request; 0: a second
	RetryAfter time.Duration // RateLimited; 0: it does not say
	Reset      time.Time     // UsedUp; zero: it does not say
	Window     detect.Window // UsedUp; empty: five hours
	Tool       time.Duration // CallsTool: how long the tool runs; 0: a second
	Asks       bool          // CallsTool: its user is asked first
}

// failed tells whether the turn cannot go on with it.
func (a Answer) failed() bool { return a.Kind != Done && a.Kind != CallsTool && a.Kind != Silent }

// Start says how a process is started.
type Start struct {
	Dir  string   // working folder
	TTY  string   // its terminal; empty: headless, and the process ends with its turn
	Mode string   // permission mode; empty: the agent's default
	Args []string // further arguments

	Parent string // the session whose sub-agent it is; empty: a person's
}

// Move is what a person or the machine does to a process.
type Move int

// The moves. Not every agent knows every one: then Do gives ErrCannot.
const (
	Interrupt Move = iota // Esc in a terminal, SIGINT headless
	Quit                  // as its user leaves it
	Hangup                // the terminal is closed
	Terminate             // SIGTERM
	Crash                 // SIGKILL, or the machine lost its power: what is not on the disk is lost
	Clear                 // /clear, or out of a list: another session in the same window
	Rename                // /rename
	Approve               // the question is answered with yes; "Keep trying" in a dialog at a limit
	Dismiss               // a dialog at a limit is answered with "Stop"
	Repeat                // "Keep trying" in a dialog at a limit, by clawd
)

// Writing says how the next lines come to the disk.
type Writing int

// Ways of writing.
const (
	Whole Writing = iota
	Torn          // half of the lines, the rest at the next flush; a crash in between leaves the half
	Late          // only some seconds later, even when the process has ended by then
)

// Errors of an actor's user.
var (
	ErrCannot = errors.New("this agent cannot do that, or not now")
	ErrEnded  = errors.New("the process has ended")
)

// Agent is one agent on the machine.
type Agent interface {
	Name() string
	Root() string // its folder
	// Begin starts a process with a new session.
	Begin(s Start, now time.Time) (Session, error)
	// Open starts a process with an old session, as its user does.
	Open(id string, s Start, now time.Time) (Session, error)
	// Resume starts the process of a plan. environ is what the caller adds to the environment; what the
	// process prints goes to out.
	Resume(p resume.Plan, environ []string, out io.Writer, now time.Time) (Session, error)
	// Tidy deletes what a start of the agent's program deletes by itself.
	Tidy(now time.Time) error
}

// Forker is an agent that begins a session with the history of another.
type Forker interface {
	Agent
	// Fork starts a process with a copy of a session. What is copied comes to the disk with the first prompt.
	Fork(id string, s Start, now time.Time) (Session, error)
}

// Session is a process and the session that it has open.
type Session interface {
	ID() string
	Path() string // of the session's file
	PID() int
	// Exit gives the exit code of a process that has ended.
	Exit() (code int, ended bool)
	// Idle tells whether it waits for its user's next prompt.
	Idle() bool
	// Armed tells whether it goes on by itself later.
	Armed() bool
	// Prompt gives it a prompt: typed into its terminal, by a person or by clawd, or that of a headless process.
	Prompt(text string, by By, now time.Time) error
	// Next lets it do what is due, and gives the time at which to call again; zero: when somebody
	// has done something to it.
	Next(now time.Time) (time.Time, error)
	Do(m Move, now time.Time) error
	Write(w Writing)
}
