//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// nested is an agent that runs another one as a tool.
type nested struct {
	agent agentCase
	tool  string   // its shell
	outer []string // how it is started; it may run a command
	inner []string // how it is started below itself
}

// TestNested: what an agent runs as its tool is that one's: it is told how the run ended, and goes on, or asks again, by itself.
// Nothing is resumed beside it.
func TestNested(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, c := range []nested{
		{claude332, "Bash", []string{"-p", outerTask, "--allowedTools", "Bash", "--output-format", "stream-json", "--verbose"}, []string{"-p", innerTask}},
		{opencode, "bash", []string{"run", outerTask}, []string{"run", innerTask}},
		{qwen024, "run_shell_command", []string{"--approval-mode", "yolo", "-p", outerTask}, []string{"-p", innerTask}},
	} {
		t.Run(c.agent.kind, func(t *testing.T) {
			t.Parallel()
			c.leftAlone(t)
		})
	}
}

const outerTask, innerTask = "have it done", "do it below"

func (n nested) leftAlone(t *testing.T) {
	w := newWorld(t, n.agent)
	c := w.startClawd(settings{base: "2s"})
	below := w.script("below", "cd "+quoted(w.project)+" && "+quoted(w.program)+" "+quotedAll(n.inner)+" </dev/null\n")
	last, release := provider.Hold(provider.Text("All done."))
	defer release()
	input := map[string]any{"command": below, "description": "run it"}
	if n.agent.isQwen() {
		input["is_background"] = false
	}
	answers := []provider.Answer{provider.ToolCall(n.tool, input), last}
	inner := w.failing(provider.RateLimit())
	w.provider.SetRule(func(r provider.Request) *provider.Answer {
		all := &answers
		if strings.Contains(string(r.Body), innerTask) && !strings.Contains(string(r.Body), outerTask) {
			all = &inner
		}
		if len(*all) == 0 {
			return nil
		}
		a := (*all)[0]
		*all = (*all)[1:]
		return &a
	})
	run := w.start(w.project, nil, n.outer...)
	c.wait("session_stopped", "reason", "rate_limit")
	w.waitMain(2 + w.stops()) // the outer one works on
	c.quiet(8 * time.Second)
	release()
	run.wait()
	e := c.waitFor(time.Minute, "session_left", "reason", "rate_limit")
	if !strings.Contains(e.text("why"), "as a tool") {
		t.Errorf("why: %s", e.text("why"))
	}
	c.quiet(10 * time.Second)
	w.wantMain(2 + w.stops())
	if n := len(c.entries("resume_started")); n != 0 {
		t.Errorf("%d starts", n)
	}
}

func quotedAll(args []string) string {
	var all []string
	for _, a := range args {
		all = append(all, quoted(a))
	}
	return strings.Join(all, " ")
}
