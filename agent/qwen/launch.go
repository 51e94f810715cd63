package qwen

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

var _ agent.Launcher = (*Qwen)(nil)

const (
	section  = "agent.qwen"
	argsKey  = section + ".args"
	modeFlag = "--approval-mode"
	yoloFlag = "--yolo"
)

// options of the command line, as of 0.24. Those that are absent here are lost: nobody knows what they do, or a key
// stands in them.
var options = optionTable()

func optionTable() agent.Options {
	t := agent.Options{}
	t.Add(agent.One, agent.Word, "--model -m", wayFlag, "--output-style")
	t.AddSetting(agent.One, agent.Word, mode, modeFlag)
	t.AddSetting(agent.Switch, agent.Any, mode, yoloFlag+" -y")
	t.Add(agent.Many, agent.Word, "--fallback-model", "--allowed-mcp-server-names", "--extensions -e", "--disabled-slash-commands")
	t.Add(agent.Many, agent.Any, "--allowed-tools", "--core-tools", "--include-directories --add-dir")
	t.AddSetting(agent.Many, agent.Any, agent.AddsUp, "--exclude-tools")
	t.Add(agent.One, agent.Any, "--system-prompt", "--append-system-prompt")
	t.Add(agent.One, agent.File, "--mcp-config")
	t.Add(agent.One, agent.Word, "--sandbox-image", "--max-session-turns", "--max-wall-time", "--max-tool-calls", "--max-subagent-depth")
	t.Add(agent.Switch, agent.Any, "--sandbox -s", "--bare", "--safe-mode", "--experimental-lsp")
	t.Add(agent.Switch, agent.Drop, "--debug -d", "--screen-reader", "--include-partial-messages", "--chat-recording", "--continue -c", "--fork-session")
	t.Add(agent.One, agent.Drop, "--prompt -p", "--prompt-interactive -i", "--output-format -o", "--session-id", "--json-file", "--json-fd", "--input-file")
	t.Add(agent.Perhaps, agent.Drop, "--resume -r")
	t.Add(agent.One, func(v string) agent.Fate { // else a program drives it by stdin
		if v == "text" {
			return agent.Dropped
		}
		return agent.Lost
	}, "--input-format")
	t.Limit("--sandbox", "--exclude-tools", "--core-tools", "--allowed-mcp-server-names", "--extensions", "--disabled-slash-commands", "--bare", "--safe-mode",
		"--max-session-turns", "--max-wall-time", "--max-tool-calls", "--max-subagent-depth")
	t.LimitBy(agent.IsPlan, modeFlag)
	return t
}

// mode: two options set it.
func mode(string) string { return modeFlag }

var runtimes = []string{"node", "nodejs", "bun", "MainThread"}

// arguments gives what follows the agent's script, or its program, in argv; false: it is none.
func (q *Qwen) arguments(argv []string) ([]string, bool) {
	if len(argv) == 0 {
		return nil, false
	}
	if q.isProgram(argv[0]) {
		return argv[1:], true
	}
	if !slices.Contains(runtimes, filepath.Base(argv[0])) {
		return nil, false
	}
	for n := 1; n < len(argv); n++ {
		if q.isProgram(argv[n]) || strings.Contains(argv[n], "/@qwen-code/qwen-code/") {
			return argv[n+1:], true
		}
		// Options of the runtime stand before its script, some with a value of their own.
		if !strings.HasPrefix(argv[n], "-") && !strings.HasPrefix(argv[n-1], "-") {
			break
		}
	}
	return nil, false
}

func (q *Qwen) isProgram(path string) bool {
	base := filepath.Base(path)
	return base == Name || q.cfg.Command != "" && base == filepath.Base(q.cfg.Command)
}

// call is what the arguments of a process say.
type call struct {
	kind    detect.HolderKind // empty: only its terminal tells
	session string            // id that --resume or --session-id names
	none    bool              // a command that opens no session
	hosts   bool              // it takes sessions of any folder from the program that drives it
}

const serveCommand = "serve"

// commands open no session.
var commands = []string{"auth", "board", "channel", "extensions", "hook", "hooks", "mcp", "review", "sandbox", "sessions", "update"}

// classify: a prompt makes a headless run, unless it is one to begin a terminal with.
func classify(args []string) (c call) {
	if len(args) > 0 && slices.Contains(commands, args[0]) {
		return call{kind: detect.Headless, none: true}
	}
	if len(args) > 0 && args[0] == serveCommand {
		return call{kind: detect.Server}
	}
	asked := false
	options.Read(args, func(name string, values []string) {
		switch value := strings.Join(values, ""); name {
		case "--resume", "--session-id":
			if agent.IsUUID(value) {
				c.session = value
			}
		case "--prompt-interactive":
			asked = true
		case "--prompt", "--output-format", "--input-format":
			c.kind = detect.Headless
		}
	})
	for _, a := range args {
		switch a {
		case "--acp", "--experimental-acp":
			return call{kind: detect.Server, hosts: true}
		case "--version", "-v", "--help", "-h", "--list-extensions", "-l":
			c.none = true
		case "--":
			return c
		}
	}
	if asked {
		c.kind = detect.Interactive
	}
	return c
}

// soon is how long after its start a process begins its session.
const soon = time.Minute

