package gemini

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

// payers make a run cost money of a key or of a cloud project instead of a login's quota. (The name of
// a project alone does not: some logins need one.)
var payers = []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"}

// projects tell the quotas and bills apart that some logins have, and every cloud's; clouds tell apart who goes there with which rights.
var (
	projects = []string{"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"}
	clouds   = []string{"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_VERTEX_BASE_URL"}
)

const (
	server   = "GOOGLE_GEMINI_BASE_URL" // sends the requests elsewhere
	onServer = "@server"                // behind who pays: so it was
)

// Plan gives the headless resume, in the very folder of the session's project: from one below it the
// agent finds no session.
func (g *Gemini) Plan(r agent.Request) (resume.Plan, error) {
	if _, err := g.path(r.Session); err != nil {
		return resume.Plan{}, err
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return resume.Plan{}, errors.New("the prompt to resume with is empty")
	}
	p, err := g.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Session, p.Prompt = resume.FormPrompt, r.Session.ID, detect.HashText(r.Prompt)
	// One word, so that a leading "-" makes no option of the prompt.
	p.Argv = append(p.Argv, "--resume", r.Session.ID, "--prompt="+r.Prompt)
	return p, nil
}

// Fresh gives a new session, with an id of our choice where the version takes one; the hand-off goes in by stdin. The old
// session's file need not be there any more: one without a turn is deleted by the agent's next start.
func (g *Gemini) Fresh(r agent.Request) (resume.Plan, error) {
	if err := g.check(r.Session); err != nil {
		return resume.Plan{}, err
	}
	if !agent.IsUUID(r.NewID) {
		return resume.Plan{}, errors.New("the id for the new session is not a lower-case UUID")
	}
	if len(strings.TrimSpace(string(r.Handoff))) == 0 {
		return resume.Plan{}, errors.New("there is no hand-off to begin the new session with")
	}
	p, err := g.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Stdin, p.Prompt = resume.FormFresh, r.Handoff, detect.HashText(string(r.Handoff))
	if takesID(r.Program) {
		p.Session, p.Argv = r.NewID, append(p.Argv, "--session-id", r.NewID)
	}
	return p, nil
}

// takesID tells whether a caller may choose the id of a new session. Up to 0.40 the agent refuses to start with the option;
// without it every version starts.
func takesID(p agent.Program) bool { return agent.AtLeast(p.Version, 0, 47) }

