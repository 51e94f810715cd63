//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// TestLiveThemes: a window is woken in the colors of any theme, also where the placeholder is no grey.
func TestLiveThemes(t *testing.T) {
	t.Parallel()
	for theme, l := range map[string]look{"Dracula": dark, "Solarized Dark": dark, "Holiday": dark, "Xcode": small} {
		t.Run(theme, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, gemini061)
			w.look = l
			w.set("ui", map[string]any{"theme": theme})
			w.wakesWindow("Type your message")
		})
	}
}

// TestLiveWithoutHint: the hint that tells an empty box of Gemini CLI is not there, for its user has turned it off, or below 80 columns.
func TestLiveWithoutHint(t *testing.T) {
	t.Parallel()
	for columns, hint := range map[string]bool{"110": false, "60": true} {
		t.Run(columns, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, gemini061)
			w.look = dark
			w.look.columns = columns
			w.set("ui", map[string]any{"showShortcutsHint": hint})
			w.wakesWindow("Type your message")
		})
	}
}

// TestLiveLanguages: a window is woken in another language of the agent's, too.
func TestLiveLanguages(t *testing.T) {
	t.Parallel()
	for _, a := range []agentCase{qwen024, qwen015} {
		t.Run(a.version, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, a)
			w.look = small
			w.set("general", map[string]any{"language": "zh"})
			w.wakesWindow("输入您的消息")
		})
	}
}

// TestLiveWithoutColors: Claude Code draws none, so its advice after a failure looks like what somebody has typed.
func TestLiveWithoutColors(t *testing.T) {
	t.Parallel()
	for _, a := range []agentCase{claude332, claude329} {
		t.Run(a.version, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, a)
			w.env = append(w.env, "NO_COLOR=1")
			w.wakesWindow("❯", answered) // behind a first turn no hint is shown below the box
		})
	}
}

// TestLiveSettings: a window is woken whatever its user has set in the agent that changes how it looks; most of them after an answer, for
// only then it tells how full the context is.
func TestLiveSettings(t *testing.T) {
	t.Parallel()
	opencodeTUI := func(key string, value any) func(*world) {
		return func(w *world) { w.writeJSON(".config/opencode/tui.json", map[string]any{key: value}) }
	}
	keys := map[string]string{"leader": "ctrl+a", "command_list": "<leader>p", "agent_cycle": "<leader>tab"}
	for name, c := range map[string]struct {
		agent          agentCase
		columns, empty string
		first          bool // a turn that ends well
		set            func(*world)
	}{
		"OpencodeTheme":  {opencode, "160", "commands", true, opencodeTUI("theme", "lucent-orng")},
		"OpencodeKeys":   {opencode, "110", "commands", false, opencodeTUI("keybinds", keys)},
		"OpencodeNarrow": {opencode, "50", "commands", true, opencodeTUI("keybinds", keys)},
		"QwenTheme":      {qwen024, "110", "Type your message", false, func(w *world) { w.set("ui", map[string]any{"theme": "Dracula"}) }},
		"QwenNarrow":     {qwen024, "60", "Type your message", true, func(w *world) { w.set("ui", map[string]any{"enableFollowupSuggestions": false}) }},
		"QwenOldTheme":   {qwen015, "60", "Type your message", true, func(w *world) { w.set("ui", map[string]any{"theme": "Dracula"}) }},
		"QwenOldChinese": {qwen015, "110", "输入您的消息", true, func(w *world) { w.set("general", map[string]any{"language": "zh"}) }},
		"PiPadding": {pi160, "110", "(auto)", false, func(w *world) {
			w.writePiSettings(map[string]any{"editorPaddingX": 2, "outputPad": 0, "fullscreenScrollbar": "always"})
		}},
		"PiStatus": {pi160, "110", "(auto)", false, func(w *world) { w.write(".pi/agent/extensions/status.js", []byte(piStatus)) }},
	} {
		t.Run(name, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, c.agent)
			w.look = dark
			w.look.columns = c.columns
			c.set(w)
			var before []func(*terminal, *clawd)
			if c.first {
				before = append(before, answered)
			}
			w.wakesWindow(c.empty, before...)
		})
	}
}

// TestLiveHalfHint: in Codex's plan mode half of the hint that tells an empty box has no room in 80 columns, beside a warning.
func TestLiveHalfHint(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, codex171)
	w.look = small
	w.wakesWindow("for agents", func(p *terminal, _ *clawd) {
		p.presses("BTab", "plan mode", p.showing("Plan mode"))
	})
}

// TestLiveFolderNames: blanks, letters that take two columns, and accents that take none, as macOS writes them.
func TestLiveFolderNames(t *testing.T) {
	t.Parallel()
	for _, a := range []agentCase{claude332, opencode, codex171, gemini061, copilot, pi160, qwen024} {
		t.Run(a.kind, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorldIn(t, a, "my e\u0301te\u0301 日本 (1)")
			w.look = dark
			w.wakes(false)
		})
	}
}

