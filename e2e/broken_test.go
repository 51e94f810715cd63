//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/internal/provider"
)

// A headless run passes over settings that are broken, and over what they forbid: it waits until they are whole again.
func TestBrokenSettings(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, claude332)
	const name, forbids = ".claude/settings.json", `{"permissions": {"deny": ["Write"]}}`
	w.write(name, []byte(forbids))
	c := w.startClawd(settings{base: "10s"})
	w.provider.Queue(w.failing(w.rateLimit())...)
	w.start(w.project, nil, "-p", "say done", "--permission-mode", "acceptEdits").wait()
	id := w.only()
	c.wait("resume_scheduled", "session", id)
	w.write(name, []byte(strings.Replace(forbids, "}}", "},}", 1)))
	if e := c.wait("resume_postponed", "session", id); !strings.Contains(e.text("why"), name+", line 1") {
		t.Errorf("why = %q", e.text("why"))
	}
	w.write(name, []byte(strings.Replace(forbids, "}}", `, "defaultMode": "acceptEdit"}}`, 1)))
	c.wait("resume_postponed", "session", id, "why", "the agent cannot be started: it would run without its settings: "+
		filepath.Join(w.home(), name)+": permissions.defaultMode must be one of acceptEdits, auto, bypassPermissions, default, dontAsk, plan, manual")
	w.wantMain(w.stops())
	w.write(name, []byte(forbids))
	w.provider.Queue(provider.ToolCall("Write", map[string]any{"file_path": filepath.Join(w.project, "x.txt"), "content": "hello"}))
	c.resumedOnce(id)
	c.wait("run_ended", "session", id)
	if _, err := os.Stat(filepath.Join(w.project, "x.txt")); err == nil {
		t.Error("it has written what the settings forbid")
	}
}

// So do others: Gemini with its user's rules, Copilot CLI with hooks, and qwen-code before 0.24 with its settings.
func TestBrokenRules(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	const (
		rule = "[[rule]]\ntoolName = \"write_file\"\ndecision = \"deny\"\npriority = 900\n"
		hook = `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"echo '{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}'"}]}}`
	)
	for name, c := range map[string]struct {
		a             agentCase
		name, forbids string
		args          []string
		fault         provider.Answer
	}{
		"Gemini":  {gemini061, ".gemini/policies/mine.toml", rule, []string{"--approval-mode", "auto_edit"}, provider.RateLimit()},
		"Copilot": {copilot, ".copilot/hooks/mine.json", hook, []string{"--allow-all-tools"}, provider.RateLimit()},
		"Qwen15":  {qwen015, ".qwen/settings.json", "", []string{"--approval-mode", "auto-edit"}, provider.ServerError()}, // it goes on by itself after a rate limit
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.a)
			if c.forbids == "" {
				w.set("permissions", map[string]any{"deny": []string{"write_file"}})
				c.forbids = readAll(filepath.Join(w.home(), c.name))
			}
			w.write(c.name, []byte(c.forbids))
			file := filepath.Join(w.project, "x.txt")
			tool := provider.ToolCall("write_file", map[string]any{"file_path": file, "content": "hello"})
			if c.a == copilot {
				tool = provider.ToolCall("bash", map[string]any{"command": "touch " + file, "description": "touch"})
			}
			d := w.startClawd(settings{base: "10s", args: c.args})
			id := w.stopped(c.fault)
			d.wait("resume_scheduled", "session", id)
			w.write(c.name, []byte(c.forbids+"[[rule,"))
			if e := d.wait("resume_postponed", "session", id); !strings.Contains(e.text("why"), c.name) {
				t.Errorf("why = %q", e.text("why"))
			}
			w.wantMain(w.stops())
			w.write(c.name, []byte(c.forbids))
			w.provider.Queue(tool)
			d.resumedOnce(id)
			d.wait("run_ended", "session", id)
			if _, err := os.Stat(file); err == nil {
				t.Error("it has done what the rules forbid")
			}
		})
	}
}

// What settings Claude Code passes over is as clawd has it. It says so of a run that comes to nothing, too.
func TestSettingsThatDoNotLoad(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, claude332)
	b, err := os.ReadFile("../agent/claude/testdata/settings.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		w.write(".claude/settings.json", []byte(line[2:]))
		r := w.start(w.project, nil, "-p", "--resume", "00000000-0000-4000-8000-000000000000", "say done")
		r.wait()
		if over := strings.Contains(r.output(), "settings did not load"); over != (line[0] == '-') || !strings.Contains(r.output(), "No conversation found") {
			t.Errorf("%s%s", line, r.output())
		}
	}
	w.wantMain(0)
}
