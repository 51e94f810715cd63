package trigger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

const envTUI = "CLAWD_TEST_TUI"

// TestMain is also the agent in the terminal: a box at the bottom, and a file of what was submitted.
func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(envTUI); ok {
		tui(mode, os.Getenv(envTUI+"_DIR"))
		return
	}
	os.Exit(m.Run())
}

// tui draws its box and takes keys. Modes: menu (lies over the box until Escape), busy, adds (a
// person types at the same time), deaf (Enter does nothing), works (busy after Enter), commands (no key shows).
func tui(mode, dir string) {
	box := ""
	draw := func() {
		fmt.Print("\x1b[2J\x1b[H> an old prompt\r\n")
		switch mode {
		case "menu":
			fmt.Print("What do you want to do?")
		case "busy":
			fmt.Print("working\r\n> ")
		default:
			fmt.Print("> " + box)
		}
	}
	draw()
	put(dir, "pid", strconv.Itoa(os.Getpid()))
	for in := make([]byte, 256); ; {
		n, err := os.Stdin.Read(in)
		if err != nil {
			return
		}
		for _, b := range in[:n] {
			switch {
			case mode == "menu" && b == 0x1b:
				mode = ""
			case mode == "menu":
				put(dir, "submitted", "a choice in the menu")
			case mode == "commands", b == '\r' && mode == "deaf":
			case b == '\r':
				put(dir, "submitted", box)
				if box = ""; mode == "works" {
					mode = "busy"
				}
			default:
				box += string(rune(b))
				if mode == "adds" && strings.HasSuffix(box, "cont") {
					box += "x"
				}
			}
		}
		draw()
	}
}

func put(dir, name, line string) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(line + "\n")
	}
	if err != nil {
		panic(err)
	}
}

// box reads the screen of that agent.
type boxAgent struct {
	agent.Agent
	room    int
	holders []detect.Holder
}

func (b boxAgent) Live(context.Context, detect.Session, detect.Info) ([]detect.Holder, error) {
	return b.holders, nil
}

func (b boxAgent) Screen(s agent.Screen) agent.View {
	if s.Row >= len(s.Rows) {
		return agent.View{Why: "no box"}
	}
	row := s.Rows[s.Row]
	input, box := strings.CutPrefix(row+" ", "> ")
	switch input = strings.TrimSpace(input); {
	case strings.HasPrefix(row, "What do you want"):
		return agent.View{Close: []byte{0x1b}, Why: "a menu is open"}
	case s.Row > 0 && s.Rows[s.Row-1] == "working":
		return agent.View{Why: agent.WhyBusy}
	case !box:
		return agent.View{Why: "no box"}
	case input != "":
		return agent.View{Input: input, Why: "there is text in its input box"}
	}
	return agent.View{Ready: true, Room: b.room}
}

// pit is a private tmux server with the agent in one pane.
type pit struct {
	t      *testing.T
	dir    string
	socket string
	holder detect.Holder
	tr     *Trigger
}

func newPit(t *testing.T, mode string) *pit {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir, err := os.MkdirTemp("", "pit") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	p := &pit{t: t, dir: dir, socket: filepath.Join(dir, "tmux")}
	t.Cleanup(func() {
		_, _ = p.command("kill-server")
		_ = os.RemoveAll(dir)
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := "sh -c 'stty raw -echo; " + self + "; stty sane; exec sh'"
	if mode == "background" { // as after Ctrl-Z and bg
		script = "sh -mc '" + self + " & sleep 60'"
	}
	p.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "exec env "+envTUI+"="+mode+" "+envTUI+"_DIR="+dir+" "+script)
	pid, err := strconv.Atoi(strings.TrimSpace(p.await("pid", "")))
	if err != nil {
		t.Fatal(err)
	}
	procs := agent.NewProcs()
	proc, ok := procs.Get(pid)
	if !ok {
		t.Fatal("the agent did not start")
	}
	p.holder = detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, PID: pid, Start: proc.Start, Sure: true}
	holders.Terminal(procs, &p.holder)
	p.tr = &Trigger{Agents: func(string) agent.Agent { return boxAgent{} }, Procs: procs, Tmux: func() string { return "" }}
	return p
}

func (p *pit) command(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TERM=xterm", "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p *pit) tmux(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...)
	if err != nil {
		p.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return out
}

// await waits until a file of the agent holds text.
func (p *pit) await(name, text string) string {
	p.t.Helper()
	var b []byte
	p.until(name+" holds "+text, func() bool {
		b, _ = os.ReadFile(filepath.Join(p.dir, name)) // not there yet
		return len(b) > 0 && strings.Contains(string(b), text)
	})
	return string(b)
}

func (p *pit) until(what string, good func() bool) {
	p.t.Helper()
	for tick, end := time.NewTicker(20*time.Millisecond), time.Now().Add(20*time.Second); !good(); <-tick.C {
		if time.Now().After(end) {
			p.t.Fatalf("not within 20 s: %s; screen:\n%s", what, p.tmux("capture-pane", "-p"))
		}
	}
}

