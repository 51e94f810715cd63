package codex

import (
	"strings"
	"testing"
)

// What takes something from what a run may do, and gives nothing, says so: its session is left where clawd cannot tell whether it had that.
func TestLimits(t *testing.T) {
	for args, want := range map[string]bool{"--disable shell_tool": true, "-c web_search=disabled": true, "-c shell_environment_policy.inherit=none": true,
		"-c features.shell_tool=false": true, "--enable x": false, "-c model_verbosity=low": false} {
		name, value, _ := strings.Cut(args, " ")
		flags, lost := options.Parse([]string{"exec", name, value, "do"})
		if len(flags) != 1 || len(lost) > 0 || flags[0].Limits != want {
			t.Errorf("%s: %+v, lost %q", args, flags, lost)
		}
	}
}
