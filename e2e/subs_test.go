//go:build linux

package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// A sub-agent that a limit stops while its session goes on, or stops with it.

// subs answers the sub-agent with sub, begins it with tool, and then answers the session with the answers of the queue.
func (w *world) subs(tool, sub provider.Answer) {
	begun := false
	w.provider.SetRule(func(r provider.Request) *provider.Answer {
		switch {
		case strings.Contains(r.LastUser, subtask):
			return &sub
		case !begun:
			begun = true
			return &tool
		}
		return nil
	})
}

// toldOnce: its user is told once of one sub-agent of the session.
func (c *clawd) toldOnce(session, reason, words string) string {
	c.w.t.Helper()
	e := c.wait("subagent_stopped", "session", session, "reason", reason)
	why := e.text("why")
	if !strings.HasPrefix(why, "a sub-agent stopped before it was done: ") || !strings.Contains(why, words) {
		c.w.t.Errorf("told %q", why)
	}
	c.quiet(10 * time.Second)
	if n := len(c.entries("subagent_stopped")); n != 1 {
		c.w.t.Errorf("told %d times", n)
	}
	return why
}

// TestSubClaude332: a session whose sub-agent was stopped finishes, and stays finished; clawd says so once, also after a restart.
func TestSubClaude332(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, claude332)
	w.useLogin()
	c := w.startClawd(settings{})
	tool := provider.ToolCall("Agent", map[string]any{"description": "look", "prompt": subtask, "subagent_type": "general-purpose", "run_in_background": false})
	w.subs(tool, provider.UsageLimit(provider.FiveHour, 2*time.Minute))
	if r := w.start(w.project, nil, "-p", "say done", "--output-format", "stream-json", "--verbose", "--allowedTools", "Agent").wait(); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	id := w.only()
	why := c.toldOnce(id, "usage_limit", ", 5-hour limit, resets ")
	if out := w.startProgram(os.Getenv(envInside), "why", id).wait(); out.code() != 0 || !strings.Contains(out.stdout(), "Its sub-agent general-purpose ") {
		t.Errorf("clawd why: %d: %s", out.code(), out.output())
	}
	c.sigterm()
	c = w.startClawd(settings{})
	w.never(150*time.Second, "told or resumed again", func() bool { // the limit ends meanwhile
		return len(c.entries("subagent_stopped"))+len(c.entries("resume_started"))+len(c.entries("resume_scheduled")) > 0
	})
	w.wantMain(3)
	if !strings.Contains(why, "general-purpose") {
		t.Errorf("told %q", why)
	}
}

// TestSubOpencode: the session stops as well. Its resume names the sub-agent, and clawd knows its prompt, which opencode keeps in quotes.
func TestSubOpencode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, opencode)
	c := w.startClawd(settings{base: "15s"})
	limit := w.rateLimitFor(5).AfterMS(50)
	w.subs(provider.ToolCall("task", map[string]any{"description": "look", "prompt": subtask, "subagent_type": "general"}), limit)
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	if r := w.prompt("say done"); r.code() != 1 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	id := w.only()
	c.resumedOnce(id)
	why := c.toldOnce(id, "rate_limit", ", rate limit")
	c.namedIn(id, why)
}

// TestSubCodex171: the end of the session's run cuts the sub-agent off, and nothing tells the model.
func TestSubCodex171(t *testing.T) {
	t.Parallel()
	w := newWorld(t, codex171)
	c := w.startClawd(settings{base: "15s"})
	sub, release := provider.Hold(provider.Text("Nothing is there."))
	defer release()
	w.subs(provider.ToolCall("multi_agent_v1.spawn_agent", map[string]any{"message": subtask}), sub)
	limit, stops := provider.Hold(w.rateLimitFor(5))
	defer stops()
	w.provider.Queue(w.failing(limit)...)
	r := w.startPrompt(w.project, "say done")
	w.waitMain(3) // the sub-agent's among them: it is at work when its session's run ends
	stops()
	if r.wait(); r.code() != 1 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	stop := c.wait("session_stopped", "reason", "rate_limit")
	id := stop.text("session")
	c.resumedOnce(id)
	why := c.toldOnce(id, "interrupted", ", ended with its session")
	c.namedIn(id, why)
}

// TestSubQwen024: the session goes on without its sub-agent and finishes. The session's file has the request that it failed with.
func TestSubQwen024(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, qwen024)
	c := w.startClawd(settings{})
	w.subs(provider.ToolCall("agent", map[string]any{"description": "look", "prompt": subtask, "subagent_type": "general-purpose"}), provider.RateLimit())
	// The sub-agent's tries alone take over a minute.
	if r := w.startProgram(w.program, "-p", "say done", "--approval-mode", "yolo").wait(); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	id := w.only()
	if why := c.toldOnce(id, "rate_limit", ", rate limit"); !strings.Contains(why, "general-purpose") {
		t.Errorf("told %q", why)
	}
	if n := len(c.entries("resume_scheduled")); n != 0 {
		t.Errorf("it was to be resumed %d times", n)
	}
}

// TestSubLiveOpencode: the prompt that is typed into the session's terminal names the sub-agent, too.
func TestSubLiveOpencode(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, opencode)
	c := w.startClawd(settings{base: "15s"})
	p := w.openTerminal(false)
	w.subs(provider.ToolCall("task", map[string]any{"description": "look", "prompt": subtask, "subagent_type": "general"}), w.rateLimitFor(5).AfterMS(50))
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	p.asks("say done")
	id := c.wait("resume_started", "plan", "tmux").text("session")
	c.resumedOnce(id)
	c.namedIn(id, c.toldOnce(id, "rate_limit", ", rate limit"))
}

// TestSubLiveOpencodeServer: so does the prompt that is sent to its server.
func TestSubLiveOpencodeServer(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, opencode)
	w.env = append(w.env, "OPENCODE_SERVER_PASSWORD=dummy-password")
	c := w.startClawd(settings{base: "15s"})
	w.subs(provider.ToolCall("task", map[string]any{"description": "look", "prompt": subtask, "subagent_type": "general"}), w.rateLimitFor(5).AfterMS(50))
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	id := prompted(w)
	c.wait("resume_started", "session", id, "plan", "http")
	c.resumedOnce(id)
	c.namedIn(id, c.toldOnce(id, "rate_limit", ", rate limit"))
}

// namedIn: the prompt of clawd's resume names the sub-agent that its user was told of, and is taken for clawd's own.
func (c *clawd) namedIn(id, why string) {
	c.w.t.Helper()
	c.resumedOnce(id)
	who, _, _ := strings.Cut(why, ",")
	sub := who[strings.LastIndexByte(who, ' ')+1:]
	want := "continue (sub-agent " + sub + " stopped early: check its work)"
	main := c.w.provider.Main()
	if last := main[len(main)-1].LastUser; sub == "" || !strings.Contains(last, want) {
		c.w.t.Errorf("asked %q, want %q", last, want)
	}
	c.quiet(10 * time.Second)
	if n, hand := c.starts(), len(c.entries("resume_cancelled")); n != 1 || hand != 0 {
		c.w.t.Errorf("%d starts, %d times by hand", n, hand)
	}
}
