package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
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
	wrap          func(whole) agent.Agent // what the daemon sees in place of the agent; nil: the agent
	wrapSecond    func(whole) agent.Agent // the same for the second one
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
	// Lean would collect the garbage of the whole test program, several times for each daemon.
	r.o = Options{Config: cfg, Version: "test", Log: zerolog.New(r.log),
		Env:     agent.Env{Home: root, Getenv: func(string) string { return "" }, Procs: r.procs, Zone: time.UTC},
		Paths:   Paths{ConfigPath: "clawd.toml", StateDir: filepath.Join(root, "state"), UserDir: filepath.Join(root, "user")},
		Manager: Manager{GoingDown: func() bool { return false }}, Parts: Parts{Trigger: r.children, Lean: func() {}}}
	return r
}

// clock is a wall clock that can be set.
type clock struct {
	ahead atomic.Int64
	asked atomic.Int64 // so many times
}

func (c *clock) now() time.Time {
	c.asked.Add(1)
	return time.Now().Add(time.Duration(c.ahead.Load()))
}

func (c *clock) jump(d time.Duration) { c.ahead.Add(int64(d)) }

// start runs the daemon until the test's end, or until down.
func (r *rig) start() {
	r.t.Helper()
	r.watch = newEvents()
	r.o.Watch = func() (Watcher, error) { return r.watch, nil }
	d, err := New(r.o)
	if err != nil {
		r.t.Fatal(err)
	}
	d.clock.Wall = r.clock.now
	if r.wrap != nil {
		d.agents[0] = r.wrap(d.agents[0].(whole))
	}
	if r.wrapSecond != nil {
		d.agents[1] = r.wrapSecond(d.agents[1].(whole))
	}
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
// on), limit (429), plan (usage limit, an hour to go), window (usage limit, no reset time), auth, odd (no rule explains it).
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
	case "window": // its reset time is not told
		return failed("You've hit your 5-hour limit", `"error":"rate_limit","apiErrorStatus":429,"apiError":"usage_limit_reached","quotaLimits":{"status":"rejected","rateLimitType":"five_hour"}`)
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
		return fmt.Sprintf(`{"type":"user","permissionMode":"acceptEdits","message":{"role":"user","content":"say done"},%s}`+"\n", head) + asked(id)
	default: // the text of a prompt
		return fmt.Sprintf(`{"type":"user","permissionMode":"acceptEdits","message":{"role":"user","content":%q},%s}`+"\n", kind, head) + asked(id)
	}
}

// asked are the lines in which 2.1.329 says with what it asks the model: here, without any limits.
func asked(id string) string {
	var tools []string
	for _, name := range strings.Fields("Agent Bash CronCreate CronDelete CronList Edit EnterWorktree ExitWorktree ListAgents Monitor NotebookEdit " +
		"Read ReportFindings ScheduleWakeup SendMessage Skill TaskStop WebFetch WebSearch Workflow Write") {
		tools = append(tools, fmt.Sprintf(`{"name":%q}`, name))
	}
	return fmt.Sprintf(`{"type":"api-request-shape","sessionId":%q,"shapeHash":"f00d","shape":{"tools":[%s]}}`+"\n", id, strings.Join(tools, ",")) +
		fmt.Sprintf(`{"type":"api-request","sessionId":%q,"querySource":"sdk","shapeHash":"f00d","params":{"model":"claude-opus-5-5"}}`+"\n", id)
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

// write stores a transition behind the loop's back, as a clawd did that was killed before it could act on it.
func (r *rig) write(ds detect.Session, f func(state.Session, state.Books) (*state.Change, error)) {
	r.t.Helper()
	r.d.loop.ask(func(l *loop) {
		c, err := f(l.w.Books.Record(ds), l.w.Books)
		if err == nil {
			err = r.d.store.Commit(c)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	})
}

// hold has a stop that waits held, as an attempt does that nobody can judge.
func (r *rig) hold(ds detect.Session, key, why string) {
	r.t.Helper()
	r.d.loop.ask(func(l *loop) {
		seat := l.seats[state.Key(ds)]
		rec := seat.s.Rec
		if rec.Stop.Key != key {
			r.t.Fatalf("it waits for %s", rec.Stop.Key)
		}
		do := func(c *state.Change, err error) {
			if err == nil {
				err = r.d.store.Commit(c)
			}
			if err != nil {
				r.t.Fatal(err)
			}
			rec = c.Session
		}
		do(rec.Taken(l.w.Books, resume.Claim{Token: "held"}), nil)
		do(rec.Fired(l.w.Books, *rec.Claim))
		do(rec.Settled(l.w.Books, *rec.Claim, resume.Outcome{Verdict: resume.Unsure, Why: why}, state.Read{}, nil))
		seat.s = machine.New(rec, true)
		l.file(seat)
	})
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
	return slices.DeleteFunc(l.all(), func(m map[string]any) bool { return m["event"] != name })
}

func (l *logBuffer) all() []map[string]any {
	var all []map[string]any
	for line := range strings.Lines(l.String()) {
		m := map[string]any{}
		if json.Unmarshal([]byte(line), &m) == nil {
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
	env  map[int][]string
}

func (p *table) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *table) Boot() (b string)     { p.set(func() { b = p.boot }); return b }
func (p *table) Machine() string      { return "" }
func (p *table) PIDNamespace() string { return "pid:[1]" }
func (p *table) InnerPID(pid int) int { return pid }
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
func (p *table) Argv(pid int) (a []string)    { p.set(func() { a = p.argv[pid] }); return a }
func (p *table) Cwd(pid int) (s string)       { p.set(func() { s = p.cwd[pid] }); return s }
func (p *table) Environ(pid int) (e []string) { p.set(func() { e = p.env[pid] }); return e }
func (*table) Listens(int) []int              { return nil }
func (p *table) Opens(int) []string           { return nil }

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
