//go:build linux

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/internal/provider"
)

// staysQwen: a session that an editor drives stays the editor's, though its process works in another folder. Not even an order starts a
// second process beside it.
func staysQwen(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	e := w.openEditor("--acp")
	id := e.begin()
	c := w.startClawd(settings{args: []string{"--approval-mode", "default"}})
	w.provider.Queue(w.failing(provider.ServerError())...)
	e.prompts(id)
	c.wait("session_stopped", "session", id)
	w.leftToHost(c, id, "the program that drives it, such as an editor")
}

// server is "qwen serve", started in a folder that none of its sessions is in.
type server struct {
	w    *world
	base string
}

func (w *world) openServer() *server {
	w.t.Helper()
	port := w.freePort()
	run := w.begin(2*agentTime, w.folder("elsewhere"), nil, w.program, "serve", "--port", port, "--no-web", "--workspace", w.project)
	s := &server{w: w, base: "http://127.0.0.1:" + port}
	w.eventually(agentTime, "the server", func() bool {
		run.mustRun()
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

// staysServed: a session of the agent's own server is left to it.
func staysServed(t *testing.T) {
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
