package claude

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestTypedFindsTheFolder(t *testing.T) {
	agenttest.Typed(t, "CLAUDE_CONFIG_DIR", "/srv/my claude", "/srv/my claude", "claude --resume "+agenttest.TypedSession,
		func(env agent.Env, cfg agent.Config, r agent.Request) error { return New(env, cfg).unfit(r, "", "") })
}
