package actor

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Copilot plays the GitHub Copilot CLI 1.0.102.
type Copilot struct {
	// Loader: it is started by npm's script, which waits for the program.
	Loader bool
	// Autopilot: one new session of so many that may use all tools goes on by itself; 0: none.
	Autopilot int
	// Subs: one tool call of so many is a sub-agent, which meets a limit of its own; 0: none.
	Subs int
	// Away: one resume of so many finds that GitHub itself does not answer; 0: none.
	Away int

	w    *World
	root string
	void map[string]bool // aborts of processes whose turn was over
}

// NewCopilot gives the agent with its defaults, in ~/.copilot.
func NewCopilot(w *World) *Copilot {
	return &Copilot{w: w, root: filepath.Join(w.Home, ".copilot"), void: map[string]bool{}}
}

// Name is "copilot".
func (c *Copilot) Name() string { return "copilot" }

// Root is the agent's folder.
func (c *Copilot) Root() string { return c.root }

// Tidy does nothing: the agent keeps its sessions.
func (c *Copilot) Tidy(time.Time) error { return nil }

// copilotAllows is the mode in which it asks for nothing: an option, which no session keeps.
const copilotAllows = "--allow-all-tools"

// copilot is one process of it.
type copilot struct {
	process
	c      *Copilot
	start  Start
	began  time.Time
	loader *Proc // nil: none started it

	tree   string // newest record of its own
	opened bool   // the session has its first line
	told   bool   // and the agent's own prompt
	used   bool   // it has had an answer

	text    string    // of the prompt
	prompt  string    // its record
	before  string    // newest record of the conversation before it
	since   string    // what that was when a process that only goes on began; empty: the newest one tells
	sent    time.Time // the newest request
	first   bool      // the agent's own prompt came with it
	message string
	inter   string
	turn    int
	call    string // the tool call that is open
	sub     string // the sub-agent that it is; empty: none
	denied  bool   // nobody allows it
	wants   string // the question about it that is open

	pilots bool // it goes on by itself
	goneOn int  // times in a row
	asks   bool // it asks whether to take another model: for ever, when nobody is there
	draft  string
	stays  bool // its lock is left behind
	says   []byte
	saysAt time.Time
	folder string // of its session
}

// Begin starts a process with a new session, whose file comes with the first prompt.
func (c *Copilot) Begin(s Start, now time.Time) (Session, error) {
	args := c.args(s)
	pilots := s.Mode == copilotAllows && c.Autopilot > 0 && c.w.Rand.IntN(c.Autopilot) == 0
	if pilots {
		args = append(args, "--autopilot")
	}
	p := c.spawn(uuid(c.w.Rand), s, args, c.w.Env, now)
	p.pilots = pilots
	return p, p.take(now)
}

// args are those of a process that a person or a script starts.
func (c *Copilot) args(s Start) (args []string) {
	if s.TTY == "" {
		args = []string{"-p", "go on", "--output-format", "json"}
	}
	if s.Mode != "" {
		args = append(args, s.Mode)
	}
	return append(args, s.Args...)
}

// Open is copilot --resume=ID. It is not refused while another process has the session open.
func (c *Copilot) Open(id string, s Start, now time.Time) (Session, error) {
	if _, err := os.Stat(c.transcript(id)); err != nil {
		return nil, errors.Join(ErrCannot, err)
	}
	p := c.spawn(id, s, slices.Concat([]string{"--resume=" + id}, c.args(s)), c.w.Env, now)
	return p, p.open(now)
}

func (c *Copilot) transcript(id string) string {
	return filepath.Join(c.root, "session-state", id, "events.jsonl")
}

func (c *Copilot) spawn(id string, s Start, args, environ []string, now time.Time) *copilot {
	p := &copilot{c: c, start: s, began: now}
	p.process = process{w: c.w, h: p, agent: "copilot", id: id, path: c.transcript(id), by: Person, lag: 100 * time.Millisecond}
	p.folder = filepath.Dir(p.path)
	if c.Loader {
		p.loader = c.w.Procs.Spawn("node", slices.Concat([]string{"node", "/usr/lib/node_modules/@github/copilot/npm-loader.js"}, args), environ, s.Dir, s.TTY, now)
	}
	p.proc = c.w.Procs.Spawn("copilot", slices.Concat([]string{"/usr/lib/copilot/copilot"}, args), environ, s.Dir, s.TTY, now)
	p.proc.Comm = "MainThread"
	if l := p.loader; l != nil {
		p.proc.PPID, p.proc.Group, p.proc.Leader = l.PID, l.PID, l.PID
		p.proc.Foreground = l.Foreground
	}
	return p
}

