package actor

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pi plays pi 1.5.2. It has no lock, no list of its processes and no open file, overwrites its arguments, and never asks
// for a permission. Each process goes on from where it believes the session to be, whoever else writes to its file.
type Pi struct {
	// Provider is the name of the provider.
	Provider string
	// Compacts tells whether it makes room in a session that is full (compaction.enabled).
	Compacts bool

	w    *World
	root string
}

// NewPi gives the agent with its defaults, in ~/.pi/agent.
func NewPi(w *World) *Pi {
	return &Pi{Provider: "fake", Compacts: true, w: w, root: filepath.Join(w.Home, ".pi", "agent")}
}

// Name is "pi".
func (a *Pi) Name() string { return "pi" }

// Root is the agent's folder.
func (a *Pi) Root() string { return a.root }

// Tidy does nothing: the agent keeps its sessions.
func (a *Pi) Tidy(time.Time) error { return nil }

// pi is one process of it.
type pi struct {
	process
	a       *Pi
	start   Start
	settled bool      // its session has a file
	from    string    // the file of the session that it was forked from
	leaf    string    // the record that the next one hangs below
	kept    string    // the newest good answer: what stands before it can be compacted
	made    bool      // room was made in this turn
	short   bool      // room is being made
	asked   time.Time // when the open request left
	call    string    // the tool call that is open
	tool    *Proc     // what runs for it
	said    string    // what stands above the box of its terminal
	name    string    // of its session; empty: it has none
	err     error     // of a write whose caller takes none
}

// Begin starts a process with a new session. Its file comes with the first prompt.
func (a *Pi) Begin(s Start, now time.Time) (Session, error) {
	p := a.spawn(s, a.w.Env, now)
	p.anew(uuid7(a.w.Rand, now), now)
	return p, nil
}

// Open is pi --session ID in a terminal, or headless in a script. Whoever else has it open does not matter.
func (a *Pi) Open(id string, s Start, now time.Time) (Session, error) {
	p := a.spawn(s, a.w.Env, now)
	return p, p.take(a.find(s.Dir, id))
}

// Fork is pi --fork ID: a new session whose file begins with a copy of all records.
func (a *Pi) Fork(id string, s Start, now time.Time) (Session, error) {
	from := a.find(s.Dir, id)
	p := a.spawn(s, a.w.Env, now)
	if err := p.take(from); err != nil {
		return nil, err
	}
	p.id, p.from = uuid7(a.w.Rand, now), from
	p.path = a.path(s.Dir, p.id, now)
	return p, p.copies(now)
}

// spawn starts a process: its title stands in the place of its arguments.
func (a *Pi) spawn(s Start, environ []string, now time.Time) *pi {
	p := &pi{a: a, start: s}
	p.process = process{w: a.w, h: p, agent: "pi", by: Person, lag: time.Millisecond}
	p.proc = a.w.Procs.Spawn("pi", []string{"pi", "", ""}, environ, s.Dir, s.TTY, now)
	return p
}

func (a *Pi) folder(dir string) string { return filepath.Join(a.root, "sessions", piFolder(dir)) }

func (a *Pi) path(dir, id string, now time.Time) string {
	at := strings.NewReplacer(":", "-", ".", "-").Replace(stamp(now))
	return filepath.Join(a.folder(dir), at+"_"+id+".jsonl")
}

// find gives the file of a session in a project; empty: there is none. One without a header, as a process leaves it whose file was
// removed under it, is none.
func (a *Pi) find(dir, id string) string {
	found, err := filepath.Glob(filepath.Join(a.folder(dir), "*_"+id+".jsonl"))
	if err != nil {
		return ""
	}
	for _, path := range found {
		if f, err := piRead(path); err == nil && !f.unsettled {
			return path
		}
	}
	return ""
}

// anew has the process work in a session that has no file yet.
func (p *pi) anew(id string, now time.Time) {
	p.id, p.path = id, p.a.path(p.start.Dir, id, now)
	p.settled, p.from, p.leaf, p.last, p.kept, p.name, p.said = false, "", "", "", "", "", "✓ New session started"
}

// put writes lines at once: each record is appended by a call of its own, and the request leaves after that.
func (p *pi) put(now time.Time, lines ...string) {
	p.process.put(now, lines...)
	if p.writing == Whole {
		p.note(p.flush(now))
	}
}

func (p *pi) note(err error) { p.err = errors.Join(p.err, err) }

// failure gives an error of a hook that cannot give one itself.
func (p *pi) failure() error {
	err := p.err
	p.err = nil
	return err
}

