package gemini

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
)

// Live goes by the arguments and the working folder of every process of the agent: a launcher and
// its child, which may outlive it. The agent keeps no list of processes and holds no file open, so
// one without the session's id in its arguments may have any session of its folder, and one that a program drives, such
// as an editor, those of any folder.
func (g *Gemini) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if err := g.check(s); err != nil {
		return nil, err
	}
	hash := ""
	if fi, err := agent.Own(s.Path); err == nil && i.Dir == "" {
		h, _ := g.head(s.Path, fi)
		hash = h.ProjectHash
	}
	return holders.Find(ctx, g.env.Procs, "no process of the Gemini CLI runs in the session's folder", func(p agent.Proc) (detect.Holder, bool) {
		return g.holder(p, s, i, hash)
	})
}

// holder tells whether a process may have the session open.
func (g *Gemini) holder(p agent.Proc, s detect.Session, i detect.Info, hash string) (detect.Holder, bool) {
	procs := g.env.Procs
	args, ok := g.arguments(procs.Argv(p.PID))
	if !ok {
		return detect.Holder{}, false
	}
	cwd := procs.Cwd(p.PID)
	g.seen(cwd)
	c := classify(args)
	h := detect.Holder{Liveness: detect.Alive, Kind: c.kind, PID: p.PID, Boot: procs.Boot()}
	holders.Describe(procs, &h, p)
	switch {
	case c.none:
		return h, false
	case c.session == s.ID:
		h.Sure, h.Named, h.Why = true, true, fmt.Sprintf("process %d was started for this session", p.PID)
	case c.session != "" && c.kind == detect.Headless:
		return h, false // it has its own; in a terminal its user may have gone over to another
	case !inFolder(cwd, i.Dir, hash):
		h.Why = fmt.Sprintf("process %d is a Gemini CLI that takes sessions of any folder from the program that drives it, such as an editor", p.PID)
		return h, c.hosts && (i.Interactive || untold(s))
	default:
		h.Why = fmt.Sprintf("process %d is a Gemini CLI in the session's folder; which session it has open is not recorded", p.PID)
	}
	if i.Dir == "" && hash == "" && !h.Sure {
		h.Liveness, h.Why = detect.HolderUnknown, fmt.Sprintf("process %d is a Gemini CLI, and in which folder the session is stands nowhere yet", p.PID)
	}
	return h, true
}

// untold: the old files do not tell a session of an editor's from a headless run's.
func untold(s detect.Session) bool { return strings.HasSuffix(s.Path, ".json") }

// inFolder: the agent's project is its working folder itself, none above or below. A folder that is
// not known may be any.
func inFolder(cwd, dir, hash string) bool {
	switch {
	case cwd == "":
		return true
	case dir == "":
		return hash == "" || hashOf(cwd) == hash
	}
	return agent.WorksIn(cwd, dir)
}

var runtimes = []string{"node", "nodejs", "bun", "MainThread"}

// arguments gives what follows the agent's script, or its program, in argv; false: it is none.
func (g *Gemini) arguments(argv []string) ([]string, bool) {
	if len(argv) == 0 {
		return nil, false
	}
	if g.isProgram(argv[0]) {
		return served(argv[0], argv[1:]), true
	}
	if !slices.Contains(runtimes, filepath.Base(argv[0])) {
		return nil, false
	}
	for n := 1; n < len(argv); n++ {
		if g.isProgram(argv[n]) {
			return served(argv[n], argv[n+1:]), true
		}
		// Options of the runtime stand before its script, some with a value of their own.
		if !strings.HasPrefix(argv[n], "-") && !strings.HasPrefix(argv[n-1], "-") {
			break
		}
	}
	return nil, false
}

// a2aServer is the agent as a server for other agents, a program of its own that an editor may start.
const a2aServer = "gemini-cli-a2a-server"

// served gives the arguments of a program; the server has none that says what it is.
func served(path string, args []string) []string {
	if strings.Contains(path, a2aServer) {
		return []string{"--acp"}
	}
	return args
}

func (g *Gemini) isProgram(path string) bool {
	if g.cfg.Command != "" && filepath.Base(path) == filepath.Base(g.cfg.Command) {
		return true
	}
	return slices.Contains([]string{"gemini", "gemini.js", "gemini-cli", a2aServer}, filepath.Base(path)) || strings.Contains(path, "/gemini-cli/") || strings.Contains(path, "/"+a2aServer+"/")
}

// call is what the arguments of a process say.
type call struct {
	kind    detect.HolderKind
	session string // id that --resume or --session-id names
	none    bool   // a command that opens no session
	hosts   bool   // it takes sessions of any folder from the program that drives it
}

// Options that take a value. One that is missing here only makes the value look like a prompt.
var valued = []string{
	"--model", "-m", "--approval-mode", "--output-format", "-o", "--include-directories", "--extensions", "-e", "--allowed-tools",
	"--allowed-mcp-server-names", "--session-file", "--delete-session", "--policy", "--worktree", "-w", "--resume", "-r", "--session-id",
	"--prompt", "-p", "--prompt-interactive", "-i",
}

var commands = []string{"mcp", "extensions", "extension", "skills", "skill", "hooks", "hook", "gemma"}

// classify: a prompt as -p or on a machine-readable output makes a headless run. Without that only
// the terminal tells, which cannot be seen here.
func classify(args []string) call {
	c := call{kind: detect.Interactive}
	asked, machine, first := false, false, true
	for n := 0; n < len(args); n++ {
		name, value, joined := strings.Cut(args[n], "=")
		if name == "--" {
			break
		}
		if !strings.HasPrefix(name, "-") {
			c.none = c.none || first && slices.Contains(commands, name)
			first = false
			continue
		}
		if !joined && slices.Contains(valued, name) && n+1 < len(args) && !strings.HasPrefix(args[n+1], "-") {
			n++
			value = args[n]
		}
		switch name {
		case "--resume", "-r", "--session-id":
			if agent.IsUUID(value) {
				c.session = value
			}
		case "--prompt", "-p":
			c.kind = detect.Headless
		case "--prompt-interactive", "-i":
			asked = true
		case "--output-format", "-o":
			machine = value != "text"
		case "--acp", "--experimental-acp":
			c.hosts = true
		case "--version", "-v", "--help", "-h", "--list-extensions", "-l":
			c.none = true
		}
	}
	switch {
	case c.hosts:
		c.kind = detect.Server
	case machine && !asked:
		c.kind = detect.Headless
	}
	return c
}
