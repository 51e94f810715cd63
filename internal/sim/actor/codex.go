package actor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// Codex plays Codex 0.169.0 with an engine of its own in each process, as exec and --no-daemon have it.
type Codex struct {
	// Provider is the name of the provider; "openai" may be paid by a login.
	Provider string

	w     *World
	root  string
	files map[string]string // sessions, by id
	open  map[string]*codex // who writes them

	queued map[string][]string // prompts that nobody has taken yet, by session
}

// NewCodex gives the agent in ~/.codex.
func NewCodex(w *World) *Codex {
	return &Codex{Provider: "openai", w: w, root: filepath.Join(w.Home, ".codex"), files: map[string]string{}, open: map[string]*codex{}, queued: map[string][]string{}}
}

// Name is "codex".
func (c *Codex) Name() string { return "codex" }

// Root is the agent's folder.
func (c *Codex) Root() string { return c.root }

// Archive puts a session away, as its user does.
func (c *Codex) Archive(id string) error {
	from, ok := c.files[id]
	if !ok || c.open[id] != nil {
		return ErrCannot
	}
	to := filepath.Join(c.root, "archived_sessions", filepath.Base(from))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	c.files[id] = to
	return os.Rename(from, to)
}

// Tidy does nothing: the agent keeps its sessions.
func (c *Codex) Tidy(time.Time) error { return nil }

// codex is one process of it.
type codex struct {
	process
	c       *Codex
	start   Start
	next    int          // ordinal
	turn    string       // of the newest turn
	fork    string       // the session that this one was forked from
	settled bool         // the session has its first line
	server  *CodexServer // whose process it is; nil: it has one of its own
	then    string       // a run's own prompt, while one of the queue runs before it
	shown   *Proc        // the terminal that shows what the server has open; nil: none
}

// Begin starts a process with a new session. Its file comes with the first prompt.
func (c *Codex) Begin(s Start, now time.Time) (Session, error) {
	argv := []string{"codex"}
	if s.TTY == "" {
		argv = append(argv, "exec")
	}
	return c.spawn("", s, append(argv, s.Args...), c.w.Env, now), nil
}

// Open is codex resume ID, or codex exec resume ID of a script. A session that another process writes is refused.
func (c *Codex) Open(id string, s Start, now time.Time) (Session, error) {
	argv := []string{"codex"}
	if s.TTY == "" {
		argv = append(argv, "exec")
	}
	if c.open[id] != nil || c.files[id] == "" {
		return nil, ErrCannot
	}
	p := c.spawn(id, s, slices.Concat(argv, []string{"resume", id}, s.Args), c.w.Env, now)
	if err := p.read(); err != nil {
		return nil, errors.Join(err, p.exit(now, 1, false))
	}
	return p, p.take(now)
}

// Fork is codex exec fork ID: a new session whose file begins where the old one stands, and does not hold it.
func (c *Codex) Fork(id string, s Start, now time.Time) (Session, error) {
	if c.files[id] == "" {
		return nil, ErrCannot
	}
	p := c.spawn("", s, []string{"codex", "exec", "fork", id}, c.w.Env, now)
	last, err := lastOrdinal(c.files[id])
	p.next, p.fork = last+1, id
	return p, err
}

func (c *Codex) spawn(id string, s Start, argv, environ []string, now time.Time) *codex {
	p := c.process(id, s, now)
	p.proc = c.w.Procs.Spawn("codex", argv, environ, s.Dir, s.TTY, now)
	p.proc.Open = []string{filepath.Join(c.root, "config.toml")}
	return p
}

// process works in a session; a new one, where id is empty.
func (c *Codex) process(id string, s Start, now time.Time) *codex {
	if s.Mode == "" {
		s.Mode = "workspace-write/never"
		if s.TTY != "" {
			s.Mode = "workspace-write/on-request"
		}
	}
	p := &codex{c: c, start: s}
	if id == "" {
		id = uuid7(c.w.Rand, now)
		c.files[id] = filepath.Join(c.root, "sessions", now.In(c.w.zone()).Format("2006/01/02"),
			"rollout-"+now.In(c.w.zone()).Format("2006-01-02T15-04-05")+"-"+id+".jsonl")
	}
	p.process = process{w: c.w, h: p, agent: "codex", id: id, path: c.files[id], by: Person, lag: 5 * time.Millisecond}
	return p
}

// headless: it ends with its turn.
func (p *codex) headless() bool { return p.server == nil && p.process.headless() }

func (p *codex) lock() string {
	return filepath.Join(p.c.root, "thread-writer-locks", p.id+".lock")
}

// take makes the process the session's writer.
func (p *codex) take(now time.Time) error {
	p.c.open[p.id] = p
	p.proc.Open = append(p.proc.Open, p.path, p.lock())
	return replaceAt(p.lock(), nil, now)
}

