package pi

import (
	"errors"
	"maps"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Turn is `pi --mode json -p` with the prompt on stdin. The agent chooses the id of a new session before 0.76.
func (p *Pi) Turn(r agent.TurnRequest) (resume.Plan, error) {
	plan := resume.Plan{Form: resume.FormPrompt, Session: r.Session, Dir: r.Dir, Stdin: []byte(r.Prompt), Prompt: detect.HashText(r.Prompt)}
	var session []string
	switch {
	case r.Session != "":
		if !idForm.MatchString(r.Session) {
			return resume.Plan{}, errors.New("the session id is not one that the agent gives")
		}
		session = []string{"--session", r.Session}
	case agent.AtLeast(r.Program.Version, 0, 76) && idForm.MatchString(r.NewID):
		plan.Session, session = r.NewID, []string{"--session-id", r.NewID}
	}
	if r.Session == "" {
		plan.Form = resume.FormFresh
	}
	if p.cfg.ConfigDir != "" {
		plan.Env = []string{dirVar + "=" + p.given}
	}
	plan.Argv = append([]string{r.Program.Path}, headless...)
	if r.Model != "" {
		plan.Argv = append(plan.Argv, "--model", r.Model)
	}
	plan.Argv = slices.Concat(plan.Argv, r.Args, session)
	return plan, nil
}

// TakeOver is a turn that the login pays, where there is one: which provider pi takes is for its own settings to say.
func (p *Pi) TakeOver(r agent.TurnRequest) (resume.Plan, error) {
	if err := p.whole(r.Dir); err != nil {
		return resume.Plan{}, err
	}
	r.Args = p.cfg.Args
	plan, err := p.Turn(r)
	if err != nil {
		return resume.Plan{}, err
	}
	for _, provider := range slices.Sorted(maps.Keys(keys)) {
		plan.Unset = append(plan.Unset, keys[provider]...)
	}
	if plan.Auth = p.cfg.Auth(p.env, plan.Unset, p.hasAuth()); plan.Auth == key {
		plan.Unset = nil
	}
	if p.moved == "" { // else clawd would look for the session elsewhere
		plan.Unset = append(plan.Unset, sessionVar)
	}
	plan.Env = p.cfg.Environ(plan.Unset, dirVar, p.given)
	return plan, nil
}
