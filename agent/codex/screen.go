package codex

import "github.com/clawd-project/clawd/agent"

// Screen reads the agent's terminal.
func (c *Codex) Screen(agent.Screen) agent.View {
	return agent.View{Why: "the agent's screen is not understood"}
}
