//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// What a session of Claude Code left to run in the background wakes it when it ends: at once, with a turn of
// the session's own. A turn that a limit stopped meanwhile goes on with it.

func TestBackgroundClaude332(t *testing.T) { backgroundCases(t, claude332) }
func TestBackgroundClaude329(t *testing.T) { backgroundCases(t, claude329) }
func TestBackgroundClaude197(t *testing.T) { backgroundCases(t, claude197) }

func backgroundCases(t *testing.T, a agentCase) {
	t.Parallel()
	for name, run := range map[string]func(*testing.T, agentCase){"Agent": backgroundAgentCase, "Shell": backgroundShellCase, "Server": backgroundServerCase} {
		t.Run(name, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			run(t, a)
		})
	}
}

const subtask = "look around in the folder"

// leavesBehind runs a turn that begins something in the background and then stops at a rate limit.
// Its sub-agent is answered with sub.
func leavesBehind(t *testing.T, a agentCase, base string, tool, sub provider.Answer) (*world, *clawd, *terminal, string) {
	w := newWorld(t, a)
	c := w.startClawd(settings{base: base})
	p := w.openTerminal(false, "--permission-mode", "default", "--allowedTools", "Bash,Task,Agent")
	w.provider.SetRule(func(r provider.Request) *provider.Answer {
		if strings.Contains(r.LastUser, subtask) {
			return &sub
		}
		return nil
	})
	w.provider.Queue(tool)
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	p.asks("say done")
	c.wait("session_stopped", "reason", "rate_limit")
	return w, c, p, w.only()
}

func agentTool() provider.Answer {
	return provider.ToolCall("Agent", map[string]any{
		"description": "look", "prompt": subtask, "subagent_type": "general-purpose", "run_in_background": true})
}

// wentOnByItself: the session's own turn ended the wait, and nothing was typed.
func wentOnByItself(w *world, c *clawd, p *terminal, id string) {
	w.t.Helper()
	c.wait("resume_cancelled", "session", id, "outcome", "by_hand")
	p.shows("All done.")
	c.quiet(15 * time.Second)
	if n := len(c.entries("resume_started")); n != 0 || strings.Contains(p.screen(), "❯ continue") {
		w.t.Errorf("%d starts; the screen:\n%s", n, p.screen())
	}
}

// backgroundAgentCase: the wait is over while a sub-agent still works.
func backgroundAgentCase(t *testing.T, a agentCase) {
	sub, release := provider.Hold(provider.Text("Nothing is there."))
	defer release()
	w, c, p, id := leavesBehind(t, a, "5s", agentTool(), sub)
	c.wait("resume_postponed", "session", id)
	c.quiet(10 * time.Second)
	release()
	wentOnByItself(w, c, p, id)
}

// backgroundShellCase: a command ends in the wait.
func backgroundShellCase(t *testing.T, a agentCase) {
	w, c, p, id := leavesBehind(t, a, "40s", provider.ToolCall("Bash", map[string]any{
		"command": "until [ -e go ]; do sleep 1; done", "description": "wait", "run_in_background": true}), provider.Answer{})
	c.quiet(5 * time.Second)
	if err := os.WriteFile(filepath.Join(w.project, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wentOnByItself(w, c, p, id)
}

// backgroundServerCase: a command that never ends, as a server, wakes nothing. The session goes on without it.
func backgroundServerCase(t *testing.T, a agentCase) {
	w, c, p, id := leavesBehind(t, a, "5s", provider.ToolCall("Bash", map[string]any{
		"command": "until [ -e go ]; do sleep 1; done", "description": "serve", "run_in_background": true}), provider.Answer{})
	c.resumedOnce(id)
	p.shows("All done.")
	c.quiet(10 * time.Second)
	w.wantMain(w.stops() + 2)
}

// TestBackgroundBehindMenu: the menu of the usage limit keeps an agent's end waiting. When clawd has closed it the
// session goes on by itself.
func TestBackgroundBehindMenu(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, claude197)
	w.useLogin()
	c := w.startClawd(settings{})
	p := w.openTerminal(false, "--permission-mode", "default", "--allowedTools", "Agent")
	sub, release := provider.Hold(provider.Text("Nothing is there."))
	defer release()
	// An answer within the same instant as the tool's result may not get into the transcript. No real provider is that fast.
	limit, answer := provider.Hold(provider.Answer{})
	defer answer()
	var reset time.Time // counted from the first request: how long a start takes is for the machine to say
	w.provider.SetRule(func(r provider.Request) *provider.Answer {
		switch {
		case strings.Contains(r.LastUser, subtask):
			return &sub
		case reset.IsZero():
			reset = r.At.Add(time.Minute).Truncate(time.Minute).Add(time.Minute) // versions that tell it as a text tell whole minutes
			gate := limit.Gate
			limit = provider.UsageLimitUntil(provider.FiveHour, reset)
			limit.Gate = gate
			a := agentTool()
			return &a
		case r.At.Before(reset):
			return &limit
		}
		return nil
	})
	p.asks("say done")
	w.eventually(agentTime, "the tool's result in the transcript", func() bool {
		return slices.ContainsFunc(w.sessions(), func(id string) bool { return strings.Contains(w.transcript(id), `"tool_result"`) })
	})
	answer()
	p.shows("What do you want to do?")
	c.wait("session_stopped", "reason", "usage_limit")
	release()
	w.eventually(2*agentTime, "the session's own turn", func() bool { return strings.Contains(p.screen(), "All done.") })
	c.quiet(30 * time.Second)
	w.wantMain(4)
	if strings.Contains(p.screen(), "❯ continue") {
		t.Errorf("the screen:\n%s", p.screen())
	}
}
