package copilot

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestTypedFindsTheFolder(t *testing.T) {
	agenttest.Typed(t, "COPILOT_HOME", "/srv/my copilot", "/srv/my copilot", "copilot '--resume="+agenttest.TypedSession+"'",
		func(env agent.Env, cfg agent.Config, r agent.Request) error { return New(env, cfg).unfit(r, "", "") })
}
