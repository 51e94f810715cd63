//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/internal/scripttest"
)

// settings are the parts of clawd's config that the cases differ in. The rest is cut short for
// all of them, by clawd's own keys.
type settings struct {
	base        string // backoff
	margin      string
	grace       string
	inlineWait  string // max_inline_wait
	probe       string // the one step of the ladder
	maxStopAge  string
	maxParallel int
	perDay      int        // max_resumes_per_day
	left        bool       // resume also what its user quit, or what lost its terminal
	command     string     // the agent's program; empty: the pinned one
	env         []string   // further environment of clawd, KEY=VALUE
	args        []string   // [agent.NAME] args
	to          *agentCase // when_limited = "handoff:" this one
}

func (s settings) toml(w *world) string {
	or := func(v, d string) string {
		if v == "" {
			return d
		}
		return v
	}
	parallel := s.maxParallel
	if parallel == 0 {
		parallel = 3
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[notify]\ndesktop = false\n[log]\nlevel = \"debug\"\nformat = \"json\"\n")
	agents := []string{strconv.Quote(w.agent.kind)}
	if s.to != nil {
		agents = append(agents, strconv.Quote(s.to.kind))
	}
	fmt.Fprintf(&b, "[watch]\nagents = [%s]\nrescan = \"5s\"\n", strings.Join(agents, ", "))
	if s.maxStopAge != "" {
		fmt.Fprintf(&b, "max_stop_age = %q\n", s.maxStopAge)
	}
	if s.perDay > 0 {
		fmt.Fprintf(&b, "[budget]\nmax_resumes_per_day = %d\n", s.perDay)
	}
	fmt.Fprintf(&b, "[resume]\nbase = %q\ncap = \"2m\"\njitter = 0.0\nmargin = %q\nstagger = \"1s\"\ngrace = %q\nmax_inline_wait = %q\nmax_parallel = %d\n",
		or(s.base, "2s"), or(s.margin, "1s"), or(s.grace, "2s"), or(s.inlineWait, "0s"), parallel)
	if s.left {
		b.WriteString("after_quit = \"resume\"\nafter_hangup = \"resume\"\n")
	}
	if s.probe != "" {
		fmt.Fprintf(&b, "probe = [%q]\n", s.probe)
	}
	if s.to != nil {
		fmt.Fprintf(&b, "when_limited = \"handoff:%s\"\n[agent.%[1]s]\ncommand = %q\n", s.to.kind, s.to.bin(w.t))
	}
	fmt.Fprintf(&b, "[agent.%s]\ncommand = %q\n", w.agent.kind, or(s.command, w.program))
	if (w.agent == pi80 || w.agent == pi73) && s.args == nil {
		s.args = []string{"--tools", "read,bash,edit,write"} // else it resumes nothing: see TestPiToolsUnseen
	}
	for n, a := range s.args {
		if n == 0 {
			b.WriteString("args = [")
		}
		fmt.Fprintf(&b, "%q, ", a)
		if n == len(s.args)-1 {
			b.WriteString("]\n")
		}
	}
	b.WriteString(w.servers(w.agent))
	if s.to != nil {
		b.WriteString(w.servers(*s.to))
	}
	return b.String()
}

// servers is where an agent's requests go, in the config: what is in clawd's own environment proves nothing of a session that it
// did not see, nor of one that is yet to begin.
func (w *world) servers(a agentCase) string {
	at := fmt.Sprintf("http://127.0.0.1:%d", w.port)
	switch {
	case a.isClaude():
		return fmt.Sprintf("[agent.claude.env]\nANTHROPIC_BASE_URL = %q\n", at)
	case a.isQwen():
		named := fmt.Sprintf("[agent.qwen.env]\nOPENAI_BASE_URL = %q\n", at+"/v1")
		if a != w.agent { // how it is to pay stands in its settings alone, which clawd does not read
			named += fmt.Sprintf("ANTHROPIC_BASE_URL = %q\n", at)
		}
		return named
	case a.isGemini():
		return fmt.Sprintf("[agent.gemini.env]\nGOOGLE_GEMINI_BASE_URL = %q\n", at)
	case a.isCopilot() && a != w.agent:
		return fmt.Sprintf("[agent.copilot.env]\nCOPILOT_PROVIDER_BASE_URL = %q\n", at+"/v1")
	}
	return ""
}

// clawd is a running daemon. Its log is the interface that the cases look at.
type clawd struct {
	w    *world
	cmd  *exec.Cmd
	log  string // path; grows over restarts
	done chan struct{}
	from int // bytes of the log that belong to earlier starts
}

// entry is one line of the log.
type entry map[string]any

func (e entry) text(key string) string { s, _ := e[key].(string); return s }

func (e entry) number(key string) float64 { n, _ := e[key].(float64); return n }

// time of an entry, or of another field of it; zero when it is none.
func (e entry) time(key string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, e.text(key))
	return t
}

// startClawd starts the daemon and waits until it says so.
func (w *world) startClawd(s settings) *clawd {
	w.t.Helper()
	bin := os.Getenv(envInside)
	if reason, failed := strings.CutPrefix(bin, "!"); failed || bin == "" {
		w.t.Fatalf("no clawd to test: %s", reason)
	}
	config := filepath.Join(w.root, "clawd.toml")
	if err := os.WriteFile(config, []byte(s.toml(w)), 0o600); err != nil {
		w.t.Fatal(err)
	}
	c := &clawd{w: w, log: filepath.Join(w.root, "clawd.log"), done: make(chan struct{})}
	out, err := os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	if info, err := out.Stat(); err == nil {
		c.from = int(info.Size())
	}
	c.cmd = exec.Command(bin, "run", "--config", config)
	c.cmd.Dir, c.cmd.Env = w.root, append(append(w.environ(), "PWD="+w.root), s.env...) // as a shell starts it
	c.cmd.Stdout, c.cmd.Stderr = out, out
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(c.done)
		_ = c.cmd.Wait() // ProcessState tells
		_ = out.Close()
	}()
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("clawd's log:\n%s", readAll(c.log))
			w.logRuns()
			w.logTranscripts()
		}
	})
	c.wait("daemon_started")
	return c
}

