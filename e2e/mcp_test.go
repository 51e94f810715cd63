//go:build linux

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestCodexAsAServerOfTools: what another agent has Codex do over its server of tools is that agent's: it was told how it ended. That
// server lives as long as the other agent does, and nothing goes on afterwards. Later versions have no such server.
func TestCodexAsAServerOfTools(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, codex120)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	e := &editor{w: w, run: w.beginWith(in, 2*agentTime, w.project, nil, w.program, "mcp-server"), input: out}
	e.answer(e.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "agent", "version": "1"}}))
	if _, err := fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		t.Fatal(err)
	}
	c := w.startClawd(settings{left: true})
	w.planLimit(15*time.Second, false)
	e.ask("tools/call", map[string]any{"name": "codex", "arguments": map[string]any{
		"prompt": "say done", "cwd": w.project, "approval-policy": "never", "sandbox": "workspace-write"}})
	c.wait("session_stopped")
	e.ends()
	if e := c.waitFor(time.Minute, "session_left"); !strings.Contains(e.text("why"), "as a tool") {
		t.Errorf("why: %s", e.text("why"))
	}
	c.quiet(20 * time.Second)
	w.wantMain(w.stops())
	if n := len(c.entries("resume_started")); n != 0 {
		t.Errorf("%d starts", n)
	}
}
