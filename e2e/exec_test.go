//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// clawd exec, with the real agents.
var execCases = []struct {
	name     string
	everyday bool
	run      func(*testing.T, agentCase)
}{
	{"Turns", true, execTurnsCase},
	{"RateLimit", false, execRateLimitCase},
	{"Unauthorized", false, execUnauthorizedCase},
	{"Limit", false, execLimitCase},
	{"NoSession", false, execNoSessionCase},
	{"Killed", false, execKilledCase},
	{"Orphaned", false, execOrphanedCase},
	{"Timeout", false, execTimeoutCase},
	{"BesideDaemon", false, execBesideDaemonCase},
	{"BesideWindow", false, execBesideWindowCase},
}

func TestExecClaude332(t *testing.T) { runExec(t, claude332) }
func TestExecClaude329(t *testing.T) { runExec(t, claude329) }
func TestExecClaude197(t *testing.T) { runExec(t, claude197) }
func TestExecOpencode(t *testing.T)  { runExec(t, opencode) }
func TestExecOpencode3(t *testing.T) { runExec(t, opencode3) }
func TestExecCodex171(t *testing.T)  { runExec(t, codex171) }
func TestExecCodex120(t *testing.T)  { runExec(t, codex120) }
func TestExecCopilot(t *testing.T)   { runExec(t, copilot) }
func TestExecCopilot65(t *testing.T) { runExec(t, copilot65) }
func TestExecGemini061(t *testing.T) { runExec(t, gemini061) }
func TestExecGemini028(t *testing.T) { runExec(t, gemini028) }
func TestExecPi160(t *testing.T)     { runExec(t, pi160) }
func TestExecPi152(t *testing.T)     { runExec(t, pi152) }
func TestExecPi80(t *testing.T)      { runExec(t, pi80) }
func TestExecPi73(t *testing.T)      { runExec(t, pi73) }
func TestExecQwen024(t *testing.T)   { runExec(t, qwen024) }
func TestExecQwen015(t *testing.T)   { runExec(t, qwen015) }

func runExec(t *testing.T, a agentCase) {
	t.Parallel()
	for _, c := range execCases {
		if (a.isGemini() || a.isPi() || a.isQwen() || a.isCopilot()) && (c.name == "Limit" || c.name == "BesideDaemon") {
			continue // a limit of theirs tells no time, or is a throttle
		}
		if a.older() && c.name != "Turns" && c.name != "RateLimit" && c.name != "Unauthorized" && c.name != "BesideWindow" {
			continue // these read the most of what a version writes and prints
		}
		if c.name == "RateLimit" && (a == opencode3 || a == qwen015) {
			continue // they try for minutes, or for ever
		}
		t.Run(c.name, func(t *testing.T) {
			if !c.everyday {
				onlyInAll(t)
			}
			t.Parallel()
			c.run(t, a)
		})
	}
}

// answer is what clawd exec prints.
type answer struct {
	Success   bool
	Result    string
	Errors    []string
	Session   string `json:"session_id"`
	Recovered bool
	Attempts  int
	Usage     struct {
		Input  int64    `json:"input_tokens"`
		Output int64    `json:"output_tokens"`
		Cost   *float64 `json:"total_cost_usd"`
	}
	Stop struct {
		Reason  string
		Window  string
		ResetAt *time.Time `json:"reset_at"`
	}
}