// Next does what is due.
func (p *pi) Next(now time.Time) (time.Time, error) {
	at, err := p.process.Next(now)
	return at, errors.Join(err, p.failure())
}

// add writes a record below the one that the process was at last.
func (p *pi) add(now time.Time, kind, body string, pairs ...string) (line string) {
	id := draw(p.w.Rand, "0123456789abcdef", 8)
	line = fill(piHead+body, append(pairs, "type", kind, "id", id, "parent", nullable(p.leaf), "at", stamp(now), "provider", p.a.Provider, "model", piModels[p.a.Provider][1])...)
	p.put(now, line)
	p.leaf = id
	return line
}

// message writes what was sent to the model or came from it, and prints it.
func (p *pi) message(now time.Time, body string, pairs ...string) (message string) {
	model := piModels[p.a.Provider]
	message = fill(body, append(pairs, "ms", strconv.FormatInt(now.UnixMilli(), 10), "since", strconv.FormatInt(p.asked.UnixMilli(), 10),
		"took", strconv.FormatInt(now.Sub(p.asked).Milliseconds(), 10), "api", model[0], "provider", p.a.Provider, "model", model[1], "call", p.call)...)
	p.add(now, "message", piMessage, "message", message)
	began := message
	if body == piAnswer || body == piCut { // it came bit by bit
		began = fill(piPending, "api", model[0], "provider", p.a.Provider, "model", model[1], "since", strconv.FormatInt(p.asked.UnixMilli(), 10))
	}
	p.print(piSaysStart, "message", began)
	if began != message {
		p.print(piSaysUpdate, "said", quote("All done."))
	}
	p.print(piSaysEnd, "message", message)
	return message
}

// records what has an effect on the state of the session.
func (p *pi) records(now time.Time, body string, pairs ...string) (message string) {
	message = p.message(now, body, pairs...)
	p.last = p.leaf
	return message
}

// Prompt begins a turn.
func (p *pi) Prompt(text string, by By, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	if !p.Idle() {
		return ErrCannot
	}
	return p.give(text, by, now)
}

func (p *pi) give(text string, by By, now time.Time) error {
	p.asked, p.made = now, false
	p.print(piSays, "type", "agent_start")
	p.print(piSays, "type", "turn_start")
	stop := p.last
	if !p.settled {
		p.settled = true
		p.put(now, p.head(now))
		p.add(now, "model_change", piModel)
		p.add(now, "thinking_level_change", piLevel)
		p.message(now, piSystem)
	}
	p.records(now, piUser, "text", quote(text))
	return errors.Join(p.begins(stop, by, now), p.failure())
}

// head is the first line of a session.
func (p *pi) head(now time.Time) string {
	from := ""
	if p.from != "" {
		from = `,"parentSession":` + quote(p.from)
	}
	return fill(piSession, "sid", p.id, "at", stamp(now), "cwd", quote(p.start.Dir), "from", from)
}

// wrote: room was made for what is asked again.
func (p *pi) wrote(now time.Time) {
	p.asked = now
	if p.try > 0 {
		p.print(piSays, "type", "agent_start")
		p.print(piSays, "type", "turn_start")
	}
	if p.short {
		p.short = false
		p.add(now, "compaction", piCompaction, "kept", p.kept, "system", fill(piSystem, "ms", strconv.FormatInt(now.UnixMilli(), 10)))
	}
}

// idleAfter is how long it waits for an answer that does not come (httpIdleTimeoutMs).
const idleAfter = 5 * time.Minute

// status: it waits for no answer for ever.
func (p *pi) status(now time.Time) error {
	if p.phase == asking && p.answer.Kind == Silent {
		p.due = now.Add(idleAfter)
	}
	return p.failure()
}

func (p *pi) fires(time.Time) error { return nil }

func (p *pi) answered(now time.Time) error {
	if p.answer.Kind == Silent {
		return p.gives(now)
	}
	m := p.records(now, piAnswer, "content", fill(piText, "said", quote("All done.")), "usage", piUsage, "stop", "stop", "raw", "stop")
	p.kept, p.said = p.leaf, "All done."
	return p.over(now, m, "", 0)
}

// gives up on an answer that does not come, or asks again.
func (p *pi) gives(now time.Time) error {
	if wait, ok := p.patience(p.try + 1); ok {
		p.retries(now, p.try+1, wait)
		p.enter(retrying, now.Add(wait))
		return p.failure()
	}
	return p.failed(now)
}

