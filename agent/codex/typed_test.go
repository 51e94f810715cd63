package codex

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestTypedFindsTheFolder(t *testing.T) {
	agenttest.Typed(t, "CODEX_HOME", "/srv/my codex", "/srv/my codex", "codex resume "+agenttest.TypedSession,
		func(env agent.Env, cfg agent.Config, r agent.Request) error { return New(env, cfg).unfit(r, "", "") })
}