// gone: a process that ends well takes its lock away. One that was killed leaves it.
func (p *codex) gone(_ time.Time, hard bool) error {
	if p.c.open[p.id] != p {
		return nil
	}
	delete(p.c.open, p.id)
	if hard {
		return nil
	}
	return os.Remove(p.lock())
}

// line fills in a template.
func (p *codex) line(now time.Time, template string, pairs ...string) string {
	n := strconv.Itoa(p.next)
	p.next++
	return fill(template, append(pairs, "at", stamp(now), "n", n, "sid", p.id, "turn", p.turn, "cwd", quote(p.start.Dir),
		"s", strconv.FormatInt(now.Unix(), 10), "ms", strconv.FormatInt(now.UnixMilli(), 10), "provider", p.c.Provider)...)
}

// Prompt begins a turn.
func (p *codex) Prompt(text string, by By, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	if !p.Idle() {
		return ErrCannot
	}
	return p.give(text, by, now)
}

func (p *codex) give(text string, by By, now time.Time) error {
	if p.server != nil && by == Person {
		p.attach(now)
	}
	stop := p.turn
	p.turn = uuid7(p.w.Rand, now)
	if !p.settled {
		if err := p.settle(now); err != nil {
			return err
		}
	}
	trigger, client := "exec", ""
	if !p.headless() {
		trigger, client = "user", `"client_id":"`+uuid(p.w.Rand)+`",`
	}
	sandbox, approval, _ := strings.Cut(p.start.Mode, "/")
	policy := codexWorkspace
	if sandbox == "danger-full-access" {
		policy = codexFull
	}
	id := uuid7(p.w.Rand, now)
	p.put(now, p.line(now, codexStarted, "trigger", trigger), p.line(now, codexContext, "approval", approval, "sandbox", policy),
		p.line(now, codexUser, "id", id, "text", quote(text)), p.line(now, codexAsked, "id", id, "text", quote(text), "client", client))
	p.print(codexSaysTurn)
	p.last = p.turn
	return p.begins(stop, by, now)
}

// settle writes the first line of a session.
func (p *codex) settle(now time.Time) error {
	p.settled = true
	origin, source, thread, fork, base := "codex_exec", `"exec"`, "user", "", ""
	switch {
	case p.server != nil:
		origin, source = "codex-tui", `"vscode"`
	case !p.headless():
		origin, source = "codex-tui", `"cli"`
	}
	if p.start.Parent != "" {
		source, thread = `{"subagent":{"thread_spawn":{"parent_thread_id":"`+p.start.Parent+`","depth":1}}}`, "subagent"
	}
	if p.fork != "" {
		from := `"` + p.fork + `","forked_from_ordinal_exclusive":` + strconv.Itoa(p.next)
		fork, base = `"forked_from_id":`+from+`,`, `"history_base":{"thread_id":"`+p.fork+`","end_ordinal_exclusive":`+strconv.Itoa(p.next)+`,"end_byte_offset":1},"multi_agent_version":"v1",`
	}
	p.put(now, p.line(now, codexMeta, "origin", origin, "source", source, "thread", thread, "fork", fork, "base", base))
	return p.take(now)
}

func (p *codex) wrote(time.Time)        {}
func (p *codex) status(time.Time) error { return nil }
func (p *codex) fires(time.Time) error  { return nil }

func (p *codex) answered(now time.Time) error {
	id := "msg_" + uuid(p.w.Rand)
	p.put(now, p.line(now, codexSaid, "id", id), p.line(now, codexAnswer, "id", id), p.line(now, codexCount, quota(Answer{}, now)...), p.line(now, codexDone))
	p.print(codexSaysItem)
	p.print(codexSaysDone)
	return p.over(now, 0)
}

func (p *codex) called(now time.Time) {
	p.put(now, p.line(now, codexCall, "id", uuid(p.w.Rand)))
}

func (p *codex) returned(now time.Time) {
	p.put(now, p.line(now, codexRan), p.line(now, codexOutput, "id", uuid(p.w.Rand)), p.line(now, codexCount, quota(Answer{}, now)...))
}

// patience: a 429 without Retry-After is not tried again; with one it is, five times, however long that is. A
// server's failure is tried for 25 s, and a network that is not there for ever.
func (p *codex) patience(n int) (time.Duration, bool) {
	switch p.answer.Kind {
	case RateLimited:
		return p.answer.RetryAfter, p.answer.RetryAfter > 0 && n <= 5
	case Broken:
		return 4 * time.Second, n <= 5
	case Unauthorized, Cut:
		return 200 * time.Millisecond << (n - 1), n <= 5
	case Unreachable:
		return 5 * time.Second, true
	}
	return 0, false
}

// retries stand in no file.
func (p *codex) retries(now time.Time, n int, _ time.Duration) {
	text, _ := p.c.fails(p.answer, now)
	p.print(codexSaysReconnect, "text", quote("Reconnecting... "+strconv.Itoa(n)+"/5 ("+text+")"))
}