// Launches tells how the processes were started that the registry names, and which process writes a session: none names
// its session but by its arguments, so the one headless process in the folder counts that was started right
// before the session began.
func (q *Qwen) Launches(hint string) ([]agent.Launched, error) {
	if rel, ok := agent.Rel(hint, q.root, q.given); ok && hint != "" && filepath.Dir(rel) == "sessions" {
		return q.shown(filepath.Join(q.registry(), filepath.Base(rel)))
	}
	if _, ok := idOf(hint); !ok || q.written(hint) {
		return nil, nil
	}
	touched, err := q.scan(context.Background(), hint)
	if err != nil || len(touched) != 1 {
		return nil, err
	}
	s := touched[0].Session
	head, err := q.head(s.Path)
	if err != nil {
		return nil, agent.SkipAbsent(err)
	}
	found, err := q.writer(s, head)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	q.mu.Lock()
	q.writers[hint] = agent.Proc{PID: found[0].PID, Start: found[0].Start}
	q.mu.Unlock()
	return found, nil
}

// shown gives how the terminal of a registry entry was started. Of a session in a process that hosts some, the arguments say nothing: what
// it may do is set by the program that drives it.
func (q *Qwen) shown(path string) ([]agent.Launched, error) {
	if _, ok := entryPID(path); !ok {
		return nil, nil
	}
	e, err := q.entry(path)
	if err != nil {
		return nil, agent.SkipAbsent(err)
	}
	h := q.judge(e, false)
	argv, ok := q.arguments(q.env.Procs.Argv(e.PID))
	if !ok || h.Liveness != detect.Alive || e.hosted() || !agent.IsUUID(e.Session) || agent.OwnRun(q.env.Procs, e.PID) {
		return nil, nil
	}
	return []agent.Launched{{Session: e.Session, Launch: q.launch(h, argv)}}, nil
}

// writer looks for the one process that may have begun a session.
func (q *Qwen) writer(s detect.Session, head *record) (found []agent.Launched, err error) {
	all, err := q.Live(context.Background(), s, detect.Info{Dir: head.CWD})
	if err != nil {
		return nil, agent.SkipNoProcs(err)
	}
	var may []agent.Candidate
	for _, h := range all {
		p, ok := q.env.Procs.Get(h.PID)
		argv, isAgent := q.arguments(q.env.Procs.Argv(h.PID))
		if !ok || !isAgent || h.Liveness != detect.Alive {
			continue
		}
		if agent.OwnRun(q.env.Procs, h.PID) {
			return nil, nil
		}
		late := head.at.Sub(p.Started)
		if h.Kind == detect.Server || !h.Sure && (h.Kind != detect.Headless || p.Started.IsZero() || late < -time.Second || late > soon) {
			return nil, nil // it may be that one's
		}
		may = append(may, agent.Candidate{Proc: p, Launch: q.launch(h, argv)})
	}
	if l, ok := q.cfg.OneLaunch(q.env, may); ok {
		found = []agent.Launched{{Session: s.ID, Launch: l}}
	}
	return found, nil
}

func (q *Qwen) launch(h detect.Holder, argv []string) detect.Launch {
	l := detect.Launch{PID: h.PID, Start: h.Start, Boot: h.Boot, Pays: purse(q.env.Procs.Environ(h.PID))}
	l.Flags, l.Lost = options.Parse(argv)
	l.Bounds = q.bounds(h.PID, argv)
	return l
}

// simple is the variable that the agent also sets itself, for what it starts, when it has the option --bare.
const simple = "QWEN_CODE_SIMPLE"

// bounds are variables that bound what a run may do, as of 0.24: its sandbox, and whose settings and whose word on folders count.
var bounds = []string{"QWEN_SANDBOX", "QWEN_SANDBOX_NET", "QWEN_SANDBOX_PROXY_COMMAND", "SEATBELT_PROFILE", "SANDBOX_FLAGS", "SANDBOX_MOUNTS",
	"QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH", "QWEN_CODE_TRUSTED_FOLDERS_PATH", "QWEN_CODE_MCP_APPROVALS_PATH", simple}

// bounds are those of a process. One in a sandbox has them from the process that made that.
func (q *Qwen) bounds(pid int, argv []string) map[string]string {
	environ := q.env.Procs.Environ(pid)
	if agent.Sets(environ, "SANDBOX") {
		return nil
	}
	all := q.env.Bounds(bounds, environ)
	if slices.Contains(argv, "--bare") { // the process sets it for itself
		delete(all, simple)
	}
	return all
}

// written tells whether the process was seen that writes a session.
func (q *Qwen) written(path string) bool {
	q.mu.Lock()
	p, ok := q.writers[path]
	q.mu.Unlock()
	return ok && agent.Lives(q.env.Procs, p)
}

// head gives the first record of a session: its folder, and when it began.
func (q *Qwen) head(path string) (*record, error) {
	if _, err := q.own(path); err != nil {
		return nil, err
	}
	r, err := tail.Open(path, "")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := new(record)
	err = jsonl.Each(context.Background(), r, jsonl.All, func(line []byte, _ int64) bool {
		if line, ok := agent.Object(line); ok {
			if first, err := parse(line); err == nil {
				head = first
			}
		}
		return false
	})
	return head, err
}
