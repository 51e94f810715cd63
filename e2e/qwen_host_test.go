//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// editor is a program that drives sessions of qwen-code over its stdin, as editors do.
type editor struct {
	w     *world
	run   *run
	input *os.File
	asked int
}

// openEditor starts it in a folder that none of its sessions is in.
func (w *world) openEditor() *editor {
	w.t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	e := &editor{w: w, run: w.beginWith(in, 2*agentTime, w.folder("elsewhere"), nil, w.program, "--acp"), input: out}
	w.t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	e.answer(e.ask("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{}}))
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
	return m.Result.Session
}

// TestQwenInAnEditor: a session that an editor drives stays the editor's, though its process works in another folder. Not
// even an order starts a second process beside it.
func TestQwenInAnEditor(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, a := range []agentCase{qwen024, qwen015} {
		t.Run(a.version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			e := w.openEditor()
			id := e.answer(e.ask("session/new", map[string]any{"cwd": w.project, "mcpServers": []any{}}))
			c := w.startClawd(settings{args: []string{"--approval-mode", "default"}})
			w.provider.Queue(w.failing(provider.ServerError())...)
			e.answer(e.ask("session/prompt", map[string]any{"sessionId": id, "prompt": []any{map[string]any{"type": "text", "text": "say done"}}}))
			c.wait("session_stopped", "session", id)
			w.leftToHost(c, id, "the program that drives it, such as an editor")
		})
	}
}

// leftToHost checks that a session is left to the process that hosts it, and its user told who that is.
func (w *world) leftToHost(c *clawd, id, why string) {
	w.t.Helper()
	if e := c.wait("session_unreachable", "session", id); !strings.Contains(e.text("why"), why) {
		w.t.Errorf("why: %s", e.text("why"))
	}
	if out := w.startProgram(os.Getenv(envInside), "resume", "--now", id).wait(); out.code() == 0 {
		w.t.Errorf("resume --now: %s", out.output())
	}
	c.quiet(10 * time.Second)
	w.wantMain(w.stops())
	if n := len(c.entries("resume_started")); n != 0 {
		w.t.Errorf("%d starts", n)
	}
}

// server is "qwen serve", started in a folder that none of its sessions is in.
type server struct {
	w    *world
	base string
}

func (w *world) openServer() *server {
	w.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	port := strconv.Itoa(free.Addr().(*net.TCPAddr).Port)
	if err := free.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.begin(2*agentTime, w.folder("elsewhere"), nil, w.program, "serve", "--port", port, "--no-web", "--workspace", w.project)
	s := &server{w: w, base: "http://127.0.0.1:" + port}
	w.eventually(agentTime, "the server", func() bool {
		status, _ := s.call(http.MethodGet, "/health", "")
		return status == http.StatusOK
	})
	return s
}

func (s *server) call(method, path, body string) (status int, answer []byte) {
	s.w.t.Helper()
	r, err := http.NewRequestWithContext(s.w.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil // it is yet to listen
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		s.w.t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// begin begins a session.
func (s *server) begin() (id string) {
	s.w.t.Helper()
	var m struct {
		Session string `json:"sessionId"`
	}
	s.w.eventually(agentTime, "a session", func() bool {
		status, answer := s.call(http.MethodPost, "/session", "{}")
		return status == http.StatusOK && json.Unmarshal(answer, &m) == nil && m.Session != ""
	})
	return m.Session
}

func (s *server) asks(id, prompt string) {
	s.w.t.Helper()
	if status, answer := s.call(http.MethodPost, "/session/"+id+"/prompt", `{"prompt":[{"type":"text","text":"`+prompt+`"}]}`); status != http.StatusAccepted {
		s.w.t.Fatalf("%d: %s", status, answer)
	}
}

// TestQwenServe: a session of the agent's own server is left to it.
func TestQwenServe(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, qwen024)
	s := w.openServer()
	id := s.begin()
	c := w.startClawd(settings{args: []string{"--approval-mode", "default"}})
	w.provider.Queue(w.failing(provider.ServerError())...)
	s.asks(id, "say done")
	c.wait("session_stopped", "session", id)
	w.leftToHost(c, id, "for qwen serve")
	if refused := c.entries("file_refused"); len(refused) != 0 {
		t.Errorf("%v", refused)
	}
}

// TestQwenInputFile: a window in a plain terminal that takes prompts from a file gets none of clawd's: the file is its
// owner's, and nothing tells a request that failed for good from one that was stopped by hand.
func TestQwenInputFile(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, qwen024)
	in := filepath.Join(w.root, "in.jsonl")
	if err := os.WriteFile(in, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.startClawd(settings{base: "5s"})
	p := w.openPty([]string{w.program, "--input-file", in, "--json-file", filepath.Join(w.root, "out.jsonl")})
	w.eventually(agentTime, "the input box", func() bool { return p.shows("Type your") })
	w.provider.Queue(w.failing(provider.ServerError())...)
	line := `{"type":"submit","text":"say done"}` + "\n"
	if err := os.WriteFile(in, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	w.eventually(agentTime, "a session", func() bool { return len(w.sessions()) == 1 })
	id := w.only()
	c.wait("session_stopped", "session", id)
	w.leftToHost(c, id, "in a terminal that clawd cannot reach: neither tmux nor clawd wrap")
	if got := readAll(in); got != line {
		t.Errorf("the file holds %q", got)
	}
}
