//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// Sessions whose terminal is open. Each case stops a turn there and looks at what clawd does.
var liveCases = []struct {
	name     string
	everyday bool
	run      func(*testing.T, agentCase)
}{
	{"Tmux", true, func(t *testing.T, a agentCase) { wokenCase(t, a, false) }},
	{"Wrap", false, func(t *testing.T, a agentCase) { wokenCase(t, a, true) }},
	{"HalfTyped", false, func(t *testing.T, a agentCase) { halfTypedCase(t, a, false) }},
	{"HalfTypedWrap", false, func(t *testing.T, a agentCase) { halfTypedCase(t, a, true) }},
	{"Quit", false, quitCase},
	{"LocalCommands", false, localCommandsCase},
	{"Cleared", false, clearedCase},
}

func TestLiveClaude332(t *testing.T) { runLive(t, claude332) }
func TestLiveClaude329(t *testing.T) { runLive(t, claude329) }
func TestLiveClaude197(t *testing.T) { runLive(t, claude197) }
func TestLiveOpencode(t *testing.T)  { runLive(t, opencode) }
func TestLiveOpencode3(t *testing.T) { runLive(t, opencode3) }
func TestLiveCodex171(t *testing.T)  { runLive(t, codex171) }
func TestLiveCodex120(t *testing.T)  { runLive(t, codex120) }
func TestLiveCopilot(t *testing.T)   { runLive(t, copilot) }
func TestLiveCopilot65(t *testing.T) { runLive(t, copilot65) }
func TestLiveGemini061(t *testing.T) { runLive(t, gemini061) }
func TestLiveGemini028(t *testing.T) { runLive(t, gemini028) }
func TestLivePi160(t *testing.T)     { runLive(t, pi160) }
func TestLivePi152(t *testing.T)     { runLive(t, pi152) }
func TestLivePi80(t *testing.T)      { runLive(t, pi80) }
func TestLivePi73(t *testing.T)      { runLive(t, pi73) }
func TestLiveQwen024(t *testing.T)   { runLive(t, qwen024) }
func TestLiveQwen015(t *testing.T)   { runLive(t, qwen015) }

func runLive(t *testing.T, a agentCase) {
	t.Parallel()
	for _, c := range liveCases {
		if !a.isOpencode() && !a.isCodex() && !a.isGemini() && !a.isPi() && a != qwen015 && c.name == "Cleared" {
			continue // a lock or a registry names the session that its window shows
		}
		if (a.isPi() || a.isQwen() || a.isCopilot() || a == gemini028) && c.name == "LocalCommands" {
			continue // behind their output the window does not end in the failure, and nothing is typed
		}
		if a.older() && (c.name == "Wrap" || c.name == "HalfTyped") {
			continue // HalfTypedWrap and the plain terminal are enough of them
		}
		t.Run(c.name, func(t *testing.T) {
			if !c.everyday || a == qwen024 { // its own tries take a minute and a half
				onlyInAll(t)
			}
			t.Parallel()
			c.run(t, a)
		})
	}
}

// stopsOpen runs a turn in an open terminal into a limit. base is how long clawd waits then, also where the agent records what the
// provider asked for.
func (w *world) stopsOpen(wrapped bool, base time.Duration) (*clawd, *terminal, string) {
	w.t.Helper()
	c := w.startClawd(settings{base: base.String()})
	p := w.openTerminal(wrapped)
	last, reason := w.stopsWindow(base)
	seen := w.failsSeen(last)
	p.asks("say done")
	w.eventually(agentTime, "a session", func() bool { return len(w.sessions()) == 1 })
	id := w.only()
	seen(c, id)
	c.wait("session_stopped", "session", id, "reason", reason)
	return c, p, id
}

// stopsWindow is an answer that a turn in a terminal ends with, and what clawd calls that. wait is what a provider may ask to wait.
func (w *world) stopsWindow(wait time.Duration) (last provider.Answer, reason string) {
	switch {
	case w.agent.isGemini(): // in a terminal it asks again for ever after a 429
		return provider.Cut("half an ans"), "network"
	case w.agent == qwen015: // it takes a minute and a half over its tries after a 429, and clawd waits two more, for it may go on
		return provider.ServerError(), "server_error"
	}
	return w.rateLimitFor(int(wait.Seconds())), w.limited()
}

// limited is what clawd calls a stop by rateLimitFor.
func (w *world) limited() string {
	if w.agent == opencode3 {
		return "usage_limit"
	}
	return "rate_limit"
}