func (p *pit) submitted() string {
	b, _ := os.ReadFile(filepath.Join(p.dir, "submitted")) // none: nothing
	return string(b)
}

func (p *pit) claim() resume.Claim {
	return resume.Claim{Session: detect.Session{Agent: "box", ID: uuid.NewString()}, Stop: detect.Stop{Key: "k"}, N: 1, Boot: p.tr.Procs.Boot(),
		Mark: filepath.Join(p.dir, "mark"), Plan: resume.Plan{Way: resume.Tmux, Form: resume.FormPrompt, Keys: "continue", Holder: p.holder}}
}

// open makes the attempt.
func (p *pit) open(c resume.Claim) (resume.Gate, string, resume.Run) {
	p.t.Helper()
	run, err := p.tr.Start(p.t.Context(), c)
	if err != nil {
		p.t.Fatal(err)
	}
	gate, why, _ := run.Open(p.t.Context()) // an error after the mark is left to the records
	return gate, why, run
}

func (p *pit) marked() bool {
	_, err := os.Stat(filepath.Join(p.dir, "mark"))
	return err == nil
}

func TestTypesOnce(t *testing.T) {
	for _, mode := range []string{"", "menu"} {
		t.Run("mode "+mode, func(t *testing.T) {
			p := newPit(t, mode)
			if p.holder.Tmux != p.socket || p.holder.Pane != "%0" || p.holder.TTY == "" || p.tr.Way(p.holder) != resume.Tmux {
				t.Fatalf("where it is shown: %+v", p.holder)
			}
			c := p.claim()
			if _, err := p.tr.Ready(t.Context(), c.Session, c.Stop, c.Plan); err != nil || p.submitted() != "" || p.marked() {
				t.Fatalf("a look: %v, submitted %q", err, p.submitted())
			}
			gate, why, run := p.open(c)
			if gate != resume.GateExec || !p.marked() {
				t.Fatalf("gate %s %s", gate, why)
			}
			if got := p.await("submitted", "\n"); got != "continue\n" {
				t.Errorf("submitted %q", got)
			}
			p.until("idle, an empty box and the same process are the proof", func() bool { return run.Untouched(t.Context()) != "" && run.Alive() })
			gate, _, again := p.open(c)
			if proof := again.Untouched(t.Context()); gate != resume.GateMarked || proof != "" {
				t.Errorf("the same attempt again: %s, proof %q", gate, proof)
			}
			c.Plan.Holder.Sure = false
			if proof := (&live{t: p.tr, c: c, holder: p.tr.holder(c.Plan.Holder), sent: true, term: run.(*live).term}).Untouched(t.Context()); proof != "" {
				t.Errorf("where another session may be shown, its silence is no proof: %q", proof)
			}
			if adopted := p.tr.Adopt(c); adopted.Untouched(t.Context()) != "" || !adopted.Alive() {
				t.Error("an attempt from before a restart proves nothing")
			}
			if got := p.submitted(); got != "continue\n" {
				t.Errorf("submitted %q", got)
			}
		})
	}
}

// A pane of a server that the process does not tell of is found by its terminal.
func TestConfiguredServer(t *testing.T) {
	p := newPit(t, "")
	p.holder.Tmux, p.holder.Pane = "", ""
	if p.tr.Way(p.holder) != resume.Exec {
		t.Error("reachable without a word of where")
	}
	p.tr.Tmux = func() string { return p.socket }
	if gate, why, _ := p.open(p.claim()); gate != resume.GateExec {
		t.Fatalf("gate %s %s", gate, why)
	}
	p.await("submitted", "continue")
}

// Its environment names a pane in which it is not: that does not pass.
func TestInheritedPane(t *testing.T) {
	p := newPit(t, "")
	p.tmux("split-window", "sleep 60")
	p.holder.Pane = "%1"
	c := p.claim()
	if _, err := p.tr.Ready(t.Context(), c.Session, c.Stop, c.Plan); !errors.As(err, new(*ElsewhereError)) {
		t.Errorf("pane %s: %v", p.holder.Pane, err)
	}
}

