package claude

import (
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestLimits(t *testing.T) {
	agenttest.Limits(t, options, map[string]bool{"--disallowedTools Bash": true, "--settings /x/strict.json": true, "--setting-sources user": true, "--plugin-dir /x": true, "--allowedTools Bash": false, "--model opus": false})
}
