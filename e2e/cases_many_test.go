//go:build linux

package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// refusedCase has a session that the agent does not want although its files are there. For Claude
// Code, Codex and Gemini a wrapper sends the resumes to a config folder without sessions (2.1.329 of the
// first finds a session wherever its file lies); opencode does not load a row with a field that it
// cannot decode.
func refusedCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	s := settings{}
	empty := w.dir("empty")
	elsewhere := func(word, variable string) {
		s.command = w.script(a.kind, fmt.Sprintf("case \" $* \" in *' %s '*) export %s=%s ;; esac\nexec %s \"$@\"\n", word, variable, quoted(empty), quoted(w.program)))
	}
	switch {
	case a.isClaude():
		elsewhere("--resume", "CLAUDE_CONFIG_DIR")
	case a.isCodex():
		elsewhere("resume", "CODEX_HOME")
		w.write("../empty/config.toml", w.codexConfig())
	case a.isGemini():
		elsewhere("--resume", "GEMINI_CLI_HOME")
		w.writeGeminiConfig("../empty/.gemini")
	}
	var c *clawd
	if !a.isOpencode() { // clawd sees with which options the run is started
		c = w.startClawd(s)
	}
	id := w.stopped(w.rateLimit())
	if a.isOpencode() {
		w.spoilRow(id)
		c = w.startClawd(s)
	}
	e := c.waitFor(2*agentTime, "session_recovered", "old", id)
	fresh := e.text("new")
	if fresh == "" || fresh == id {
		t.Errorf("the new session is %q", fresh)
	}
	c.quiet(6 * time.Second)
	main := w.provider.Main()
	if len(main) != w.stops()+1 {
		t.Fatalf("the provider saw %d requests of turns, want %d", len(main), w.stops()+1)
	}
	last := main[len(main)-1]
	if a.isOpencode() {
		if dir := w.query(`select directory from session where id = ?`, fresh); len(dir) != 1 || dir[0] != w.project {
			t.Errorf("the new session works in %q", dir)
		}
	}
	if last.Session != fresh && !a.isGemini() || !strings.Contains(last.LastUser, id) {
		t.Errorf("the hand-off went to session %s and does not name %s:\n%s", last.Session, id, last.LastUser)
	}
}

func (w *world) spoilRow(id string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.home(), ".local", "share", "opencode", "opencode.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`update session set revert = '{"a":1}' where id = ?`, id); err != nil {
		w.t.Fatal(err)
	}
}

func twentyCase(t *testing.T, a agentCase) {
	const parallel = 2
	sessions := 20
	if a.isOpencode() { // each takes twenty seconds of processor time
		sessions = 5
	}
	w := newWorld(t, a)
	w.provider.SetRule(limitFirst(w))
	var c *clawd
	seen := a.isClaude() && a.version == claude197.version
	if seen { // it records no options, so clawd must see them; on a slow machine the first are due before all have stopped
		c = w.startClawd(settings{maxParallel: parallel, base: "2m"})
	}
	w.startMany(sessions)
	ids := w.sessions()
	if len(ids) != sessions {
		t.Fatalf("%d sessions, want %d", len(ids), sessions)
	}
	if stops := w.settledMain() - len(w.wentOn()); stops != sessions*w.stops() {
		t.Errorf("%d requests were limited, want %d", stops, sessions*w.stops())
	}
	if !seen {
		c = w.startClawd(settings{maxParallel: parallel})
	}
	for _, id := range ids {
		c.waitFor(15*time.Minute, "resume_succeeded", "session", id)
	}
	c.quiet(5 * time.Second)
	w.wantMain(sessions * (w.stops() + 1))
	starts := map[string]int{}
	for _, e := range c.entries("resume_started") {
		starts[e.text("session")]++
	}
	for id, n := range starts {
		if want := 1 + len(c.entries("resume_failed", "session", id, "outcome", "no_effect", "proof", "output: the session was never opened")); n != want {
			t.Errorf("%s was started %d times, want %d", id, n, want)
		}
	}
	if most := overlap(w.wentOn()); most > parallel {
		t.Errorf("%d ran at a time, want at most %d", most, parallel)
	}
}

// wentOn are the requests of turns that met no limit.
func (w *world) wentOn() []provider.Request {
	return slices.DeleteFunc(w.provider.Main(), func(r provider.Request) bool { return r.Status != http.StatusOK })
}

