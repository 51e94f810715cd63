package opencode

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
	"github.com/clawd-project/clawd/resume"
)

// Plan is `opencode run --session ID -- PROMPT` in the session's own folder: from another one the
// command never sees the answer and waits for ever. Agent, model and variant are those of the prompt that
// stopped: opencode itself keeps the model alone, and one of them given alone loses another.
//
// A session of a terminal is resumed too. What it may do without asking stands in config files,
// not in the session; by default nearly everything is allowed. Where a rule asks, the headless run
// refuses by itself and the turn ends as denied: it never gets more than the terminal had.
func (o *OpenCode) Plan(r agent.Request) (resume.Plan, error) {
	if err := o.check(r.Session); err != nil {
		return resume.Plan{}, err
	}
	if r.Prompt == "" {
		return resume.Plan{}, errors.New("opencode run needs a prompt")
	}
	switch {
	case r.Info.Parent != "":
		return resume.Plan{}, &agent.Unfit{Why: "it is the session of a sub-agent, which continues with its parent"}
	case r.Info.Archived:
		return resume.Plan{}, &agent.Unfit{Why: "you archived the session"}
	case isJSON(r.Session) && r.Program.Version != "" && !reFiles.MatchString(r.Program.Version):
		return resume.Plan{}, &agent.Unfit{
			Why:     "the session lies in the files of an opencode before 1.2; the one installed first has to take them over",
			Command: agent.Command(o.vars(), r.Info.Dir, o.Command()),
		}
	}
	setup, err := o.setup(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p, err := o.plan(r, append([]string{"--session", r.Session.ID}, setup...)...)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Session = resume.FormPrompt, r.Session.ID
	p.Argv = append(p.Argv, "--", r.Prompt)
	p.Prompt = detect.HashText(recorded(r.Prompt))
	return p, nil
}

// reFiles are the versions that keep sessions in JSON files.
var reFiles = lazyregexp.New(`^(0\.|1\.[01]\.)`)

// Fresh starts a new session with the hand-off, which opencode reads from stdin, and what the old one ran
// with. opencode chooses the id.
func (o *OpenCode) Fresh(r agent.Request) (resume.Plan, error) {
	if len(bytes.TrimSpace(r.Handoff)) == 0 {
		return resume.Plan{}, errors.New("opencode run needs a prompt")
	}
	setup, err := o.setup(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p, err := o.plan(r, setup...)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Stdin = resume.FormFresh, r.Handoff
	p.Prompt = detect.HashText(string(r.Handoff))
	return p, nil
}

// reModel is provider/model; the model may hold further slashes.
var reModel = lazyregexp.New(`^[A-Za-z0-9][\w.@-]*/[\w.@:/-]+$`)

// hangs: `opencode run` was seen to stay after its turn had ended. It has nothing that works in the background.
const hangs = 5 * time.Minute

func (o *OpenCode) plan(r agent.Request, args ...string) (resume.Plan, error) {
	if !filepath.IsAbs(r.Program.Path) {
		return resume.Plan{}, errors.New("the path of the program opencode is not known")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, &agent.Unfit{Why: err.Error()}
	}
	p := resume.Plan{
		Argv: slices.Concat([]string{r.Program.Path, "run", "--format", "json"}, args, o.cfg.Args),
		Dir:  r.Info.Dir,
		// A run in the background must not replace the program that its user has installed.
		Env:  []string{"OPENCODE_DISABLE_AUTOUPDATE=1"},
		Auth: "key",
		Rest: hangs,
	}
	if o.cfg.ConfigDir != "" {
		if filepath.Base(o.data) != "opencode" {
			return resume.Plan{}, &agent.Unfit{Why: "opencode finds its data only in a folder named opencode", Key: "agent.opencode.config_dir"}
		}
		p.Env = append(p.Env, "XDG_DATA_HOME="+filepath.Dir(o.data))
	}
	for _, k := range slices.Sorted(maps.Keys(o.cfg.Env)) {
		p.Env = append(p.Env, k+"="+o.cfg.Env[k])
	}
	if _, err := os.Lstat(filepath.Join(o.data, "auth.json")); err == nil {
		p.Auth = "login"
		for _, k := range keyVariables {
			if _, given := o.cfg.Env[k]; given {
				p.Auth = "key"
			} else {
				p.Unset = append(p.Unset, k)
			}
		}
	}
	return p, nil
}

// recorded is how opencode keeps one argument of `run`: with a blank in it, in quotes.
func recorded(prompt string) string {
	if !strings.Contains(prompt, " ") {
		return prompt
	}
	return `"` + strings.ReplaceAll(prompt, `"`, `\"`) + `"`
}
