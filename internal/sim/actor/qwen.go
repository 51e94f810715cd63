package actor

import (
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

// Qwen plays qwen-code 0.24.4.
type Qwen struct {
	// Retries is how often its SDK sends a request again before the agent takes it for failed, and Rounds how often the
	// agent begins all its tries anew where the provider throttles (both are model.generationConfig.maxRetries).
	Retries, Rounds int
	// CodingPlan: a plan that is used up says "quota", and is not asked again. Other providers' plans are, for an hour.
	CodingPlan bool

	w     *World
	root  string
	files map[string]*qwenFile // by session
}

// qwenFile is what a session's file ends in, whoever wrote that: several processes may write to it.
type qwenFile struct {
	last   string // the newest record of the conversation, or the first of the tries since then
	series bool   // it is a try
}

// NewQwen gives the agent with its defaults, in ~/.qwen.
func NewQwen(w *World) *Qwen {
	return &Qwen{Retries: 3, Rounds: 10, w: w, root: filepath.Join(w.Home, ".qwen"), files: map[string]*qwenFile{}}
}

// Name is "qwen".
func (q *Qwen) Name() string { return "qwen" }

// Root is the agent's folder.
func (q *Qwen) Root() string { return q.root }

// Tidy does nothing: the agent keeps its sessions.
func (q *Qwen) Tidy(time.Time) error { return nil }

// chat is the file of a session.
func (q *Qwen) chat(dir, id string) string {
	folder := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, dir)
	return filepath.Join(q.root, "projects", folder, "chats", id+".jsonl")
}

// qwen is one process of it: the last one of those that start each other.
type qwen struct {
	process
	q       *Qwen
	start   Start
	above   []*Proc // those that started it: they do nothing but wait, and may be gone
	tool    *Proc   // a command that it runs; nil: none runs
	began   time.Time
	resumed bool   // it was given an old session
	text    string // the newest prompt
	back    string // what it has put back into its input box
	tree    string // the newest record of all, to which the next one is tied
	prompts int    // in the session, by which the newest one is named
	cuts    int    // answers in a row that did not come to their end
	open    string // the open tool call
	named   bool   // its user has named the session
	used    bool   // it was prompted
	ends    bool   // it ends by itself, and writes so down
	shows   bool   // the failure stands right above its input box
	copied  string // the file whose records the new one begins with
	from    string // and the session that it is of
}

// Begin starts a process with a new session. Its file comes with the first prompt.
func (q *Qwen) Begin(s Start, now time.Time) (Session, error) {
	return q.spawn(uuid(q.w.Rand), s, s.Args, q.w.Env, now)
}

// Open is qwen --resume ID in a terminal, or headless in a script.
func (q *Qwen) Open(id string, s Start, now time.Time) (Session, error) {
	if _, err := os.Lstat(q.chat(s.Dir, id)); err != nil {
		return nil, errors.Join(ErrCannot, err)
	}
	p, err := q.spawn(id, s, append([]string{"--resume", id}, s.Args...), q.w.Env, now)
	if err != nil {
		return nil, err
	}
	p.resumed = true
	return p, p.read(p.path)
}

// Fork is qwen --resume ID --fork-session: the records keep their ids and times, get the name of the new session, and
// say where they come from.
func (q *Qwen) Fork(id string, s Start, now time.Time) (Session, error) {
	path := q.chat(s.Dir, id)
	if _, err := os.Lstat(path); err != nil {
		return nil, errors.Join(ErrCannot, err)
	}
	p, err := q.spawn(uuid(q.w.Rand), s, []string{"--resume", id, "--fork-session"}, q.w.Env, now)
	if err != nil {
		return nil, err
	}
	p.copied, p.from = path, id
	return p, p.read(path)
}

// spawn starts the launcher and what it starts: a headless run has one process below it, and a terminal two.
func (q *Qwen) spawn(id string, s Start, args, environ []string, now time.Time) (*qwen, error) {
	if s.TTY == "" && !slices.Contains(args, "--output-format") {
		args = append([]string{"--output-format", "stream-json"}, args...)
	}
	if s.Mode != "" {
		args = append([]string{"--approval-mode", s.Mode}, args...)
	}
	p := &qwen{q: q, start: s, began: now}
	p.process = process{w: q.w, h: p, agent: "qwen", id: id, path: q.chat(s.Dir, id), by: Person, lag: qwenLag}
	argv := slices.Concat([]string{"node", "/usr/bin/qwen"}, args)
	below := 1
	if s.TTY != "" {
		below = 2
	}
	for range below {
		p.above = append(p.above, q.w.Procs.Spawn("node", argv, environ, s.Dir, s.TTY, now))
		argv = slices.Concat([]string{"/usr/bin/node", "--expose-gc", "/usr/lib/node_modules/@qwen-code/qwen-code/cli.js"}, args)
	}
	p.proc = q.w.Procs.Spawn("node", argv, environ, s.Dir, s.TTY, now)
	launcher, parent := p.above[0].PID, p.above[0].PID
	for _, x := range append(p.above[1:], p.proc) {
		x.PPID, x.Group, x.Leader = parent, launcher, launcher
		if s.TTY != "" {
			x.Foreground = launcher
		}
		parent = x.PID
	}
	return p, p.register(now)
}

