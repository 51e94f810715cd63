// Package agent says what clawd must know of a coding agent: where its sessions lie, how to read
// them, who holds one open, and how to start it. One folder below it per agent; agent/all lists
// them. An Agent decides nothing and starts nothing.
package agent

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Cursor says how far a session was read. Only its agent knows what it means; the empty Cursor
// is the beginning.
type Cursor string

// Config is the [agent.NAME] section. The zero value means: everything found by itself.
type Config struct {
	Enabled       *bool             `toml:"enabled"`
	Command       string            `toml:"command"`    // program; empty: looked up in PATH
	ConfigDir     string            `toml:"config_dir"` // the agent's folder; empty: its own rule (environment, home)
	Args          []string          `toml:"args"`       // further arguments of headless resumes
	Env           map[string]string `toml:"env"`        // further environment of headless resumes
	RestoreBypass bool              `toml:"restore_bypass"`
}

// Env is the machine as an agent sees it. Tests give their own.
type Env struct {
	Home   string
	Getenv func(string) string
	Procs  Procs
	Zone   *time.Location // of times that a text names without a zone; nil: this machine's
}

// Folder is a folder to watch, with its sub-folders down to Depth (0: only itself). It need not
// exist.
type Folder struct {
	Path  string
	Depth int
}

// Touched is a session that may hold something new. Two equal stamps of one session mean that
// nothing was written in between.
type Touched struct {
	Session detect.Session
	Stamp   string
	ModTime time.Time // last write as far as a stat or a row tells
}

// Batch is what a Read found, beside the events.
type Batch struct {
	Info   detect.Info // of all records read; zero fields were not told
	Cursor Cursor      // behind the last whole record
	// Anew: the file was truncated, replaced or rewritten, so that the events start from its
	// beginning. The caller drops its Classifier; none of the events is news.
	Anew bool
	// Skipped records could not be read; Problem says in one sentence what was wrong with the
	// first of them (never its text).
	Skipped int
	Problem string
}

// Skip counts records that could not be read.
func (b *Batch) Skip(why string, n int) {
	b.Skipped += n
	if b.Problem == "" {
		b.Problem = why
	}
}

// Output is what a headless run printed, as far as it proves anything.
type Output = resume.Output

// Request asks for a plan.
type Request struct {
	Session  detect.Session
	Info     detect.Info
	Stop     detect.Stop
	Program  Program
	Prompt   string        // the constant prompt of the config
	LastMeta bool          // the last line on the user's side was written by the agent itself
	Inert    bool          // an idempotent run had no effect on this stop
	NewID    string        // FormFresh: an unused UUID, for agents that let the caller choose
	Handoff  []byte        // FormFresh: the first prompt, for stdin
	Holder   detect.Holder // Wake: the live process that has the session open
	// Launch is how the process was started in which the session stopped; nil: nobody saw it.
	Launch *detect.Launch
	// Answered: the model has answered the turn that stopped, or a resume of the stop was decided about before.
	Answered bool
}

// Program is an installed agent.
type Program struct {
	Path    string // absolute
	Version string // as it prints it, e.g. 2.1.329; empty: not known
}

// Agent is what clawd must know of a coding agent: what its files say, and how to go on with a session of it.
//
// Methods may be called from several goroutines at once; all file errors are ordinary errors and
// leave the Agent usable. Paths outside the agent's own folders, symbolic links, and anything
// but regular files are never opened.
//
// What not every agent has are interfaces of their own. Ask for Terminal, Waker and Starter by TerminalOf,
// WakerOf and StarterOf, which say in words what an agent lacks.
type Agent interface {
	Reader
	Resumer
}

