package agenttest

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// Limits wants of command lines with one option that it says whether it may take something from what a run may do: where clawd cannot tell
// whether a session was started with that, the session is left.
func Limits(t *testing.T, options agent.Options, lines map[string]bool) {
	t.Helper()
	for line, want := range lines {
		flags, lost := options.Parse(strings.Fields(line))
		if len(flags) != 1 || len(lost) > 0 || flags[0].Limits != want {
			t.Errorf("%s: %+v, lost %q", line, flags, lost)
		}
	}
}
