package codex

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// payers make a run cost money of a key instead of a login's plan.
var payers = []string{"OPENAI_API_KEY", "CODEX_API_KEY"}

// ownKey is the one that OpenAI's own provider takes before the login. It never reads the other.
const ownKey = "CODEX_API_KEY"

// builtIn is the provider that a ChatGPT login belongs to.
const builtIn = "openai"

// Plan gives the headless resume. A resume restores neither model nor provider, sandbox or approval:
// all come from the last turn, and what the config would add to them is taken back. The prompt
// stands behind "--", so that a leading "-" does not change its meaning.
func (c *Codex) Plan(r agent.Request) (resume.Plan, error) {
	if err := c.check(r.Session); err != nil {
		return resume.Plan{}, err
	}
	if p := strings.TrimSpace(r.Prompt); p == "" || p == "-" { // the agent would read it from stdin
		return resume.Plan{}, errors.New("the prompt to resume with is empty")
	}
	if c.queued(r.Session) {
		return resume.Plan{}, c.unfit(r, "a message lies in Codex's queue for it, and its next run begins with that", "")
	}
	p, err := c.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Session, p.Prompt = resume.FormPrompt, r.Session.ID, detect.HashText(r.Prompt)
	p.Argv = append(p.Argv, "resume", r.Session.ID, "--", r.Prompt)
	return p, nil
}

// Fresh gives a new session, whose id the agent chooses; the hand-off goes in by stdin.
func (c *Codex) Fresh(r agent.Request) (resume.Plan, error) {
	if !agent.IsUUID(r.Session.ID) {
		return resume.Plan{}, errors.New("the session id is not a lower-case UUID")
	}
	if len(strings.TrimSpace(string(r.Handoff))) == 0 {
		return resume.Plan{}, errors.New("there is no hand-off to begin the new session with")
	}
	p, err := c.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Stdin, p.Prompt = resume.FormFresh, r.Handoff, detect.HashText(string(r.Handoff))
	p.Argv = append(p.Argv, "-")
	return p, nil
}

