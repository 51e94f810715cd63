package codex

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
)

// Live asks the writer's lock first (from 0.150 on), then which process of the agent has the rollout
// open or was started for the session (any version).
//
// The lock file goes when its process ends well, so one that is there and not held was left by a
// process that was killed. Without lock files a kill and a quit look alike.
func (c *Codex) Live(ctx context.Context, s detect.Session, info detect.Info) ([]detect.Holder, error) {
	if !agent.IsUUID(s.ID) {
		return nil, errors.New("the session id is not a lower-case UUID")
	}
	procs, procErr := c.env.Procs.List()
	if procErr != nil && !errors.Is(procErr, agent.ErrNoProcs) {
		return nil, procErr
	}
	lock, lockErr := c.lock(s)
	var live []detect.Holder
	for _, pid := range lock.pids {
		if h, ok := c.locked(pid); ok {
			live = append(live, h)
		}
	}
	found, err := holders.Among(ctx, c.env.Procs, procs, func(p agent.Proc) (detect.Holder, bool) {
		if slices.Contains(lock.pids, p.PID) {
			return detect.Holder{}, false
		}
		return c.holder(p, s)
	})
	if err != nil {
		return nil, err
	}
	elsewhere := map[int]bool{} // process groups that have another session open
	for _, h := range found {
		elsewhere[h.Group] = elsewhere[h.Group] || h.Named && c.opensAnother(h.PID, s.Path)
	}
	live = append(live, found...)
	if slices.ContainsFunc(live, func(h detect.Holder) bool { return h.Outlives }) {
		shown, err := c.attached(ctx, procs, info.Dir)
		if err != nil {
			return nil, err
		}
		live = append(live, shown...)
	}
	// Its user has gone over to another session in the terminal that was opened for this one.
	live = slices.DeleteFunc(live, func(h detect.Holder) bool { return h.Named && elsewhere[h.Group] })
	for n, h := range live { // whoever goes over to another session with /new leaves this one open, too
		live[n].Named = h.Named || h.Kind == detect.Interactive && h.PID != 0 && c.opensAnother(h.PID, s.Path)
	}
	one := func(l detect.Liveness, why string) []detect.Holder {
		return []detect.Holder{{Liveness: l, Boot: c.env.Procs.Boot(), Sure: l == detect.LeftBehind, Why: why}}
	}
	switch {
	case len(live) > 0:
		return live, nil
	case lockErr != nil:
		return one(detect.HolderUnknown, "the session's writer lock cannot be looked at: "+lockErr.Error()), nil
	case procErr != nil:
		return one(detect.HolderUnknown, procErr.Error()), nil
	case lock.exists:
		return one(detect.LeftBehind, "the session's writer lock is left behind: the process that held it was killed or crashed"), nil
	}
	return one(detect.Gone, "nobody holds the session's writer lock, and no process of the agent has its file open"), nil
}

// locked describes who holds the lock; false: it is ending, and the lock with it. The table of locks is of the
// kernel: its process may be one that the process table does not show.
func (c *Codex) locked(pid int) (detect.Holder, bool) {
	h := detect.Holder{Liveness: detect.Alive, PID: pid, Boot: c.env.Procs.Boot(), Sure: true, Why: describeLock(pid), Kind: detect.Interactive}
	if pid <= 0 {
		h.PID, h.Foreign, h.Why = 0, true, "a process of another pid namespace or machine holds the session's writer lock"
		return h, true
	}
	args := arguments(c.env.Procs.Argv(pid))
	h.Kind, h.Outlives = kindOf(args), outlives(args)
	p, ok := c.env.Procs.Get(pid)
	if ok && !p.Zombie {
		c.describe(&h, p)
	}
	return h, !p.Zombie
}

// outlives tells whether the arguments are those of the background server.
func outlives(args []string) bool { return slices.Contains(args, "--managed-daemon") }

// holder tells whether a process has the session open.
func (c *Codex) holder(p agent.Proc, s detect.Session) (detect.Holder, bool) {
	argv := c.env.Procs.Argv(p.PID)
	if !c.looksCodex(p, argv) {
		return detect.Holder{}, false
	}
	args := arguments(argv)
	h := detect.Holder{Liveness: detect.Alive, PID: p.PID, Boot: c.env.Procs.Boot(), Sure: true, Kind: kindOf(args), Outlives: outlives(args)}
	c.describe(&h, p)
	switch {
	case c.opens(p.PID, s.Path):
		h.Why = fmt.Sprintf("process %d has the session's file open", p.PID)
	case startedFor(args, s.ID):
		h.Named, h.Why = true, fmt.Sprintf("process %d was started for this session", p.PID)
	case offhand[commandOf(args)]:
		return detect.Holder{}, false
	case len(c.env.Procs.Opens(p.PID)) == 0: // one that lives has some file open, but for its first moments in a script
		h.Sure, h.Why = false, fmt.Sprintf("process %d of the agent does not let its open files be seen, and may have the session's", p.PID)
	default:
		return detect.Holder{}, false
	}
	return h, true
}

