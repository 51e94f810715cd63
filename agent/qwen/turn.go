package qwen

import (
	"errors"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Turn is `qwen --output-format stream-json` with the prompt on stdin.
func (q *Qwen) Turn(r agent.TurnRequest) (resume.Plan, error) {
	p := resume.Plan{Form: resume.FormPrompt, Session: r.Session, Dir: r.Dir, Stdin: []byte(r.Prompt), Prompt: detect.HashText(r.Prompt)}
	session := []string{"--resume", r.Session}
	if r.Session == "" {
		p.Form, p.Session = resume.FormFresh, r.NewID
		session = []string{"--session-id", r.NewID}
	}
	if !agent.IsUUID(p.Session) {
		return resume.Plan{}, errors.New("the session id is not a lower-case UUID")
	}
	if q.cfg.ConfigDir != "" {
		p.Env = []string{homeVar + "=" + q.given}
	}
	p.Argv = []string{r.Program.Path, "--output-format", "stream-json"}
	if r.Pieces {
		p.Argv = append(p.Argv, "--include-partial-messages")
	}
	if r.Model != "" {
		p.Argv = append(p.Argv, "--model", r.Model)
	}
	p.Argv = slices.Concat(p.Argv, r.Args, session)
	return p, nil
}

// TakeOver is a turn that is paid as the agent's own settings say, at no server that only clawd's environment names.
func (q *Qwen) TakeOver(r agent.TurnRequest) (resume.Plan, error) {
	if err := q.whole(r.Dir); err != nil {
		return resume.Plan{}, err
	}
	r.Args = q.cfg.Args
	p, err := q.Turn(r)
	if err != nil {
		return resume.Plan{}, err
	}
	err = q.pay(&p, agent.Request{})
	return p, err
}
