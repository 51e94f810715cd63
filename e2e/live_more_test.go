//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// The pane is in copy mode: keys would go there.
func TestLiveCopyMode(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, claude329)
	c, p, id := w.stopsOpen(false, 30*time.Second)
	p.tmux("copy-mode")
	e := c.wait("session_blocked", "session", id)
	if !strings.Contains(e.text("why"), "copy mode") {
		t.Errorf("why: %s", e.text("why"))
	}
	c.quiet(5 * time.Second)
	w.wantMain(1)
}

// A permission question is open after the stop: its answer is its user's.
func TestLivePermission(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, a := range []agentCase{claude329, claude197} {
		t.Run(a.version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			c := w.startClawd(settings{base: "40s"})
			p := w.openTerminal(false, "--permission-mode", "default")
			w.provider.Queue(w.rateLimitFor(5))
			p.asks("say done")
			c.wait("session_stopped", "reason", "rate_limit")
			w.provider.Queue(provider.ToolCall("Bash", map[string]any{"command": "touch made", "description": "make a file"}))
			p.asks("make a file")
			p.shows("Do you want to")
			c.wait("resume_cancelled", "outcome", "by_hand")
			c.quiet(50 * time.Second)
			w.wantMain(2)
			if s := p.screen(); !strings.Contains(s, "Do you want to") {
				t.Errorf("somebody answered:\n%s", s)
			}
		})
	}
}

// ownContinue has a terminal of Claude Code arm its own continue for the end of a usage limit.
func ownContinue(t *testing.T, a agentCase, limit time.Duration, grace string) (*world, *clawd, *terminal, func() time.Time) {
	t.Helper()
	w := newWorld(t, a)
	reset := w.planLimit(limit, false)
	c := w.startClawd(settings{grace: grace})
	p := w.openTerminal(false)
	p.asks("say done")
	c.wait("session_stopped", "reason", "usage_limit", "state", "retrying")
	p.shows("ontinuing automatically")
	return w, c, p, reset
}

// Claude Code from 2.1.234 on goes on by itself after a usage limit: clawd does nothing.
func TestLiveGoesOnByItself(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w, c, p, reset := ownContinue(t, claude329, 45*time.Second, "2m") // as by default
	c.wait("standing_down")
	w.eventually(2*agentTime, "the agent's own continue", func() bool { return w.main() == 2 })
	if early := time.Until(reset()); early > 0 {
		t.Errorf("it went on %s before the reset", early)
	}
	p.shows("All done.")
	c.wait("resume_cancelled", "outcome", "by_hand")
	c.quiet(10 * time.Second)
	if n := len(c.entries("resume_started")); n != 0 {
		t.Errorf("%d starts", n)
	}
	w.wantMain(2)
}

// Its user drops that continue: the session is left.
func TestLiveOwnContinueDropped(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w, c, p, reset := ownContinue(t, claude329, 45*time.Second, "30s")
	p.presses("Escape", "the end of its own wait", p.showing("cancelled"))
	c.wait("session_left")
	c.quiet(time.Until(reset()) + 45*time.Second)
	w.wantMain(1)
}

// The agent turns its own continue off, which it says as a warning: clawd goes on then.
func TestLiveOwnContinueOff(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w, c, p, reset := ownContinue(t, claude332, 75*time.Second, "30s")
	w.writeJSON(".claude/settings.json", map[string]any{"autoContinueAtUsageLimit": false})
	p.shows("Automatic continue was turned off")
	c.wait("resume_started", "plan", "tmux")
	if early := time.Until(reset()); early > 0 {
		t.Errorf("it went on %s before the reset", early)
	}
	c.resumedOnce(w.only())
	p.shows("All done.")
	c.quiet(5 * time.Second)
	w.wantMain(2)
}

// Its user quits in that wait, which the agent says as a warning, too: a quit is a quit.
func TestLiveOwnContinueQuit(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w, c, p, reset := ownContinue(t, claude332, 45*time.Second, "5s")
	p.types("/exit")
	p.keys("Enter")
	p.shows("the agent ended")
	if id := w.only(); !strings.Contains(w.transcript(id), "exited during the wait") {
		t.Errorf("it does not say so:\n%s", w.transcript(id))
	}
	c.wait("session_left", "reason", "usage_limit")
	c.quiet(time.Until(reset()) + 15*time.Second)
	w.wantMain(1)
}

// Codex's terminal leaves the session to a background server, which takes prompts in its queue. What
// its user has begun to type stays.
func TestLiveCodexServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, codex171)
	c := w.startClawd(settings{base: "15s"})
	w.background = true
	p := w.openTerminal(false)
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	p.asks("say done")
	c.wait("session_stopped", "reason", "rate_limit")
	p.types("half a thought")
	c.wait("resume_started", "plan", "queue")
	c.resumedOnce(w.only())
	p.shows("All done.")
	c.quiet(10 * time.Second)
	w.wantMain(2)
	if s := p.screen(); !strings.Contains(s, "half a thought") {
		t.Errorf("the screen:\n%s", s)
	}
}

