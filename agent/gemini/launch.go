package gemini

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

var _ agent.Launcher = (*Gemini)(nil)

// options of the command line, as of 0.61. Those that are absent here are lost: nobody knows what they do.
var options = optionTable()

func optionTable() agent.Options {
	t := agent.Options{}
	t.Add(agent.One, agent.Word, "--model -m")
	t.AddSetting(agent.One, agent.Word, approval, "--approval-mode")
	t.AddSetting(agent.Switch, agent.Drop, approval, "--yolo -y")
	t.Add(agent.One, agent.Any, "--include-directories", "--allowed-tools")
	t.Add(agent.One, agent.Word, "--allowed-mcp-server-names", "--extensions -e")
	t.AddSetting(agent.One, policyFate, agent.AddsUp, "--policy", "--admin-policy")
	t.Add(agent.Switch, agent.Any, "--sandbox -s", "--skip-trust")
	t.Add(agent.Switch, agent.Drop, "--debug -d", "--screen-reader", "--raw-output", "--accept-raw-output-risk")
	t.Add(agent.One, agent.Drop, "--prompt -p", "--prompt-interactive -i", "--output-format -o", "--session-id", "--session-file")
	t.Add(agent.Perhaps, agent.Drop, "--resume -r", "--worktree -w")
	t.Limit("--sandbox", "--allowed-mcp-server-names", "--extensions", "--policy", "--admin-policy")
	t.LimitBy(agent.IsPlan, "--approval-mode")
	return t
}

// bounds are variables that bound what a run may do, as of 0.61: its sandbox, and whose settings and whose word on folders count.
var bounds = []string{"GEMINI_SANDBOX", "SEATBELT_PROFILE", "SANDBOX_FLAGS", "SANDBOX_MOUNTS", "GEMINI_SANDBOX_PROXY_COMMAND", "GEMINI_RESTRICTED_MODE",
	"GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_CLI_TRUSTED_FOLDERS_PATH"}

// approval: the agent refuses to start with both options that set it.
func approval(string) string { return "--approval-mode" }

// policyFate is that of a list of files.
func policyFate(value string) agent.Fate {
	for _, path := range strings.Split(value, ",") {
		if fate := agent.File(path); fate != agent.Again {
			return fate
		}
	}
	return agent.Again
}

// soon is how long after its start a process begins its session.
const soon = time.Minute

// Launches looks which process writes a chat. None names its session but by its arguments; without that,
// the one headless process in the folder counts that was started right before the session began.
func (g *Gemini) Launches(hint string) ([]agent.Launched, error) {
	if hint == "" || nameForm.FindStringSubmatch(filepath.Base(hint)) == nil || g.written(hint) {
		return nil, nil
	}
	touched, err := g.Scan(context.Background(), hint)
	if err != nil || len(touched) != 1 {
		return nil, err
	}
	s := touched[0].Session
	begun, err := g.begun(s.Path)
	if err != nil {
		return nil, agent.SkipAbsent(err)
	}
	holders, err := g.Live(context.Background(), s, detect.Info{})
	if err != nil {
		return nil, agent.SkipNoProcs(err)
	}
	var all []agent.Candidate
	for _, h := range holders {
		p, ok := g.env.Procs.Get(h.PID)
		argv, isAgent := g.arguments(g.env.Procs.Argv(h.PID))
		if !ok || !isAgent || h.Liveness != detect.Alive {
			continue
		}
		if agent.OwnRun(g.env.Procs, h.PID) {
			return nil, nil
		}
		late := begun.Sub(p.Started)
		if !h.Named && (h.Kind != detect.Headless || p.Started.IsZero() || late < -time.Second || late > soon) {
			return nil, nil // it may be that one's
		}
		l := detect.Launch{PID: h.PID, Start: h.Start, Boot: h.Boot, Pays: g.signed(g.purse(g.env.Procs.Environ(h.PID)), g.env.Procs.Cwd(h.PID))}
		l.Flags, l.Lost = options.Parse(argv) // not the prompt: in a sandbox the child has what came by stdin in it
		l.Bounds = g.bounds(h.PID)
		all = append(all, agent.Candidate{Proc: p, Launch: l})
	}
	l, ok := g.cfg.OneLaunch(g.env, all)
	if !ok {
		return nil, nil
	}
	g.mu.Lock()
	g.writers[hint] = agent.Proc{PID: l.PID, Start: l.Start}
	g.mu.Unlock()
	return []agent.Launched{{Session: s.ID, Launch: l}}, nil
}