// TestLinkedFolders: the home folder lies behind a link, and the agent was never used before clawd's start; or the agent's own folder
// does, as those have it who keep what they set in a repository.
func TestLinkedFolders(t *testing.T) {
	t.Parallel()
	for a, own := range map[agentCase]string{claude332: ".claude", opencode: ".local/share/opencode", codex171: ".codex", gemini061: ".gemini",
		copilot: ".copilot", pi160: ".pi", qwen024: ".qwen"} {
		for name, folder := range map[string]string{"Home": "", "Own": own} {
			t.Run(a.kind+name, func(t *testing.T) {
				onlyInAll(t)
				t.Parallel()
				w := newWorld(t, a)
				link := filepath.Join(w.home(), folder)
				if err := errors.Join(os.MkdirAll(link, 0o700), os.Rename(link, filepath.Join(w.root, "disk")), os.Symlink(filepath.Join(w.root, "disk"), link)); err != nil {
					t.Fatal(err)
				}
				c := w.startClawd(settings{})
				c.resumedOnce(w.stopped(w.rateLimitFor(5)))
				w.wantMain(w.stops() + 1)
			})
		}
	}
}

// TestLiveOtherKeys: nothing is typed where Enter does not send what stands in the box. Another key does.
func TestLiveOtherKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent agentCase
		key   string
		set   func(*world)
	}{
		"Claude": {claude332, "C-s", func(w *world) {
			w.writeJSON(".claude/keybindings.json", map[string]any{"bindings": []any{
				map[string]any{"context": "Chat", "bindings": map[string]any{"enter": "chat:newline", "ctrl+s": "chat:submit"}}}})
		}},
		"Opencode": {opencode, "F6", func(w *world) {
			w.writeJSON(".config/opencode/tui.json", map[string]any{"keybinds": map[string]string{"input_submit": "f6", "input_newline": "return"}})
		}},
		"Opencode3": {opencode3, "F6", func(w *world) {
			w.writeJSON(".config/opencode/tui.json", map[string]any{"keybinds": map[string]string{"input_submit": "f6", "input_newline": "return"}})
		}},
		"Pi": {pi160, "F6", func(w *world) {
			w.writeJSON(".pi/agent/keybindings.json", map[string]any{"tui.input.submit": "f6", "tui.input.newLine": []string{"enter"}})
		}},
		"Gemini": {gemini061, "F6", func(w *world) {
			w.writeJSON(".gemini/keybindings.json", []map[string]string{{"command": "-input.submit", "key": "enter"}, {"command": "input.submit", "key": "f6"},
				{"command": "input.newline", "key": "enter"}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, c.agent)
			c.set(w)
			w.typesNothing(c.key)
		})
	}
}

// typesNothing stops a turn in a window whose user sends with another key than Enter.
func (w *world) typesNothing(key string) {
	w.t.Helper()
	c := w.startClawd(settings{base: "3s"})
	p := w.openTerminal(false)
	p.ready()
	last, reason := w.stopsWindow(3 * time.Second)
	seen := w.failsSeen(last)
	p.types("say done")
	p.presses(key, "the prompt is taken", func() bool { return w.main() > 0 })
	w.eventually(agentTime, "a session", func() bool { return len(w.sessions()) == 1 })
	seen(c, w.only())
	id := c.wait("session_stopped", "reason", reason).text("session")
	c.wait("session_blocked", "session", id, "why", agent.WhyKeys)
	if n := len(c.entries("resume_started")); n != 0 || asksToGoOn(p.screen()) {
		w.t.Errorf("%d starts; the screen:\n%s", n, p.screen())
	}
	w.wantMain(w.stops())
}

// piStatus is an extension of pi that has a row of the footer to itself.
const piStatus = `export default function (pi) { pi.on("session_start", async (_, ctx) => ctx.ui.setStatus("demo", "● all is well")) }`

// answered is a turn that ends well before.
func answered(p *terminal, c *clawd) {
	p.sends("say first")
	p.shows("All done.")
	c.quiet(3 * time.Second) // until it is idle
}

// wakesWindow stops a turn in a window, which shows a text while its box is empty. before is what its user does there at first.
func (w *world) wakesWindow(empty string, before ...func(*terminal, *clawd)) {
	w.t.Helper()
	c := w.startClawd(settings{base: "3s"})
	p := w.openTerminal(false)
	p.shows(empty)
	for _, does := range before {
		does(p, c)
	}
	had := w.main()
	last, reason := w.stopsWindow(3 * time.Second)
	seen := w.failsSeen(last)
	p.sends("say done")
	w.eventually(agentTime, "a session", func() bool { return len(w.sessions()) == 1 })
	seen(c, w.only())
	id := c.wait("session_stopped", "reason", reason).text("session")
	c.wait("resume_started", "session", id, "plan", "tmux")
	c.resumedOnce(id)
	p.shows("All done.")
	w.wantMain(had + w.stops() + 1)
}

// set adds to a section of the settings of Gemini CLI or qwen-code.
func (w *world) set(section string, more map[string]any) {
	w.t.Helper()
	path := "." + w.agent.kind + "/settings.json"
	all := map[string]any{}
	if err := json.Unmarshal([]byte(readAll(filepath.Join(w.home(), path))), &all); err != nil {
		w.t.Fatal(err)
	}
	if had, ok := all[section].(map[string]any); ok {
		maps.Copy(had, more)
	} else {
		all[section] = more
	}
	w.writeJSON(path, all)
}
