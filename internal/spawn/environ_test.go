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

// TestEnvironFolder: agents take PWD for their folder (opencode run does), and the one there is that in which clawd was started.
func TestEnvironFolder(t *testing.T) {
	base := []string{"PWD=/where/clawd/began", "HOME=/h", "OLDPWD=/before"}
	for dir, want := range map[string][]string{"": {"HOME=/h"}, "/home/dev/app": {"HOME=/h", "PWD=/home/dev/app"}} {
		got := Environ(base, resume.Plan{Dir: dir}, "")
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("in %q: %s", dir, d)
		}
	}
}
