package actor

import (
	"crypto/sha1" //nolint:gosec // the agent names its projects by it
	"encoding/hex"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// OpenCode plays opencode with the JSON files of 1.1.53.
type OpenCode struct {
	// Retries is how often it asks again by itself: 5 as in 1.18.33; 1.1.53 itself knows no maximum, which is a
	// negative number.
	Retries int
	// Roles are the agents that can be given with --agent. One that is not there falls back to the first.
	Roles []string
	// Provider is the name of the provider.
	Provider string

	w     *World
	root  string
	files map[string]*ocFile
	ids   int
}

// ocFile is what is known of a session beside its messages.
type ocFile struct {
	id, path, dir, project, parent string
	title                          string
	rules                          bool // it was made by opencode run
	created                        time.Time
	archived                       bool
	last                           string // newest message
}

// NewOpenCode gives the agent in ~/.local/share/opencode.
func NewOpenCode(w *World) *OpenCode {
	return &OpenCode{Retries: 5, Roles: []string{"build", "plan"}, Provider: "fake", w: w,
		root: filepath.Join(w.Home, ".local", "share", "opencode"), files: map[string]*ocFile{}}
}

// Name is "opencode".
func (o *OpenCode) Name() string { return "opencode" }

// Root is the agent's folder.
func (o *OpenCode) Root() string { return o.root }

// Tidy does nothing: the agent keeps its sessions.
func (o *OpenCode) Tidy(time.Time) error { return nil }

// AgentList is what `opencode agent list` prints.
func (o *OpenCode) AgentList() string { return strings.Join(o.Roles, " (primary)\n") + " (primary)\n" }

// id draws one that sorts by time, as those of messages do, or backwards, as those of sessions.
func (o *OpenCode) id(prefix string, now time.Time, backwards bool) string {
	o.ids++
	n := uint64(now.UnixMilli())*0x1000 + uint64(o.ids%0x1000)
	if backwards {
		n = ^n
	}
	return prefix + strconv.FormatUint(n&(1<<48-1)|1<<52, 16)[2:] + draw(o.w.Rand, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 14)
}

// save writes the session's own file.
func (o *OpenCode) save(f *ocFile, now time.Time) error {
	parent, rules, archived := "", "", ""
	if f.parent != "" {
		parent = `"parentID":"` + f.parent + `",`
	}
	if f.rules {
		rules = ocRules
	}
	ms := strconv.FormatInt(now.UnixMilli(), 10)
	if f.archived {
		archived = `,"archived":` + ms
	}
	return replaceAt(f.path, []byte(fill(ocSession, "sid", f.id, "project", f.project, "parent", parent, "dir", quote(f.dir), "title", quote(f.title), "permission", rules,
		"created", strconv.FormatInt(f.created.UnixMilli(), 10), "ms", ms, "archived", archived)), now)
}

// opencode is one process of it.
type opencode struct {
	process
	o      *OpenCode
	start  Start
	file   *ocFile
	role   string
	user   string    // the prompt that is worked on
	msg    string    // the answer that is under way
	born   time.Time // and when it began
	tool   string    // the part of a tool that runs
	rest   []ocWrite // what is late, or the whole of what was torn
	restAt time.Time
	lost   bool    // it waits for an answer that it never sees
	piped  bool    // the prompt comes on stdin
	err    error   // of a write whose caller takes none
	server *Server // whose process it is; nil: it has one of its own
	wish   string  // id that the next prompt is to have
	from   *ocFile // the session that it was forked from, until that is copied
}

type ocWrite struct {
	path string
	text string
}

// Begin starts a process. Its session comes with the first prompt.
func (o *OpenCode) Begin(s Start, now time.Time) (Session, error) {
	argv := []string{"opencode"}
	if s.TTY == "" {
		argv = append(argv, "run", "--format", "json")
	}
	return o.spawn(nil, s, append(argv, s.Args...), o.w.Env, now), nil
}

// Open is opencode --session ID, or opencode run --session ID of a script.
func (o *OpenCode) Open(id string, s Start, now time.Time) (Session, error) {
	f := o.files[id]
	if f == nil {
		return nil, ErrCannot
	}
	argv := []string{"opencode"}
	if s.TTY == "" {
		argv = append(argv, "run", "--format", "json")
	}
	return o.spawn(f, s, slices.Concat(argv, []string{"--session", id}, s.Args), o.w.Env, now), nil
}

func (o *OpenCode) spawn(f *ocFile, s Start, argv, environ []string, now time.Time) *opencode {
	if f == nil {
		f = o.fresh(s, now)
		f.rules = s.TTY == ""
	}
	p := o.process(f, s)
	p.proc = o.w.Procs.Spawn("opencode", argv, environ, s.Dir, s.TTY, now)
	p.proc.Open = []string{o.log()}
	return p
}

func (o *OpenCode) log() string { return filepath.Join(o.root, "log", "opencode.log") }

// process works in a session.
func (o *OpenCode) process(f *ocFile, s Start) *opencode {
	p := &opencode{o: o, start: s, file: f, role: o.Roles[0]}
	if s.Mode != "" {
		p.role = s.Mode
	}
	p.process = process{w: o.w, h: p, agent: "opencode", by: Person, id: f.id, path: f.path, last: f.last}
	return p
}

// fresh is a session that nothing is known of yet.
func (o *OpenCode) fresh(s Start, now time.Time) *ocFile {
	below, err := filepath.Rel(o.w.Home, s.Dir) // a world is the same wherever it lies
	if err != nil {
		below = s.Dir
	}
	sum := sha1.Sum([]byte(below)) //nolint:gosec // see above
	id := o.id("ses_", now, true)
	project := hex.EncodeToString(sum[:])
	return &ocFile{id: id, title: o.title(id, now), dir: s.Dir, project: project, parent: s.Parent, created: now,
		path: filepath.Join(o.root, "storage", "session", project, id+".json")}
}

// headless: it ends with its turn.
func (p *opencode) headless() bool { return p.server == nil && p.process.headless() }

// put writes a file anew, in the way that was asked for.
func (p *opencode) put(now time.Time, text string, folders ...string) error {
	path := filepath.Join(append([]string{p.o.root, "storage"}, folders...)...) + ".json"
	switch p.writing {
	case Late:
		p.later(now.Add(late), path, text)
		return nil
	case Torn:
		p.later(now.Add(10*time.Millisecond), path, text)
		text = text[:len(text)/2]
	}
	return replaceAt(path, []byte(text), now)
}

func (p *opencode) later(at time.Time, path, text string) {
	p.rest = append(p.rest, ocWrite{path, text})
	if p.restAt.IsZero() {
		p.restAt = at
	}
}

// Next writes what is late, and does what is due.
func (p *opencode) Next(now time.Time) (time.Time, error) {
	if !p.restAt.IsZero() && !p.restAt.After(now) {
		rest := p.rest
		p.rest, p.restAt, p.writing = nil, time.Time{}, Whole
		for _, w := range rest {
			if err := replaceAt(w.path, []byte(w.text), now); err != nil {
				return time.Time{}, err
			}
		}
	}
	at, err := p.process.Next(now)
	if err != nil {
		return time.Time{}, err
	}
	if !p.restAt.IsZero() && (at.IsZero() || p.restAt.Before(at)) {
		at = p.restAt
	}
	return at, p.failure()
}

// failure gives an error of a hook that cannot give one itself.
func (p *opencode) failure() error {
	err := p.err
	p.err = nil
	return err
}

// part writes a part of a message.
func (p *opencode) part(now time.Time, id, msg, body string, pairs ...string) {
	pairs = append(pairs, "ms", strconv.FormatInt(now.UnixMilli(), 10), "msg", msg)
	p.note(p.put(now, fill(ocPart, "id", id, "sid", p.id, "msg", msg, "body", fill(body, pairs...)), "part", msg, id))
}

func (p *opencode) note(err error) { p.err = errors.Join(p.err, err) }

// assistant writes the answer that is under way; end: it has ended.
func (p *opencode) assistant(now time.Time, end bool, finish, failure string) {
	completed, in, out := "", "0", "0"
	if end {
		completed = `,"completed":` + strconv.FormatInt(now.UnixMilli(), 10)
	}
	if finish != "" {
		in, out, finish = "100", "10", `,"finish":"`+finish+`"`
	}
	if failure != "" {
		failure = `"error":` + failure + `,`
	}
	p.note(p.put(now, fill(ocAssistant, "id", p.msg, "sid", p.id, "created", strconv.FormatInt(p.born.UnixMilli(), 10), "completed", completed, "error", failure,
		"parent", p.user, "provider", p.o.Provider, "agent", p.role, "dir", quote(p.start.Dir), "in", in, "out", out, "finish", finish), "message", p.id, p.msg))
}

// Prompt begins a turn.
func (p *opencode) Prompt(text string, by By, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	if !p.Idle() {
		return ErrCannot
	}
	return p.give(text, by, now)
}

func (p *opencode) give(text string, by By, now time.Time) error {
	if p.o.files[p.id] == nil {
		p.o.files[p.id] = p.file
		p.note(errors.Join(p.o.save(p.file, now), p.copyRows(now)))
	}
	stop := p.file.last
	if p.user = p.wish; p.user == "" {
		p.user = p.o.id("msg_", now, false)
	}
	p.wish, p.last, p.file.last = "", p.user, p.user
	switch {
	case p.piped:
		text = "\n" + text
	case p.headless() && strings.Contains(text, " "): // as run keeps an argument with a blank
		text = `"` + text + `"` + "\n"
	}
	p.note(p.put(now, fill(ocUser, "id", p.user, "sid", p.id, "ms", strconv.FormatInt(now.UnixMilli(), 10), "agent", p.role, "provider", p.o.Provider), "message", p.id, p.user))
	p.part(now, p.o.id("prt_", now, false), p.user, ocText, "text", quote(text))
	return errors.Join(p.begins(stop, by, now), p.failure())
}

// wrote is the row that stands for a request; own retries write none.
func (p *opencode) wrote(now time.Time) {
	if p.try > 0 {
		return
	}
	p.msg, p.born = p.o.id("msg_", now, false), now
	p.last, p.file.last = p.msg, p.msg
	p.assistant(now, false, "", "")
}

func (p *opencode) status(time.Time) error { return nil }
func (p *opencode) fires(time.Time) error  { return nil }

// step writes the parts of an answer.
func (p *opencode) step(now time.Time, reason string, body ...string) {
	for _, b := range body {
		p.part(now, p.o.id("prt_", now, false), p.msg, b)
	}
	p.part(now, p.o.id("prt_", now, false), p.msg, ocEnded, "reason", reason)
}

func (p *opencode) answered(now time.Time) error {
	p.step(now, "stop", ocBegan, ocSaid)
	p.assistant(now, true, "stop", "")
	for _, b := range []struct{ kind, body string }{{"step_start", ocBegan}, {"text", ocSaid}, {"step_finish", ocEnded}} {
		p.print(now, b.kind, `"part":`+fill(ocPart, "id", p.o.id("prt_", now, false), "sid", p.id, "msg", p.msg, "body",
			fill(b.body, "reason", "stop", "ms", strconv.FormatInt(now.UnixMilli(), 10))))
	}
	return p.over(now, 0)
}

func (p *opencode) called(now time.Time) {
	p.part(now, p.o.id("prt_", now, false), p.msg, ocBegan)
	p.tool = p.o.id("prt_", now, false)
	p.part(now, p.tool, p.msg, ocRuns)
}

func (p *opencode) returned(now time.Time) {
	p.part(now, p.tool, p.msg, ocRan)
	p.step(now, "tool-calls")
	p.assistant(now, true, "tool-calls", "")
	p.tool = ""
}

// patience: what may pass is tried again, after Retry-After however long that is. Without headers a delay is
// at most 30 s.
func (p *opencode) patience(n int) (time.Duration, bool) {
	switch p.answer.Kind {
	case RateLimited, UsedUp, Overloaded, Broken, Unreachable, Cut:
	default:
		return 0, false
	}
	wait := time.Second << min(n, 16)
	wait += time.Duration(p.w.Rand.Int64N(int64(wait) / 4))
	switch {
	case p.answer.RetryAfter > 0:
		wait = min(p.answer.RetryAfter, math.MaxInt32*time.Millisecond)
	case p.answer.Kind == Unreachable || p.answer.Kind == Cut:
		wait = min(wait, 30*time.Second)
	}
	return wait, p.o.Retries < 0 || n <= p.o.Retries
}

func (p *opencode) retries(time.Time, int, time.Duration) {}

func (p *opencode) failed(now time.Time) error {
	failure := p.o.fails(p.answer, now)
	finish := ""
	if p.answer.Kind == TooLong {
		finish = "error"
	}
	p.assistant(now, true, finish, failure)
	p.print(now, "error", `"error":`+failure)
	return p.over(now, 0)
}

// over ends a turn. A command that went on from another folder never sees that, and a run ends with 0 whatever came of it.
func (p *opencode) over(now time.Time, code int) error {
	if p.headless() && !p.lost {
		return p.exit(now, code, false)
	}
	return p.failure()
}

func (p *opencode) gone(_ time.Time, hard bool) error {
	if hard {
		p.rest, p.restAt = nil, time.Time{}
	}
	return nil
}

func (p *opencode) print(now time.Time, kind, body string) {
	if p.out != nil && !p.lost {
		_, _ = io.WriteString(p.out, fill(ocPrints, "type", kind, "ms", strconv.FormatInt(now.UnixMilli(), 10), "sid", p.id, "body", body)) // a reader that is gone is none of its business
	}
}

// Do is what a person or the machine does to it. It writes nothing when a signal ends it, but in a terminal's wait.
func (p *opencode) Do(m Move, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	code := map[Move]int{Interrupt: 130, Terminate: 143, Hangup: 129, Crash: 137}[m]
	switch {
	case p.server != nil && m != Interrupt && m != Approve:
		return p.server.end(now, code)
	case m == Crash, p.headless() && m != Quit && code > 0, m == Terminate:
		return p.exit(now, code, true)
	case m == Interrupt:
		p.abort(now)
		return p.failure()
	case m == Quit && !p.headless(), m == Hangup:
		if m == Quit || p.phase == retrying {
			p.abort(now)
		}
		return errors.Join(p.failure(), p.exit(now, code, false))
	case m == Clear && !p.headless() && p.Idle():
		return p.turn()
	case m == Approve && p.phase == question:
		p.enter(tooling, now.Add(orSecond(p.answer.Tool)))
		return nil
	}
	return ErrCannot
}

// abort ends the turn. In the wait before an own retry nothing says why.
func (p *opencode) abort(now time.Time) {
	switch p.phase {
	case idle:
		return
	case retrying:
		p.assistant(now, true, "", "")
	default:
		if p.tool != "" {
			p.part(now, p.tool, p.msg, ocRan)
		}
		p.assistant(now, true, "", ocAborted)
	}
	p.tool, p.ask = "", nil
	p.enter(idle, time.Time{})
}

var (
	_ Forker  = (*OpenCode)(nil)
	_ Session = (*opencode)(nil)
)
