package turn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/held"
	"github.com/clawd-project/clawd/resume"
)

// Request asks for one turn of an agent. Only Agent and Prompt must be set.
type Request struct {
	Agent  agent.Kind // such as claude.Kind; each agent is a package below agent
	Prompt string
	// Session is the id to go on with; empty: a new session.
	Session string
	// ResumeOrNew begins a new session when the agent does not know Session; Result.Recovered says so.
	ResumeOrNew bool
	Model       string
	// Dir is the working folder. Empty: the session's own, for a new one the current folder.
	Dir  string
	Args []string // further arguments for the agent's program
	// Environ is the environment of the agent; nil: that of this process. The marks by which it would take itself
	// for one that runs inside another run of it are taken out (Kind.Marks), as is what is a service manager's alone.
	Environ []string
	// Config is where the agent's program and folder are; the zero value: where they usually are.
	Config agent.Config
	// Timeout ends a try, with ErrTimeout; 0: never. TotalTimeout is for all tries and waits together.
	Timeout, TotalTimeout time.Duration
	// Retry is what is done after failures that may pass. nil: one try.
	Retry *resume.RetryPolicy
	// Waits is when a try follows one that met a limit, or was told a time: the daemon's policy. Its backoff is for a
	// limit that is still on after its end. nil: resume.DefaultPolicy. An empty Backoff or Probe is filled from it.
	Waits *resume.Policy
	// WaitLimit is how long all usage limits together are waited for. 0: not at all; Forever: as long
	// as it takes. A limit that ends later is an error, of type *StopError, at once.
	WaitLimit time.Duration
	// Continue is the prompt for a session in which the request stands already; empty: "continue".
	Continue string
	// Held is the folder in which sessions are held against the daemon; empty: the user's own.
	Held string
	// Pieces asks for the words of an answer as they are made, as events of the kind agent.SaidPiece. Claude Code
	// gives them. Gemini's answers come in pieces anyway, as agent.SaidText; those of Codex and opencode do not.
	Pieces bool
	// OnEvent gets what the agent says, as it comes.
	OnEvent func(Event)
	// OnWait is called before each wait.
	OnWait func(Wait)
}

// Forever waits for a limit however long it lasts.
const Forever = time.Duration(math.MaxInt64)

// Event is one thing that a run said. The last one of a stream that ends well has the Kind "result".
type Event struct {
	agent.Said
	Attempt int     // from 1
	Result  *Result // of the last event
}

// EventResult is the Kind of the last Event.
const EventResult agent.SaidKind = "result"

// Wait is what Run is about to wait for.
type Wait struct {
	Attempt int // the try that failed
	Until   time.Time
	Err     error // why it failed
}

// Result is what became of a turn. Run returns it together with an error, too, as far as it is known.
type Result struct {
	Text  string // the agent's answer
	Agent string
	// Session is the id to go on with; empty: the agent opened none, or has kept nothing of it.
	Session   string
	Recovered bool // Request.Session was not there, and a new session was begun
	Attempts  int  // runs of the agent
	// Usage is the sum over all tries. With Whole it is that of the session so far: what Codex had used
	// before could not be read.
	Usage    agent.Usage
	Duration time.Duration // with all waits
	Stop     detect.Stop   // Reason Completed, or why it failed; empty where no turn began
	Errors   []string      // of the tries that failed, in the agent's own words
}

// runner carries out one Request.
type runner struct {
	r       Request
	a       agent.Agent
	starter agent.Starter // a as well
	program agent.Program
	procs   agent.Procs
	environ []string
	dir     string
	result  Result

	session string         // to go on with; empty: a new one
	asked   bool           // the request stands in the session already
	ds      detect.Session // where the session's files are, once they were found
	info    detect.Info
	cursor  agent.Cursor // behind what was read of them
	began   time.Time    // the try that runs, or the last one
	ended   time.Time
	holds   map[string]*held.Lock
	waits   waits
	waited  time.Duration // for usage limits
	limits  int           // how many
	told    int           // other failures that named a time
	used    agent.Usage   // by the session before; Whole: that is not known
}

func newRunner(r Request) (*runner, error) {
	t := &runner{r: r, procs: agent.NewProcs(), environ: r.Environ, waits: newWaits(r.Waits), holds: map[string]*held.Lock{}, result: Result{Agent: r.Agent.Name}}
	if t.environ == nil {
		t.environ = os.Environ()
	}
	t.environ = agent.Unmarked(t.environ, r.Agent.Marks)
	if t.r.Continue == "" {
		t.r.Continue = "continue"
	}
	if t.r.Held == "" {
		t.r.Held = held.Dir(t.getenv)
	}
	if r.Agent.Open == nil {
		return t, fmt.Errorf("%w: no agent is set; claude.Kind is one", ErrRequest)
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return t, fmt.Errorf("%w: the prompt is empty", ErrRequest)
	}
	if r.Retry != nil {
		if err := r.Retry.Check(); err != nil {
			return t, fmt.Errorf("%w: %w", ErrRequest, err)
		}
	}
	t.a = r.Agent.Open(agent.Env{Home: t.getenv("HOME"), Getenv: t.getenv, Procs: t.procs}, r.Config)
	var err error
	if t.starter, err = agent.StarterOf(t.a); err != nil {
		return t, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	path, err := exec.LookPath(t.a.Command())
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return t, fmt.Errorf("%w: %w", ErrAgentNotFound, err)
	}
	t.program.Path = path
	return t, nil
}

