package opencode

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestTypedFindsTheFolder(t *testing.T) {
	agenttest.Typed(t, "XDG_DATA_HOME", "/srv/my oc", "/srv/my oc/opencode", "opencode --session "+agenttest.TypedSession,
		func(env agent.Env, cfg agent.Config, r agent.Request) error { return New(env, cfg).RoleGone(r) })
}
