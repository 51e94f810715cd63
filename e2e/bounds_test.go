//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestBounds: a variable that took something from what a session may do is in its resume's environment, too, or there is no resume.
func TestBounds(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, c := range []struct {
		agent agentCase
		bound string
	}{
		{claude332, "CLAUDE_CODE_SAFE_MODE=1"},
		{claude332, "AWS_PROFILE=test"},
		{claude332, "ANTHROPIC_DEFAULT_OPUS_MODEL=claude-opus-4-1-20250805"},
		{claude332, "CLAUDE_CODE_SUBAGENT_MODEL=claude-haiku-4-5-20251001"},
		{codex171, "KUBECONFIG=/etc/test.yaml"},
		{copilot, "DOCKER_HOST=tcp://127.0.0.1:1"},
		{opencode, "KUBECONFIG=/etc/test.yaml"},
		{opencode, `OPENCODE_PERMISSION={"bash":"deny"}`},
		{opencode3, `OPENCODE_PERMISSION={"bash":"deny"}`},
		{gemini061, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=/etc/none.json"},
		{qwen024, "QWEN_CODE_SYSTEM_DEFAULTS_PATH=/etc/none.json"},
	} {
		name, _, _ := strings.Cut(c.bound, "=")
		t.Run(c.agent.kind+c.agent.version+"/"+name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.agent)
			d := w.startClawd(settings{})
			w.env = append(w.env, c.bound)
			id := w.stopped(w.rateLimitFor(2))
			e := d.wait("session_left", "session", id, "level", "warn") // some leave a turn that went well before
			if why := e.text("why"); !strings.Contains(why, name) {
				t.Errorf("why: %s", why)
			}
			d.quiet(5 * time.Second)
			w.wantMain(w.stops())
		})
	}
	t.Run("Kept", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, opencode)
		w.env = append(w.env, `OPENCODE_PERMISSION={"bash":"deny"}`)
		d := w.startClawd(settings{})
		d.resumedOnce(w.stopped(w.rateLimitFor(2)))
		w.same(0, w.main()-1)
		for _, tool := range w.asks(w.main() - 1).tools {
			if tool == "bash" {
				t.Error("the resume has bash")
			}
		}
	})
	t.Run("FromShellToService", func(t *testing.T) { // which lacks what its user's shell has
		t.Parallel()
		w := newWorld(t, claude332)
		w.env = append(w.env, "CLAUDE_CODE_SAFE_MODE=1")
		c := w.startClawd(settings{base: "30s"})
		id := w.stopped(w.rateLimit())
		c.wait("resume_scheduled", "session", id)
		c.sigterm()
		w.env = nil
		c = w.startClawd(settings{base: "30s"})
		if out := w.startProgram(os.Getenv(envInside), "resume", id).wait(); out.code() != 1 || !strings.Contains(out.output(), "CLAUDE_CODE_SAFE_MODE") {
			t.Errorf("clawd resume: %d: %s", out.code(), out.output())
		}
		c.quiet(35 * time.Second)
		w.wantMain(w.stops())
	})
	t.Run("Pure", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, opencode)
		loaded := filepath.Join(w.root, "loaded")
		w.write(".config/opencode/plugin/tells.js",
			[]byte("export const Tells = async () => { require('fs').appendFileSync("+strconv.Quote(loaded)+", 'x'); return {} }\n"))
		d := w.startClawd(settings{})
		w.provider.Queue(w.failing(w.rateLimitFor(2))...)
		w.start(w.project, nil, "run", "--format", "json", "--pure", "say done").wait()
		d.resumedOnce(w.only())
		if b, err := os.ReadFile(loaded); err == nil {
			t.Errorf("a plugin was loaded: %s", b)
		}
		w.start(w.project, nil, "run", "--format", "json", "say done")
		w.eventually(2*agentTime, "the plugin, in a run that may have it", func() bool { _, err := os.Stat(loaded); return err == nil })
	})
}
