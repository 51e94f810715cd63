package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// rig is a daemon in a synctest bubble: the real claude adapter over real files, the real store,
// and a process table, file events and children of our own.
type rig struct {
	t             *testing.T
	root, project string
	o             Options
	procs         *table
	watch         *events
	children      *children
	log           *logBuffer
	clock         clock
	d             *Daemon
	ended         chan error
	work          context.Context
	stop          context.CancelFunc
}

func newRig(t *testing.T) *rig {
	t.Helper()
	root := t.TempDir()
	r := &rig{t: t, root: root, project: filepath.Join(root, "work"), procs: &table{boot: "boot-1", argv: map[int][]string{}},
		log: &logBuffer{}}
	r.children = &children{r: r}
	if err := os.Mkdir(r.project, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(r.session("x").Path), 0o700); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(root, "claude")
	put(t, program, "#!/bin/sh\necho '2.1.329 (Claude Code)'\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Watch.Agents = []any{"claude"}
	cfg.Resume.Jitter, cfg.Notify.Desktop = 0, false
	cfg.Agent = map[string]agent.Config{"claude": {Command: program, ConfigDir: filepath.Join(root, "agent")}}
	r.o = Options{Config: cfg, ConfigPath: "clawd.toml", Version: "test",
		Env:      agent.Env{Home: root, Getenv: func(string) string { return "" }, Procs: r.procs, Zone: time.UTC},
		StateDir: filepath.Join(root, "state"), UserDir: filepath.Join(root, "user"), Trigger: r.children, Log: zerolog.New(r.log),
		GoingDown: func() bool { return false }}
	return r
}

// start runs the daemon until the test's end, or until down.
func (r *rig) start() {
	r.t.Helper()
	r.watch = newEvents()
	r.o.Watch = func() (Watcher, error) { return r.watch, nil }
	d, err := New(r.o)
	if err != nil {
		r.t.Fatal(err)
	}
	d.sleeper.now = r.clock.now
	r.d, r.ended = d, make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	r.work, r.stop = ctx, stop
	go func() { r.ended <- d.Run(ctx) }()
	r.t.Cleanup(r.down)
	synctest.Wait()
}

// down ends the daemon.
func (r *rig) down() {
	r.t.Helper()
	if r.d == nil {
		return
	}
	r.stop()
	if err := <-r.ended; err != nil {
		r.t.Errorf("Run: %v", err)
	}
	r.d = nil
	if r.t.Failed() {
		r.t.Logf("log:\n%s", r.log)
	}
}

// pass lets time pass.
func (r *rig) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) agentDir() string { return filepath.Join(r.root, "agent") }

func (r *rig) session(id string) detect.Session {
	folder := regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(r.project, "-")
	return detect.Session{Agent: "claude", ID: id, Path: filepath.Join(r.agentDir(), "projects", folder, id+".jsonl")}
}

// add appends lines to a session and sends the file event.
func (r *rig) add(id string, lines ...string) {
	r.t.Helper()
	path := r.session(id).Path
	put(r.t, path, strings.Join(lines, ""))
	if r.d != nil {
		r.watch.send(fsnotify.Event{Name: path, Op: fsnotify.Write})
		synctest.Wait()
	}
}

// record is one line in the shape of 2.1.329. kinds: user, meta, answer, open (an answer that goes
// on), limit (429), plan (usage limit, an hour to go), auth, odd (no rule explains it).
func (r *rig) record(id, kind, key, entry string) string {
	if key == "" {
		key = uuid.NewString()
	}
	head := fmt.Sprintf(`"uuid":%q,"parentUuid":null,"isSidechain":false,"timestamp":%q,"entrypoint":%q,"cwd":%q,"sessionId":%q,"version":"2.1.329"`,
		key, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), entry, r.project, id)
	failed := func(text, more string) string {
		return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":%q}]},"isApiErrorMessage":true,%s,%s}`+"\n", key, text, more, head)
	}
	switch kind {
	case "limit":
		return failed("API Error: Request rejected (429) · try later", `"error":"rate_limit","apiErrorStatus":429,"apiErrorType":"rate_limit_error"`)
	case "plan":
		reset := time.Now().Add(time.Hour).Unix()
		return failed("You've hit your 5-hour limit · resets 1:00am (UTC)", fmt.Sprintf(
			`"error":"rate_limit","apiErrorStatus":429,"apiError":"usage_limit_reached","quotaLimits":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"}`, reset))
	case "auth":
		return failed("Invalid API key · Please run /login", `"error":"authentication_failed","apiErrorStatus":401`)
	case "odd": // no rule explains it
		return failed("The moon is in the wrong phase, see /home/dev/private/moon", `"error":"unknown"`)
	case "answer":
		return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%s","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"},%s}`+"\n", key, head)
	case "open":
		return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%s","role":"assistant","model":"claude-opus-5-5","content":[{"type":"tool_use","name":"Bash"}],"stop_reason":"tool_use"},%s}`+"\n", key, head)
	case "meta":
		return fmt.Sprintf(`{"type":"user","isMeta":true,"permissionMode":"default","message":{"role":"user","content":"Continue from where you left off."},%s}`+"\n", head)
	case "user":
		return fmt.Sprintf(`{"type":"user","permissionMode":"acceptEdits","message":{"role":"user","content":"say done"},%s}`+"\n", head)
	default: // the text of a prompt
		return fmt.Sprintf(`{"type":"user","permissionMode":"acceptEdits","message":{"role":"user","content":%q},%s}`+"\n", kind, head)
	}
}

