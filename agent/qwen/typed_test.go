package qwen

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestTypedFindsTheFolder(t *testing.T) {
	agenttest.Typed(t, "QWEN_HOME", "/srv/my qwen", "/srv/my qwen", "qwen --resume "+agenttest.TypedSession,
		func(env agent.Env, cfg agent.Config, r agent.Request) error { return New(env, cfg).unfit(r, "", "") })
}
