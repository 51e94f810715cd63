package trigger

import (
	"errors"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/wrap"
)

// processes is a process table of our own.
type processes struct {
	agent.Procs
	all map[int]agent.Proc
}

func (p processes) Get(pid int) (agent.Proc, bool) { pr, ok := p.all[pid]; return pr, ok }

// A wrapped shell may show another program than the one that holds the session.
func TestWrappedShows(t *testing.T) {
	for _, c := range []struct {
		name, why string
		passes    bool
		change    func(shell, agent *agent.Proc)
	}{
		{"in the background", "foreground", true, func(_, a *agent.Proc) { a.Foreground = 30 }},
		{"in a terminal within", "does not show", false, func(_, a *agent.Proc) { a.TTY = "/dev/pts/9" }},
		{"without a terminal", "does not show", false, func(_, a *agent.Proc) { a.TTY = "" }},
		{"the wrapped program is another one now", "does not show", false, func(s, _ *agent.Proc) { s.Start++ }},
		{"gone", "gone", false, func(_, a *agent.Proc) { a.Start++ }},
		{"shown", "does not answer", true, func(*agent.Proc, *agent.Proc) {}}, // as no wrapper runs here
	} {
		t.Run(c.name, func(t *testing.T) {
			shell := agent.Proc{PID: 10, Group: 10, Start: 1, TTY: "/dev/pts/1", Foreground: 20}
			program := agent.Proc{PID: 20, PPID: 10, Group: 20, Start: 2, TTY: "/dev/pts/1", Foreground: 20}
			c.change(&shell, &program)
			w := &wrapped{holder: holder{processes{all: map[int]agent.Proc{10: shell, 20: program}}, 20, 2},
				info: wrap.Info{Child: wrap.Process{PID: 10, Start: 1}, Socket: t.TempDir() + "/none"}}
			_, err := w.Look(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.why) || errors.As(err, new(*BlockedError)) != c.passes {
				t.Errorf("look: %v", err)
			}
			if err := w.Press(t.Context(), []byte("continue")); err == nil || c.name != "shown" && !strings.Contains(err.Error(), c.why) {
				t.Errorf("press: %v", err)
			}
		})
	}
}