// bounds are those of a process. One in a sandbox has them from the process that made that.
func (g *Gemini) bounds(pid int) map[string]string {
	environ := g.env.Procs.Environ(pid)
	if agent.Sets(environ, "SANDBOX") {
		return nil
	}
	return g.env.Bounds(bounds, environ)
}

// written tells whether the process was seen that writes a chat.
func (g *Gemini) written(path string) bool {
	g.mu.Lock()
	p, ok := g.writers[path]
	g.mu.Unlock()
	return ok && agent.Lives(g.env.Procs, p)
}

// begun is when a session began, as its file says.
func (g *Gemini) begun(path string) (time.Time, error) {
	fi, err := agent.Own(path)
	if err != nil {
		return time.Time{}, err
	}
	h, _ := g.head(path, fi)
	return h.StartTime, nil // zero: no process began it
}

// restore gives the options that no record tells, and whether the approval mode is among them.
func (g *Gemini) restore(r agent.Request) (args []string, approval bool, known detect.Known, err error) {
	if r.Launch == nil {
		return g.model(r), false, detect.KnownNot, nil
	}
	flags, lost := options.Kept(r.Launch, g.env, g.cfg, section)
	if lost != nil {
		return nil, false, "", g.unfit(r, lost.Why, lost.Key)
	}
	model := g.model(r)
	for _, f := range flags {
		mode := f.Name == "--approval-mode"
		switch {
		case f.Name == modelFlag && (g.cfg.Env[modelVar] != "" || r.Info.Interactive && len(model) > 0): // its user may have chosen another one there
		case mode && slices.Contains(f.Values, "plan"):
			return nil, false, "", g.unfit(r, "it was started in plan mode, "+endless, argsKey)
		case mode && slices.Contains(f.Values, "yolo") && !g.cfg.RestoreBypass:
		case (f.Name == "--policy" || f.Name == "--admin-policy") && absent(r.Info.Dir, f.Values):
			return nil, false, "", g.unfit(r, "the file that it was started with by "+f.Name+" is not there any more", "")
		default:
			approval = approval || mode
			if f.Name == modelFlag {
				model = nil
			}
			args = append(args, f.Args()...)
		}
	}
	return append(args, model...), approval, detect.KnownSeen, nil
}

// absent tells whether a policy is gone: the agent starts without it, and says nothing.
func absent(dir string, lists []string) bool {
	for _, path := range policyPaths(dir, lists) {
		if _, err := os.Stat(path); err != nil {
			return true
		}
	}
	return false
}

const (
	section = "agent.gemini"
	argsKey = section + ".args"
	// endless: 2,141 requests in 90 s were seen (0.61).
	endless = "in which the agent asks without end once a daily quota is used up"
)

func (g *Gemini) unfit(r agent.Request, why, key string) error {
	return &agent.Unfit{Why: why, Key: key, Command: agent.Command(g.vars(), r.Info.Dir, g.Command(), "--resume", r.Session.ID)}
}

// purse tells, from the presence of things and the digests of some, who pays for a process with such
// an environment; empty: that cannot be seen. Beside a login the settings say whether a key is taken.
func (g *Gemini) purse(environ []string) string {
	if len(environ) == 0 {
		return ""
	}
	who := "login"
	if agent.Sets(environ, payers...) {
		if who = "key"; g.hasLogin() {
			who = ""
		}
	}
	if agent.Sets(environ, server) {
		who += onServer
	}
	return agent.Purse(who, environ, slices.Concat(payers, projects, clouds, []string{server})...)
}
