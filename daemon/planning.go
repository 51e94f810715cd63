package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// plan asks the agent for the argv. handOff is for fresh sessions; a prompt of the same session names the sub-agents.
func (s *session) plan(rec *state.Session, handOff []byte, subs ...detect.SubStop) (resume.Plan, error) {
	if err := s.others(rec, s.launch(rec)); err != nil {
		return resume.Plan{}, err
	}
	if rec.Decision.With != "" {
		return s.takeOver(rec, handOff)
	}
	r, err := s.request(rec)
	if err != nil {
		return resume.Plan{}, err
	}
	r.Prompt = naming(r.Prompt, subs)
	if rec.Decision.Strategy == resume.FreshSession {
		starter, err := agent.StarterOf(s.a)
		if err != nil {
			return resume.Plan{}, err
		}
		r.NewID, r.Handoff = uuid.NewString(), handOff
		return starter.Fresh(r)
	}
	return s.a.Plan(r)
}

// takeOver asks another agent for the argv. What it may do, and with which model, is for its own config to say and for
// clawd's: nothing of the old session is passed on but its folder.
func (s *session) takeOver(rec *state.Session, handOff []byte) (resume.Plan, error) {
	a, err := s.runner(rec)
	if err != nil {
		return resume.Plan{}, err
	}
	starter, err := agent.StarterOf(a)
	if err != nil {
		return resume.Plan{}, err
	}
	p, err := s.d.program(a)
	if err != nil {
		return resume.Plan{}, err
	}
	if err := agent.CheckDir(rec.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	plan, err := starter.TakeOver(agent.TurnRequest{Program: p, NewID: uuid.NewString(), Dir: rec.Info.Dir, Prompt: string(handOff)})
	if u := (*agent.Unfit)(nil); errors.As(err, &u) { // its command would go on with a session that there is not
		err = errors.New(u.Reason())
	}
	plan.Agent = a.Name()
	return plan, err
}

// runner is the agent that the decision has run.
func (s *session) runner(rec *state.Session) (agent.Agent, error) {
	if rec.Decision.With == "" {
		return s.a, nil
	}
	if a := s.d.agent(rec.Decision.With); a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("clawd does not watch an agent named %q, so it can't take over", rec.Decision.With)
}

// renew looks at the program that the decision has run, which may have been replaced.
func (s *session) renew(ctx context.Context, rec *state.Session) error {
	a, err := s.runner(rec)
	if err != nil {
		return err
	}
	return s.d.refresh(ctx, a)
}

// anew plans, and does so once more with the program as it is now where that fails: clawd may have seen it last when it was started,
// weeks ago, and it may have been installed or replaced since.
func (s *session) anew(ctx context.Context, rec *state.Session, plan func() error) error {
	err := plan()
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, orderPatience)
	defer cancel()
	_ = s.renew(ctx, rec) // the plan says what is wrong
	return plan()
}

// mayStart tells what speaks against a process of ours in a session.
func (s *session) mayStart(ctx context.Context, rec *state.Session) error {
	return s.anew(ctx, rec, func() error {
		_, err := s.plan(rec, []byte("-"))
		return err
	})
}

// mayWake tells what speaks against a prompt where the session is open.
func (s *session) mayWake(ctx context.Context, rec *state.Session, b machine.Beside, holders []detect.Holder) error {
	plan := func() error {
		_, err := s.livePlan(ctx, rec, b, holders, nil)
		return err
	}
	if s.serverIn(holders, rec) == rules.NoServer { // no program of ours is asked to take the prompt there
		return plan()
	}
	return s.anew(ctx, rec, plan)
}

// request is what a plan for the session is asked with.
func (s *session) request(rec *state.Session) (agent.Request, error) {
	cfg, _ := s.d.settings()
	p, err := s.d.program(s.a)
	r := agent.Request{Session: s.ds, Info: rec.Info, Stop: rec.Stop, Program: p, Prompt: cfg.Resume.Prompt,
		LastMeta: rec.Classifier.LastPrompt.Meta || rec.Classifier.Aside, Inert: rec.Inert != "" && rec.Inert == rec.Stop.Key, Launch: s.launch(rec),
		Answered: rec.Episode.Attempts > 0 || rec.Classifier.Answered.After(rec.Classifier.LastPrompt.At)}
	r.Info.Interactive = rec.Driven()
	return r, err
}
