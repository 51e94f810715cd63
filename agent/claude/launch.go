package claude

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

var _ agent.Launcher = (*Claude)(nil)

// options of the command line, as of 2.1.330. Those that are absent here are lost: nobody knows what they do.
var options = optionTable()

func optionTable() agent.Options {
	t := agent.Options{}
	// What a run may do, with which model, how long and at what price.
	t.AddSetting(agent.Many, agent.Any, agent.AddsUp, "--disallowedTools --disallowed-tools")
	t.AddSetting(agent.One, agent.File, agent.AddsUp, "--plugin-dir") // its hooks may forbid
	t.Add(agent.Many, agent.Any, "--allowedTools --allowed-tools", "--tools", "--add-dir", "--betas")
	t.Add(agent.Many, agent.File, "--mcp-config")
	t.Add(agent.One, agent.Any, "--append-system-prompt", "--system-prompt", "--append-subagent-system-prompt", "--agent")
	t.Add(agent.One, agent.Word, "--model", "--fallback-model", "--effort", "--max-turns", "--max-budget-usd", "--task-budget",
		"--setting-sources", "--system-prompt-snapshot", "--autocompact", "--max-thinking-tokens", "--permission-prompts")
	t.Add(agent.One, agent.File, "--settings", "--agents", "--append-system-prompt-file", "--system-prompt-file",
		"--append-subagent-system-prompt-file")
	t.Add(agent.One, func(v string) agent.Fate {
		if v == "stdio" { // asks the program that started it
			return agent.Lost
		}
		return agent.Word(v)
	}, "--permission-prompt-tool")
	t.Add(agent.Nothing, agent.Any, "--strict-mcp-config", "--disable-slash-commands", "--bare", "--safe-mode", "--restricted", "--brief",
		"--exclude-dynamic-system-prompt-sections", "--no-chrome", "--chrome")
	// What a resume says itself, or what changes nothing in the work: the mode is recorded, and who may
	// be asked is not there.
	t.Add(agent.Nothing, agent.Drop, "-p --print", "--verbose", "--include-partial-messages", "--include-hook-events", "--replay-user-messages",
		"--forward-subagent-text", "--ax-screen-reader", "--ide", "--fork-session", "-c --continue", "--no-session-persistence",
		"--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--mcp-debug", "--bg --background")
	t.Add(agent.One, agent.Drop, "--output-format", "--session-id", "--permission-mode", "--debug-file", "-n --name",
		"--remote-control-session-name-prefix", "--json-schema")
	t.Add(agent.Perhaps, agent.Drop, "-r --resume", "-d --debug", "--from-pr", "-w --worktree", "--tmux", "--prompt-suggestions", "--remote-control")
	t.Add(agent.Many, agent.Drop, "--file")
	t.Limit("--disallowedTools", "--tools", "--strict-mcp-config", "--disable-slash-commands", "--bare", "--safe-mode", "--restricted",
		"--max-turns", "--max-budget-usd", "--task-budget", "--settings", "--setting-sources", "--plugin-dir", "--permission-prompt-tool")
	// What came by stdin is seen nowhere: a program sends instructions, agents and hooks that way.
	t.Add(agent.One, func(v string) agent.Fate {
		if v == "text" {
			return agent.Dropped
		}
		return agent.Lost
	}, "--input-format")
	return t
}

// models are variables that say which model an alias, a sub-agent or its definition means, as of 2.1.332.
var models = []string{"ANTHROPIC_DEFAULT_FABLE_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL",
	"CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_WORKFLOW_SUBAGENT_MODEL"}

// bounds are variables that take something from what a run may do, as of 2.1.332, or change what it does.
var bounds = slices.Concat([]string{"CLAUDE_CODE_MANAGED_SETTINGS_PATH", "CLAUDE_CODE_RESTRICTED", "CLAUDE_CODE_RESTRICT_PERSONAL_CONFIG", "CLAUDE_CODE_SAFE_MODE",
	"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"}, models, agent.Targets)

// idleOptions are those of a process whose stdin is empty.
var idleOptions = func() agent.Options {
	t := optionTable()
	t.Add(agent.One, agent.Drop, "--input-format")
	return t
}()

// Launches reads the registry and the command lines of the processes that it names.
func (c *Claude) Launches(hint string) ([]agent.Launched, error) {
	var paths []string
	rel, ok := agent.Rel(hint, c.root, c.given)
	switch {
	case hint == "":
		files, err := agent.ReadDir(c.root, c.registry())
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			paths = append(paths, filepath.Join(c.registry(), f.Name()))
		}
	case ok && filepath.Dir(rel) == "sessions":
		paths = []string{filepath.Join(c.registry(), filepath.Base(rel))}
	}
	var all []agent.Launched
	var errs []error
	for _, path := range paths {
		pid, ok := entryPID(path)
		if !ok {
			continue
		}
		// First of all, for a run that is limited at once ends at once.
		seen, ok := c.launch(pid)
		if !ok {
			continue
		}
		e, err := c.readEntry(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, io.ErrUnexpectedEOF) { // its process has yet to write the rest, which is news, too
			errs = append(errs, err)
		}
		// An entry that is older than the process is left behind by another one.
		if h := c.holder(e, nil, false); err != nil || !agent.IsUUID(e.SessionID) || h.Liveness != detect.Alive || h.Start != seen.Start {
			continue
		}
		seen.Pays = c.purse(c.env.Procs.Environ(pid), strings.HasPrefix(e.Entrypoint, "sdk-"))
		if sdk := e.Entrypoint; strings.HasPrefix(sdk, "sdk-") && sdk != "sdk-cli" {
			seen.Lost = append(seen.Lost, "what its program sent by stdin")
		}
		all = append(all, agent.Launched{Session: e.SessionID, Launch: seen})
	}
	return all, errors.Join(errs...)
}

// launch reads a process. False: it is gone, it lets nothing be seen, or clawd started it.
func (c *Claude) launch(pid int) (detect.Launch, bool) {
	procs := c.env.Procs
	argv, environ := procs.Argv(pid), procs.Environ(pid)
	p, ok := procs.Get(pid)
	if !ok || p.Zombie || len(argv) == 0 || agent.OwnRun(procs, pid) {
		return detect.Launch{}, false
	}
	l := detect.Launch{PID: pid, Start: p.Start, Boot: procs.Boot()}
	known := options
	if slices.ContainsFunc(environ, func(kv string) bool { name, value, _ := strings.Cut(kv, "="); return name == goOn && on(value) }) {
		known = idleOptions
	}
	l.Flags, l.Lost = known.Parse(arguments(argv))
	choose(&l, environ)
	l.Bounds = c.env.Bounds(bounds, environ)
	return l, true
}

// goOn makes a resume without a prompt of a run whose stdin is empty.
const goOn = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN"

// arguments are what stands behind the program, or behind the script that another program runs.
func arguments(argv []string) []string {
	for n, a := range argv[:min(len(argv), 3)] {
		if base := filepath.Base(a); base == "claude" || base == "claude.exe" || strings.Contains(a, "claude-code/cli.js") {
			return argv[n+1:]
		}
	}
	return argv[1:]
}