// qwenLag is how long a record is on its way. That of a prompt may take as long as the first answer: see give.
const qwenLag = 5 * time.Millisecond

// line fills in a template of the session's file, and ties it to the newest record.
func (p *qwen) line(now time.Time, template string, pairs ...string) string {
	id := uuid(p.w.Rand)
	parent := nullable(p.tree)
	p.tree = id
	return fill(template, append(pairs, "uuid", id, "parent", parent, "sid", p.id, "at", stamp(now), "cwd", quote(p.start.Dir),
		"prompt", p.id+"########"+strconv.Itoa(p.prompts))...)
}

// says is a record of the conversation.
func (p *qwen) says(now time.Time, template string, pairs ...string) {
	p.put(now, p.line(now, template, pairs...))
	*p.file() = qwenFile{last: p.tree}
}

// tries is the record of a try. All that follow each other are one stop, whatever it is named for.
func (p *qwen) tries(now time.Time, template string, pairs ...string) {
	p.put(now, p.line(now, template, pairs...))
	p.tried(p.tree)
}

func (p *qwen) tried(record string) {
	f := p.file()
	if !f.series {
		f.last, f.series = record, true
	}
	p.w.Ledger.same(p.agent, p.id, record, f.last)
}

// file is that of the session that it has open.
func (p *qwen) file() *qwenFile {
	f := p.q.files[p.id]
	if f == nil {
		f = &qwenFile{}
		p.q.files[p.id] = f
	}
	return f
}

// Idle tells whether it waits for its user's next prompt. One that has just been started does not yet.
func (p *qwen) Idle() bool { return p.process.Idle() && p.phase != starting }

// Prompt is typed into the terminal. A headless process has it from its start on, and needs seconds to come to it.
func (p *qwen) Prompt(text string, by By, now time.Time) error {
	switch {
	case p.ended:
		return ErrEnded
	case !p.Idle():
		return ErrCannot
	case p.headless():
		p.text, p.by = text, by
		p.starts(now)
		return nil
	}
	return p.give(text, by, now)
}

func (p *qwen) starts(now time.Time) {
	p.enter(starting, now.Add(500*time.Millisecond+time.Duration(p.w.Rand.Int64N(int64(4*time.Second)))))
}

// fires: a headless process has come up. What it prints first stands before its first request.
func (p *qwen) fires(now time.Time) error {
	_, err := os.Lstat(p.path)
	switch {
	case p.resumed && err != nil:
		p.print(qwenSaysNone)
		return p.exit(now, 1, false)
	case p.resumed:
		if err := p.read(p.path); err != nil {
			return err
		}
	case err == nil:
		p.print(qwenSaysTaken)
		return p.exit(now, 1, false)
	}
	p.print(qwenSaysInit)
	p.print(qwenSaysGoal)
	return p.give(p.text, p.by, now)
}

// give writes a prompt down and asks. The request may leave long before the record is on the disk: of six processes
// that were killed as they asked four had left none, and two seconds later none of ten.
func (p *qwen) give(text string, by By, now time.Time) error {
	stop := p.file().last
	if err := p.copies(now); err != nil {
		return err
	}
	if p.used {
		p.prompts++
	}
	p.text, p.back, p.shows, p.used = text, "", false, true
	p.lag = 10*time.Millisecond + time.Duration(p.w.Rand.Int64N(int64(1500*time.Millisecond)))
	p.says(now, qwenUser, "text", quote(text))
	p.put(now, p.line(now, qwenSnapshot))
	if !p.headless() {
		p.put(now, p.line(now, qwenFiles))
	}
	p.lag = qwenLag
	p.cuts = 0
	return p.begins(stop, by, now)
}

func (p *qwen) wrote(time.Time)        {}
func (p *qwen) status(time.Time) error { return nil }

func (p *qwen) answered(now time.Time) error {
	p.tries(now, qwenResponse, "name", "api_response")
	p.says(now, qwenAssistant+qwenUsage, "parts", `{"text":"All done."}`)
	p.prints("All done.", true)
	p.cuts = 0
	if !p.headless() && p.prompts > 0 && p.w.Rand.IntN(6) == 0 { // what it would suggest next is asked for, too
		p.aside(now, "suggestion-"+strconv.FormatInt(now.UnixMilli(), 10), "")
	}
	return p.over(now, 0, qwenSaysDone)
}