// Reader reads what an agent leaves on the disk, and sees who is at work there.
type Reader interface {
	Name() string
	// Folders to watch. The answer does not change while clawd runs.
	Folders() []Folder
	// Scan lists sessions by stat or by a short query, without reading them. hint is a path that
	// changed: only what it can have touched is listed; empty: everything, but a
	// later call may pass over sessions that have been quiet for a day; every tenth does not.
	Scan(ctx context.Context, hint string) ([]Touched, error)
	// Read reads one session from a cursor on, and gives each event once, in order. It holds none of them: a
	// session may have millions. What was given counts only together with a Batch: after an error it is dropped.
	// A cursor that does not fit gives Anew.
	Read(ctx context.Context, s detect.Session, from Cursor, each func(detect.Event)) (Batch, error)
	// Tail tells cheaply whether a session that was never read may end in a stop, from its last
	// records alone. If not, cursor stands at its end.
	Tail(ctx context.Context, s detect.Session) (maybe bool, cursor Cursor, err error)
	// Live says who has the session open. The answer always holds at least one Holder.
	Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error)
	// Message reads a text that the agent printed as its own at the given time; zone counts where
	// the text names none. False: it is no stop, and the agent neither waits nor asks.
	Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool)
	// Files lists what must be copied to keep the session.
	Files(s detect.Session) ([]string, error)
	// LastPrompt is the text of the last prompt that a person gave, for a hand-off.
	LastPrompt(ctx context.Context, s detect.Session) (string, error)
	// Beside names the session with the given id in the same project (and the same database).
	Beside(s detect.Session, id string) detect.Session
	// Account names whose quota a session uses: sessions with equal names share it.
	Account(i detect.Info) string
}

// Resumer goes on with a session headless.
type Resumer interface {
	// Command is the name of the program, or the configured path.
	Command() string
	// Plan gives the headless resume of a session. The error says, for a person, why there is
	// none; errors of type *Unfit tell what to type instead.
	Plan(r Request) (resume.Plan, error)
	// Output reads what a run printed, to its end. each, when it is set, gets everything as it comes.
	Output(r io.Reader, each func(Said)) (Output, error)
}

// Terminal is an agent with a terminal that clawd can type into.
type Terminal interface {
	// Screen reads the agent's terminal.
	Screen(s Screen) View
}

// Waker is an agent that takes prompts for an open session by another way than its terminal.
type Waker interface {
	// Wake gives the way by which the agent itself takes a prompt for a session that r.Holder has
	// open: its server or its queue. An *Unfit says that it has none now.
	Wake(r Request) (resume.Plan, error)
}

// Starter is an agent in which clawd can begin a session and run a turn.
type Starter interface {
	// Fresh gives the plan of a new session that takes over from r.Session.
	Fresh(r Request) (resume.Plan, error)
	// TakeOver gives the plan of a new session that goes on with the work of another agent's. r has Program, NewID, Dir and
	// Prompt. What it may do and with which model is what the agent does by itself in that folder, with the arguments and
	// the environment of the config; where there is a login, no key pays.
	TakeOver(r TurnRequest) (resume.Plan, error)
	// Turn gives one turn as its caller wants it. What holds for unattended resumes (Plan) does not hold
	// here: who pays and what is allowed is the caller's choice. Plan.Session is the session's id, empty
	// where the agent chooses it.
	Turn(r TurnRequest) (resume.Plan, error)
}

// TerminalOf gives the terminal of an agent. The error, an *Unfit, says for a person that it has none.
func TerminalOf(a Agent) (Terminal, error) {
	return able[Terminal](a, "clawd can't type into %s's terminal")
}

// WakerOf gives an agent's own way to take a prompt. The error is as that of TerminalOf.
func WakerOf(a Agent) (Waker, error) {
	return able[Waker](a, "%s takes prompts in its terminal alone")
}

// StarterOf gives an agent that can begin a session. The error is as that of TerminalOf.
func StarterOf(a Agent) (Starter, error) {
	return able[Starter](a, "clawd can't begin a session or a turn of %s")
}

func able[T any](a Agent, lacks string) (T, error) {
	t, ok := a.(T)
	if !ok {
		return t, &Unfit{Why: fmt.Sprintf(lacks, a.Name())}
	}
	return t, nil
}

// Finder is an agent whose Scan passes over sessions that are old.
type Finder interface {
	Agent
	// Find gives the session with the given id, written last where there are several; false: there is none.
	Find(ctx context.Context, id string) (detect.Session, bool, error)
}

// Lagger is an agent whose records can be seen only a moment after the file event that their writing gives:
// SQLite makes a commit visible, in memory, after it has written it.
type Lagger interface {
	Agent
	// Lag is how long after the last event to look once more.
	Lag() time.Duration
}

// Beginner is an agent that begins another session in an open window with a file that holds no turn yet.
type Beginner interface {
	Agent
	// Newer lists the other sessions of the same project whose files were written after a time, whatever
	// they hold. ID is empty where it cannot be read.
	Newer(ctx context.Context, s detect.Session, after time.Time) ([]detect.Session, error)
}

