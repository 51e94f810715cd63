package copilot

import (
	"errors"
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// waits is how long a run that met a limit is waited for. It ends at once, or never.
const waits = 20 * time.Second

// Turn is one prompt by stdin, in a session under an id of ours where it is a new one.
func (c *Copilot) Turn(r agent.TurnRequest) (resume.Plan, error) {
	plan := resume.Plan{Form: resume.FormPrompt, Session: r.Session, Dir: r.Dir, Hangs: waits, Stdin: []byte(r.Prompt), Prompt: detect.HashText(r.Prompt)}
	session := "--resume=" + r.Session
	if r.Session == "" {
		plan.Form, plan.Session, session = resume.FormFresh, r.NewID, "--session-id="+r.NewID
	}
	if !agent.IsUUID(plan.Session) {
		return resume.Plan{}, errors.New("the session id is not a lower-case UUID")
	}
	if c.cfg.ConfigDir != "" {
		plan.Env = []string{homeVar + "=" + c.given}
	}
	plan.Argv = append([]string{r.Program.Path}, output...)
	if r.Model != "" {
		plan.Argv = append(plan.Argv, "--model", r.Model)
	}
	plan.Argv = slices.Concat(plan.Argv, r.Args, []string{session})
	return plan, nil
}

// TakeOver is a turn that the login pays, unless the config names a provider of its user's own.
func (c *Copilot) TakeOver(r agent.TurnRequest) (resume.Plan, error) {
	if err := c.whole(r.Dir); err != nil {
		return resume.Plan{}, err
	}
	r.Args = c.cfg.Args
	p, err := c.Turn(r)
	if err != nil {
		return resume.Plan{}, err
	}
	payer := login
	if c.cfg.Env[providerVar] != "" {
		payer = byok
	}
	err = c.pay(&p, agent.Request{Info: detect.Info{Provider: payer}})
	return p, err
}