// The background server outlives the terminal whose user quit, and keeps the session open. Nothing is done.
func TestLiveCodexServerQuit(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, codex171)
	c := w.startClawd(settings{base: "20s"})
	w.background = true
	p := w.openTerminal(false)
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	p.asks("say done")
	c.wait("session_stopped", "reason", "rate_limit")
	p.quits()
	c.wait("session_left", "reason", "rate_limit")
	c.quiet(25 * time.Second)
	w.wantMain(1)
}

// Gemini's dialog of a used-up quota stands on the screen alone. Its item that repeats the request is
// chosen, by its number.
func TestLiveGeminiDialog(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, gemini061)
	c := w.startClawd(settings{probe: "1m"})
	p := w.openTerminal(false)
	w.provider.Queue(provider.UsageLimit(provider.SevenDay, time.Hour))
	p.asks("say done")
	p.shows("Usage limit reached")
	p.shows("Keep trying")
	c.waitFor(3*time.Minute, "session_stopped", "reason", "usage_limit")
	c.waitFor(3*time.Minute, "resume_started", "plan", "tmux")
	c.resumedOnce(w.only())
	p.shows("All done.")
	c.quiet(10 * time.Second)
	w.wantMain(2)
}

// opencodeServer starts a server with a password and gives a function that asks it.
func opencodeServer(w *world) (ask func(path string, body any) map[string]any) {
	w.t.Helper()
	port := ""
	w.env = append(w.env, "OPENCODE_SERVER_PASSWORD=dummy-password")
	call := func(limit time.Duration, method, path string, body any) (map[string]any, error) {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%s%s?directory=%s", port, path, w.project), bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		r.SetBasicAuth("opencode", "dummy-password")
		r.Header.Set("Content-Type", "application/json")
		resp, err := (&http.Client{Timeout: limit}).Do(r)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		answer := map[string]any{}
		_ = json.Unmarshal(text, &answer) // 204 has none
		if err == nil && resp.StatusCode >= 300 {
			err = fmt.Errorf("%s: %s: %s", path, resp.Status, text)
		}
		return answer, err
	}
	answers := func(limit time.Duration) bool {
		port = w.freePort()
		run := w.begin(5*time.Minute, w.project, nil, w.program, "serve", "--port", port)
		if within(limit, func() bool {
			run.mustRun()
			_, err := call(20*time.Second, http.MethodGet, "/global/health", nil)
			return err == nil
		}) {
			return true
		}
		run.signal(syscall.SIGKILL)
		return false
	}
	if !answers(hangsAtStart) {
		w.t.Log("opencode hangs at its start, and is started once more")
		if !answers(agentTime) {
			w.t.Fatal("the server does not answer")
		}
	}
	return func(path string, body any) map[string]any {
		answer, err := call(agentTime, http.MethodPost, path, body) // the first one opens the project
		if err != nil {
			w.t.Fatal(err)
		}
		return answer
	}
}

// prompted opens a session on the server and asks it.
func prompted(w *world) (id string) {
	ask := opencodeServer(w)
	id, _ = ask("/session", map[string]any{})["id"].(string)
	ask("/session/"+id+"/prompt_async", map[string]any{"parts": []any{map[string]string{"type": "text", "text": "say done"}}})
	return id
}

func TestLiveOpencodeServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, opencode)
	w.env = append(w.env, "OPENCODE_SERVER_PASSWORD=dummy-password")
	c := w.startClawd(settings{})
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	id := prompted(w)
	c.wait("session_stopped", "session", id, "reason", "rate_limit")
	c.wait("resume_started", "session", id, "plan", "http")
	c.resumedOnce(id)
	c.quiet(5 * time.Second)
	w.wantMain(w.stops() + 1)
	if n := w.query("select count(*) from message where session_id = ? and json_extract(data, '$.role') = 'user'", id); len(n) != 1 || n[0] != "2" {
		t.Errorf("%v prompts, want 2", n)
	}
	if strings.Contains(readAll(c.log), "dummy-password") {
		t.Error("the password is in the log")
	}
}

// A wait of the agent's own that its user finds too long is ended.
func TestLiveOpencodeLongRetry(t *testing.T)  { longRetryCase(t, opencode) }
func TestLiveOpencode3LongRetry(t *testing.T) { longRetryCase(t, opencode3) }

func longRetryCase(t *testing.T, a agentCase) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, a)
	w.env = append(w.env, "OPENCODE_SERVER_PASSWORD=dummy-password")
	c := w.startClawd(settings{inlineWait: "10s"})
	w.provider.Queue(provider.RateLimit().After(3600))
	id := prompted(w)
	c.wait("resume_scheduled", "session", id)
	c.wait("resume_started", "session", id, "plan", "http")
	c.resumedOnce(id)
	c.quiet(5 * time.Second)
	w.wantMain(2)
}