// plan is what both forms share. The folder's trust is its user's word: without it the agent ends at
// once, and nothing here changes that.
func (g *Gemini) plan(r agent.Request) (resume.Plan, error) {
	if !filepath.IsAbs(r.Program.Path) {
		return resume.Plan{}, errors.New("the program's path is not absolute")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	if err := g.soundPolicies(r.Program, r.Info.Dir, r.Launch); err != nil {
		return resume.Plan{}, err
	}
	mode, err := g.mode(r)
	if err != nil {
		return resume.Plan{}, err
	}
	kept, approval, known, err := g.restore(r)
	if err != nil {
		return resume.Plan{}, err
	}
	if approval {
		mode = nil
	}
	p := resume.Plan{Dir: r.Info.Dir, Flags: known,
		Argv: slices.Concat([]string{r.Program.Path, "--output-format", "stream-json"}, mode, kept, g.cfg.Args)}
	if err := g.pay(&p, r); err != nil {
		return resume.Plan{}, err
	}
	if g.cfg.Env[modelVar] == "" && g.getenv(modelVar) != "" { // clawd's own is not the session's
		p.Unset = append(p.Unset, modelVar)
	}
	home := ""
	if g.cfg.ConfigDir != "" {
		if filepath.Base(g.given) != ".gemini" {
			return resume.Plan{}, &agent.Unfit{Why: "the Gemini CLI finds its data only in a folder named .gemini", Key: "agent.gemini.config_dir"}
		}
		home = filepath.Dir(g.given)
	}
	p.Env = append(g.cfg.Environ(p.Unset, "GEMINI_CLI_HOME", home), once(r.Program)...)
	return p, nil
}

// once keeps 0.20 from starting itself again, for ever, when it has refused a session: its launcher takes the exit code for the
// order to do so.
func once(p agent.Program) []string {
	if p.Version == "" || agent.AtLeast(p.Version, 0, 24) {
		return nil
	}
	return []string{"GEMINI_CLI_NO_RELAUNCH=true"}
}

// pay sees to it that who paid for the session pays for its resume, and that its requests go where they went.
func (g *Gemini) pay(p *resume.Plan, r agent.Request) error {
	pays := ""
	if r.Launch != nil {
		pays = r.Launch.Pays
	}
	who, own := strings.CutSuffix(agent.Payer(pays), onServer)
	switch {
	case g.otherWay(pays, r.Info.Dir):
		return g.unfit(r, "it was started with another "+wayKey+" in its settings than they have now, so another account or a key would pay", "")
	case who == "key" && !slices.ContainsFunc(payers, func(name string) bool { return g.getenv(name) != "" }):
		return g.unfit(r, "a key paid for it, which clawd's environment does not have", "agent.gemini.env")
	case who == "" && !own && g.cfg.Env[server] == "" && g.getenv(server) != "":
		return g.unfit(r, "nobody saw whether its requests went to the server that "+server+" names in clawd's environment", "agent.gemini.env")
	case own && g.getenv(server) == "":
		return g.unfit(r, "its requests went to a server of your own, and clawd's environment has no "+server, "agent.gemini.env")
	case who != "":
		p.Auth = who
	case r.Stop.Reason == detect.UsageLimit && g.hasLogin():
		// Who waited for the login's quota must not go on at a price. (A key has a daily quota of its own.)
		p.Auth = "login"
	default:
		p.Auth = g.auth()
	}
	account := slices.Clone(projects)
	if p.Auth == "login" {
		p.Unset = slices.Clone(payers)
	} else {
		account = slices.Concat(payers, projects, clouds)
	}
	if own {
		account = append(account, server)
	} else if who != "" && g.cfg.Env[server] == "" {
		p.Unset = append(p.Unset, server)
	}
	unset, why := g.cfg.SameAccount(g.env, pays, account...)
	if why != "" {
		return g.unfit(r, why, "agent.gemini.env")
	}
	p.Unset = append(p.Unset, unset...)
	return nil
}

// mode gives the approval mode. The agent records none, so a run gets the least: tools that would ask
// are not even there in a headless run. A session from a terminal is left, unless the config says
// what a run may do.
func (g *Gemini) mode(r agent.Request) ([]string, error) {
	if line := strings.ReplaceAll(strings.Join(g.cfg.Args, " "), "=", " ") + " "; strings.Contains(line, "--approval-mode plan ") {
		return nil, g.unfit(r, "the config has it run in plan mode, "+endless, argsKey)
	}
	if g.sets("--approval-mode", "--yolo", "-y", "--allowed-tools", "--policy") {
		return nil, nil
	}
	if r.Info.Interactive {
		return nil, g.unfit(r, "the session asks you for approvals, and a headless run cannot", argsKey)
	}
	return []string{"--approval-mode", "default"}, nil
}

const (
	modelFlag = "--model"
	modelVar  = "GEMINI_MODEL"
)

// model gives the model that answered last, unless the config names one: the agent's own resume takes its default one, after asking a
// further model which to take. Whether the session had it by its user's choice or by that is not recorded.
func (g *Gemini) model(r agent.Request) []string {
	if m := r.Info.Model; modelName.MatchString(m) && !g.sets("-m", modelFlag) && g.cfg.Env[modelVar] == "" {
		return []string{"-m", m}
	}
	return nil
}

var modelName = lazyregexp.New(`^[a-z][\w.-]{0,100}$`)

// sets says whether the configured arguments hold one of these options.
func (g *Gemini) sets(options ...string) bool {
	return slices.ContainsFunc(g.cfg.Args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return slices.Contains(options, name)
	})
}