// limitFirst stops each session once; afterwards an answer takes two seconds.
func limitFirst(w *world) func(provider.Request) *provider.Answer {
	asked := map[string]int{}
	return func(r provider.Request) *provider.Answer {
		asked[r.Session]++
		a := provider.RateLimit()
		switch n := asked[r.Session]; {
		case n < w.stops():
			a = a.AfterMS(50)
		case n == w.stops():
			a = w.rateLimit()
		default:
			a = provider.Text("All done.")
			a.Delay = 2 * time.Second
		}
		return &a
	}
}

// startMany runs sessions to their stop, three at a time, each in a folder of its own: in the folder
// of another, the later would be the retry of a script, and clawd would leave the earlier. opencode
// runs one at a time: it waits for no lock while it starts, and some of several that start at once
// fail with "database is locked", with or without clawd.
func (w *world) startMany(n int) {
	w.t.Helper()
	parallel := 3
	if w.agent.isOpencode() {
		parallel = 1
	}
	slots := make(chan struct{}, parallel)
	var runs []*run
	for i := range n {
		slots <- struct{}{}
		r := w.startPrompt(w.folder(fmt.Sprintf("many%d", i)), "say done")
		runs = append(runs, r)
		go func() { <-r.done; <-slots }()
	}
	for _, r := range runs {
		if r.wait().code() != 1 {
			w.t.Fatalf("exit code %d, want 1\n%s", r.code(), r.output())
		}
	}
}

// overlap is the largest number of requests that were open at one moment.
func overlap(requests []provider.Request) (most int) {
	type edge struct {
		at   time.Time
		step int
	}
	var edges []edge
	for _, r := range requests {
		edges = append(edges, edge{r.At, 1}, edge{r.End, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return a.at.Compare(b.at) })
	open := 0
	for _, e := range edges {
		open += e.step
		most = max(most, open)
	}
	return most
}

// loopCase has the shell loop that people use instead of clawd, beside clawd.
func loopCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	// The loop begins anew within seconds after the reset, clawd waits longer than that. With a
	// reset late in its minute a version that writes only the minute would wake at once.
	ahead := w.planLimit(15*time.Second, true)
	c := w.startClawd(settings{margin: "30s"})
	line := quoted(w.program) + " -p 'say done' --output-format stream-json --verbose"
	switch {
	case a.isCodex():
		line = quoted(w.program) + " exec --json 'say done'"
	case a.isOpencode():
		line = quoted(w.program) + " run --format json -m fakeclaude/demo-claude 'say done'"
	}
	loop := w.startProgram(w.script("loop", "while ! "+line+" </dev/null; do sleep 1; done\n"))
	done := sync.OnceFunc(func() { loop.signal(syscall.SIGKILL) })
	defer done()
	w.eventually(4*time.Minute, "the end of the loop", func() bool {
		select {
		case <-loop.done:
			return true
		default:
			return false
		}
	})
	c.wait("session_stopped", "reason", "usage_limit")
	good := func() int { return len(w.wentOn()) }
	if n := good(); n != 1 {
		t.Errorf("%d requests went on when the loop ended, want 1", n)
	}
	w.never(time.Until(ahead())+75*time.Second, "a second continuation reached the provider", func() bool { return good() > 1 })
}

// loginAndKeyCase: who pays must not change.
func loginAndKeyCase(t *testing.T, a agentCase) {
	const otherKey = "sk-ant-api03-another-dummy-key"
	w := newWorld(t, a)
	w.planLimit(15*time.Second+time.Duration(w.stops())*time.Second, false)
	login := dummyLogin
	if !a.isClaude() {
		login = dummyKey
		w.useOpencodeLogin()
	}
	c := w.startClawd(settings{env: []string{"ANTHROPIC_API_KEY=" + otherKey}})
	if r := w.prompt("say done"); r.code() != 1 {
		t.Fatalf("exit code %d, want 1\n%s", r.code(), r.output())
	}
	id := w.only()
	if e := c.waitFor(3*time.Minute, "resume_started", "session", id); e.text("auth") != "login" {
		t.Errorf("auth = %q, want login", e.text("auth"))
	}
	c.resumedOnce(id)
	for _, r := range w.provider.Requests() {
		if r.Key == otherKey || r.Bearer == otherKey {
			t.Fatalf("%s %s carried the API key", r.Method, r.Path)
		}
	}
	main := w.provider.Main()
	last := main[len(main)-1]
	if got := last.Bearer + last.Key; got != login {
		t.Errorf("the resume was paid by %q, want %q", got, login)
	}
}