// attached gives the terminals in a folder that show a session of the background server, and do not say
// which: they have no session's file open themselves.
func (c *Codex) attached(ctx context.Context, procs []agent.Proc, dir string) ([]detect.Holder, error) {
	return holders.Among(ctx, c.env.Procs, procs, func(p agent.Proc) (detect.Holder, bool) {
		h := detect.Holder{Liveness: detect.Alive, PID: p.PID, Boot: c.env.Procs.Boot(), Kind: detect.Interactive,
			Why: fmt.Sprintf("process %d is a terminal of the agent in the session's folder, which its background server may show it in", p.PID)}
		argv := c.env.Procs.Argv(p.PID)
		if p.Zombie || p.TTY == "" || !c.looksCodex(p, argv) || kindOf(arguments(argv)) != detect.Interactive {
			return h, false
		}
		if cwd := c.env.Procs.Cwd(p.PID); cwd == "" || dir == "" || !agent.WorksIn(cwd, dir) || c.opensAnother(p.PID, "") {
			return h, false
		}
		c.describe(&h, p)
		return h, true
	})
}

func (c *Codex) describe(h *detect.Holder, p agent.Proc) { holders.Describe(c.env.Procs, h, p) }

// looksCodex: the program itself, or node with the script around it.
func (c *Codex) looksCodex(p agent.Proc, argv []string) bool {
	if len(argv) == 0 {
		return strings.HasPrefix(p.Comm, "codex")
	}
	if c.isProgram(argv[0]) || strings.HasPrefix(p.Comm, "codex") && !agent.NamedByScript(p, argv) {
		return true
	}
	return len(argv) > 1 && interpreters[filepath.Base(argv[0])] && c.isProgram(argv[1])
}

var interpreters = map[string]bool{"node": true, "nodejs": true, "bun": true, "sh": true, "bash": true, "dash": true}

func (c *Codex) isProgram(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, "codex") && !agent.IsScript(base) || c.cfg.Command != "" && base == filepath.Base(c.cfg.Command)
}

// arguments gives what follows the program in a command line.
func arguments(argv []string) []string {
	switch {
	case len(argv) > 1 && interpreters[filepath.Base(argv[0])]:
		return argv[2:]
	case len(argv) > 0:
		return argv[1:]
	}
	return nil
}

// commands of the agent that hold sessions, by how they do; a terminal's have no command or
// resume and fork.
var commands = map[string]detect.HolderKind{
	"exec": detect.Headless, "e": detect.Headless, "review": detect.Headless,
	"app-server": detect.Server, "mcp-server": detect.Server, "mcp": detect.Server, "exec-server": detect.Server,
	"resume": detect.Interactive, "fork": detect.Interactive,
}

// offhand are the commands that have a session open for a moment at most.
var offhand = map[string]bool{
	"login": true, "logout": true, "plugin": true, "completion": true, "update": true, "doctor": true, "debug": true, "apply": true, "a": true, "queue": true,
	"archive": true, "unarchive": true, "delete": true, "migrate-rollouts": true, "migrate-nfs-db": true, "features": true, "help": true,
}

// commandOf gives the command of a command line; empty: it has none. What stands behind an option may be its value.
func commandOf(args []string) string {
	for n, a := range args {
		if commands[a] != "" || offhand[a] && (n == 0 || !strings.HasPrefix(args[n-1], "-")) {
			return a
		}
	}
	return ""
}

func kindOf(args []string) detect.HolderKind {
	name := commandOf(args)
	switch {
	case offhand[name]:
		return detect.Headless
	case name == "":
		return detect.Interactive
	}
	return commands[name]
}

// startedFor: the arguments name the session to go on with. A fork only reads it, and a queue
// leaves a message for whoever has it.
func startedFor(args []string, id string) bool {
	n := slices.Index(args, "resume")
	return n >= 0 && slices.Contains(args[n:], id)
}
