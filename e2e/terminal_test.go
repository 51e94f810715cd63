//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// look is how a terminal looks to the agent in it.
type look struct {
	vars          []string
	columns, rows string
	colors        string // that it tells when it is asked; "default": none, as tmux without a client
}

var (
	large = look{[]string{"TERM=xterm-256color", "COLORTERM=truecolor"}, "110", "40", "default"}
	dark  = look{large.vars, "110", "40", "fg=colour250,bg=black"}
	small = look{[]string{"TERM=screen-256color"}, "80", "24", "fg=black,bg=colour231"} // half of a screen, in tmux as it comes
)

// terminal is an agent in a pane of a private tmux server.
type terminal struct {
	w      *world
	socket string
}

// openTerminal starts the agent's own screen in the project: in the pane itself, or in a terminal of
// clawd wrap that the pane shows.
func (w *world) openTerminal(wrapped bool, args ...string) *terminal {
	w.t.Helper()
	require(w.t, lacking("tmux"))
	w.prepareTerminal()
	p := &terminal{w: w, socket: filepath.Join(w.root, "tmux")}
	line := []string{"exec", "env", "-i"}
	for _, e := range append(w.environ(), w.look.vars...) {
		if !strings.HasPrefix(e, "TERM=dumb") {
			line = append(line, quoted(e))
		}
	}
	if wrapped {
		line = append(line, quoted(os.Getenv(envInside)), "wrap", "--")
	} else {
		line = append(line, `TMUX="$TMUX"`, `TMUX_PANE="$TMUX_PANE"`)
	}
	line = append(line, quoted(w.program))
	if w.agent == codex171 && !w.background {
		args = append(args, "--no-daemon") // else its own background server has the session
	}
	for _, a := range args {
		line = append(line, quoted(a))
	}
	// A shell waits below the agent, as it does for a person; a key too many for the agent does not end it, not even while it starts.
	script := w.script("terminal", "trap : INT\n("+strings.Join(line, " ")+")\ntrap '' INT\necho the agent ended\nexec sh -o ignoreeof\n")
	p.tmux("-f", "/dev/null", "start-server", ";", "set", "-g", "window-style", w.look.colors, ";",
		"new-session", "-d", "-x", w.look.columns, "-y", w.look.rows, "-c", w.project, script)
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("the terminal:\n%s", p.screen())
		}
		_, _ = p.command("kill-server").CombinedOutput()
	})
	if w.agent.isOpencode() && !within(hangsAtStart, func() bool { return strings.TrimSpace(p.screen()) != "" }) {
		w.t.Log("opencode hangs at its start, and is started once more")
		p.tmux("respawn-pane", "-k", "-c", w.project, script)
	}
	return p
}

// prepareTerminal answers what the agents ask at their first start in a terminal.
func (w *world) prepareTerminal() {
	switch {
	case w.agent.isClaude():
		w.writeJSON(".claude.json", map[string]any{"hasCompletedOnboarding": true, "theme": "dark", "lastOnboardingVersion": w.agent.version,
			"customApiKeyResponses": map[string]any{"approved": []string{dummyKey[len(dummyKey)-20:]}},
			"projects":              map[string]any{w.project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}})
	case w.agent.isCodex():
		w.write(".codex/config.toml", append(w.codexConfig(), "[projects."+quotedTOML(w.project)+"]\ntrust_level = \"trusted\"\n"...))
	}
}

func quotedTOML(s string) string { return `"` + s + `"` }

func lacking(program string) string {
	if _, err := exec.LookPath(program); err != nil {
		return program + " is not installed"
	}
	return ""
}

func (p *terminal) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", p.socket}, args...)...)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + p.w.home(), "TERM=xterm-256color", "LC_ALL=C.UTF-8"}
	return cmd
}

func (p *terminal) tmux(args ...string) string {
	p.w.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.w.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (p *terminal) screen() string {
	out, err := p.command("capture-pane", "-p").CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// shows waits until the screen holds a text.
func (p *terminal) shows(text string) {
	p.w.t.Helper()
	p.w.eventually(agentTime, "the screen shows "+text, p.showing(text))
}

// ready waits for the agent's empty input box.
func (p *terminal) ready() {
	p.w.t.Helper()
	text := map[string]string{"claude": "❯", "opencode": "ctrl+p commands", "codex": "›", "copilot": "/ commands", "gemini": "Type your message", "pi": "(auto)",
		"qwen": "Type your message"}[p.w.agent.kind]
	p.shows(text)
}

// keys presses keys by their tmux names; text types a text as it is.
func (p *terminal) keys(names ...string) { p.tmux(append([]string{"send-keys"}, names...)...) }

// quits has the agent's user end it.
func (p *terminal) quits() {
	p.w.t.Helper()
	key, looks := "C-c", 0
	if p.w.agent.isPi() { // it forgets the first one too soon for a busy machine
		key = "C-d"
	}
	p.w.eventually(agentTime, "the agent's end", func() bool {
		screen := p.screen()
		if looks%10 == 0 && !strings.Contains(screen, "opencode -s ") { // some want a second one soon after the first; opencode that ends hung on it
			p.keys(key)
		}
		looks++
		return strings.Contains(strings.ReplaceAll(screen, "\n", ""), "the agent ended") // echoed keys may push it over the edge
	})
}

// asksToGoOn reports whether clawd's prompt stands on a screen, by itself or behind what was there.
func asksToGoOn(screen string) bool {
	return slices.ContainsFunc(strings.Split(screen, "\n"), func(line string) bool {
		return strings.Contains(line, "continue") && !strings.Contains(line, "● Tip") && // opencode's tips go by chance
			!strings.Contains(line, "To continue this session") // what Codex and qwen-code say at their end, maybe behind the shell's "$"
	})
}

func (p *terminal) text(s string) { p.tmux("send-keys", "-l", s) }

// types has a text stand in the input box. Gemini CLI 0.28 was seen to drop one that came while it drew itself anew.
func (p *terminal) types(text string) {
	p.w.t.Helper()
	looks := 0
	p.w.eventually(agentTime, "the text in the box", func() bool {
		switch {
		case looks > 0 && strings.Contains(p.screen(), text):
			return true
		case looks == 0:
			p.text(text)
		case looks%100 == 0:
			p.keys("C-u")
			p.text(text)
		}
		looks++
		return false
	})
}

// asks types a prompt as a person does: the text, and Enter when it is drawn.
func (p *terminal) asks(prompt string) {
	p.w.t.Helper()
	p.ready()
	p.sends(prompt)
}

// sends is asks where the input box is there.
func (p *terminal) sends(prompt string) {
	p.w.t.Helper()
	before := p.w.main()
	p.types(prompt)
	p.presses("Enter", "the prompt is taken", func() bool { return p.w.main() > before })
}

// presses presses a key until it has done what it does. Some take an Enter that comes at once for a part of a paste,
// and some drop keys while they still start. It looks before each press: a key too many would answer the question that the first one led to.
func (p *terminal) presses(key, what string, done func() bool) {
	p.w.t.Helper()
	looks := 0
	p.w.eventually(agentTime, what, func() bool {
		if looks > 10 && done() {
			return true
		}
		if looks%60 == 10 {
			p.keys(key)
		}
		looks++
		return false
	})
}

// showing tells whether the screen holds a text now.
func (p *terminal) showing(text string) func() bool {
	return func() bool { return strings.Contains(p.screen(), text) }
}