// plan is what both forms share, up to the command.
func (c *Codex) plan(r agent.Request) (resume.Plan, error) {
	if !filepath.IsAbs(r.Program.Path) {
		return resume.Plan{}, errors.New("the program's path is not absolute")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
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
	p := resume.Plan{Dir: r.Info.Dir, Flags: known}
	if err := c.pay(&p, r); err != nil {
		return resume.Plan{}, err
	}
	p.Argv = []string{r.Program.Path, "exec", "--json", "-C", r.Info.Dir, "--skip-git-repo-check"}
	if plainName(r.Info.Model) && !c.sets(modelOptions, "model") {
		p.Argv = append(p.Argv, "-m", r.Info.Model)
	}
	if plainName(r.Info.Provider) && !c.sets(providerOptions, "model_provider") {
		p.Argv = append(p.Argv, "-c", setting("model_provider", r.Info.Provider))
	}
	if effort := r.Info.Setup.Effort; slices.Contains(efforts, effort) && !c.sets(nil, "model_reasoning_effort") {
		p.Argv = append(p.Argv, "-c", setting("model_reasoning_effort", effort))
	}
	p.Argv = slices.Concat(p.Argv, mode, kept, c.cfg.Args)
	return p, nil
}

// pay sets who pays, and the environment. Only OpenAI's own provider can be paid by a login; another
// one has a key of its own, under a name that its user chose.
func (c *Codex) pay(p *resume.Plan, r agent.Request) error {
	p.Auth = c.auth()
	pays := ""
	if r.Launch != nil {
		pays = r.Launch.Pays
	}
	who := agent.Payer(pays)
	own := r.Info.Provider == "" || r.Info.Provider == builtIn
	switch {
	case !own:
		p.Auth = "key"
	case r.Stop.Reason == detect.UsageLimit:
		// A plan's limit stops no key, and who waited for the plan must not go on at a price.
		p.Auth = "login"
	case who == "key" && c.getenv(ownKey) == "":
		return c.unfit(r, "a key paid for it, which clawd's environment does not have", "agent.codex.env")
	case who != "":
		p.Auth = who
	}
	var account []string
	switch {
	case p.Auth == "login":
		p.Unset, account = append(slices.Clone(payers), baseURL), loginAccount
	case own:
		account = keyAccount
	}
	unset, why := c.cfg.SameAccount(c.env, pays, account...)
	if why != "" {
		return c.unfit(r, why, "agent.codex.env")
	}
	p.Unset = append(p.Unset, unset...)
	p.Env = c.cfg.Environ(p.Unset, "CODEX_HOME", c.given)
	return nil
}

// efforts are those that a model may have.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"}

const (
	readOnly  = "read-only"
	workspace = "workspace-write"
	bypass    = "danger-full-access"
	never     = "never" // the approval policy that asks nobody
)

// mode gives the sandbox as recorded, never more, and no approvals: a headless run cannot ask. A
// session from a terminal that asks its user is left, unless the config says what a run may do.
func (c *Codex) mode(r agent.Request) ([]string, error) {
	allowed := c.sets(sandboxOptions, "sandbox_mode")
	sandbox, approval, _ := strings.Cut(r.Info.Mode, "/")
	kind, extras, _ := strings.Cut(sandbox, "+")
	if r.Info.Interactive && !allowed {
		switch {
		case kind == bypass && !c.cfg.RestoreBypass:
			return nil, c.unfit(r, "the session ran without a sandbox, which a file cannot prove", "agent.codex.restore_bypass")
		case approval != never && !c.sets(approvalOptions, "approval_policy"):
			return nil, c.unfit(r, "the session asks you for approvals, and a headless run cannot", "agent.codex.args")
		}
	}
	args := []string{"-c", setting("approval_policy", never)}
	if c.sets(approvalOptions, "approval_policy") {
		args = nil
	}
	switch profile := r.Info.Setup.Role; {
	case allowed:
		return args, nil
	case profile != "" && !strings.HasPrefix(profile, ":"): // a sandbox beside it would put its rules out of force
		return c.profile(r, args, profile, kind)
	case kind == bypass && c.cfg.RestoreBypass:
		return append(args, "-c", setting("sandbox_mode", bypass)), nil
	case kind == bypass:
		extras = "" // of the wide sandbox, the one below it
	case kind != workspace:
		return append(args, "-c", setting("sandbox_mode", readOnly)), nil
	}
	has := strings.Split(extras, "+")
	args = append(args, "-c", setting("sandbox_mode", workspace),
		"-c", "sandbox_workspace_write.network_access="+strconv.FormatBool(slices.Contains(has, "network")))
	if list, err := json.Marshal(append([]string{}, r.Info.Roots...)); err == nil && (!slices.Contains(has, "roots") || r.Info.Roots != nil) {
		args = append(args, "-c", "sandbox_workspace_write.writable_roots="+string(list)) // TOML's form is the same
	} // else those of the config: a clawd before this one did not note which they were
	if slices.Contains(has, "notmp") {
		args = append(args, "-c", "sandbox_workspace_write.exclude_slash_tmp=true")
	}
	if slices.Contains(has, "notmpdir") {
		args = append(args, "-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true")
	}
	return args, nil
}

// profile gives the session the permission profile of its user's in which it ran. What that denies or allows beyond a sandbox's mode, the
// config says.
func (c *Codex) profile(r agent.Request, args []string, name, kind string) ([]string, error) {
	switch {
	case !plainName(name):
		return nil, c.unfit(r, "it ran in a permission profile whose name clawd cannot give it again", "agent.codex.args")
	case kind != workspace && kind != readOnly && !c.cfg.RestoreBypass:
		return nil, c.unfit(r, "it ran in the permission profile "+name+", which allows more than its folder", "agent.codex.restore_bypass")
	}
	return append(args, "-c", setting("default_permissions", name)), nil
}

// Options by which a user's own arguments say what a run may do, or with which model.
var (
	sandboxOptions  = []string{"-s", "--sandbox", "--full-auto", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox", "--yolo"}
	approvalOptions = []string{"-a", "--ask-for-approval", "--full-auto", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox", "--yolo"}
	modelOptions    = []string{"-m", "--model"}
	providerOptions = []string{"--oss", "--local-provider"}
)

// sets says whether the configured arguments hold one of these options, or -c with the key.
func (c *Codex) sets(options []string, key string) bool {
	for i, a := range c.cfg.Args {
		name, value, _ := strings.Cut(a, "=")
		switch {
		case slices.Contains(options, name):
			return true
		case name == "--config" && strings.HasPrefix(value, key+"="):
			return true
		case (name == "-c" || name == "--config") && i+1 < len(c.cfg.Args) && strings.HasPrefix(c.cfg.Args[i+1], key+"="):
			return true
		}
	}
	return false
}

// setting is the value of -c, which is read as TOML.
func setting(key, word string) string { return key + `="` + word + `"` }

// plainName: a model or provider that the agent would take for nothing else.
func plainName(s string) bool {
	return s != "" && len(s) <= 128 && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@-") == ""
}

func (c *Codex) unfit(r agent.Request, why, key string) error {
	return &agent.Unfit{Why: why, Key: key, Command: agent.Command(c.vars(), r.Info.Dir, c.Command(), "resume", r.Session.ID)}
}
