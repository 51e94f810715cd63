package opencode

import (
	"errors"
	"path/filepath"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Turn is `opencode run` with the prompt on stdin, where it keeps its form: an argument with a blank
// is recorded in quotes. The agent chooses the id of a new session.
func (o *OpenCode) Turn(r agent.TurnRequest) (resume.Plan, error) {
	p := resume.Plan{Form: resume.FormFresh, Session: r.Session, Dir: r.Dir, Stdin: []byte(r.Prompt), Prompt: detect.HashText(r.Prompt),
		Argv: []string{r.Program.Path, "run", "--format", "json"}}
	if r.Session != "" {
		if !idForm.MatchString(r.Session) {
			return resume.Plan{}, errors.New("the session id has not opencode's form (ses_...)")
		}
		p.Form = resume.FormPrompt
		p.Argv = append(p.Argv, "--session", r.Session)
	}
	if o.cfg.ConfigDir != "" {
		if filepath.Base(o.data) != "opencode" {
			return resume.Plan{}, errors.New("opencode finds its data only in a folder named opencode: agent.opencode.config_dir")
		}
		p.Env = []string{"XDG_DATA_HOME=" + filepath.Dir(o.data)}
	}
	if r.Model != "" {
		p.Argv = append(p.Argv, "-m", r.Model)
	}
	p.Argv = append(p.Argv, r.Args...)
	return p, nil
}

// TakeOver is a turn in opencode's default role that the login pays, where there is one.
func (o *OpenCode) TakeOver(r agent.TurnRequest) (resume.Plan, error) {
	p, err := o.plan(agent.Request{Info: detect.Info{Dir: r.Dir}, Program: r.Program})
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Stdin, p.Prompt = resume.FormFresh, []byte(r.Prompt), detect.HashText(r.Prompt)
	return p, nil
}