// failsSeen has the next turn fail. seen waits until clawd has seen it run in its terminal, which pi's records do not tell later: here
// pi's own tries take less than a second, so its last answer is held until then.
func (w *world) failsSeen(last provider.Answer) (seen func(c *clawd, id string)) {
	answers := w.failing(last)
	if !w.agent.isPi() {
		w.provider.Queue(answers...)
		return func(*clawd, string) {}
	}
	held, release := provider.Hold(last)
	w.t.Cleanup(release)
	w.provider.Queue(append(answers[:len(answers)-1], held)...)
	return func(c *clawd, id string) {
		w.t.Helper()
		c.wait("turn_seen", "session", id)
		release()
	}
}

func wokenCase(t *testing.T, a agentCase, wrapped bool) {
	w := newWorld(t, a)
	if w.look = dark; wrapped {
		w.look = small
	}
	w.wakes(wrapped)
}

// wakes stops a turn in a window and has clawd go on there.
func (w *world) wakes(wrapped bool) {
	w.t.Helper()
	c, p, id := w.stopsOpen(wrapped, 5*time.Second)
	way := "tmux"
	if wrapped {
		way = "pty"
	}
	c.wait("resume_started", "session", id, "plan", way)
	c.resumedOnce(id)
	p.shows("All done.")
	c.quiet(15 * time.Second)
	w.wantMain(w.stops() + 1)
	if n := c.starts(); n != 1 {
		w.t.Errorf("%d starts", n)
	}
	if got := w.only(); got != id {
		w.t.Errorf("session %s, want %s", got, id)
	}
}

// halfTypedCase: what its user has begun to type stays as it is. Once it is taken out again, the wait is over.
func halfTypedCase(t *testing.T, a agentCase, wrapped bool) {
	w := newWorld(t, a)
	c, p, id := w.stopsOpen(wrapped, 20*time.Second)
	p.types("half a thought")
	c.wait("session_blocked", "session", id)
	c.quiet(10 * time.Second)
	w.wantMain(w.stops())
	if s := p.screen(); strings.Contains(s, "continue") || !strings.Contains(s, "half a thought") {
		t.Errorf("the screen:\n%s", s)
	}
	for range len("half a thought") {
		p.keys("BSpace")
	}
	c.resumedOnce(id)
	w.wantMain(w.stops() + 1)
}

// localCommandsCase: what its user does in the wait that asks no model ends no wait.
func localCommandsCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c, p, id := w.stopsOpen(false, 40*time.Second)
	type command struct{ text, shows string }
	commands := []command{{"!ls -a", ".git"}}
	if a.isClaude() {
		commands = []command{{"/rename other", "Session renamed to: other"}, {"/context", "Free space"}}
	}
	for _, x := range commands {
		for _, key := range x.text { // by hand: what comes at once is taken for a paste
			p.text(string(key))
			if a.isOpencode() { // the key itself is not drawn
				p.shows("Shell")
			} else {
				p.shows(x.text[:1])
			}
		}
		p.presses("Enter", x.shows, p.showing(x.shows))
		if a.isGemini() || a.isOpencode() {
			p.keys("Escape") // it stays in the mode of the shell
		}
	}
	c.resumedOnce(id)
	if n := len(c.entries("resume_cancelled")); n != 0 {
		t.Errorf("the wait was ended: %v", c.entries("resume_cancelled"))
	}
	c.quiet(5 * time.Second)
	w.wantMain(w.stops() + 1)
}

// quitCase: the pane shows a shell now. Its user quit, and nothing is done.
func quitCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c, p, id := w.stopsOpen(false, 20*time.Second)
	w.waitMain(w.stops()) // some agents record each of their own tries
	p.quits()
	c.wait("session_left", "session", id)
	c.quiet(25 * time.Second)
	w.wantMain(w.stops())
	if _, shell, _ := strings.Cut(p.screen(), "the agent ended"); asksToGoOn(shell) {
		t.Errorf("typed into a shell:\n%s", shell)
	}
}

// begins has the agent's user begin a new session in the same window.
func (p *terminal) begins(command string) {
	p.w.t.Helper()
	p.types(command)
	// The first one may only take what the agent suggests.
	p.presses("Enter", "a new session", func() bool { return !strings.Contains(p.screen(), "say done") })
}

// clearedCase: its user has begun a new session in the same window, which is empty yet. Nothing is typed
// into it.
func clearedCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c, p, _ := w.stopsOpen(false, 30*time.Second)
	w.waitMain(w.stops()) // as in quitCase
	command := "/clear"
	if a.isOpencode() || a.isPi() {
		command = "/new"
	}
	p.begins(command)
	c.quiet(45 * time.Second)
	w.wantMain(w.stops())
	if n := len(c.entries("resume_started")); n != 0 || asksToGoOn(p.screen()) || strings.Contains(p.screen(), "say done") {
		t.Errorf("%d starts; the screen:\n%s", n, p.screen())
	}
}