// logTranscripts shows how the files end that the agent keeps as JSON lines: what clawd had to read.
func (w *world) logTranscripts() {
	const most = 1000
	_ = filepath.WalkDir(w.home(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".jsonl" {
			text := readAll(path)
			w.t.Logf("%s, %d bytes:\n%s", filepath.Base(path), len(text), text[max(0, len(text)-most):])
		}
		return nil
	})
}

// logRuns shows the end of what clawd's children printed.
func (w *world) logRuns() {
	const most = 2000
	files, _ := filepath.Glob(filepath.Join(w.root, "state", "clawd", "runs", "*")) // the pattern is a constant
	for _, f := range files {
		text := readAll(f)
		w.t.Logf("%s:\n%s", filepath.Base(f), text[max(0, len(text)-most):])
	}
}

// entries of this start that have the event and all the fields (name, value, name, value, ...).
// An empty event is any.
func (c *clawd) entries(event string, fields ...any) []entry {
	data, err := os.ReadFile(c.log)
	if err != nil {
		c.w.t.Fatal(err)
	}
	var found []entry
	for line := range bytes.Lines(data[c.from:]) {
		var e entry
		if json.Unmarshal(line, &e) != nil {
			continue // the last line may be half written
		}
		if (event == "" || e.text("event") == event) && e.has(fields) {
			found = append(found, e)
		}
	}
	return found
}

func (e entry) has(fields []any) bool {
	for pair := range slices.Chunk(fields, 2) {
		want := pair[1]
		if n, ok := want.(int); ok {
			want = float64(n)
		}
		if !reflect.DeepEqual(e[pair[0].(string)], want) {
			return false
		}
	}
	return true
}

// wait blocks until the log has such an entry, and returns the first.
func (c *clawd) wait(event string, fields ...any) entry {
	c.w.t.Helper()
	return c.waitFor(agentTime, event, fields...)
}

func (c *clawd) waitFor(limit time.Duration, event string, fields ...any) entry {
	c.w.t.Helper()
	var found []entry
	c.w.eventually(limit, fmt.Sprintf("log entry %s %v", event, fields), func() bool {
		if found = c.entries(event, fields...); len(found) > 0 {
			return true
		}
		if c.ended() && event != "daemon_stopped" {
			c.w.t.Fatalf("clawd ended while the test waited for %s %v", event, fields)
		}
		return false
	})
	return found[0]
}

func (c *clawd) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// kill9 is a crash.
func (c *clawd) kill9() {
	c.w.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.w.t.Fatal(err)
	}
	<-c.done
}

// sigterm is a clean stop, which may take five seconds.
func (c *clawd) sigterm() {
	c.w.t.Helper()
	began := time.Now()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.w.t.Fatal(err)
	}
	c.w.eventually(agentTime, "clawd's end after SIGTERM", c.ended)
	if took, code := time.Since(began), c.cmd.ProcessState.ExitCode(); took > 5*time.Second || code != 0 {
		c.w.t.Errorf("SIGTERM: ended after %s with exit code %d, want 0 within 5 s", took, code)
	}
	c.wait("daemon_stopped")
}

// resumedOnce waits for the success that most cases end with. It gives up at once when clawd has
// left the session for good.
func (c *clawd) resumedOnce(session string) {
	c.w.t.Helper()
	c.w.eventually(3*time.Minute, "log entry resume_succeeded for "+session, func() bool {
		if len(c.entries("resume_succeeded", "session", session)) > 0 { // its run may be told of after that
			return true
		}
		for _, end := range []string{"session_left", "resume_given_up"} {
			found := slices.DeleteFunc(c.entries(end, "session", session), func(e entry) bool { return e.text("reason") == "completed" })
			if len(found) > 0 {
				c.w.t.Fatalf("%s: %v", end, found[0])
			}
		}
		return false
	})
	if e := c.entries("resume_succeeded", "session", session)[0]; e.number("total_resumes") != 1 {
		c.w.t.Errorf("total_resumes = %v, want 1", e["total_resumes"])
	}
}

// starts counts the attempts that reached their agent. One that found the session taken at the last moment is none: the opencode server
// of a test beside this one may have any session open until it has opened its own database.
func (c *clawd) starts(fields ...any) int {
	started := c.entries("resume_started", fields...)
	n := len(started)
	for _, s := range c.entries("claim_settled", "message", "attempt not started, not counted") {
		if slices.ContainsFunc(started, func(e entry) bool { return e.text("session") == s.text("session") }) {
			n--
		}
	}
	return n
}

// quiet watches for some seconds that nothing more is fired and nothing more reaches the provider.
func (c *clawd) quiet(limit time.Duration) {
	c.w.t.Helper()
	started, asked := len(c.entries("resume_started")), c.w.main()
	c.w.never(limit, "something more was fired", func() bool {
		return len(c.entries("resume_started")) != started || c.w.main() != asked
	})
}

// script writes an executable beside HOME and returns its path.
func (w *world) script(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.root, name)
	scripttest.Write(w.t, path, "#!/bin/sh\n"+text)
	return path
}

// quoted is a word for the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