// getenv reads the environment that the agent gets.
func (t *runner) getenv(name string) string {
	value := ""
	for _, kv := range t.environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// locate finds the session to go on with and the folder to run in.
func (t *runner) locate(ctx context.Context) error {
	if err := t.here(); err != nil || t.r.Session == "" {
		return err
	}
	ok, err := t.find(ctx, t.r.Session)
	if err != nil {
		return fmt.Errorf("whether %s has session %s cannot be seen: %w", t.a.Name(), t.r.Session, err)
	}
	if !ok {
		return t.unknown("")
	}
	batch, err := t.a.Read(ctx, t.ds, "", func(detect.Event) {})
	if err != nil {
		return fmt.Errorf("session %s cannot be read: %w", t.r.Session, err)
	}
	t.session, t.info, t.cursor = t.r.Session, batch.Info, batch.Cursor
	if c, ok := t.a.(agent.Counter); ok {
		t.used, err = c.Used(ctx, t.ds)
		t.used.Whole = err != nil
	}
	// From another folder an agent does not find the session, or moves it, or never ends.
	switch own := t.info.Dir; {
	case own == "":
	case t.r.Dir == "":
		t.dir = own
	case !sameDir(own, t.dir):
		return fmt.Errorf("%w: session %s belongs to %s, not to %s", ErrRequest, t.session, own, t.dir)
	}
	if fi, err := os.Stat(t.dir); err != nil || !fi.IsDir() {
		return fmt.Errorf("%w: the session's folder %s is not there", ErrRequest, t.dir)
	}
	if err := t.hold(t.session); err != nil {
		return err
	}
	return t.free(ctx)
}

// here is the folder that was asked for.
func (t *runner) here() error {
	dir := t.r.Dir
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return fmt.Errorf("%w: %s is not a folder", ErrRequest, dir)
	}
	t.dir = dir
	return nil
}

func sameDir(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// unknown is what comes of a session that is not there. A nil error: a new one is begun.
func (t *runner) unknown(why string) error {
	if t.r.ResumeOrNew {
		t.session, t.ds, t.cursor, t.used, t.result.Recovered = "", detect.Session{}, "", agent.Usage{}, true
		return nil
	}
	e := &NoSessionError{Agent: t.a.Name(), ID: t.r.Session, Why: why}
	for _, f := range t.a.Folders() {
		e.Where = append(e.Where, f.Path)
	}
	return e
}

// find looks a session up by its id, and remembers where it is.
func (t *runner) find(ctx context.Context, id string) (bool, error) {
	ds, err := t.lookup(ctx, id)
	t.ds = ds
	return ds.ID != "", err
}

// lookup gives the session with an id; the zero value: the agent's files do not have it.
func (t *runner) lookup(ctx context.Context, id string) (detect.Session, error) {
	all, err := t.a.Scan(ctx, "")
	found := agent.Touched{}
	for _, s := range all {
		if s.Session.ID == id && (found.Session.ID == "" || s.ModTime.After(found.ModTime)) {
			found = s
		}
	}
	if found.Session.ID != "" {
		return found.Session, nil // whatever else could not be listed
	}
	if f, ok := t.a.(agent.Finder); ok {
		old, ok, failed := f.Find(ctx, id)
		if ok {
			return old, nil
		}
		err = errors.Join(err, failed)
	}
	return detect.Session{}, err
}

// hold keeps the daemon out of a session until the end of Run, waits included.
func (t *runner) hold(id string) error {
	if id == "" || t.holds[id] != nil {
		return nil
	}
	l, err := held.Take(t.r.Held, t.a.Name(), id)
	if errors.Is(err, held.ErrHeld) {
		return fmt.Errorf("%w: session %s: %w", ErrBusy, id, err)
	}
	if err != nil {
		return fmt.Errorf("session %s cannot be held against the daemon: %w", id, err)
	}
	t.holds[id] = l
	return nil
}

func (t *runner) release() {
	for _, l := range t.holds {
		_ = l.Close() // the lock ends with the file, whatever else fails
	}
}

// free refuses a session that a live process has open, or may have: the agents do not mind two writers. A
// headless run in the same folder that names no session begins one of its own.
func (t *runner) free(ctx context.Context) error {
	holders, err := t.a.Live(ctx, t.ds, t.info)
	if err != nil {
		return fmt.Errorf("who has session %s open cannot be seen: %w", t.session, err)
	}
	for _, h := range holders {
		switch {
		case h.Liveness == detect.Alive && h.Sure:
			return fmt.Errorf("%w: process %d has session %s open", ErrBusy, h.PID, t.session)
		case h.Liveness == detect.Alive && h.Kind != detect.Headless:
			return fmt.Errorf("%w: process %d may have session %s open: close it first (%s)", ErrBusy, h.PID, t.session, h.Why)
		case h.Liveness == detect.HolderUnknown && h.PID != 0:
			return fmt.Errorf("%w: whether process %d has session %s open can't be seen: close it first (%s)", ErrBusy, h.PID, t.session, h.Why)
		}
	}
	return nil
}