func (r *rig) line(id, kind string) string { return r.record(id, kind, "", "sdk-cli") }

// stopped writes a headless session that has just stopped.
func (r *rig) stopped(kind string) (id, key string) {
	id, key = uuid.NewString(), uuid.NewString()
	r.add(id, r.line(id, "user"), r.record(id, kind, key, "sdk-cli"))
	return id, key
}

// rec is the session in the store.
func (r *rig) rec(id string) state.Session {
	r.t.Helper()
	rec, ok, err := r.d.store.Session(r.session(id))
	if err != nil || !ok {
		r.t.Fatalf("session %s in the store: %v %v", id, ok, err)
	}
	return rec
}

func (r *rig) wantPhase(id string, want state.Phase) state.Session {
	r.t.Helper()
	rec := r.rec(id)
	if rec.Phase != want {
		r.t.Fatalf("phase %s, want %s; log:\n%s", rec.Phase, want, r.log)
	}
	return rec
}

func (r *rig) resumes() int {
	r.t.Helper()
	st, err := r.d.store.Stats()
	if err != nil {
		r.t.Fatal(err)
	}
	return st.TotalResumes
}

// logBuffer collects the log, as JSON lines.
type logBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) events(name string) []map[string]any {
	var all []map[string]any
	for line := range strings.Lines(l.String()) {
		m := map[string]any{}
		if json.Unmarshal([]byte(line), &m) == nil && m["event"] == name {
			all = append(all, m)
		}
	}
	return all
}

// table is a process table of our own.
type table struct {
	mu   sync.Mutex // guards what follows
	boot string
	all  []agent.Proc
	argv map[int][]string
	cwd  map[int]string
}

func (p *table) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *table) Boot() (b string)     { p.set(func() { b = p.boot }); return b }
func (p *table) PIDNamespace() string { return "pid:[1]" }
func (p *table) Get(pid int) (agent.Proc, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pr := range p.all {
		if pr.PID == pid {
			return pr, true
		}
	}
	return agent.Proc{}, false
}

func (p *table) List() ([]agent.Proc, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]agent.Proc{}, p.all...), nil
}
func (p *table) Argv(pid int) (a []string) { p.set(func() { a = p.argv[pid] }); return a }
func (p *table) Cwd(pid int) (s string)    { p.set(func() { s = p.cwd[pid] }); return s }
func (p *table) Environ(int) []string      { return nil }
func (*table) Listens(int) []int           { return nil }
func (p *table) Opens(int) []string        { return nil }

// events is a Watcher that tells what the test says.
type events struct {
	mu     sync.Mutex // guards added
	added  map[string]bool
	events chan fsnotify.Event
	errors chan error
}

func newEvents() *events {
	return &events{added: map[string]bool{}, events: make(chan fsnotify.Event), errors: make(chan error)}
}

func (e *events) Add(path string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.added[path] = true
	return nil
}

func (e *events) has(path string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.added[path]
}

func (e *events) Events() <-chan fsnotify.Event { return e.events }
func (e *events) Errors() <-chan error          { return e.errors }
func (e *events) Close() error                  { return nil }

// send drops events of folders that nobody watches, as the system does.
func (e *events) send(ev fsnotify.Event) {
	if e.has(filepath.Dir(ev.Name)) {
		e.events <- ev
	}
}

// children is the trigger: it starts nothing and notes everything.
type children struct {
	r   *rig
	mu  sync.Mutex // guards what follows
	all []*child
	// act is what a child does once its gate is open; nil: it answers and ends.
	act func(c *child)
	// fail makes the start fail.
	fail error
	// claimed, when set, is called with a claim before its child is there.
	claimed func(resume.Claim)
	// The terminal, when a live holder has one.
	way     resume.Way
	blocked error
	looks   int
	dialog  string
	wrapped wrap.Info
}

type child struct {
	r     *rig
	claim resume.Claim
	pid   int
	done  chan struct{}
	once  sync.Once
	stops []bool // calls of Stop: polite
	proof string
}

