package pi

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
	"github.com/clawd-project/clawd/resume"
)

// Plan gives the headless resume, with the prompt on stdin: as an argument, "@" and "-" at its beginning would
// change its meaning. Provider and model are always given: without a credential for the recorded ones the
// agent would go on with those of another provider, at another's price.
func (p *Pi) Plan(r agent.Request) (resume.Plan, error) {
	if _, err := p.path(r.Session); err != nil {
		return resume.Plan{}, err
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return resume.Plan{}, errors.New("the prompt to resume with is empty")
	}
	plan, err := p.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	plan.Form, plan.Session = resume.FormPrompt, r.Session.ID
	plan.Stdin, plan.Prompt = []byte(r.Prompt), detect.HashText(r.Prompt)
	plan.Argv = append(plan.Argv, "--session", r.Session.ID)
	return plan, nil
}

// Fresh gives a new session; the hand-off goes in by stdin. From 0.76 on its id is ours to choose.
func (p *Pi) Fresh(r agent.Request) (resume.Plan, error) {
	if !idForm.MatchString(r.Session.ID) {
		return resume.Plan{}, errors.New("the session id is not one that the agent gives")
	}
	if !idForm.MatchString(r.NewID) {
		return resume.Plan{}, errors.New("the id for the new session is not one that the agent takes")
	}
	if len(strings.TrimSpace(string(r.Handoff))) == 0 {
		return resume.Plan{}, errors.New("there is no hand-off to begin the new session with")
	}
	plan, err := p.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	plan.Form = resume.FormFresh
	plan.Stdin, plan.Prompt = r.Handoff, detect.HashText(string(r.Handoff))
	if agent.AtLeast(r.Program.Version, 0, 76) {
		plan.Session, plan.Argv = r.NewID, append(plan.Argv, "--session-id", r.NewID)
	}
	return plan, nil
}

// headless are the arguments of every run: its output tells what became of it, its exit code does not.
var headless = []string{"--mode", "json", "-p"}

// plan is what both forms share, up to the session.
func (p *Pi) plan(r agent.Request) (resume.Plan, error) {
	if !filepath.IsAbs(r.Program.Path) {
		return resume.Plan{}, errors.New("the program's path is not absolute")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	if err := p.whole(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	model, err := p.model(r)
	if err != nil {
		return resume.Plan{}, err
	}
	tools, known, err := p.tools(r)
	if err != nil {
		return resume.Plan{}, err
	}
	if err := p.bound(r); err != nil {
		return resume.Plan{}, err
	}
	plan := resume.Plan{Dir: r.Info.Dir, Flags: known,
		Argv: slices.Concat([]string{r.Program.Path}, headless, model, p.effort(r), tools, p.cfg.Args)}
	p.pay(&plan, r)
	return plan, nil
}

// whole refuses a run in a folder while its settings are broken: it would have none of the extensions that they name, and those may forbid.
func (p *Pi) whole(dir string) error {
	return agent.WholeSettings(settingsMax, nil, nil, filepath.Join(p.root, "settings.json"), filepath.Join(dir, ".pi", "settings.json"))
}

// plainName is a provider or model that the agent takes for nothing else.
var plainName = lazyregexp.New(`^[A-Za-z0-9][\w./:@+~-]{0,127}$`)

func (p *Pi) model(r agent.Request) ([]string, error) {
	provider, model := r.Info.Provider, r.Info.Model
	switch {
	case p.sets("--model", "--provider"):
		return nil, nil
	case !plainName.MatchString(provider) || !plainName.MatchString(model):
		return nil, p.unfit(r, "its records do not tell its provider and model, and without them pi may take those of another account")
	}
	return []string{"--provider", provider, "--model", model}, nil
}

var efforts = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

func (p *Pi) effort(r agent.Request) []string {
	if e := r.Info.Setup.Effort; slices.Contains(efforts, e) && !p.sets("--thinking") {
		return []string{"--thinking", e}
	}
	return nil
}

// toolName is a name that stands for itself alone in a list of tools, where "+", "-" and "*" have a meaning.
var toolName = lazyregexp.New(`^[A-Za-z][\w.-]{0,99}$`)

// tools gives the tools that the session had, and no others: pi asks nobody before it uses one. The agent restores
// them by itself (1.5), but adds those of extensions that were installed since.
func (p *Pi) tools(r agent.Request) ([]string, detect.Known, error) {
	const newest = "the session went back to an older place, and this version of pi does not restore the tools that it had there"
	if p.sets("--tools", "-t", "--no-tools", "-nt", "--exclude-tools", "-xt") {
		return nil, detect.KnownRecorded, nil
	}
	switch list, told := r.Info.Offered(); {
	case told && len(list) == 0:
		return []string{"--no-tools"}, detect.KnownRecorded, nil
	case told:
		args := []string{"--tools", strings.Join(list, ",")}
		if agent.AtLeast(r.Program.Version, 1, 0, 4) && !slices.ContainsFunc(list, isMCP) {
			args = append(args, "--no-mcp") // a list without one of these keeps them all
		}
		return args, detect.KnownRecorded, nil
	case r.Info.Shape == shapeBranch && agent.AtLeast(r.Program.Version, 1, 5):
		return nil, detect.KnownRecorded, nil
	case r.Info.Shape == shapeBranch:
		return nil, "", p.unfit(r, newest)
	case len(r.Info.Used) > 0:
		return []string{"--tools", strings.Join(r.Info.Used, ",")}, detect.KnownNot, nil
	}
	return nil, "", p.unfit(r, "nobody saw with which tools it was started, and its version of pi does not record them")
}

func isMCP(tool string) bool { return strings.HasPrefix(tool, "mcp__") }

// bound refuses a session with a prompt of its own that no file brings back.
func (p *Pi) bound(r agent.Request) error {
	if !r.Info.Setup.Bound || p.sets("--system-prompt", "--append-system-prompt") {
		return nil
	}
	for _, dir := range []string{p.root, filepath.Join(r.Info.Dir, ".pi")} {
		for _, name := range []string{"SYSTEM.md", "APPEND_SYSTEM.md"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return nil
			}
		}
	}
	return p.unfit(r, "it was started with a system prompt of your own, which clawd cannot give it again")
}

// sets says whether the configured arguments hold one of these options.
func (p *Pi) sets(options ...string) bool {
	return slices.ContainsFunc(p.cfg.Args, func(a string) bool { return slices.Contains(options, a) })
}

func (p *Pi) unfit(r agent.Request, why string) error {
	return &agent.Unfit{Why: why, Key: "agent.pi.args",
		Command: agent.Command(p.vars(), r.Info.Dir, p.Command(), "--session", r.Session.ID)}
}