// Lister is an agent whose headless run may have asked before it prints which session it began.
type Lister interface {
	Agent
	// Begun lists the other sessions of the same project that were written after a time, whoever wrote.
	Begun(ctx context.Context, s detect.Session, after time.Time) ([]detect.Session, error)
}

// Titler is an agent that names the session that a terminal shows in the terminal's title.
type Titler interface {
	Agent
	// MayShow lists the other sessions that a terminal which was started at a time may show, and wait for a prompt.
	MayShow(ctx context.Context, s detect.Session, started time.Time) ([]detect.Session, error)
	// Titled tells whether a terminal with a title shows the session. known: the title tells, one way or the other.
	Titled(ctx context.Context, s detect.Session, title string) (shows, known bool, err error)
}

// Drawer is an agent that draws some limits on its screen and writes them nowhere.
type Drawer interface {
	Agent
	DrawsLimits()
}

// Roles is an agent whose sessions run by something that only the agent itself can say is still there, and that takes another one when it is gone:
// a role with permissions of its own, for which it takes one that may do more, or a plan that pays, for which it takes a key.
type Roles interface {
	Agent
	// Role is what a session needs; empty: nothing, and the agent is not asked.
	Role(r Request) string
	// ListRoles is the command that tells what there is now, as seen from the session's folder.
	ListRoles(r Request) (resume.Plan, error)
	// HasRole tells by what that command printed whether the role is there, as one that a session can run in.
	HasRole(printed []byte, role string) bool
	// RoleGone is the error of a plan whose role is not there any more.
	RoleGone(r Request) *Unfit
}

// Parent is an agent whose sessions start sub-agents, which a limit may stop while the session goes on.
type Parent interface {
	Agent
	// SubStops lists a session's sub-agents whose own records end in a failure, as far as those were written after a time. It
	// costs next to nothing for a session that has none. What it could read comes with an error, too.
	SubStops(ctx context.Context, s detect.Session, since time.Time) ([]detect.SubStop, error)
}

// Counter is an agent whose runs tell the usage of the whole session (Usage.Whole).
type Counter interface {
	Agent
	// Used is what the session has used so far.
	Used(ctx context.Context, s detect.Session) (Usage, error)
}

// Spender is an agent whose runs tell the cost of their whole session, in versions that keep count of it there.
type Spender interface {
	Agent
	// Spent is what a session had cost before a cursor, in USD, and the API's time for it; 0: it keeps no count.
	Spent(ctx context.Context, s detect.Session, before Cursor) (usd float64, api time.Duration, err error)
}

// Withdrawer is an agent that takes a prompt back out of its session when the prompt's request fails, in some versions.
type Withdrawer interface {
	Agent
	// Withdrew tells whether the newest prompt before a cursor was taken back, and whether the session holds a turn then.
	// Without one it cannot be resumed.
	Withdrew(at Cursor) (back, turns bool)
}

// Keeper is an Agent whose program may delete sessions by itself when it starts. Around a run of ours
// the caller copies the files of Files first, calls Spare, and after the run Restore and Spare.
type Keeper interface {
	// Spare takes away what would make the agent's next start delete a session of the same project. It
	// removes nothing that holds a part of a conversation, and nothing while a process of the agent may
	// be at work there.
	Spare(ctx context.Context, s detect.Session) error
	// Restore puts a session back whose file is gone or lost its conversation; from is its copy. False:
	// there was no need.
	Restore(ctx context.Context, s detect.Session, from string) (bool, error)
}

// Forgetter is an agent whose program deletes sessions that were not written to for long.
type Forgetter interface {
	Agent
	// Remember puts that off for a session, when the time is near. True: it did.
	Remember(s detect.Session, now time.Time) (bool, error)
}

// Unfit says that a session must not be resumed headless, and what its user can do.
type Unfit struct {
	Why     string
	Command string // what to type, shell-quoted; may be empty
	Key     string // the config key that changes it; may be empty
}

func (e *Unfit) Error() string { return e.Why }

// Reason says why, and which key of the config changes it.
func (e *Unfit) Reason() string {
	if e.Key == "" {
		return e.Why
	}
	return e.Why + "; " + e.Key + " changes that"
}
