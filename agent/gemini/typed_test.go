package gemini

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestTypedFindsTheFolder(t *testing.T) {
	agenttest.Typed(t, "GEMINI_CLI_HOME", "/srv/my gemini", "/srv/my gemini/.gemini", "gemini --resume "+agenttest.TypedSession,
		func(env agent.Env, cfg agent.Config, r agent.Request) error { return New(env, cfg).unfit(r, "", "") })
}