func (p *codex) failed(now time.Time) error {
	text, info := p.c.fails(p.answer, now)
	if p.answer.Kind == UsedUp && !p.answer.Reset.IsZero() {
		p.put(now, p.line(now, codexFull100, quota(p.answer, now)...))
	}
	p.put(now, p.line(now, codexFailed, "text", quote(text), "info", info))
	p.print(codexSaysFailed, "text", quote(text))
	return p.over(now, 1)
}

func (p *codex) over(now time.Time, code int) error {
	switch {
	case p.then != "" && code == 0:
		text := p.then
		p.then = ""
		return p.give(text, Clawd, now)
	case p.headless():
		return p.exit(now, code, false)
	}
	return p.takes(now)
}

// Do is what a person or the machine does to it. A signal is no good end: the lock stays.
func (p *codex) Do(m Move, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	if p.server != nil {
		switch {
		case m == Terminate || m == Crash:
			return p.server.end(now, 137)
		case !p.attached():
			return ErrCannot
		case m == Quit || m == Hangup:
			p.detach()
			return nil
		}
	}
	switch m {
	case Interrupt:
		if p.phase == idle && p.settled && !p.headless() && p.w.Rand.IntN(2) == 0 {
			return p.rewinds(now)
		}
		return p.interrupt(now)
	case Quit:
		if p.headless() {
			return ErrCannot
		}
		return errors.Join(p.interrupt(now), p.exit(now, 0, false))
	case Hangup:
		return p.exit(now, 129, true)
	case Terminate:
		return p.exit(now, 143, true)
	case Crash:
		return p.exit(now, 137, true)
	case Approve:
		if p.phase != question {
			return ErrCannot
		}
		p.enter(tooling, now.Add(orSecond(p.answer.Tool)))
		return nil
	}
	return ErrCannot
}

func (p *codex) interrupt(now time.Time) error {
	if p.phase != idle {
		p.put(now, p.line(now, codexNote, "id", uuid(p.w.Rand)), p.line(now, codexAborted))
		p.enter(idle, time.Time{})
		p.ask = nil
	}
	return p.over(now, 1)
}

func (p *codex) print(template string, pairs ...string) {
	if p.out != nil {
		_, _ = io.WriteString(p.out, fill(template, append(pairs, "sid", p.id)...)) // a reader that is gone is none of its business
	}
}

// Resume is codex exec [options] resume ID -- PROMPT, or a new session with - and stdin.
func (c *Codex) Resume(p resume.Plan, environ []string, out io.Writer, now time.Time) (Session, error) {
	if len(p.Argv) > 1 && p.Argv[1] == "queue" {
		return c.queue(p, environ, now)
	}
	if len(p.Argv) < 2 || p.Argv[1] != "exec" {
		return nil, ErrCannot
	}
	s := Start{Dir: p.Dir, Mode: "workspace-write/never"}
	if v, ok := option(p.Argv, "-C"); ok {
		s.Dir = v
	}
	if slices.Contains(p.Argv, `sandbox_mode="danger-full-access"`) {
		s.Mode = "danger-full-access/never"
	}
	id, prompt := "", string(p.Stdin)
	if i := slices.Index(p.Argv, "resume"); i >= 0 && i+1 < len(p.Argv) {
		id, prompt = p.Argv[i+1], p.Argv[len(p.Argv)-1]
	}
	run := c.spawn(id, s, slices.Concat([]string{"codex"}, p.Argv[1:]), slices.Concat(p.Env, environ), now)
	run.out = out
	if id != "" {
		switch err := run.read(); {
		case c.open[id] != nil:
			run.print(codexSaysLocked)
			return run, run.exit(now, 1, false)
		case err != nil:
			run.print(codexSaysUnknown)
			return run, run.exit(now, 1, false)
		}
		if err := run.take(now); err != nil {
			return nil, err
		}
	}
	run.print(codexSaysThread)
	if len(c.queued[id]) > 0 { // which come first
		run.then = strings.TrimSpace(prompt)
		return run, run.takes(now)
	}
	return run, run.give(strings.TrimSpace(prompt), Clawd, now)
}

// read takes over what stands in the session's file.
func (p *codex) read() error {
	b, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	p.settled = true
	for len(b) > 0 && p.turn == "" {
		i := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
		var r struct {
			Ordinal int `json:"ordinal"`
			Payload struct {
				Turn string `json:"turn_id"`
			} `json:"payload"`
		}
		if json.Unmarshal(b[i:], &r) == nil {
			p.next = max(p.next, r.Ordinal+1)
			p.turn = r.Payload.Turn
		}
		b = b[:i]
	}
	p.last = p.turn
	return nil
}

// lastOrdinal gives that of a file's last line.
func lastOrdinal(path string) (int, error) {
	p := codex{process: process{path: path}}
	err := p.read()
	return p.next - 1, err
}

var (
	_ Forker  = (*Codex)(nil)
	_ Session = (*codex)(nil)
)
