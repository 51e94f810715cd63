package actor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Claude plays Claude Code 2.1.329.
type Claude struct {
	// Retries is how often it asks again by itself (CLAUDE_CODE_MAX_RETRIES).
	Retries int
	// Offers: the file tells which tools the requests had.
	Offers bool
	// Continues: a terminal goes on by itself after a plan's limit (autoContinueAtUsageLimit).
	Continues bool
	// Forgets: one time of so many it does not, and says nothing; 0: never.
	Forgets int
	// Period after which a headless run deletes a file (cleanupPeriodDays).
	Period time.Duration

	w    *World
	root string
}

// NewClaude gives the agent with its defaults, in ~/.claude.
func NewClaude(w *World) *Claude {
	return &Claude{Retries: 10, Offers: true, Continues: true, Period: 30 * 24 * time.Hour, w: w, root: filepath.Join(w.Home, ".claude")}
}

// Name is "claude".
func (c *Claude) Name() string { return "claude" }

// Root is the agent's folder.
func (c *Claude) Root() string { return c.root }

// transcript is the agent's place for a session.
func (c *Claude) transcript(dir, id string) string {
	folder := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
	return filepath.Join(c.root, "projects", folder, id+".jsonl")
}

// claude is one process of it.
type claude struct {
	process
	c       *Claude
	start   Start
	began   time.Time
	user    string // newest line of the user's side
	msg     string // of the answer that is under way
	tree    string // newest line of all, to which the next one is tied
	opened  bool   // lines stand in the session's file
	offered bool   // this process has said which tools it has
	inRow   int    // own continues without a prompt in between
	said    string // status in the registry
	copied  string // the file whose lines the new one begins with
	from    string // and the session that it is of
	tidied  bool
}

// Begin starts a process with a new session. Its file comes with the first prompt.
func (c *Claude) Begin(s Start, now time.Time) (Session, error) {
	return c.spawn(uuid(c.w.Rand), s, append([]string{"claude"}, s.Args...), c.w.Env, now)
}

// Open is claude --resume ID in a terminal, or headless in a script.
func (c *Claude) Open(id string, s Start, now time.Time) (Session, error) {
	p, err := c.spawn(id, s, append([]string{"claude", "--resume", id}, s.Args...), c.w.Env, now)
	if err != nil {
		return nil, err
	}
	return p, p.read()
}

func (c *Claude) spawn(id string, s Start, argv, environ []string, now time.Time) (*claude, error) {
	if s.Mode == "" {
		s.Mode = "default"
	}
	if s.TTY == "" && len(argv) > 0 && !strings.Contains(strings.Join(argv, " "), " -p") {
		argv = append(argv, "-p")
	}
	p := &claude{c: c, start: s, began: now}
	p.process = process{w: c.w, h: p, agent: "claude", id: id, path: c.transcript(s.Dir, id), by: Person, lag: 100 * time.Millisecond}
	p.proc = c.w.Procs.Spawn("claude", argv, environ, s.Dir, s.TTY, now)
	return p, p.register(now, "idle")
}

func (p *claude) entry() string {
	return filepath.Join(p.c.root, "sessions", strconv.Itoa(p.proc.PID)+".json")
}

// register writes the registry's entry.
func (p *claude) register(now time.Time, status string) error {
	p.said = status
	entrypoint, waiting, ms := "cli", "", now.UnixMilli()
	if p.headless() {
		entrypoint = "sdk-cli"
	}
	if what, ok := strings.CutPrefix(status, "waiting:"); ok {
		status, waiting = "waiting", `,"waitingFor":`+quote(what)
	}
	return replaceAt(p.entry(), fmt.Appendf(nil, `{"pid":%d,"sessionId":%q,"cwd":%s,"startedAt":%d,"procStart":"%d","version":"2.1.329","peerProtocol":1,"peerFeatures":[],"kind":"interactive","entrypoint":%q,"pidDomain":"","asksForConvertedSkills":null,"messagingSocketPath":"/tmp/cc-socks/%d.sock","name":"demo","nameSource":"derived","nameSince":%d,"status":%q,"updatedAt":%d,"statusUpdatedAt":%d%s}`,
		p.proc.PID, p.id, quote(p.proc.Dir), p.began.UnixMilli(), p.proc.Start, entrypoint, p.proc.PID, p.began.UnixMilli(), status, ms, ms, waiting), now)
}

// status keeps the entry true. Waiting between two tries is busy, and so is a tool.
func (p *claude) status(now time.Time) error {
	word := "busy"
	switch {
	case p.ended:
		return nil
	case p.phase == idle || p.phase == armed:
		word = "idle"
	case p.phase == question:
		word = "waiting:permission prompt"
	}
	if word == p.said {
		return nil
	}
	return p.register(now, word)
}

