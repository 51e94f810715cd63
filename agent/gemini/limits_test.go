package gemini

import (
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestLimits(t *testing.T) {
	agenttest.Limits(t, options, map[string]bool{"--sandbox": true, "--sandbox=false": false, "--policy /x/a.toml": true, "--admin-policy /x": true, "--approval-mode plan": true, "--approval-mode auto_edit": false, "--model x": false})
}