func (p *copilot) lock(kind string) string {
	return filepath.Join(p.folder, "inuse."+strconv.Itoa(p.proc.PID)+"."+kind)
}

// take makes the locks, and removes those that dead processes have left.
func (p *copilot) take(now time.Time) error {
	if _, err := p.others(); err != nil {
		return err
	}
	p.proc.Open = append(p.proc.Open, p.lock("hold"))
	return errors.Join(replaceAt(filepath.Join(p.folder, "workspace.yaml"), []byte(fill(copilotWorkspace, "sid", p.id, "dir", p.start.Dir, "at", stamp(now))), now),
		replaceAt(p.lock("lock"), []byte(strconv.Itoa(p.proc.PID)+"\n"), now), replaceAt(p.lock("hold"), nil, now))
}

// others tells whether another process has the session open. Locks of dead ones go.
func (p *copilot) others() (shared bool, err error) {
	locks, err := filepath.Glob(filepath.Join(p.folder, "inuse.*.lock"))
	for _, l := range locks {
		l = strings.TrimSuffix(l, ".lock")
		pid, _ := strconv.Atoi(strings.TrimPrefix(filepath.Ext(l), "."))
		if x := p.w.Procs.Proc(pid); x != nil && slices.Contains(x.Open, l+".hold") {
			shared = true
			continue
		}
		err = errors.Join(err, p.unlocks(l))
	}
	return shared, err
}

// gone: what ends in order takes its locks away, what a signal ended hardly ever does.
func (p *copilot) gone(_ time.Time, hard bool) error {
	if p.loader != nil {
		p.w.Procs.End(p.loader.PID)
	}
	if hard {
		p.says, p.saysAt = nil, time.Time{}
		return nil
	}
	p.speak()
	if p.stays {
		return nil
	}
	return p.unlocks(strings.TrimSuffix(p.lock("lock"), ".lock"))
}

