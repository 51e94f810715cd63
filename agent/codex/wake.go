package codex

import (
	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// Wake has no way: the agent takes prompts in its terminal alone.
func (c *Codex) Wake(agent.Request) (resume.Plan, error) {
	return resume.Plan{}, &agent.Unfit{Why: "the agent takes prompts in its terminal alone"}
}
