package spawn

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/resume"
)

func TestEnviron(t *testing.T) {
	base := []string{"PATH=.:/bin::tools:/usr/bin:", "LD_AUDIT=/x.so", "DYLD_INSERT_LIBRARIES=/x", "BUN_OPTIONS=--preload=x", "HOME=/h", "AI_AGENT=x", "NOTIFY_SOCKET=/n", "WATCHDOG_USEC=1", "WATCHDOG_PID=1", "LISTEN_FDS=1", "CLAWD_CONFIG=/c",
		"CLAWD_ATTEMPT=old", "LD_PRELOAD=/x.so", "NODE_OPTIONS=--x", "ANTHROPIC_API_KEY=secret", "MINE=old", "CLAUDE_CONFIG_DIR=/a"}
	got := Environ(base, resume.Plan{Unset: []string{"ANTHROPIC_API_KEY"}, Env: []string{"MINE=new"}}, "tok")
	slices.Sort(got)
	want := []string{"CLAUDE_CONFIG_DIR=/a", "CLAWD_ATTEMPT=tok", "HOME=/h", "MINE=new", "PATH=/bin:/usr/bin"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