// Nothing is typed where a person, or another program, would get it.
func TestNothingTyped(t *testing.T) {
	for _, c := range []struct {
		name, mode, why string
		passes          bool // the hindrance may pass
		before          func(p *pit)
	}{
		{"half-typed text", "", "text in its input box", true, func(p *pit) {
			p.tmux("send-keys", "-l", "half")
			p.until("the text is drawn", func() bool { return strings.Contains(p.tmux("capture-pane", "-p"), "half") })
		}},
		{"busy", "busy", "busy", true, func(*pit) {}},
		{"in the background", "background", "foreground", true, func(*pit) {}},
		{"copy mode", "", "copy mode", true, func(p *pit) { p.tmux("copy-mode") }},
		{"input off", "", "turned off", true, func(p *pit) { p.tmux("select-pane", "-d") }},
		{"synchronized panes", "", "synchronized", true, func(p *pit) {
			p.tmux("split-window", "sleep 60")
			p.tmux("set-option", "-w", "synchronize-panes", "on")
		}},
		{"another process", "", "gone", false, func(p *pit) { p.holder.Start++ }},
		{"a shell has the terminal now", "", "gone", false, func(p *pit) {
			if err := exec.Command("kill", strconv.Itoa(p.holder.PID)).Run(); err != nil {
				p.t.Fatal(err)
			}
			p.until("the agent ended", func() bool { _, ok := p.tr.Procs.Get(p.holder.PID); return !ok })
		}},
		{"another terminal", "", "outside of the tmux pane", false, func(p *pit) {
			p.tmux("split-window", "sleep 60")
			p.holder.Pane = "%1"
		}},
		{"no such pane", "", "tmux", false, func(p *pit) { p.holder.Pane = "%77" }},
		{"a socket of nobody", "", "gone", false, func(p *pit) { p.holder.Tmux = filepath.Join(p.dir, "none") }},
		{"a file as the socket", "", "not a tmux server", false, func(p *pit) { p.holder.Tmux = filepath.Join(p.dir, "pid") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPit(t, c.mode)
			c.before(p)
			claim := p.claim()
			_, err := p.tr.Ready(t.Context(), claim.Session, claim.Stop, claim.Plan)
			if err == nil || !strings.Contains(err.Error(), c.why) || errors.As(err, new(*BlockedError)) != c.passes {
				t.Errorf("Ready: %v", err)
			}
			gate, why, run := p.open(claim)
			if gate != resume.GateTaken || !strings.Contains(why, c.why) || p.marked() || p.submitted() != "" {
				t.Errorf("gate %s, why %q, marked %t, submitted %q", gate, why, p.marked(), p.submitted())
			}
			run.Stop(false)
			if screen := p.tmux("capture-pane", "-p", "-t", "%0"); strings.Contains(screen, "continue") {
				t.Errorf("typed:\n%s", screen)
			}
		})
	}
}

// What an attempt that failed before Enter has left in the box is called what it is.
func TestOwnTextIsCalledOwn(t *testing.T) {
	p := newPit(t, "")
	p.tmux("send-keys", "-l", "continue")
	p.until("the text is drawn", func() bool { return strings.Contains(p.tmux("capture-pane", "-p"), "continue") })
	claim := p.claim()
	_, err := p.tr.Ready(t.Context(), claim.Session, claim.Stop, claim.Plan)
	if !errors.As(err, new(*BlockedError)) || !strings.Contains(err.Error(), `"continue", which is what clawd types`) {
		t.Errorf("Ready: %v", err)
	}
	if gate, why, _ := p.open(claim); gate != resume.GateTaken || !strings.Contains(why, "which is what clawd types") || p.submitted() != "" {
		t.Errorf("gate %s, why %q, submitted %q", gate, why, p.submitted())
	}
}

// A person who types at the same moment: Enter is not pressed.
func TestPersonTypesToo(t *testing.T) {
	p := newPit(t, "adds")
	gate, _, run := p.open(p.claim())
	if gate != resume.GateExec || p.submitted() != "" {
		t.Errorf("gate %s, submitted %q", gate, p.submitted())
	}
	if proof := run.Untouched(t.Context()); !strings.HasPrefix(proof, "keys: Enter was never pressed: ") {
		t.Errorf("proof %q", proof)
	}
}

// An agent that shows that it is at work has taken the prompt, whatever its files say so far.
func TestWorking(t *testing.T) {
	p := newPit(t, "works")
	gate, why, run := p.open(p.claim())
	if gate != resume.GateExec {
		t.Fatalf("gate %s %s", gate, why)
	}
	p.await("submitted", "continue")
	p.until("it works", func() bool { return run.Working(t.Context()) })
	if run.Untouched(t.Context()) != "" || p.tr.Adopt(p.claim()).Working(t.Context()) {
		t.Error("what works was not left untouched; of what was begun before a restart nothing is looked at")
	}
}

// Enter that had no effect leaves our text in the box: no proof, so no second time.
func TestDeaf(t *testing.T) {
	p := newPit(t, "deaf")
	if gate, _, run := p.open(p.claim()); gate != resume.GateExec || run.Untouched(t.Context()) != "" {
		t.Errorf("gate %s, proof %q", gate, run.Untouched(t.Context()))
	}
}

// Nothing of the prompt is a key name or an option of tmux.
func TestKeysAreBytes(t *testing.T) {
	for _, prompt := range []string{"C-c", "Enter", "-l", "q\\; x", "é ü 日本"} {
		p := newPit(t, "")
		term, err := p.tr.pane(t.Context(), p.holder)
		if err != nil {
			t.Fatal(err)
		}
		if err := term.Press(context.Background(), append([]byte(prompt), '\r')); err != nil {
			t.Fatal(err)
		}
		if got := p.await("submitted", "\n"); !bytes.Equal([]byte(got), []byte(latin(prompt)+"\n")) {
			t.Errorf("%q arrived as %q", prompt, got)
		}
	}
}

// latin is how the agent of this test takes bytes in: each as a rune.
func latin(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}