func (p *pi) called(now time.Time) {
	p.answer.Asks = false // it never does
	p.call = "call_" + strconv.FormatInt(now.UnixMilli(), 10)
	p.records(now, piAnswer, "content", fill(piCalls, "call", p.call), "usage", piUsage, "stop", "toolUse", "raw", "tool_calls")
	p.print(piSaysTool, "call", p.call)
	p.kept = p.leaf
	p.tool = p.w.Procs.Spawn("bash", []string{"bash", "-c", "make"}, append(slices.Clone(p.proc.Env), "PI_SESSION_ID="+p.id, "PI_SESSION_FILE="+p.path,
		"PI_PROVIDER="+p.a.Provider, "AI_AGENT=pi"), p.start.Dir, "", now)
	p.tool.PPID = p.proc.PID
	p.asked = now
}

func (p *pi) returned(now time.Time) {
	p.records(now, piResult, "said", quote("hi\n"), "failed", "false", "details", "")
	p.stopTool()
	p.made = false
}

func (p *pi) stopTool() {
	if p.tool != nil && p.w.Procs.Proc(p.tool.PID) == p.tool {
		p.w.Procs.End(p.tool.PID)
	}
	p.tool, p.call = nil, ""
}

// patience: three more times, after 2, 4 and 8 s, whatever the provider says. A session that is full is compacted once.
func (p *pi) patience(n int) (time.Duration, bool) {
	if p.answer.Kind == TooLong {
		return 10 * time.Second, p.a.Compacts && p.kept != "" && !p.made
	}
	_, again := p.a.fails(p.answer, time.Time{})
	return time.Second << n, again && n <= 3
}

// erred writes the record of a request that failed.
func (p *pi) erred(now time.Time) (message, text string) {
	text, _ = p.a.fails(p.answer, now)
	p.said = "Error: " + text
	if p.answer.Kind == Cut || p.answer.Kind == Silent {
		return p.records(now, piCut, "content", fill(piText, "said", quote("Starting to ans")), "usage", piNoUsage, "stop", "error", "text", quote(text)), text
	}
	return p.records(now, piError, "content", "", "usage", piNoUsage, "stop", "error", "text", quote(text)), text
}

// edits says that the next request leaves out the newest record.
func (p *pi) edits(now time.Time) {
	entry := p.add(now, "context_edit", piEdit+"\n", "target", p.leaf)
	p.print(piSaysEntry, "entry", strings.TrimSuffix(entry, "\n"))
	p.last = p.leaf
}

func (p *pi) retries(now time.Time, n int, wait time.Duration) {
	m, text := p.erred(now)
	p.print(piSaysTurn, "message", m)
	p.print(piSaysAgent, "message", m, "again", "true")
	if p.answer.Kind == TooLong {
		p.made, p.short = true, true
	} else {
		p.print(piSaysRetry, "n", strconv.Itoa(n), "wait", strconv.FormatInt(wait.Milliseconds(), 10), "text", quote(text))
	}
	p.edits(now)
}

// failed: the error is the last record, but where the session is full and there is nothing to take out.
func (p *pi) failed(now time.Time) error {
	m, text := p.erred(now)
	if p.answer.Kind == TooLong && p.a.Compacts && !p.made {
		p.edits(now)
	}
	last := ""
	if p.try >= 3 {
		p.said, last = "Error: Retry failed after 3 attempts: "+text, fill(piSaysGaveUp, "text", quote(text))
	}
	return p.over(now, m, last, 1)
}

// over ends a turn, and a headless process with it. With --mode json it ends with 0 whatever came of it.
func (p *pi) over(now time.Time, message, last string, code int) error {
	p.ask, p.short = nil, false
	p.print(piSaysTurn, "message", message)
	p.print(piSaysAgent, "message", message, "again", "false")
	p.print(last + piSaysOver)
	if p.out != nil {
		code = 0
	}
	if p.headless() {
		return errors.Join(p.failure(), p.exit(now, code, false))
	}
	return p.failure()
}

// gone: what ran as a tool lives on when the process had no time to end it.
func (p *pi) gone(_ time.Time, hard bool) error {
	if hard && p.tool != nil {
		p.tool.PPID = 1
		return p.failure()
	}
	p.stopTool()
	return p.failure()
}

// print is for runs of clawd's: whoever starts one of them by hand reads a text.
func (p *pi) print(template string, pairs ...string) {
	if p.out != nil {
		_, _ = io.WriteString(p.out, fill(template, pairs...)) // a reader that is gone is none of its business
	}
}

var (
	_ Forker  = (*Pi)(nil)
	_ Session = (*pi)(nil)
)
