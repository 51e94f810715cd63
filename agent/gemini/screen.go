package gemini

import "github.com/clawd-project/clawd/agent"

// DrawsLimits: the dialog of a used-up quota stands on the screen alone, and waits for ever.
func (g *Gemini) DrawsLimits() {}

// Screen reads the agent's terminal.
func (g *Gemini) Screen(agent.Screen) agent.View {
	return agent.View{Why: "the agent's screen is not understood"}
}
