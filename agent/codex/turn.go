package codex

import (
	"errors"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Turn is `codex exec --json` with the prompt on stdin. The agent chooses the id of a new session.
func (c *Codex) Turn(r agent.TurnRequest) (resume.Plan, error) {
	p := resume.Plan{Form: resume.FormFresh, Session: r.Session, Dir: r.Dir, Stdin: []byte(r.Prompt), Prompt: detect.HashText(r.Prompt)}
	var session []string
	if r.Session != "" {
		if !agent.IsUUID(r.Session) {
			return resume.Plan{}, errors.New("the session id is not a lower-case UUID")
		}
		p.Form, session = resume.FormPrompt, []string{"resume", r.Session}
	}
	if c.cfg.ConfigDir != "" {
		p.Env = []string{"CODEX_HOME=" + c.given}
	}
	p.Argv = []string{r.Program.Path, "exec", "--json"}
	if r.Model != "" {
		p.Argv = append(p.Argv, "-m", r.Model)
	}
	p.Argv = slices.Concat(p.Argv, r.Args, session, []string{"-"})
	return p, nil
}

// TakeOver is a turn that the login pays, where there is one.
func (c *Codex) TakeOver(r agent.TurnRequest) (resume.Plan, error) {
	r.Args = c.cfg.Args
	p, err := c.Turn(r)
	if err != nil {
		return resume.Plan{}, err
	}
	err = c.pay(&p, agent.Request{})
	return p, err
}
