package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// TestUnwatchedFolder: that clawd sees nothing of an agent with a folder of its own, as of a second account, is told once.
func TestUnwatchedFolder(t *testing.T) {
	in(t, func(r *rig) {
		home := "HOME=" + r.o.Env.Home
		r.procs.set(func() {
			r.procs.all = []agent.Proc{{PID: 901, Start: 1}, {PID: 902, Start: 2}}
			r.procs.argv = map[int][]string{901: {"claude"}, 902: {"claude"}}
			r.procs.env = map[int][]string{901: {home, "CLAUDE_CONFIG_DIR=" + r.agentDir()}, 902: {home}}
		})
		r.start()
		r.pass(time.Hour)
		r.procs.set(func() { r.procs.env[901] = []string{home, "CLAUDE_CONFIG_DIR=/srv/work"} })
		r.pass(2 * time.Hour)
		var dirs []string
		for _, e := range r.log.events("sessions_unwatched") {
			dirs = append(dirs, e["error"].(string))
		}
		if len(dirs) != 2 || !strings.Contains(dirs[0], r.o.Env.Home+"/.claude/projects;") || !strings.Contains(dirs[1], "/srv/work/projects;") {
			t.Errorf("told %q", dirs)
		}
	})
}
