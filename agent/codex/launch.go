package codex

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

var _ agent.Launcher = (*Codex)(nil)

// options of the command line, as of 0.171. Those that are absent here are lost: nobody knows what they do.
var options = optionTable()

func optionTable() agent.Options {
	t := agent.Options{}
	t.AddSetting(agent.One, settingFate, settingOf, "--config -c")
	t.AddSetting(agent.One, agent.Word, agent.AddsUp, "--disable")
	t.Add(agent.One, agent.Word, "--enable", "--profile -p", "--local-provider")
	t.Add(agent.Nothing, agent.Any, "--oss", "--ignore-user-config", "--ignore-rules", "--strict-config", "--dangerously-bypass-hook-trust")
	// The rollout records model, sandbox and folders; nobody is there to be asked; the rest is of the first prompt alone.
	t.Add(agent.One, agent.Drop, "--model -m", "--sandbox -s", "--ask-for-approval -a", "--cd -C", "--add-dir", "--thread-source", "--output-schema", "--color",
		"--output-last-message -o")
	t.Add(agent.Nothing, agent.Drop, "--full-auto", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox --yolo", "--worktree",
		"--skip-git-repo-check", "--trust", "--ephemeral", "--json", "--last", "--all", "--search", "--no-alt-screen", "--no-daemon")
	t.Add(agent.Many, agent.Drop, "--image -i")
	t.Limit("--disable")
	t.LimitBy(settingLimits, "--config")
	return t
}

// settings that -c may give again; what begins with one of keptGroups, too.
var (
	keptSettings  = []string{"web_search", "service_tier", "model_reasoning_summary", "model_verbosity", "personality", "shell_environment_policy.inherit"}
	keptGroups    = []string{"features."}
	knownSettings = []string{"model", "model_provider", "model_reasoning_effort", "approval_policy", "sandbox_mode", "default_permissions", "developer_instructions"} // recorded
	knownGroups   = []string{"sandbox_workspace_write.", "tui.", "analytics.", "history."}
)

// settingName is a key that surely holds no name of a user's own.
var settingName = lazyregexp.New(`^[a-z_]+(?:\.[a-z_]+)*$`)

// settingOf names what -c sets: the same -c in the config's arguments takes its place, and no other.
func settingOf(value string) string {
	name, _, _ := strings.Cut(value, "=")
	if name = strings.TrimSpace(name); len(name) > 60 || !settingName.MatchString(name) {
		return ""
	}
	return "--config " + name
}

func settingFate(value string) agent.Fate {
	name, _, _ := strings.Cut(value, "=")
	name = strings.TrimSpace(name)
	begins := func(groups []string) bool {
		return slices.ContainsFunc(groups, func(g string) bool { return strings.HasPrefix(name, g) })
	}
	switch {
	case slices.Contains(keptSettings, name), begins(keptGroups):
		return agent.Again
	case slices.Contains(knownSettings, name), begins(knownGroups):
		return agent.Dropped
	}
	return agent.Lost
}

// settingLimits tells of a setting whether it takes something from what a run may do.
func settingLimits(setting string) bool {
	name, value, _ := strings.Cut(setting, "=")
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	switch name = strings.TrimSpace(name); name {
	case "web_search":
		return value != "live"
	case "shell_environment_policy.inherit":
		return value != "all"
	}
	return strings.HasPrefix(name, "features.") && value == "false"
}

// Launches looks which processes of the agent have a rollout open. A rollout is written all the time, so
// a process that was seen is not looked at again for it.
func (c *Codex) Launches(hint string) ([]agent.Launched, error) {
	if hint != "" {
		if id, _, ok := idOf(filepath.Base(hint)); !ok || c.known(id) {
			return nil, nil
		}
	}
	procs, err := c.env.Procs.List()
	if err != nil {
		return nil, agent.SkipNoProcs(err)
	}
	var all []agent.Launched
	for _, p := range procs {
		if p.Zombie || p.PID == os.Getpid() {
			continue
		}
		seen, _ := agent.Judge(c.env.Procs, p, c.launches)
		for _, l := range seen {
			all = append(all, l)
			c.mu.Lock()
			c.writers[l.Session] = p
			c.mu.Unlock()
		}
	}
	return all, nil
}

// launches gives how a process was started, for each session that it writes.
func (c *Codex) launches(p agent.Proc) ([]agent.Launched, bool) {
	argv := c.env.Procs.Argv(p.PID)
	if len(argv) == 0 || !c.looksCodex(p, argv) || kindOf(arguments(argv)) == detect.Server {
		return nil, false
	}
	var all []agent.Launched
	for _, path := range c.env.Procs.Opens(p.PID) {
		id, _, ok := idOf(filepath.Base(path))
		if !ok || agent.OwnRun(c.env.Procs, p.PID) {
			continue
		}
		environ := c.env.Procs.Environ(p.PID)
		l := detect.Launch{PID: p.PID, Start: p.Start, Boot: c.env.Procs.Boot(), Pays: c.purse(environ), Bounds: c.env.Bounds(agent.Targets, environ)}
		l.Flags, l.Lost = options.Parse(arguments(argv))
		all = append(all, agent.Launched{Session: id, Launch: l})
	}
	return all, len(all) > 0
}

// known tells whether the process was seen that writes a session.
func (c *Codex) known(id string) bool {
	c.mu.Lock()
	p, ok := c.writers[id]
	c.mu.Unlock()
	return ok && agent.Lives(c.env.Procs, p)
}

// restore gives the options that the session's last run had and that no record tells.
func (c *Codex) restore(r agent.Request) ([]string, detect.Known, error) {
	if r.Launch == nil {
		if r.Info.Mode == "" {
			return nil, detect.KnownNot, nil
		}
		return nil, detect.KnownRecorded, nil
	}
	flags, lost := options.Kept(r.Launch, c.env, c.cfg, "agent.codex")
	if lost != nil {
		return nil, "", c.unfit(r, lost.Why, lost.Key)
	}
	var args []string
	for _, f := range flags {
		args = append(args, f.Args()...)
	}
	return args, detect.KnownSeen, nil
}

// baseURL sends the requests of OpenAI's own provider elsewhere.
const baseURL = "OPENAI_BASE_URL"

// purse tells, from the presence of things and the digests of some, who pays for a process with such an environment; empty: that cannot be seen.
func (c *Codex) purse(environ []string) string {
	if len(environ) == 0 {
		return ""
	}
	who := "login"
	switch {
	case agent.Sets(environ, ownKey):
		who = "key"
	case agent.Sets(environ, payers...):
		who = "" // 0.169 asks with its login all the same; whether an old version does was not seen
	}
	return agent.Purse(who, environ, append(slices.Clone(keyAccount), loginAccount...)...)
}

// keyAccount is by what those differ who pay by a key, loginAccount those who do by a login: with a token the agent does not look at the one that is stored (0.171).
var (
	keyAccount   = []string{ownKey, baseURL, "OPENAI_ORGANIZATION"}
	loginAccount = []string{"CODEX_ACCESS_TOKEN"}
)