// line fills in a template of the conversation, and ties it to the newest line.
func (p *claude) line(now time.Time, template string, pairs ...string) string {
	id := uuid(p.w.Rand)
	entry := "cli"
	if p.headless() {
		entry = "sdk-cli"
	}
	parent := nullable(p.tree)
	p.tree = id
	return fill(template, append(pairs, "uuid", id, "parent", parent, "at", stamp(now), "sid", p.id, "cwd", quote(p.proc.Dir),
		"mode", p.start.Mode, "entry", entry, "msg", p.msg, "prompt", p.user)...)
}

// beside fills in a template of what stands beside the conversation.
func (p *claude) beside(now time.Time, template string, pairs ...string) string {
	return fill(template, append(pairs, "sid", p.id, "at", stamp(now), "ms", strconv.FormatInt(now.UnixMilli(), 10), "mode", p.start.Mode, "uuid", p.tree)...)
}

// Prompt is typed into the terminal; headless it is the process's own.
func (p *claude) Prompt(text string, by By, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	if !p.Idle() {
		return ErrCannot
	}
	p.inRow = 0
	if p.headless() {
		return p.give(claudeUser, text, by, now)
	}
	return p.give(claudeTyped, text, by, now)
}

// give writes a prompt down and asks.
func (p *claude) give(template, text string, by By, now time.Time) error {
	stop := p.last
	if p.headless() {
		p.put(now, p.beside(now, claudeQueue, "text", quote(text)))
	} else if !p.opened {
		p.put(now, p.beside(now, claudeMode), p.beside(now, claudePermission))
	}
	p.opened = true
	if err := p.copyLines(now); err != nil {
		return err
	}
	carries := p.user
	p.user = uuid(p.w.Rand)
	p.put(now, p.line(now, template+claudeCommon, "text", quote(text), "carries", carries))
	p.user, p.last = p.tree, p.tree
	if !p.offered && p.c.Offers {
		p.put(now, p.line(now, claudeOffer), p.beside(now, claudeShape))
	}
	p.offered = true
	return p.begins(stop, by, now)
}

// wrote is the line of a request.
func (p *claude) wrote(now time.Time) {
	source := "repl_main_thread"
	if p.headless() {
		source = "sdk"
	}
	p.msg = draw(p.w.Rand, "abcdefghijklmnopqrstuvwxyz0123456789", 12)
	p.put(now, p.beside(now, claudeRequest, "source", source))
}

func (p *claude) answered(now time.Time) error {
	p.put(now, p.line(now, claudeAnswer+claudeCommon))
	p.last = p.tree
	p.print(claudeSays, "id", p.tree)
	return p.over(now, false)
}

func (p *claude) called(now time.Time) {
	p.put(now, p.line(now, claudeTool+claudeCommon))
	p.last = p.tree
}

func (p *claude) returned(now time.Time) {
	p.put(now, p.line(now, claudeResult+claudeCommon))
	p.user, p.last = p.tree, p.tree
}

// patience: a wait of more than a minute is none of the agent's own, and a plan's limit is not waited for.
func (p *claude) patience(n int) (time.Duration, bool) {
	wait := min(500*time.Millisecond<<min(n-1, 10), 32*time.Second)
	wait += time.Duration(p.w.Rand.Int64N(int64(wait) / 4))
	switch p.answer.Kind {
	case UsedUp, NoCredit, TooLong:
		return 0, false
	case RateLimited:
		wait = max(wait, p.answer.RetryAfter)
	case Overloaded:
		if n > 2 {
			return 0, false
		}
	}
	return wait, n <= p.c.Retries && p.answer.RetryAfter <= time.Minute
}

// statusOf is the status of the response; a network has none.
var statusOf = map[Kind]int{RateLimited: 429, UsedUp: 429, Overloaded: 529, Broken: 500, Unauthorized: 401, NoCredit: 400, TooLong: 400}

// retries writes down an own retry; a terminal says nothing of it.
func (p *claude) retries(now time.Time, n int, wait time.Duration) {
	status := statusOf[p.answer.Kind]
	ms := strconv.FormatInt(wait.Milliseconds(), 10)
	p.print(claudeSaysRetry, "n", strconv.Itoa(n), "most", strconv.Itoa(p.c.Retries), "wait", ms, "status", strconv.Itoa(status))
	if !p.headless() {
		return
	}
	failure := fmt.Sprintf(`{"message":"%d","status":%d,"requestId":"req_%s","formatted":"%d","connection":null,"isNetworkDown":false,"rateLimits":null,"noResponse":null}`, status, status, p.msg, status)
	if p.answer.Kind == Unreachable {
		failure = `{"message":"Connection error.","formatted":"Connection refused","connection":{"code":"ECONNREFUSED","message":"ECONNREFUSED","isSSLError":false},"isNetworkDown":true,"rateLimits":null,"noResponse":null}`
	}
	p.put(now, p.line(now, claudeRetry+claudeCommon, "error", failure, "wait", ms, "ms", ms, "n", strconv.Itoa(n), "most", strconv.Itoa(p.c.Retries)))
}

