//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// roles of opencode: each prompt runs as an agent, with a model and a variant. opencode itself keeps the
// model alone.

// roleConfig has an agent that may not write, and models with variants.
const roleConfig = `{"agent": {"strict": {"mode": "primary", "tools": {"write": false, "edit": false, "bash": false}}}}`

// prompts are agent, model and variant of the session's prompts, in order.
func (w *world) prompts(id string) []string {
	return w.query(`select coalesce(data->>'$.agent', '') || ' ' || coalesce(data->>'$.model.modelID', '') || ' ' || coalesce(data->>'$.model.variant', data->>'$.variant', '')
		from message where session_id = ? and data->>'$.role' = 'user' order by time_created, id`, id)
}

// writes are the answers of a model that wants to write a file.
func (w *world) writes() []provider.Answer {
	call := provider.ToolCall("write", map[string]any{"filePath": filepath.Join(w.project, "written.txt"), "content": "written\n"})
	return []provider.Answer{call, provider.Text("All done.")}
}

func (w *world) wantUnwritten() {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.project, "written.txt")); err == nil {
		w.t.Error("the resume wrote a file that its agent may not write")
	}
}

// stoppedAs runs a new session into a rate limit, with further arguments.
func (w *world) stoppedAs(args ...string) string {
	w.t.Helper()
	before := strings.Join(w.sessions(), " ")
	w.provider.Queue(w.failing(w.rateLimitFor(2))...)
	if r := w.start(w.project, nil, append(append([]string{"run", "--format", "json"}, args...), "say done")...).wait(); r.code() != 1 && w.agent != opencode3 { // which says nothing by it
		w.t.Fatalf("exit code %d, want 1\n%s", r.code(), r.output())
	}
	return w.newest(before)
}

func TestOpencodeRoleIsKept(t *testing.T)  { roleIsKept(t, opencode) }
func TestOpencode3RoleIsKept(t *testing.T) { roleIsKept(t, opencode3) }

func roleIsKept(t *testing.T, a agentCase) {
	onlyInAll(t)
	t.Parallel()
	for _, c := range []struct{ role, model, variant string }{
		{"plan", "demo-small", "low"}, {"strict", "demo-1", ""},
	} {
		t.Run(c.role, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			w.write("work/demo/opencode.json", []byte(roleConfig))
			args := []string{"--agent", c.role, "-m", "fake/" + c.model}
			if c.variant != "" {
				args = append(args, "--variant", c.variant)
			}
			id := w.stoppedAs(args...)
			w.provider.Queue(w.writes()...)
			d := w.startClawd(settings{})
			d.resumedOnce(id)
			want := strings.TrimSuffix(c.role+" "+c.model+" "+c.variant, "\n")
			if got := w.prompts(id); len(got) != 2 || got[0] != want || got[1] != want {
				t.Errorf("the prompts ran as %q, want twice %q", got, want)
			}
			w.wantUnwritten()
		})
	}
}

// An agent that is gone makes opencode take the default one, which writes.
func TestOpencodeRoleIsGone(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, opencode)
	w.write("work/demo/opencode.json", []byte(roleConfig))
	id := w.stoppedAs("--agent", "strict")
	w.write("work/demo/opencode.json", []byte(`{}`))
	w.provider.Queue(w.writes()...)
	c := w.startClawd(settings{})
	left := c.wait("session_left", "session", id)
	if why, command := left.text("why"), left.text("command"); !strings.Contains(why, `"strict"`) || !strings.HasSuffix(command, "opencode --session "+id) {
		t.Errorf("why = %q, command = %q: want the agent's name, and what to type", why, command)
	}
	c.quiet(4 * time.Second)
	w.wantMain(w.stops())
	w.wantUnwritten()
}

// The server takes a prompt for an agent that is gone and does nothing; without one it takes the default.
func TestLiveOpencodeServerRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, opencode)
	w.write("work/demo/opencode.json", []byte(roleConfig))
	ask := opencodeServer(w)
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	c := w.startClawd(settings{})
	id, _ := ask("/session", map[string]any{})["id"].(string)
	ask("/session/"+id+"/prompt_async", map[string]any{"agent": "plan", "model": map[string]string{"providerID": "fake", "modelID": "demo-small"},
		"variant": "low", "parts": []any{map[string]string{"type": "text", "text": "say done"}}})
	c.wait("session_stopped", "session", id, "reason", "rate_limit")
	w.provider.Queue(w.writes()...)
	c.wait("resume_started", "session", id, "plan", "http")
	c.resumedOnce(id)
	if got := w.prompts(id); len(got) != 2 || got[0] != "plan demo-small low" || got[1] != got[0] {
		t.Errorf("the prompts ran as %q", got)
	}
	w.wantUnwritten()
}
