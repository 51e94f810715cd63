//go:build linux

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/clawd-project/clawd/internal/provider"
)

// A terminal that is no tmux: agents ask it what it is, and draw and name their window by the answer.

func TestPlainClaude332(t *testing.T) { plainCase(t, claude332, "demo") }
func TestPlainClaude330(t *testing.T) { plainCase(t, claude330, "demo") }
func TestPlainClaude329(t *testing.T) { plainCase(t, claude329, "demo") }
func TestPlainOpencode(t *testing.T)  { plainCase(t, opencode, "demo") }
func TestPlainOpencode3(t *testing.T) { plainCase(t, opencode3, "demo") }
func TestPlainCodex171(t *testing.T)  { plainCase(t, codex171, "demo") }
func TestPlainCodex120(t *testing.T)  { plainCase(t, codex120, "demo") }
func TestPlainCopilot65(t *testing.T) { plainCase(t, copilot65, "demo") }
func TestPlainPi160(t *testing.T)     { plainCase(t, pi160, "demo") }
func TestPlainPi152(t *testing.T)     { plainCase(t, pi152, "demo") }
func TestPlainPi80(t *testing.T)      { plainCase(t, pi80, "demo") }
func TestPlainPi73(t *testing.T)      { plainCase(t, pi73, "demo") }
func TestPlainQwen015(t *testing.T)   { plainCase(t, qwen015, "demo") }
func TestPlainGemini061(t *testing.T) { plainCase(t, gemini061, "Übung-东") }
func TestPlainGemini028(t *testing.T) { plainCase(t, gemini028, "demo") }

func TestPlainCopilot(t *testing.T) {
	onlyInAll(t)
	plainCase(t, copilot, "demo")
}

func TestPlainQwen024(t *testing.T) {
	onlyInAll(t) // its window alone takes 30 s of processor time
	plainCase(t, qwen024, "demo")
}

// Without colors Gemini draws another box.
func TestPlainGemini061NoColor(t *testing.T) {
	onlyInAll(t)
	plainCase(t, gemini061, "demo", "NO_COLOR=1")
}

// plainCase: a session in clawd wrap, directly in such a terminal, goes on once.
func plainCase(t *testing.T, a agentCase, folder string, env ...string) {
	t.Parallel()
	w := newWorld(t, a)
	w.project = w.folder(folder)
	c := w.startClawd(settings{base: "5s"})
	last, _ := w.stopsWindow(5 * time.Second)
	if a.isClaude() { // after what it would ask again, a hint overwrites its box
		w.useLogin()
		last = provider.UsageLimit(provider.SevenDay, 30*time.Hour)
	}
	seen := w.failsSeen(last)
	p := w.openPlain(env...)
	p.asks("hello")
	w.eventually(agentTime, "a session", func() bool { return len(w.sessions()) == 1 })
	id := w.only()
	seen(c, id)
	if a.isClaude() {
		c.wait("resume_scheduled", "session", id)
		w.eventually(agentTime, "the menu of the limit", func() bool { return p.shows("confirm") })
		if out := w.startProgram(os.Getenv(envInside), "resume", "--now", id).wait(); out.code() != 0 {
			t.Fatalf("resume --now: exit %d: %s", out.code(), out.output())
		}
	}
	c.wait("resume_started", "session", id, "plan", "pty")
	c.resumedOnce(id)
	c.quiet(15 * time.Second)
	w.wantMain(w.stops() + 1)
	if n := c.starts(); n != 1 {
		t.Errorf("%d starts", n)
	}
}

// plain is a pseudo terminal. It answers what terminals are asked.
type plain struct {
	w      *world
	master *os.File
	mu     sync.Mutex
	output []byte
}

// openPlain starts the agent's own screen in the project, in clawd wrap.
func (w *world) openPlain(env ...string) *plain {
	w.t.Helper()
	args := []string{os.Getenv(envInside), "wrap", "--", w.program}
	if w.agent == codex171 {
		args = append(args, "--no-daemon")
	}
	return w.openPty(args, env...)
}

// openPty starts a program in the project, in a pseudo terminal of its own.
func (w *world) openPty(argv []string, env ...string) *plain {
	w.t.Helper()
	w.prepareTerminal()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = w.project
	for _, e := range w.environ() {
		if !strings.HasPrefix(e, "TERM=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	// Another login has another runtime folder; the daemon finds the terminal all the same.
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor", "XDG_RUNTIME_DIR="+w.dir("run2"))
	cmd.Env = append(cmd.Env, env...)
	master, err := pty.StartWithAttrs(cmd, &pty.Winsize{Rows: 40, Cols: 110}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		w.t.Fatal(err)
	}
	p := &plain{w: w, master: master}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.read()
	}()
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = master.Close()
		<-done
		if err := os.WriteFile(filepath.Join(w.root, w.agent.kind+"-"+w.agent.version+".tty"), p.output, 0o600); err != nil {
			w.t.Error(err)
		}
		if w.t.Failed() {
			w.t.Logf("the end of the output: %q", p.output[max(0, len(p.output)-4000):])
		}
	})
	return p
}

// answers are those of a common terminal.
var answers = map[string]string{
	"\x1b[c":       "\x1b[?65;1;9c",
	"\x1b[>0q":     "\x1bP>|VTE(7600)\x1b\\",
	"\x1b[>q":      "\x1bP>|VTE(7600)\x1b\\",
	"\x1b[6n":      "\x1b[1;1R",
	"\x1b]11;?":    "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
	"\x1b]10;?":    "\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
	"\x1b[?2026$p": "\x1b[?2026;2$y",
}

func (p *plain) read() {
	b := make([]byte, 32<<10)
	for {
		n, err := p.master.Read(b)
		p.mu.Lock()
		p.output = append(p.output, b[:n]...)
		p.mu.Unlock()
		for asked, answer := range answers { // a question that is cut in two gets no answer, as on a slow line
			for range bytes.Count(b[:n], []byte(asked)) {
				_, _ = p.master.WriteString(answer) // the agent may have ended
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *plain) shows(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Contains(p.output, []byte(text))
}

func (p *plain) keys(s string) {
	if _, err := p.master.WriteString(s); err != nil {
		p.w.t.Error(err)
	}
}

// asks types a prompt of one word, and Enter when it is drawn.
func (p *plain) asks(word string) {
	p.w.t.Helper()
	ready := map[string]string{"claude": "❯", "opencode": "ctrl+p", "codex": "›", "copilot": " commands", "gemini": "Type your", "pi": "(auto)", "qwen": "Type your"}[p.w.agent.kind]
	p.w.eventually(agentTime, "the input box", func() bool { return p.shows(ready) })
	before := p.w.main()
	looks := 0
	p.w.eventually(agentTime, "the prompt is taken", func() bool {
		if p.w.main() > before {
			return true
		}
		switch {
		case looks == 20:
			p.keys(word)
		case looks%60 == 50:
			p.keys("\r")
		}
		looks++
		return false
	})
}
