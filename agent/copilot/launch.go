package copilot

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

var _ agent.Launcher = (*Copilot)(nil)

// options of the command line, as of 1.0.102. Those that are absent here are lost: nobody knows what they do.
var options = optionTable()

func optionTable() agent.Options {
	t := agent.Options{}
	// What a run may do, with which tools, how long.
	t.AddSetting(agent.Many, agent.Any, agent.AddsUp, "--allow-tool", "--deny-tool", "--allow-url", "--deny-url", "--available-tools", "--excluded-tools")
	t.AddSetting(agent.One, agent.Any, agent.AddsUp, "--add-dir")
	t.AddSetting(agent.One, agent.Word, agent.AddsUp, "--disable-mcp-server", "--add-github-mcp-tool", "--add-github-mcp-toolset")
	t.AddSetting(agent.One, agent.File, agent.AddsUp, "--plugin-dir")
	t.AddSetting(agent.One, mcpFate, agent.AddsUp, "--additional-mcp-config")
	t.AddSetting(agent.Many, agent.Word, agent.AddsUp, "--secret-env-vars")
	t.Add(agent.One, agent.Word, "--agent", "--max-autopilot-continues", "--context")
	t.AddSetting(agent.Nothing, agent.Any, allowing, allowTools, allowAll+" --yolo", "--allow-all-paths", "--allow-all-urls")
	t.Add(agent.Nothing, agent.Any, "--disallow-temp-dir", "--disable-builtin-mcps", "--enable-all-github-mcp-tools", "--no-ask-user",
		"--no-custom-instructions", "--no-auto-update", "--experimental", "--no-experimental", "--enable-memory", "--disable-client-telemetry",
		"--no-remote", "--no-remote-export")
	t.Limit("--deny-tool", "--deny-url", "--available-tools", "--excluded-tools", "--disable-mcp-server", "--secret-env-vars", "--max-autopilot-continues",
		"--disallow-temp-dir", "--disable-builtin-mcps", "--no-ask-user", "--no-remote", "--no-remote-export")
	// What the agent restores by itself, what a resume says itself, or what changes nothing in the work.
	t.Add(agent.One, agent.Drop, "--prompt -p", "--interactive -i", "--model", "--effort --reasoning-effort", "--mode", "--session-id", "--name -n", "-C",
		"--output-format", "--stream", "--log-level", "--log-dir", "--attachment", "--usage-output-file")
	t.Add(agent.Perhaps, agent.Drop, "--resume -r", "--share", "--worktree -w", "--mouse", "--bash-env")
	t.Add(agent.Nothing, agent.Drop, "--continue", "--autopilot", "--plan", "--silent -s", "--banner", "--no-color", "--plain-diff", "--screen-reader",
		"--no-mouse", "--no-bash-env", "--enable-reasoning-summaries", "--remote", "--remote-export", "--share-gist", "--no-eager-powershell-resolution")
	// Not sessions that a person or a run has.
	t.Add(agent.Nothing, agent.Drop, "--acp", "--server", "--headless", "--stdio")
	return t
}

const (
	allowTools = "--allow-all-tools" // a headless run needs it, or a list, to use any tool that asks
	allowAll   = "--allow-all"       // beyond the folder and to any address, too
)

// bounds are variables that take something from what a run may do, as of 1.0.102: it does without the network, and asks before it uses a tool.
var bounds = append([]string{"COPILOT_OFFLINE", "COPILOT_ASSISTED_APPROVAL"}, agent.Targets...)

// allowing: an argument of the config's that says what a run may do takes the place of each that allows everything.
func allowing(string) string { return allowAll }

// mcpFate is that of servers given as JSON, where a secret may stand, or as the path of a file behind an "@".
func mcpFate(value string) agent.Fate {
	if path, ok := strings.CutPrefix(value, "@"); ok {
		return agent.File(path)
	}
	return agent.Lost
}

// Launches reads the command lines of the processes that the locks of sessions name.
func (c *Copilot) Launches(hint string) ([]agent.Launched, error) {
	if c.root == "" {
		return nil, nil
	}
	var ids []string
	if hint != "" {
		rel, ok := agent.Rel(hint, c.root, c.given)
		part := strings.Split(rel, string(filepath.Separator))
		if !ok || len(part) < 2 || part[0] != state || c.known(part[1]) {
			return nil, nil
		}
		ids = part[1:2]
	} else {
		names, err := agent.ReadDir(c.root, c.sessions())
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			ids = append(ids, n.Name())
		}
	}
	procs, err := c.env.Procs.List()
	if err != nil {
		return nil, agent.SkipNoProcs(err)
	}
	var all []agent.Launched
	for _, id := range ids {
		if l, ok := c.launched(id, procs); ok {
			all = append(all, l)
		}
	}
	return all, nil
}

// launched gives how the one process was started that has a session open. Of two nobody can tell whose turn stops.
func (c *Copilot) launched(id string, procs []agent.Proc) (agent.Launched, bool) {
	if !agent.IsUUID(id) {
		return agent.Launched{}, false
	}
	locks, err := c.inUse(filepath.Join(c.sessions(), id))
	if err != nil {
		return agent.Launched{}, false
	}
	var found []detect.Holder
	for _, l := range locks {
		if h := c.markedBy(l, procs); h.Liveness == detect.Alive && h.Kind != detect.Server {
			found = append(found, h)
		}
	}
	if len(found) != 1 || agent.OwnRun(c.env.Procs, found[0].PID) {
		return agent.Launched{}, false
	}
	h := found[0]
	argv, environ := c.env.Procs.Argv(h.PID), c.env.Procs.Environ(h.PID)
	if len(argv) == 0 {
		return agent.Launched{}, false
	}
	l := detect.Launch{PID: h.PID, Start: h.Start, Boot: h.Boot, Pays: purse(environ)}
	l.Flags, l.Lost = options.Parse(arguments(argv))
	l.Bounds = c.env.Bounds(bounds, environ)
	if slices.ContainsFunc(environ, allowsTools) {
		l.Flags = append(l.Flags, detect.Flag{Name: allowTools})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writers[id] = agent.Proc{PID: h.PID, Start: h.Start}
	return agent.Launched{Session: id, Launch: l}, true
}

// known tells whether the launch of the process was told that has a session open.
func (c *Copilot) known(id string) bool {
	c.mu.Lock()
	p, ok := c.writers[id]
	c.mu.Unlock()
	return ok && agent.Lives(c.env.Procs, p)
}
