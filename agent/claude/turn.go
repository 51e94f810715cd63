package claude

import (
	"errors"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Turn is `claude -p` with the prompt on stdin. The caller's arguments stand before the session, so
// that an option that takes many values ends there.
func (c *Claude) Turn(r agent.TurnRequest) (resume.Plan, error) {
	p := resume.Plan{Form: resume.FormPrompt, Session: r.Session, Dir: r.Dir, Stdin: []byte(r.Prompt), Prompt: detect.HashText(r.Prompt)}
	session := []string{"--resume", r.Session}
	if r.Session == "" {
		p.Form, p.Session = resume.FormFresh, r.NewID
		session = []string{"--session-id", r.NewID}
	}
	if !agent.IsUUID(p.Session) {
		return resume.Plan{}, errors.New("the session id is not a lower-case UUID")
	}
	if c.cfg.ConfigDir != "" {
		p.Env = []string{"CLAUDE_CONFIG_DIR=" + c.given}
	}
	p.Argv = []string{r.Program.Path, "-p", "--output-format", "stream-json", "--verbose"}
	if r.Model != "" {
		p.Argv = append(p.Argv, "--model", r.Model)
	}
	if r.Pieces {
		p.Argv = append(p.Argv, "--include-partial-messages")
	}
	p.Argv = slices.Concat(p.Argv, r.Args, session)
	return p, nil
}

// TakeOver is a turn that the login pays, where there is one.
func (c *Claude) TakeOver(r agent.TurnRequest) (resume.Plan, error) {
	if err := c.whole(r.Program, r.Dir); err != nil {
		return resume.Plan{}, err
	}
	r.Args = c.cfg.Args
	p, err := c.Turn(r)
	if err != nil {
		return resume.Plan{}, err
	}
	if err := c.pay(&p, agent.Request{}); err != nil {
		return resume.Plan{}, err
	}
	p.Env = c.cfg.Environ(p.Unset, "CLAUDE_CONFIG_DIR", c.given)
	return p, nil
}
