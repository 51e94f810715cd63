package claude

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// bigContext: a default session has a window of 200,000 tokens; above that it ran with 1,000,000,
// which the transcript does not say and a headless resume does not restore.
const bigContext = 200_000

// Plan gives the headless resume.
//
// From 2.1.197 on the agent can go on without a prompt, and then asks nothing when there is
// nothing to go on with. That form is taken whenever it works: the last turn was cut, not ended
// by its user, and the last line of the user's side is a real one (after an idempotent run that
// failed, the next would do nothing), and no run of this form had no effect on this stop before.
// Otherwise the prompt is the last argument, behind "--":
// neither an option that takes many values nor a leading "-" can change its meaning.
func (c *Claude) Plan(r agent.Request) (resume.Plan, error) {
	if err := c.check(r); err != nil {
		return resume.Plan{}, err
	}
	mode, err := c.mode(r)
	if err != nil {
		return resume.Plan{}, err
	}
	kept, known, err := c.restore(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p, err := c.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Session, p.Flags = r.Session.ID, known
	common := slices.Concat([]string{"--output-format", "stream-json", "--verbose", "--resume", r.Session.ID}, mode, c.model(r), kept, c.cfg.Args)
	if idempotent(r) {
		p.Form = resume.FormIdempotent
		p.Env = append(p.Env, goOn+"=1", anyAge)
		p.Argv = slices.Concat([]string{r.Program.Path, "-p", "--input-format", "stream-json"}, common)
		return p, nil
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return resume.Plan{}, errors.New("the prompt to resume with is empty")
	}
	p.Form, p.Prompt = resume.FormPrompt, detect.HashText(r.Prompt)
	p.Argv = slices.Concat([]string{r.Program.Path, "-p"}, common, []string{"--", r.Prompt})
	return p, nil
}

// Fresh gives a new session with an id of our choice; the hand-off goes in by stdin.
func (c *Claude) Fresh(r agent.Request) (resume.Plan, error) {
	if err := c.check(r); err != nil {
		return resume.Plan{}, err
	}
	if !agent.IsUUID(r.NewID) {
		return resume.Plan{}, errors.New("the id for the new session is not a lower-case UUID")
	}
	if len(r.Handoff) == 0 {
		return resume.Plan{}, errors.New("there is no hand-off to begin the new session with")
	}
	mode, err := c.mode(r)
	if err != nil {
		return resume.Plan{}, err
	}
	kept, known, err := c.restore(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p, err := c.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Session, p.Flags = resume.FormFresh, r.NewID, known
	p.Stdin, p.Prompt = r.Handoff, detect.HashText(string(r.Handoff))
	model := c.model(r)
	if len(model) == 0 && plainModel(r.Info.Model) && !c.sets("--model") && !holds(kept, "--model") {
		model = []string{"--model", r.Info.Model} // nothing restores it in a new session
	}
	p.Argv = slices.Concat([]string{r.Program.Path, "-p", "--output-format", "stream-json", "--verbose", "--session-id", r.NewID},
		mode, model, kept, c.cfg.Args)
	return p, nil
}

// check refuses what no run may be started for.
func (c *Claude) check(r agent.Request) error {
	if err := fits(r.Session); err != nil {
		return err
	}
	if !filepath.IsAbs(r.Program.Path) {
		return errors.New("the program's path is not absolute")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return err
	}
	if folder := filepath.Base(filepath.Dir(r.Session.Path)); !inFolder(r.Info.Dir, folder) {
		return fmt.Errorf("the session's file lies in the project folder %q, which is not that of %q", folder, r.Info.Dir)
	}
	if err := c.leftToIt(r); err != nil {
		return err
	}
	return c.whole(r.Program, r.Info.Dir)
}

// whole refuses a run in a folder while its settings are broken: it would pass over what they forbid.
func (c *Claude) whole(p agent.Program, dir string) error {
	project := filepath.Join(dir, ".claude")
	sound := func(all any) error { return sound(all, p.Version) }
	return agent.WholeSettings(configMax, nil, sound, filepath.Join(c.root, "settings.json"), filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json"))
}

// plan is what all forms share.
func (c *Claude) plan(r agent.Request) (resume.Plan, error) {
	p := resume.Plan{Dir: r.Info.Dir}
	if err := c.pay(&p, r); err != nil {
		return resume.Plan{}, err
	}
	for _, v := range choices { // clawd's own are not the session's
		if c.cfg.Env[v.name] == "" && c.getenv(v.name) != "" {
			p.Unset = append(p.Unset, v.name)
		}
	}
	p.Env = c.cfg.Environ(p.Unset, "CLAUDE_CONFIG_DIR", c.given)
	return p, nil
}

// mode gives the permission mode as recorded, never more. Asking a person is impossible in a
// headless run, where all that would be asked is refused: a session from a terminal that asks is
// left, unless the config says what a run may do.
func (c *Claude) mode(r agent.Request) ([]string, error) {
	if c.sets("--permission-mode", "--dangerously-skip-permissions") {
		return nil, nil
	}
	allowed := c.sets("--allowedTools", "--allowed-tools", "--permission-prompt-tool")
	mode := r.Info.Mode
	if mode == "manual" {
		mode = "default" // its name from 2.1.329 on, which still knows the old one
	}
	unfit := func(why, key string) error { return c.unfit(r, why, key) }
	switch mode {
	case "acceptEdits", "dontAsk", "auto":
		return []string{"--permission-mode", mode}, nil
	case "bypassPermissions":
		if c.cfg.RestoreBypass {
			return []string{"--permission-mode", mode}, nil
		}
		if r.Info.Interactive && !allowed {
			return nil, unfit("the session ran without permission checks, which a file cannot prove", "agent.claude.restore_bypass")
		}
		return []string{"--permission-mode", "default"}, nil
	case "plan":
		if r.Info.Interactive && !allowed {
			return nil, unfit("the session is in plan mode, which ends in a question to you", "agent.claude.args")
		}
		return []string{"--permission-mode", mode}, nil
	}
	if r.Info.Interactive && !allowed {
		return nil, unfit("the session asks you for permissions, and a headless run cannot", "agent.claude.args")
	}
	if mode == "" { // versions before 2.1 record none
		return nil, nil
	}
	return []string{"--permission-mode", "default"}, nil
}

func (c *Claude) unfit(r agent.Request, why, key string) error {
	return &agent.Unfit{Why: why, Key: key, Command: agent.Command(c.vars(), r.Info.Dir, c.Command(), "--resume", r.Session.ID)}
}

// sets says whether the configured arguments hold one of these options.
func (c *Claude) sets(options ...string) bool {
	for _, a := range c.cfg.Args {
		name, _, _ := strings.Cut(a, "=")
		if slices.Contains(options, name) {
			return true
		}
	}
	return false
}

func (c *Claude) model(r agent.Request) []string {
	if r.Info.Tokens <= bigContext || !plainModel(r.Info.Model) || c.sets("--model") {
		return nil
	}
	return []string{"--model", strings.TrimSuffix(r.Info.Model, "[1m]") + "[1m]"}
}

// plainModel: a name that the agent would take for nothing else.
func plainModel(m string) bool {
	return strings.HasPrefix(m, "claude-") && strings.Trim(strings.TrimSuffix(m, "[1m]"),
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == ""
}

// anyAge lifts the bound of 2.1.269 and later, which go on without a prompt only in what stopped within
// six hours. The value is a year: there is no word for "without a bound", and 0 counts as not set.
const (
	maxAge = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS"
	anyAge = maxAge + "=31536000000"
)

func idempotent(r agent.Request) bool {
	if r.LastMeta || r.Inert || !agent.AtLeast(r.Program.Version, 2, 1, 197) {
		return false
	}
	switch r.Stop.Reason {
	case detect.Interrupted, detect.Completed, "":
		return false
	}
	return true
}
