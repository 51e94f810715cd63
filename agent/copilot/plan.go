package copilot

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
	"github.com/clawd-project/clawd/resume"
)

// Plan gives the headless resume. The agent itself restores the folder, the model and the mode, and none of what the
// run was allowed. Of that no record tells, so it must have been seen.
func (c *Copilot) Plan(r agent.Request) (resume.Plan, error) {
	if err := c.check(r.Session); err != nil {
		return resume.Plan{}, err
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return resume.Plan{}, errors.New("the prompt to resume with is empty")
	}
	p, err := c.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Session, p.Prompt = resume.FormPrompt, r.Session.ID, detect.HashText(r.Prompt)
	p.Argv = append(p.Argv, "--resume="+r.Session.ID, "--prompt="+r.Prompt) // in one word, as a value may be absent, or begin with "-"
	return p, nil
}

// Fresh gives a new session under an id of ours; the hand-off goes in by stdin.
func (c *Copilot) Fresh(r agent.Request) (resume.Plan, error) {
	if !agent.IsUUID(r.Session.ID) || !agent.IsUUID(r.NewID) {
		return resume.Plan{}, errors.New("the session id is not a lower-case UUID")
	}
	if len(strings.TrimSpace(string(r.Handoff))) == 0 {
		return resume.Plan{}, errors.New("there is no hand-off to begin the new session with")
	}
	p, err := c.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Session = resume.FormFresh, r.NewID
	p.Stdin, p.Prompt = r.Handoff, detect.HashText(string(r.Handoff))
	if m := r.Info.Model; p.Auth == login && plainModel(m) && !c.sets("--model") {
		p.Argv = append(p.Argv, "--model", m)
	}
	p.Argv = append(p.Argv, "--session-id="+r.NewID)
	return p, nil
}

// autopilot is the mode in which the agent goes on after each answer, with a request of its own.
const autopilot = "autopilot"

// output is what every run prints: its exit code says nothing of a signal.
var output = []string{"--output-format", "json"}

// plan is what both forms share, up to the session.
func (c *Copilot) plan(r agent.Request) (resume.Plan, error) {
	if !filepath.IsAbs(r.Program.Path) {
		return resume.Plan{}, errors.New("the program's path is not absolute")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	if err := c.whole(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	if r.Info.Mode == "plan" {
		return resume.Plan{}, c.unfit(r, "it is in plan mode, which only you can end", argsKey)
	}
	kept, known, err := c.restore(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p := resume.Plan{Dir: r.Info.Dir, Flags: known}
	if err := c.pay(&p, r); err != nil {
		return resume.Plan{}, err
	}
	p.Argv = slices.Concat([]string{r.Program.Path}, output, kept, c.cfg.Args)
	if r.Info.Mode == autopilot && !c.sets("--autopilot", "--mode", "--plan") { // a resume without it stops after one answer, though in that mode
		p.Argv = append(p.Argv, "--autopilot")
	}
	return p, nil
}

// restore gives the options that the session's last run had.
func (c *Copilot) restore(r agent.Request) (args []string, known detect.Known, err error) {
	if r.Launch == nil {
		if c.allows() {
			return nil, detect.KnownNot, nil
		}
		return nil, "", c.unfit(r, "nobody saw what it was allowed to do, and the agent does not record that", argsKey)
	}
	flags, lost := options.Kept(r.Launch, c.env, c.cfg, section)
	if lost != nil {
		return nil, "", c.unfit(r, lost.Why, lost.Key)
	}
	if c.bypasses(r.Launch) && !c.cfg.RestoreBypass { // what is left asks before it goes beyond its folder
		flags = slices.DeleteFunc(flags, func(f detect.Flag) bool { return slices.Contains(wide, f.Name) })
		flags = append(flags, detect.Flag{Name: allowTools})
	}
	for _, f := range flags {
		args = append(args, f.Args()...)
	}
	return args, detect.KnownSeen, nil
}

// wide are options without which a run stays in its folder, and asks before it goes to an address.
var wide = []string{allowAll, "--allow-all-paths", "--allow-all-urls"}

// bypasses tells whether a launch allowed everything.
func (c *Copilot) bypasses(l *detect.Launch) bool {
	return slices.ContainsFunc(l.Flags, func(f detect.Flag) bool { return f.Name == allowAll })
}

// allows tells whether the configured arguments say what a run may do.
func (c *Copilot) allows() bool {
	return c.sets(allowTools, allowAll, "--yolo", "--allow-tool", "--available-tools")
}

// sets says whether the configured arguments hold one of these options.
func (c *Copilot) sets(options ...string) bool {
	return slices.ContainsFunc(c.cfg.Args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return slices.Contains(options, name)
	})
}

// plainName is a model that the agent takes for nothing else.
var plainName = lazyregexp.New(`^[A-Za-z0-9][\w./:@+~-]{0,127}$`)

func plainModel(name string) bool { return plainName.MatchString(name) }

func (c *Copilot) unfit(r agent.Request, why, key string) error {
	return &agent.Unfit{Why: why, Key: key, Command: agent.Command(c.vars(), r.Info.Dir, c.Command(), "--resume="+r.Session.ID)}
}
