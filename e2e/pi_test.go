//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// TestPiFresh: a session that is too long although pi has made room in it once goes over to a fresh one, once.
func TestPiFresh(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, pi160)
	w.writePiSettings(map[string]any{"compaction": map[string]any{"enabled": true, "reserveTokens": 1000, "keepRecentTokens": 500}})
	w.provider.Queue(provider.Text(strings.Repeat("many words ", 4000)))
	if r := w.prompt("count the frogs"); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	id := w.only()
	c := w.startClawd(settings{})
	w.provider.Queue(provider.TooLong(), provider.TooLong())
	w.resume(id, "count the toads").wait()
	c.wait("session_stopped", "session", id, "reason", "context_full")
	c.wait("resume_scheduled", "session", id, "strategy", "fresh_session")
	c.wait("session_recovered", "old", id)
	c.quiet(5 * time.Second)
	main := w.provider.Main()
	if last := main[len(main)-1].LastUser; !strings.Contains(last, "> count the toads") {
		t.Errorf("%d requests, the last one: %s", len(main), last)
	}
	if got := w.sessions(); len(got) != 2 {
		t.Errorf("sessions %q", got)
	}
}

// TestPiKeeps: a resume has the tools of the run, and no more.
func TestPiKeeps(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, pi160)
	c := w.startClawd(settings{})
	w.provider.Queue(w.failing(provider.RateLimit())...)
	w.start(w.project, nil, "--mode", "json", "--tools", "read,grep", "-p", "say done").wait()
	id := w.only()
	c.resumedOnce(id)
	main := w.provider.Main()
	first, last := string(main[0].Body), string(main[len(main)-1].Body)
	for name, want := range map[string]bool{"read": true, "grep": true, "bash": false, "write": false, "edit": false} {
		tool := `"name":"` + name + `"`
		if strings.Contains(first, tool) != want || strings.Contains(last, tool) != want {
			t.Errorf("%s: in the first request %v, in the last %v, want %v", name, strings.Contains(first, tool), strings.Contains(last, tool), want)
		}
	}
}

// TestPiToolsUnseen: a version that does not record the tools of a run, and hides its arguments, is told of and left.
func TestPiToolsUnseen(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, pi80)
	c := w.startClawd(settings{args: []string{}})
	id := w.stopped(w.rateLimit())
	e := c.wait("session_left", "session", id, "reason", "rate_limit")
	if !strings.Contains(e.text("why"), "agent.pi.args") || !strings.Contains(e.text("command"), "--session "+id) {
		t.Errorf("%v", e)
	}
	c.quiet(6 * time.Second)
	w.wantMain(w.stops())
}

// TestPiPayer: a session on a login stays on it, though clawd's environment has a key for the same provider.
func TestPiPayer(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, pi160)
	w.usePiLogin()
	c := w.startClawd(settings{env: []string{"ANTHROPIC_API_KEY=" + dummyKey}})
	id := w.stopped(w.rateLimit())
	if e := c.wait("resume_started", "session", id); e.text("auth") != "login" {
		t.Errorf("auth = %q, want login", e.text("auth"))
	}
	c.resumedOnce(id)
	for n, r := range w.provider.Main() {
		if r.Bearer != dummyLogin || r.Key != "" {
			t.Errorf("request %d was paid by %q and %q, want the login", n, r.Bearer, r.Key)
		}
	}
}

// usePiLogin has pi's own provider of Anthropic's models paid by a login.
func (w *world) usePiLogin() {
	w.writeJSON(".pi/agent/models.json", map[string]any{"providers": map[string]any{"anthropic": map[string]any{"baseUrl": fmt.Sprintf("http://127.0.0.1:%d", w.port)}}})
	w.writePiSettings(map[string]any{"defaultProvider": "anthropic", "defaultModel": "claude-sonnet-4-5"})
	w.writeJSON(".pi/agent/auth.json", map[string]any{"anthropic": map[string]any{
		"type": "oauth", "access": dummyLogin, "refresh": "sk-ant-ort01-dummy", "expires": time.Now().Add(1000 * time.Hour).UnixMilli()}})
}
