//go:build linux

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// editor is a program that drives sessions of an agent over its stdin, as editors do.
type editor struct {
	w     *world
	run   *run
	input *os.File
	asked int
}

// openEditor starts the agent in a folder that none of its sessions is in.
func (w *world) openEditor(args ...string) *editor {
	w.t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	e := &editor{w: w, run: w.beginWith(in, 2*agentTime, w.folder("elsewhere"), nil, w.program, args...), input: out}
	w.t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	e.answer(e.ask("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "editor", "title": "Editor", "version": "1"}}))
	return e
}

func (e *editor) ask(method string, params any) (id int) {
	e.w.t.Helper()
	e.asked++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": e.asked, "method": method, "params": params})
	if err == nil {
		_, err = fmt.Fprintf(e.input, "%s\n", b)
	}
	if err != nil {
		e.w.t.Fatal(err)
	}
	return e.asked
}

// answer waits for the answer to a request and gives the session that it names.
func (e *editor) answer(id int) (session string) {
	e.w.t.Helper()
	var m struct {
		ID     int `json:"id"`
		Result struct {
			Session string `json:"sessionId"`
			Thread  struct {
				ID string `json:"id"`
			} `json:"thread"`
		} `json:"result"`
	}
	e.w.eventually(agentTime, "an answer", func() bool {
		for line := range strings.Lines(e.run.stdout()) {
			if json.Unmarshal([]byte(line), &m) == nil && m.ID == id {
				return true
			}
		}
		return false
	})
	return cmp.Or(m.Result.Session, m.Result.Thread.ID)
}

// begin begins a session in the project.
func (e *editor) begin() (id string) {
	e.w.t.Helper()
	method := "session/new"
	if e.w.agent.isCodex() {
		method = "thread/start"
	}
	if id = e.answer(e.ask(method, map[string]any{"cwd": e.w.project, "mcpServers": []any{}})); id == "" {
		e.w.t.Fatalf("no session: %s", e.run.output())
	}
	return id
}

// prompts asks a session, and waits until the agent has taken that.
func (e *editor) prompts(id string) {
	e.w.t.Helper()
	text := []any{map[string]any{"type": "text", "text": "say done"}}
	if e.w.agent.isCodex() {
		e.answer(e.ask("turn/start", map[string]any{"threadId": id, "input": text}))
		return
	}
	e.answer(e.ask("session/prompt", map[string]any{"sessionId": id, "prompt": text}))
}

// ends ends the agent that it drives.
func (e *editor) ends() {
	e.w.t.Helper()
	_ = e.input.Close()
	e.run.signal(syscall.SIGTERM)
}

// driven is a session that an editor drives.
type driven struct {
	agent   agentCase
	command string
	why     string
	args    []string // what clawd's run may do: nobody is there to be asked
	left    string   // why clawd leaves it afterwards; empty: it goes on
}

// TestHostOfAnyFolder: a session of a process that takes those of any folder stays that one's. All worlds share one table of processes,
// and such a process may have each of their sessions: nothing else runs meanwhile.
func TestHostOfAnyFolder(t *testing.T) {
	onlyInAll(t)
	for name, does := range map[string]func(*testing.T){
		"Gemini": driven{gemini061, "--acp", "the program that drives it, such as an editor", []string{"--approval-mode", "default"}, ""}.stays,
		"Qwen":   func(t *testing.T) { staysQwen(t, qwen024) },
		"Qwen15": func(t *testing.T) { staysQwen(t, qwen015) },
		"Serve":  staysServed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			does(t)
		})
	}
}

// TestInAnEditor: the same for agents that hold a lock.
func TestInAnEditor(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, c := range []driven{
		{codex171, "app-server", "holds the session's writer lock", []string{"--sandbox", "danger-full-access"}, ""},
		{copilot, "--acp", "holds the session's lock", []string{"--allow-all-tools"}, "who paid for it"},
	} {
		t.Run(c.agent.kind, func(t *testing.T) {
			t.Parallel()
			c.stays(t)
		})
	}
}

// stays: it stays the editor's, though its process works in another folder, and though clawd is to go on with what its user quit. Not even
// an order starts a second process beside it. Once the editor has ended, clawd goes on, or says why not.
func (c driven) stays(t *testing.T) {
	w := newWorld(t, c.agent)
	e := w.openEditor(c.command)
	id := e.begin()
	d := w.startClawd(settings{left: true, args: c.args})
	w.provider.Queue(w.failing(provider.ServerError())...)
	e.prompts(id)
	d.wait("session_stopped", "session", id)
	w.leftToHost(d, id, c.why)
	e.ends()
	if c.left != "" {
		if e := d.wait("session_left", "session", id); !strings.Contains(e.text("why"), c.left) {
			t.Errorf("why: %s", e.text("why"))
		}
		return
	}
	d.resumedOnce(id)
	d.quiet(5 * time.Second)
	w.wantMain(w.stops() + 1)
}