// unlocks removes both files of a lock, as far as they are there.
func (p *copilot) unlocks(lock string) error {
	for _, kind := range []string{".lock", ".hold"} {
		if err := os.Remove(lock + kind); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// line fills in a record, and ties it to the newest of the process's own.
func (p *copilot) line(now time.Time, template string, pairs ...string) string {
	id := uuid(p.w.Rand)
	l := fill(template, append(pairs, "id", id, "at", stamp(now), "parent", nullable(p.tree), "sid", p.id, "cwd", quote(p.start.Dir), "began", stamp(p.began),
		"ms", strconv.FormatInt(p.began.UnixMilli(), 10), "msg", p.message, "inter", p.inter, "turn", strconv.Itoa(p.turn), "call", p.call, "sub", p.sub, "wants", p.wants)...)
	p.tree = id
	return l
}

// puts a record into the session's file.
func (p *copilot) puts(now time.Time, template string, pairs ...string) string {
	l := p.line(now, template+copilotTail, pairs...)
	p.put(now, l)
	return l
}

// shows a record that is printed, too.
func (p *copilot) shows(now time.Time, template string, pairs ...string) {
	p.say(now, p.puts(now, template, pairs...))
}

// opens writes how the session begins, or that the process goes on with it.
func (p *copilot) opens(now time.Time) {
	if p.opened {
		return
	}
	p.opened = true
	p.puts(now, copilotStart)
	if p.headless() {
		p.puts(now, copilotModel)
		p.puts(now, copilotModelSet)
	} else {
		p.puts(now, copilotModelTTY)
	}
	if p.pilots {
		p.puts(now, copilotMode)
	}
}

// Prompt begins a turn.
func (p *copilot) Prompt(text string, by By, now time.Time) error {
	switch {
	case p.ended:
		return ErrEnded
	case !p.Idle() || p.Hung():
		return ErrCannot
	}
	p.asks, p.goneOn = false, 0
	how := copilotTyped
	if p.pilots {
		how = copilotPiloted
	}
	return p.give(text, how, by, now)
}

func (p *copilot) give(text, how string, by By, now time.Time) error {
	stop := cmp.Or(p.since, p.last)
	p.before, p.text, p.since = p.last, text, ""
	p.opens(now)
	p.message, p.inter, p.turn = uuid(p.w.Rand), uuid(p.w.Rand), 0
	p.shows(now, copilotPrompt, "text", quote(text), "sent", quote("<current_datetime>"+stamp(now)+"</current_datetime>\n\n"+text),
		"how", fill(how, "msg", p.message), "task", uuid(p.w.Rand))
	p.prompt, p.last = p.tree, p.tree
	if p.first = !p.told; p.first {
		p.told = true
		if p.pilots {
			p.puts(now, copilotNotice)
		}
		own := copilotShown
		if p.headless() {
			own = copilotAlone
		}
		p.puts(now, copilotSystem, "text", quote(own))
	}
	p.shows(now, copilotTurn)
	return p.begins(stop, by, now)
}

func (p *copilot) wrote(now time.Time)    { p.sent = now }
func (p *copilot) status(time.Time) error { return nil }
func (p *copilot) fires(time.Time) error  { return nil }

// autopilotMost is how often in a row it goes on by itself (--max-autopilot-continues).
const autopilotMost = 5

func (p *copilot) answered(now time.Time) error {
	p.used = true
	p.puts(now, copilotUsage)
	if p.pilots && p.w.Rand.IntN(3) == 0 {
		return p.completes(now)
	}
	p.shows(now, copilotAnswer, "answer", uuid(p.w.Rand))
	p.last = p.tree
	p.shows(now, copilotOver)
	if p.pilots && p.goneOn < autopilotMost {
		p.goneOn++
		return p.give("", copilotContinues, Itself, now)
	}
	return p.over(now, 0)
}

// completes says that the task is done, by which an autopilot ends.
func (p *copilot) completes(now time.Time) error {
	p.call = "call_" + draw(p.w.Rand, "0123456789", 9)
	p.shows(now, copilotAnswer, "answer", uuid(p.w.Rand), "calls", fill(copilotComplete, "call", p.call))
	p.shows(now, copilotCompleteRuns)
	p.shows(now, copilotCompleteRan)
	p.shows(now, copilotCompleted)
	p.call, p.last = "", p.tree
	p.shows(now, copilotOver)
	return p.over(now, 0)
}

// patience: five own retries; what a provider names is waited for up to three minutes.
func (p *copilot) patience(n int) (time.Duration, bool) {
	switch p.answer.Kind {
	case UsedUp, RateLimited:
		after := retryAfter(p.answer, p.sent)
		if after == 0 {
			after = []time.Duration{6, 6, 8, 11, 24}[min(n, 5)-1] * time.Second
		}
		return after + after*7/100, n <= 5 && after <= 180*time.Second
	case NoCredit:
		return 0, false
	case Unauthorized:
		return time.Second, n <= 2
	case Unreachable:
		return 4600 * time.Millisecond, n <= 5
	case Cut, TooLong:
		return time.Second, n <= 5
	}
	return []time.Duration{700, 900, 1900, 3700, 6900}[min(n, 5)-1] * time.Millisecond, n <= 5
}

// retries stand in no file.
func (p *copilot) retries(now time.Time, _ int, _ time.Duration) {
	p.say(now, p.aside(now, copilotSaysRetry))
}

// failed: at most limits it asks whether to take another model. Headless nobody can answer, and it never ends.
func (p *copilot) failed(now time.Time) error {
	fields, asks := p.c.fails(p.answer, now)
	p.shows(now, copilotOver)
	p.shows(now, copilotError, "fields", fields)
	p.last = p.tree
	if p.asks = asks; asks {
		return nil
	}
	return p.over(now, 1)
}

// over ends a turn, and a headless process with it.
func (p *copilot) over(now time.Time, code int) error {
	if !p.headless() {
		return nil
	}
	p.say(now, p.aside(now, copilotSaysIdle)+fill(copilotSaysResult, "at", stamp(now), "sid", p.id, "code", strconv.Itoa(code)))
	p.shutdown(now)
	return p.exit(now, code, false)
}

// shutdown is the last line of a process that ends in order.
func (p *copilot) shutdown(now time.Time) {
	switch {
	case !p.opened:
	case p.used:
		p.puts(now, copilotEnds)
	default:
		p.puts(now, copilotShutdown)
	}
}

var (
	_ Agent   = (*Copilot)(nil)
	_ Session = (*copilot)(nil)
)
