package opencode

import "github.com/clawd-project/clawd/agent"

// Screen reads the agent's terminal.
func (o *OpenCode) Screen(agent.Screen) agent.View {
	return agent.View{Why: "the agent's screen is not understood"}
}
