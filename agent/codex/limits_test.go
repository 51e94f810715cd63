package codex

import (
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestLimits(t *testing.T) {
	agenttest.Limits(t, options, map[string]bool{"--disable shell_tool": true, "-c web_search=disabled": true, "-c shell_environment_policy.inherit=none": true,
		"-c features.shell_tool=false": true, "--enable x": false, "-c model_verbosity=low": false})
}