// TestOpencodeInAnEditor: the process that an editor drives is a server, too. It takes clawd's prompt itself, and the editor shows what comes of it.
func TestOpencodeInAnEditor(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, opencode)
	e := w.openEditor("acp")
	id := e.begin()
	c := w.startClawd(settings{})
	w.provider.Queue(w.failing(provider.ServerError())...)
	e.prompts(id)
	c.wait("resume_started", "session", id, "plan", "http")
	c.resumedOnce(id)
	w.eventually(agentTime, "the answer in the editor", func() bool { return strings.Contains(e.run.stdout(), "All done.") })
	c.quiet(5 * time.Second)
	w.wantMain(w.stops() + 1)
}

// TestOpencodeInAnEditorBesideAServer: a prompt would reach the server as well, which knows nothing of what the editor's process does.
func TestOpencodeInAnEditorBesideAServer(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, opencode)
	opencodeServer(w)
	e := w.openEditor("acp")
	id := e.begin()
	c := w.startClawd(settings{left: true})
	w.provider.Queue(w.failing(provider.ServerError())...)
	e.prompts(id)
	c.wait("session_stopped", "session", id)
	w.leftToHost(c, id, "a server of the agent may have it open")
	e.ends()
	c.wait("resume_started", "session", id, "plan", "http")
	c.resumedOnce(id)
	c.quiet(5 * time.Second)
	w.wantMain(w.stops() + 1)
}

// TestClaudeInAProgram: a program that drives Claude Code over the SDK, an adapter for editors among them, keeps the session while its process waits
// for the next prompt. Not even an order starts a second one beside it.
func TestClaudeInAProgram(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, claude332)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	w.beginWith(in, 2*agentTime, w.project, []string{"CLAUDE_CODE_ENTRYPOINT=sdk-ts"}, w.program,
		"--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
	c := w.startClawd(settings{left: true})
	w.provider.Queue(w.failing(provider.ServerError())...)
	if _, err := fmt.Fprintln(out, `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"say done"}]},"parent_tool_use_id":null}`); err != nil {
		t.Fatal(err)
	}
	why := c.wait("session_left").text("why")
	if !strings.Contains(why, "--input-format") {
		t.Errorf("why: %s", why)
	}
	if out := w.startProgram(os.Getenv(envInside), "resume", "--now", w.only()).wait(); out.code() == 0 {
		t.Errorf("resume --now: %s", out.output())
	}
	c.quiet(10 * time.Second)
	w.wantMain(w.stops())
}

// TestPiInAProgram: a program that drives pi over its stdin keeps the session while its process waits for the next prompt.
func TestPiInAProgram(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, pi160)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	e := &editor{w: w, run: w.beginWith(in, 2*agentTime, w.project, nil, w.program, "--mode", "rpc"), input: out}
	c := w.startClawd(settings{left: true})
	w.provider.Queue(w.failing(provider.ServerError())...)
	if _, err := fmt.Fprintln(out, `{"type":"prompt","message":"say done"}`); err != nil {
		t.Fatal(err)
	}
	c.wait("session_stopped")
	id := w.only()
	c.wait("resume_postponed", "session", id)
	c.quiet(10 * time.Second)
	w.wantMain(w.stops())
	e.ends()
	c.resumedOnce(id)
	c.quiet(5 * time.Second)
	w.wantMain(w.stops() + 1)
}

// leftToHost checks that a session is left to the process that hosts it, and its user told who that is.
func (w *world) leftToHost(c *clawd, id, why string) {
	w.t.Helper()
	if e := c.wait("session_unreachable", "session", id); !strings.Contains(e.text("why"), why) {
		w.t.Errorf("why: %s", e.text("why"))
	}
	if out := w.startProgram(os.Getenv(envInside), "resume", "--now", id).wait(); out.code() == 0 && !strings.Contains(out.output(), "when that process has ended") {
		w.t.Errorf("resume --now: %s", out.output())
	}
	c.quiet(10 * time.Second)
	w.wantMain(w.stops())
	if n := len(c.entries("resume_started")); n != 0 {
		w.t.Errorf("%d starts", n)
	}
}