// called: a headless run asks nobody.
func (p *qwen) called(now time.Time) {
	p.open = "call_" + strconv.FormatInt(now.UnixMilli(), 10)
	p.cuts = 0
	p.tries(now, qwenResponseCalls, "name", "api_response")
	p.says(now, qwenAssistant+qwenUsage, "parts", strings.ReplaceAll(qwenCall, "$call", p.open))
	p.print(qwenSaysCall, "call", p.open)
	if p.answer.Asks = p.answer.Asks && !p.headless(); !p.answer.Asks {
		p.runs(now)
	}
}

// runs the command of a tool: a process that has the session's name in its environment.
func (p *qwen) runs(now time.Time) {
	p.tool = p.w.Procs.Spawn("bash", []string{"bash", "-c", "echo hi"}, append(slices.Clone(p.proc.Env), "QWEN_CODE_SESSION_ID="+p.id), p.start.Dir, "", now)
	p.tool.PPID = p.proc.PID
}

func (p *qwen) stopsTool() {
	if p.tool != nil {
		p.w.Procs.End(p.tool.PID)
		p.tool = nil
	}
}

// returned: now and then a sub-agent of the tool's has failed tries of its own, which stand in the same file.
func (p *qwen) returned(now time.Time) {
	p.stopsTool()
	if p.w.Rand.IntN(8) == 0 {
		p.aside(now, p.id+"#general-purpose-"+p.open+"#0", strings.ReplaceAll(qwenSub, "$call", p.open))
	}
	decision := "auto_accept"
	if p.answer.Asks {
		decision = "accept"
	}
	p.result(now, "success", "success", decision, `"output":"Command: echo hi\nOutput: hi"`, fill(qwenDisplay, "cwd", quote(p.start.Dir)))
	p.print(qwenSaysResult, "call", p.open)
	p.open = ""
}

// aside is a failed try that is none of the conversation's.
func (p *qwen) aside(now time.Time, prompt, sub string) {
	text, class, status := p.q.fails(Answer{Kind: RateLimited})
	p.put(now, p.line(now, qwenError, "name", "api_error", "text", quote(text), "class", class, "status", qwenStatus(status), "sub", sub, "prompt", prompt))
}

func qwenStatus(n int) string {
	if n == 0 {
		return ""
	}
	return `,"status_code":` + strconv.Itoa(n)
}

// result ends the open tool call.
func (p *qwen) result(now time.Time, how, ran, decision, response, display string) {
	p.put(now, p.line(now, qwenToolCall, "name", "tool_call", "call", p.open, "how", how, "ran", ran, "decision", decision, "well", strconv.FormatBool(how == "success")))
	p.says(now, qwenToolResult, "call", p.open, "how", how, "ran", ran, "response", response, "display", display)
}

// over ends a turn, and a headless process with it.
func (p *qwen) over(now time.Time, code int, template string, pairs ...string) error {
	p.print(template, pairs...)
	if p.headless() {
		p.ends = true
		return p.exit(now, code, false)
	}
	return nil
}

// prints a text as an answer; whole: it is one.
func (p *qwen) prints(text string, whole bool) {
	in, out, more := "0", "0", ""
	if whole {
		in, out, more = "1200", "12", `,"cache_read_input_tokens":0,"total_tokens":1212`
	}
	p.print(qwenSaysText, "text", quote(text), "in", in, "out", out, "more", more)
}

func (p *qwen) print(template string, pairs ...string) {
	if p.out == nil {
		return
	}
	mode := p.start.Mode
	if mode == "" {
		mode = "auto"
	}
	_, _ = io.WriteString(p.out, fill(template, append(pairs, "uuid", uuid(p.w.Rand), "sid", p.id, "cwd", quote(p.start.Dir), "mode", mode)...)) // a reader that is gone is none of its business
}

// Resume is qwen --resume ID, or a new session with --session-id, and the prompt on stdin.
func (q *Qwen) Resume(plan resume.Plan, environ []string, out io.Writer, now time.Time) (Session, error) {
	id, resumed := option(plan.Argv, "--resume")
	if !resumed {
		id, _ = option(plan.Argv, "--session-id")
	}
	p, err := q.spawn(id, Start{Dir: plan.Dir}, plan.Argv[1:], slices.Concat(plan.Env, environ), now)
	if err != nil {
		return nil, err
	}
	p.start.Mode, _ = option(plan.Argv, "--approval-mode")
	p.out, p.by, p.resumed, p.text = out, Clawd, resumed, strings.TrimSpace(string(plan.Stdin))
	p.starts(now)
	return p, nil
}

var (
	_ Forker  = (*Qwen)(nil)
	_ Session = (*qwen)(nil)
)