// failed writes the agent's own word on the failure, and arms its own continue.
func (p *claude) failed(now time.Time) error {
	text, fields := p.c.fails(p.answer, now)
	template := claudeFailure + claudeCommon
	if fields == "" {
		template = claudeNoReset
	}
	fields = strings.ReplaceAll(fields, "$msg", p.msg)
	p.put(now, p.line(now, template, "text", quote(text), "fields", fields))
	p.last = p.tree
	p.print(claudeSaysFailure, "id", p.tree, "text", quote(text))
	if !p.headless() && p.answer.Kind == UsedUp && !p.answer.Reset.IsZero() && p.answer.Window != detect.Model && p.answer.Window != detect.Monthly {
		return p.arm(now)
	}
	return p.over(now, true)
}

// How long after the reset it goes on, how far off it arms, how often in a row, and when it is too late.
const (
	armsFor   = 24 * time.Hour
	armsOften = 3
	armsStale = 30 * time.Minute
)

func (p *claude) arm(now time.Time) error {
	if !p.c.Continues {
		return p.register(now, "waiting:dialog open")
	}
	if p.answer.Reset.Sub(now) > armsFor || p.inRow >= armsOften {
		return p.over(now, true)
	}
	p.put(now, p.line(now, claudeNotice+claudeCommon, "text", quote("Usage limit reached · continuing automatically at "+p.shown(p.answer.Reset)+" · esc to cancel")))
	p.enter(armed, p.answer.Reset.Add(30*time.Second+time.Duration(p.w.Rand.Int64N(int64(time.Minute)))))
	return p.status(now)
}

// shown is a time in a notice: without the zone.
func (p *claude) shown(t time.Time) string {
	s, _, _ := strings.Cut(p.c.clock(t, t), " ")
	return s
}

// fires is its own continue.
func (p *claude) fires(now time.Time) error {
	if now.Sub(p.due) > armsStale { // the machine slept
		p.put(now, p.line(now, claudeNotice+claudeCommon, "text", quote("Automatic continue did not run · send a prompt to continue")))
		p.enter(idle, time.Time{})
		return p.status(now)
	}
	if p.c.Forgets > 0 && p.w.Rand.IntN(p.c.Forgets) == 0 {
		p.enter(idle, time.Time{})
		return p.status(now)
	}
	p.inRow++
	p.put(now, p.line(now, claudeNotice+claudeCommon, "text", quote("Usage limit reset · Continuing automatically")))
	return p.give(claudeAuto, "", Itself, now)
}

// over ends the turn; a headless process ends with it.
func (p *claude) over(now time.Time, failed bool) error {
	if p.headless() {
		code := 0
		if failed {
			code = 1
		}
		p.printResult(failed)
		p.put(now, p.beside(now, claudeLast), p.beside(now, claudeCost))
		return p.exit(now, code, false)
	}
	p.put(now, p.line(now, claudeDuration+claudeCommon))
	return p.status(now)
}

// gone: a process that ends well takes its entry away.
func (p *claude) gone(_ time.Time, hard bool) error {
	if hard {
		return nil
	}
	if err := os.Remove(p.entry()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Next does what is due; a headless run that has lasted for half a minute cleans up.
func (p *claude) Next(now time.Time) (time.Time, error) {
	if !p.ended && !p.tidied && p.headless() && now.Sub(p.began) >= 30*time.Second {
		p.tidied = true
		if err := p.c.Tidy(now); err != nil {
			return time.Time{}, err
		}
	}
	return p.process.Next(now)
}

// Tidy deletes the files that were not written to for long, and the entries of processes that are gone.
func (c *Claude) Tidy(now time.Time) error {
	files, err := filepath.Glob(filepath.Join(c.root, "projects", "*", "*.jsonl"))
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range files {
		if fi, err := os.Lstat(f); err == nil && now.Sub(fi.ModTime()) > c.Period {
			errs = append(errs, os.Remove(f))
		}
	}
	entries, err := filepath.Glob(filepath.Join(c.root, "sessions", "*.json"))
	for _, e := range entries {
		if pid, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(e), ".json")); err == nil && c.w.Procs.Proc(pid) == nil {
			errs = append(errs, os.Remove(e))
		}
	}
	return errors.Join(append(errs, err)...)
}

var (
	_ Forker  = (*Claude)(nil)
	_ Session = (*claude)(nil)
)