// workTrees makes a repository with a commit, and a second work tree of it.
func (w *world) workTrees() (main, side string) {
	w.t.Helper()
	require(w.t, lacking("git"))
	main, side = w.folder("repository"), filepath.Join(w.home(), "work", "side")
	for _, args := range [][]string{
		{"add", "."},
		{"-c", "user.name=dev", "-c", "user.email=dev@localhost", "commit", "--quiet", "-m", "first"},
		{"worktree", "add", "--quiet", side},
	} {
		if r := w.begin(agentTime, main, nil, "git", args...).wait(); r.code() != 0 {
			w.t.Fatalf("git %q: %s", args, r.output())
		}
	}
	return main, side
}

// opencode lists the sessions of all work trees of a repository, so its window in another one may show the
// session that stopped: nothing is typed there, and nothing is started beside it.
func TestLiveOpencodeWorkTree(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, opencode)
	main, side := w.workTrees()
	w.project = main
	id := w.stopped(w.rateLimitFor(5))
	w.project = side
	p := w.openTerminal(false)
	p.ready()
	if n := w.query("select count(distinct id) from project where id <> 'global'"); len(n) != 1 || n[0] != "1" {
		t.Fatalf("%v projects, want one for both work trees", n)
	}
	c := w.leftToWindow(id, "project in another folder")
	p.quits()
	c.resumedOnce(id)
	w.wantMain(w.stops() + 1)
	if asksToGoOn(p.screen()) {
		t.Errorf("typed into the other window:\n%s", p.screen())
	}
}

// A window with a copy of the session may be brought over to the session itself: nothing is typed there, and
// nothing is started beside it. The copy is a new try by hand, so the session is left when the window is closed.
func TestLiveOpencodeFork(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, opencode)
	id := w.stopped(w.rateLimitFor(5))
	p := w.openTerminal(false, "--session", id, "--fork")
	w.eventually(agentTime, "the copy", func() bool { return len(w.sessions()) == 2 })
	c := w.leftToWindow(id, "a copy of this session")
	p.quits()
	c.wait("session_left", "session", id)
	w.wantMain(w.stops())
	if n := len(c.entries("resume_started")); n != 0 || asksToGoOn(p.screen()) {
		t.Errorf("%d starts; the screen:\n%s", n, p.screen())
	}
}

// An idle window does not get the prompt for a session of its folder that a script drives, though that one is newer than what
// the window shows. When the window is closed, the session goes on.
func TestLiveShowsAnother(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, a := range []agentCase{opencode, gemini061} {
		t.Run(a.kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			p := w.openTerminal(false)
			p.asks("say done")
			p.shows("All done.")
			w.eventually(agentTime, "the window's own session", func() bool { return len(w.sessions()) == 1 })
			p.ready()
			id := w.stopped(w.rateLimitFor(5))
			c := w.startClawd(settings{})
			c.wait("session_unreachable", "session", id)
			c.quiet(15 * time.Second)
			w.wantMain(1 + w.stops())
			if n := len(c.entries("resume_started")); n != 0 || asksToGoOn(p.screen()) {
				t.Errorf("%d starts; the screen:\n%s", n, p.screen())
			}
			p.quits()
			c.resumedOnce(id)
			w.wantMain(1 + w.stops() + 1)
		})
	}
}

// leftToWindow starts clawd, which leaves a session alone while a window may show it.
func (w *world) leftToWindow(id, why string) *clawd {
	w.t.Helper()
	c := w.startClawd(settings{})
	w.eventually(2*agentTime, "word of the other window", func() bool { // a server of another test may come first
		return slices.ContainsFunc(c.entries("resume_postponed", "session", id), func(e entry) bool {
			return strings.Contains(e.text("why"), why)
		})
	})
	c.quiet(15 * time.Second)
	w.wantMain(w.stops())
	return c
}

// TestLiveGeminiAfterClear: what was said before /clear in the same window is another session, which nothing tells from one that the window
// shows. clawd saw that the turn ran there.
func TestLiveGeminiAfterClear(t *testing.T) {
	t.Parallel()
	w := newWorld(t, gemini061)
	c := w.startClawd(settings{base: "5s"})
	p := w.openTerminal(false)
	p.asks("say done")
	p.shows("All done.")
	first := w.only()
	p.begins("/clear")
	held, answer := provider.Hold(provider.Cut("half an ans"))
	defer answer()
	w.provider.Queue(w.failing(held)...)
	p.asks("say done again")
	w.waitMain(1 + w.stops())
	c.wait("turn_seen", "session", w.newest(first))
	answer()
	e := c.wait("session_stopped", "reason", "network")
	id := e.text("session")
	if id == first {
		t.Fatalf("the session before /clear stopped: %s", id)
	}
	c.wait("resume_started", "session", id, "plan", "tmux")
	c.resumedOnce(id)
	c.quiet(10 * time.Second)
	w.wantMain(1 + w.stops() + 1)
}
