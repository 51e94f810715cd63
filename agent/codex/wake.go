package codex

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Wake hands the prompt to the agent's background server, which has the session open and runs it at
// once; a terminal that is attached shows the turn. Without that server nobody would take it from the
// queue. That the command ends well proves nothing. Up to 0.164 the queue has no way to begin a turn.
func (c *Codex) Wake(r agent.Request) (resume.Plan, error) {
	if err := c.check(r.Session); err != nil {
		return resume.Plan{}, err
	}
	h := r.Holder
	switch {
	case h.Liveness != detect.Alive || h.Kind != detect.Server:
		return resume.Plan{}, &agent.Unfit{Why: "the agent takes prompts in its terminal alone"}
	case !h.Outlives:
		return resume.Plan{}, &agent.Unfit{Why: "only the agent's own background server takes prompts from the queue"}
	case !h.Sure:
		return resume.Plan{}, &agent.Unfit{Why: "clawd can't tell whether the server has this session open"}
	case !agent.AtLeast(r.Program.Version, 0, 166):
		return resume.Plan{}, &agent.Unfit{Why: "its queue begins a turn from version 0.166 on"}
	case !filepath.IsAbs(r.Program.Path):
		return resume.Plan{}, errors.New("the program's path is not absolute")
	case strings.TrimSpace(r.Prompt) == "":
		return resume.Plan{}, errors.New("the prompt to resume with is empty")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	p := resume.Plan{Way: resume.Queue, Form: resume.FormPrompt, Session: r.Session.ID, Dir: r.Info.Dir, Prompt: detect.HashText(r.Prompt), Holder: h,
		Argv: []string{r.Program.Path, "queue", "--thread", r.Session.ID, "--message=" + r.Prompt, "--resume"}}
	err := c.pay(&p, r)
	return p, err
}