// startExec starts clawd exec in the project.
func (w *world) startExec(args ...string) *run {
	w.t.Helper()
	bin := os.Getenv(envInside)
	if reason, failed := strings.CutPrefix(bin, "!"); failed || bin == "" {
		w.t.Fatalf("no clawd to test: %s", reason)
	}
	config := w.root + "/exec.toml"
	if err := os.WriteFile(config, []byte("[resume]\nbase = \"1s\"\nmargin = \"1s\"\n[agent."+w.agent.kind+"]\ncommand = \""+w.program+"\"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return w.begin(3*agentTime, w.project, nil, bin, append([]string{"exec", "--config", config, "--agent", w.agent.kind, "--base-delay", "500ms"}, args...)...)
}

// exec runs it to its end and checks how it ended.
func (w *world) exec(code int, args ...string) answer {
	w.t.Helper()
	return w.startExec(args...).answer(code)
}

func (r *run) answer(code int) answer {
	r.w.t.Helper()
	r.wait()
	var a answer
	if err := json.Unmarshal([]byte(r.stdout()), &a); err != nil || r.code() != code || a.Success != (code == 0) {
		r.w.t.Fatalf("exit code %d (%v), want %d\n%s", r.code(), err, code, r.output())
	}
	return a
}

// Three turns are one conversation: the last request holds what the first ones said.
func execTurnsCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	id := ""
	var used []int64
	for i, prompt := range []string{"my number is 4711", "my color is blue", "what do you know of me?"} {
		w.provider.Queue(provider.Text("answer " + string(rune('1'+i))))
		args := []string{prompt}
		if id != "" {
			args = []string{"--resume", id, prompt}
		}
		got := w.exec(0, args...)
		if id == "" {
			id = got.Session
		}
		if got.Session != id || id == "" || got.Result != "answer "+string(rune('1'+i)) || got.Attempts != 1 || got.Recovered || got.Stop.Reason != "completed" || (got.Usage.Input == 0) != a.isCopilot() { // which prints no tokens
			t.Errorf("turn %d: %+v", i+1, got)
		}
		if used = append(used, got.Usage.Input); used[i] != used[0] { // the provider counts every request alike
			t.Errorf("turn %d: input tokens %d: not of this turn alone", i+1, used)
		}
		if cost := got.Usage.Cost != nil; cost != (a.isClaude() || a.isOpencode() || a.isPi()) {
			t.Errorf("turn %d: cost %v", i+1, got.Usage.Cost)
		}
	}
	w.wantMain(3)
	last := w.provider.Main()[2]
	for _, want := range []string{"4711", "answer 1", "blue", "answer 2"} {
		if !strings.Contains(string(last.Body), want) {
			t.Errorf("the third request does not hold %q", want)
		}
	}
	if left := w.agents(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// execFailing are the answers with which one run of the agent fails.
func (w *world) execFailing(a provider.Answer) []provider.Answer {
	if w.agent.isGemini() {
		return w.failing(a)[1:] // but the tool call
	}
	return w.failing(a)
}

func execRateLimitCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	for range 2 {
		w.provider.Queue(w.execFailing(provider.RateLimit())...)
	}
	w.provider.Queue(provider.Text("All done."))
	got := w.exec(0, "count the frogs")
	if got.Attempts != 3 || got.Result != "All done." || len(got.Errors) != 2 {
		t.Errorf("%+v", got)
	}
	if ids := w.sessions(); len(ids) != 1 || ids[0] != got.Session {
		t.Errorf("sessions %v, want one: %s", ids, got.Session)
	}
	main := w.provider.Main()
	if n := strings.Count(string(main[len(main)-1].Body), "count the frogs"); n != 1 {
		t.Errorf("the request stands %d times in the last one", n)
	}
}

func execUnauthorizedCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	w.provider.Queue(provider.Unauthorized(), provider.Unauthorized(), provider.Unauthorized())
	if got := w.exec(1, "say done"); got.Attempts != 1 || got.Stop.Reason != "auth" {
		t.Errorf("%+v", got)
	}
}

// execLimited are the answers of a plan's limit that resets in d.
func (w *world) execLimited(d time.Duration) []provider.Answer {
	if w.agent.isClaude() {
		w.useLogin()
	}
	return w.execFailing(provider.UsageLimit(provider.FiveHour, d))
}

func execLimitCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	w.provider.Queue(w.execLimited(5 * time.Second)...)
	got := w.exec(0, "--wait-limit", "1m", "say done")
	if got.Attempts != 2 || got.Result != "All done." {
		t.Errorf("%+v", got)
	}
	w.provider.Queue(w.execLimited(time.Hour)...)
	got = w.exec(75, "say done")
	if got.Attempts != 1 || got.Stop.Reason != "usage_limit" || got.Stop.ResetAt == nil || time.Until(*got.Stop.ResetAt).Round(10*time.Minute) != time.Hour {
		t.Errorf("%+v", got)
	}
}

// unknownID has the form of an id and is none.
func (w *world) unknownID() string {
	if w.agent.isOpencode() {
		return "ses_0000000000000000000000000a"
	}
	return "0198b6f0-0000-7000-8000-000000000000"
}

func execNoSessionCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	id := w.unknownID()
	got := w.exec(4, "--resume", id, "say done")
	if len(got.Errors) == 0 || !strings.Contains(got.Errors[0], id) || !strings.Contains(got.Errors[0], w.home()) || got.Attempts != 0 {
		t.Errorf("%+v", got)
	}
	w.wantMain(0)
	got = w.exec(0, "--resume-or-new", id, "say done")
	if !got.Recovered || got.Session == id || got.Session == "" || got.Result != "All done." {
		t.Errorf("%+v", got)
	}
	if again := w.exec(0, "--resume-or-new", got.Session, "say done"); again.Recovered || again.Session != got.Session {
		t.Errorf("%+v", again)
	}
}