func (cs *children) started() []*child {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return append([]*child{}, cs.all...)
}

func (cs *children) looked() int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.looks
}

func (cs *children) Start(_ context.Context, c resume.Claim) (resume.Run, error) {
	cs.mu.Lock()
	claimed := cs.claimed
	cs.mu.Unlock()
	if claimed != nil {
		claimed(c)
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.fail != nil {
		return nil, cs.fail
	}
	if h := c.Plan.Holder; c.Plan.Way.Live() {
		return &child{r: cs.r, claim: c, pid: h.PID}, nil
	}
	put(cs.r.t, c.Output, "")
	return &child{r: cs.r, claim: c, pid: 5000 + len(cs.all), done: make(chan struct{})}, nil
}

// Wrapped: what the test says.
func (cs *children) Wrapped(detect.Holder) (wrap.Info, bool) {
	return cs.wrapped, cs.wrapped.Child.PID != 0
}

// Way, Ready and Dialog: what the test says of the terminal.
func (cs *children) Way(detect.Holder) resume.Way { return cs.way }

func (cs *children) Ready(_ context.Context, _ detect.Session, _ detect.Stop, p resume.Plan) (resume.Plan, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.looks++
	return p, cs.blocked
}

func (cs *children) Dialog(context.Context, detect.Session, detect.Holder) (string, error) {
	return cs.dialog, nil
}

func (cs *children) Adopt(c resume.Claim) resume.Run {
	ch := &child{r: cs.r, claim: c, pid: c.PID, done: make(chan struct{})}
	if c.Plan.Way.Live() {
		return ch
	}
	if p, ok := cs.r.procs.Get(c.PID); !ok || c.Boot != cs.r.procs.Boot() || p.Start != c.Start {
		ch.end()
	}
	return ch
}

func (c *child) PID() int { return c.pid }

func (c *child) Start() uint64 {
	if c.claim.Plan.Way.Live() {
		return c.claim.Plan.Holder.Start
	}
	return uint64(c.pid)
}

func (c *child) Done() <-chan struct{} { return c.done }
func (c *child) Abort()                { c.end() }

// Untouched is what the test says of it.
func (c *child) Untouched(context.Context) string { return c.proof }
func (c *child) Working(context.Context) bool     { return false }

func (c *child) Active() time.Time { return time.Now() }

// end takes the child out of the process table.
func (c *child) end() {
	c.once.Do(func() {
		c.r.end(c.pid)
		close(c.done)
	})
}

func (c *child) Alive() bool {
	if c.claim.Plan.Way.Live() {
		p, ok := c.r.procs.Get(c.pid)
		return ok && p.Start == c.claim.Plan.Holder.Start
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

func (c *child) Stop(polite bool) {
	c.stops = append(c.stops, polite)
	c.end()
}

func (c *child) TrimOutput(func() error) error { return nil }

// Open makes the mark as the shim does, and lets the child act.
func (c *child) Open(context.Context) (resume.Gate, string, error) {
	body, err := json.Marshal(c.claim)
	if err != nil {
		return "", "", err
	}
	f, err := os.OpenFile(c.claim.Mark, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		c.end()
		return resume.GateMarked, "", nil
	}
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	if _, err := f.Write(append(body, '\n')); err != nil {
		return "", "", err
	}
	live := c.claim.Plan.Way.Live()
	c.r.procs.set(func() {
		if live {
			return
		}
		c.r.procs.all = append(c.r.procs.all, agent.Proc{PID: c.pid, Group: c.pid, Leader: c.pid, Start: c.Start(), Comm: "claude"})
		c.r.procs.argv[c.pid] = c.claim.Plan.Argv
	})
	cs := c.r.children
	cs.mu.Lock()
	cs.all = append(cs.all, c)
	act := cs.act
	cs.mu.Unlock()
	if act == nil {
		act = func(c *child) {
			c.ask()
			c.say("answer")
			if !live {
				c.end()
			}
		}
	}
	act(c)
	return resume.GateExec, "", nil
}

// ask writes the prompt of the child's plan.
func (c *child) ask() {
	if c.claim.Plan.Form == resume.FormIdempotent {
		c.say("meta")
	} else {
		c.say("continue")
	}
}

func (c *child) say(kind string) {
	entry := "sdk-cli"
	if c.claim.Plan.Way.Live() {
		entry = interactive
	}
	put(c.r.t, c.claim.Session.Path, c.r.record(c.claim.Session.ID, kind, "", entry))
}

// opened prints that the session was opened.
func (c *child) opened() {
	put(c.r.t, c.claim.Output, fmt.Sprintf(`{"type":"system","subtype":"init","session_id":%q}`+"\n", c.claim.Session.ID))
}
