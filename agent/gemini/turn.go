package gemini

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Turn is `gemini` with the prompt on stdin.
func (g *Gemini) Turn(r agent.TurnRequest) (resume.Plan, error) {
	p := resume.Plan{Form: resume.FormPrompt, Session: r.Session, Dir: r.Dir, Stdin: []byte(r.Prompt), Prompt: detect.HashText(r.Prompt)}
	session := []string{"--resume", r.Session}
	if r.Session == "" {
		p.Form, session = resume.FormFresh, nil
		if takesID(r.Program) {
			p.Session, session = r.NewID, []string{"--session-id", r.NewID}
		}
	}
	if len(session) > 0 && !agent.IsUUID(p.Session) {
		return resume.Plan{}, errors.New("the session id is not a lower-case UUID")
	}
	if g.cfg.ConfigDir != "" {
		if filepath.Base(g.given) != ".gemini" {
			return resume.Plan{}, errors.New("the Gemini CLI finds its data only in a folder named .gemini: agent.gemini.config_dir")
		}
		p.Env = []string{"GEMINI_CLI_HOME=" + filepath.Dir(g.given)}
	}
	p.Env = append(p.Env, once(r.Program)...)
	p.Argv = []string{r.Program.Path, "--output-format", "stream-json"}
	if r.Model != "" {
		p.Argv = append(p.Argv, "--model", r.Model)
	}
	p.Argv = slices.Concat(p.Argv, r.Args, session)
	return p, nil
}

// TakeOver is a turn that the login pays, where there is one.
func (g *Gemini) TakeOver(r agent.TurnRequest) (resume.Plan, error) {
	if _, err := g.mode(agent.Request{}); err != nil {
		return resume.Plan{}, err
	}
	if err := g.soundPolicies(r.Program, r.Dir, nil); err != nil {
		return resume.Plan{}, err
	}
	r.Args = g.cfg.Args
	p, err := g.Turn(r)
	if err != nil {
		return resume.Plan{}, err
	}
	if err := g.pay(&p, agent.Request{}); err != nil {
		return resume.Plan{}, err
	}
	p.Env = append(p.Env, g.cfg.Environ(p.Unset, "", "")...)
	return p, nil
}