// The agent is killed from outside in mid turn: that is said, and nothing is done again.
func execKilledCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.Queue(held)
	r := w.startExec("say done")
	w.waitMain(1)
	for _, pid := range w.processes() { // launchers, workers, tools
		if pid != r.cmd.Process.Pid {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	got := r.answer(1)
	if got.Stop.Reason != "crashed" || got.Attempts != 1 {
		t.Errorf("%+v", got)
	}
	// Claude Code writes its lines in batches: killed now it may have kept nothing to go on with.
	if kept := strings.Join(w.sessions(), " "); got.Session != kept && (got.Session != "" || !a.isOpencode()) {
		t.Errorf("session %q, and the agent kept %q", got.Session, kept)
	}
	w.wantMain(1)
}

// execOrphanedCase: clawd exec is killed in mid turn, and could end nothing. Its agent ends all the same: nobody waits for what it would do.
func execOrphanedCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.Queue(held)
	r := w.startExec("say done")
	w.waitMain(1)
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	w.eventually(agentTime, "the end of all processes", func() bool { return len(w.processes()) == 0 })
	w.wantMain(1)
}

// execTimeoutCase: the agent runs a tool that ignores SIGTERM. Nothing is left of either.
func execTimeoutCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	w.slowTool()
	stubborn := "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n"
	if err := os.WriteFile(filepath.Join(w.project, "wait.sh"), []byte(stubborn), 0o700); err != nil {
		t.Fatal(err)
	}
	tool, key := "bash", "command"
	var args []string
	switch {
	case a.isClaude():
		tool, args = "Bash", []string{"--allowedTools", "Bash(./wait.sh:*)"}
	case a.isCodex():
		tool, key = "exec_command", "cmd"
	case a.isCopilot():
		args = []string{"--allow-all-tools"}
	case a.isGemini(), a.isQwen():
		tool, args = "run_shell_command", []string{"--approval-mode", "yolo"}
	}
	began := time.Now()
	w.exec(0, "say done")
	timeout := (20*time.Second + 4*time.Since(began)).String() // how long a start takes is for the machine to say
	late, release := provider.Hold(provider.Text("late"))      // Codex asks on while the tool runs
	defer release()
	w.provider.Queue(provider.ToolCall(tool, map[string]any{key: "./wait.sh", "description": "wait"}), late)
	r := w.startExec(append(append([]string{"--timeout", timeout, "--"}, args...), "run it")...)
	w.eventually(agentTime, "the tool's process", func() bool { return w.running("sleep") })
	if got := r.answer(124); got.Attempts != 1 || got.Session == "" {
		t.Errorf("%+v", got)
	}
	w.eventually(time.Minute, "the end of all processes", func() bool { return len(w.processes()) == 0 })
}

// A daemon beside it leaves the session to clawd exec: there is one continuation.
func execBesideDaemonCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	limited := w.execLimited(8 * time.Second)
	w.provider.Queue(limited...)
	c := w.startClawd(settings{base: "1s", margin: "1s"})
	got := w.exec(0, "--wait-limit", "1m", "say done")
	if got.Attempts != 2 || got.Result != "All done." {
		t.Errorf("%+v", got)
	}
	c.quiet(10 * time.Second)
	if n := w.main(); n != len(limited)+1 {
		t.Errorf("%d requests, want %d", n, len(limited)+1)
	}
	if started := c.entries("resume_started"); len(started) > 0 {
		t.Errorf("the daemon resumed it, too: %v", started)
	}
	// What it gave up is its caller's, too.
	w.provider.Queue(w.execLimited(8 * time.Second)...)
	w.exec(75, "say done")
	n := w.main()
	w.never(20*time.Second, "the daemon went on with a session of clawd exec", func() bool { return w.main() != n })
}

// A window that shows the session, or may, has it alone.
func execBesideWindowCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	p := w.openTerminal(false)
	p.asks("say done")
	p.shows("All done.")
	w.eventually(agentTime, "a session", func() bool { return len(w.sessions()) == 1 })
	id, n := w.only(), w.settledMain()
	got := w.exec(1, "--resume", id, "say it again")
	if len(got.Errors) == 0 || !strings.Contains(got.Errors[0], "open") {
		t.Errorf("%+v", got)
	}
	w.wantMain(n)
}
