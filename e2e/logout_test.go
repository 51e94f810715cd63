//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// TestLoggedOut: a session whose user has logged out meanwhile, or whose key is gone, is tried once and told. No other key pays for it.
func TestLoggedOut(t *testing.T) {
	t.Parallel()
	for _, a := range []agentCase{codex171, gemini061, gemini028, pi160, qwen024} {
		t.Run(strings.ReplaceAll(a.kind+a.version, ".", ""), func(t *testing.T) {
			t.Parallel()
			onlyInAll(t)
			w := newWorld(t, a)
			if a.isPi() {
				w.usePiLogin()
			}
			id := w.stopped(w.rateLimit())
			var env []string
			switch {
			case a.isCodex():
				env = append(env, "FAKE_API_KEY=")
			case a.isGemini():
				env = append(env, "GEMINI_API_KEY=")
			case a.isPi():
				w.writeJSON(".pi/agent/auth.json", map[string]any{})
				env = append(env, "ANTHROPIC_API_KEY="+dummyKey)
			case a.isQwen():
				env = append(env, "OPENAI_API_KEY=")
			}
			c := w.startClawd(settings{env: env})
			c.wait("session_left", "session", id, "reason", "auth")
			if n := c.starts("session", id); n != 1 {
				t.Errorf("%d attempts", n)
			}
			w.wantMain(w.stops())
		})
	}
}
