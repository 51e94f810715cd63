package copilot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
	"github.com/clawd-project/clawd/internal/tail"
)

// inuse is one process's lock file in the folder of a session. It is left behind by a process that was killed, and
// often by one that a signal ended.
type inuse struct {
	pid  int // in the namespace of the process
	path string
	made time.Time
	// hold is the path of the file that the process has locked; empty: an older version, which locks none.
	hold string
}

var lockForm = lazyregexp.New(`^inuse\.([1-9]\d{0,9})\.lock$`)

// inUse lists the lock files of a session.
func (c *Copilot) inUse(dir string) ([]inuse, error) {
	names, err := agent.ReadDir(c.root, dir)
	if err != nil {
		return nil, err
	}
	var all []inuse
	for _, n := range names {
		m := lockForm.FindStringSubmatch(n.Name())
		if m == nil {
			continue
		}
		l := inuse{path: filepath.Join(dir, n.Name())}
		fi, err := agent.Own(l.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it ended meanwhile
		}
		if err != nil {
			return nil, err
		}
		l.pid, _ = strconv.Atoi(m[1])
		l.made = fi.ModTime()
		hold := strings.TrimSuffix(l.path, ".lock") + ".hold"
		if _, err := agent.Own(hold); err == nil {
			l.hold = hold
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// Live asks the locks in the session's folder first, then which process of the agent was started for the session.
func (c *Copilot) Live(ctx context.Context, s detect.Session, _ detect.Info) ([]detect.Holder, error) {
	if !agent.IsUUID(s.ID) {
		return nil, errors.New("the session id is not a lower-case UUID")
	}
	procs, procErr := c.env.Procs.List()
	if procErr != nil && !errors.Is(procErr, agent.ErrNoProcs) {
		return nil, procErr
	}
	locks, err := c.inUse(filepath.Dir(s.Path))
	if err != nil {
		return nil, err
	}
	if procErr != nil {
		return holders.Unknown(procErr.Error()), nil
	}
	var live, dead []detect.Holder
	seen := map[int]bool{}
	for _, l := range locks {
		for _, h := range c.lockedBy(l, procs) {
			switch seen[h.PID] = true; {
			case h.Liveness != detect.LeftBehind:
				live = append(live, h)
			case !c.endedInOrder(ctx, s, l, procs):
				dead = append(dead, h)
			}
		}
	}
	named, err := holders.Among(ctx, c.env.Procs, procs, func(p agent.Proc) (detect.Holder, bool) {
		if seen[p.PID] {
			return detect.Holder{}, false
		}
		return c.startedFor(p, procs, s)
	})
	if err != nil {
		return nil, err
	}
	live = append(live, named...)
	c.judge(ctx, s, live)
	switch {
	case len(live) > 0:
		return append(live, dead...), nil
	case len(dead) > 0:
		return dead, nil
	}
	return holders.Gone(c.env.Procs, "the session's folder has no lock, and no process of the agent was started for it"), nil
}

// lockedBy gives who has made a lock: a process that lives, or that has left it behind.
func (c *Copilot) lockedBy(l inuse, procs []agent.Proc) []detect.Holder {
	if l.hold == "" {
		return []detect.Holder{c.markedBy(l, procs)}
	}
	fi, err := agent.Own(l.hold)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it ended meanwhile
	}
	var pids []int
	if err == nil {
		pids, err = c.locks.Held(c.env.Procs, l.hold, fi)
	}
	if errors.Is(err, holders.ErrNoLocks) { // then who has the file open
		return []detect.Holder{c.markedBy(l, procs)}
	}
	if err != nil {
		return holders.Unknown("the session's lock cannot be looked at: " + err.Error())
	}
	var all []detect.Holder
	for _, pid := range pids {
		h := detect.Holder{Liveness: detect.Alive, PID: pid, Boot: c.env.Procs.Boot(), Sure: true, Kind: detect.Interactive,
			Why: fmt.Sprintf("process %d holds the session's lock", pid)}
		p, ok := c.env.Procs.Get(pid)
		switch {
		case pid <= 0 || !ok:
			h.PID, h.Foreign, h.Why = 0, true, "a process of another pid namespace or machine holds the session's lock"
		case p.Zombie: // it is ending, and the lock with it
			continue
		default:
			h.Foreign = pid != l.pid
			h.Kind = kindOf(p, arguments(c.env.Procs.Argv(pid)))
			c.describe(&h, p)
		}
		all = append(all, h)
	}
	if len(all) == 0 { // on some file systems the table does not tell, but the open file does
		return []detect.Holder{c.markedBy(l, slices.DeleteFunc(slices.Clone(procs), func(p agent.Proc) bool {
			return !holders.Opens(c.env.Procs, p.PID, l.hold)
		}))}
	}
	return all
}

// markedBy judges a lock that nothing but its name ties to a process.
func (c *Copilot) markedBy(l inuse, procs []agent.Proc) detect.Holder {
	for _, p := range procs {
		if p.Zombie || p.PID != l.pid && c.env.Procs.InnerPID(p.PID) != l.pid {
			continue
		}
		argv := c.env.Procs.Argv(p.PID)
		if !c.looksCopilot(p, argv) || p.Started.After(l.made.Add(startSlack)) {
			continue // another process has the number now
		}
		open := c.env.Procs.Opens(p.PID)
		if l.hold != "" && len(open) > 0 && !holders.Opens(c.env.Procs, p.PID, l.hold) {
			continue
		}
		h := detect.Holder{Liveness: detect.Alive, PID: p.PID, Boot: c.env.Procs.Boot(), Kind: kindOf(p, arguments(argv)), Sure: true,
			Foreign: p.PID != l.pid, Why: fmt.Sprintf("the session's lock names process %d", p.PID)}
		c.describe(&h, p)
		return h
	}
	return c.left(l)
}

// startSlack: the time of a process's start is coarse.
const startSlack = 2 * time.Second

func (c *Copilot) left(l inuse) detect.Holder {
	return detect.Holder{Liveness: detect.LeftBehind, PID: l.pid, Boot: c.env.Procs.Boot(), Sure: true,
		Why: fmt.Sprintf("the session's lock is left behind: process %d was killed or crashed", l.pid)}
}

// endedInOrder tells whether the process that made a lock has ended, and said so in the session's last line: it may exit before it has
// removed its lock.
func (c *Copilot) endedInOrder(ctx context.Context, s detect.Session, l inuse, procs []agent.Proc) bool {
	there := slices.ContainsFunc(procs, func(p agent.Proc) bool {
		return !p.Zombie && (p.PID == l.pid || c.env.Procs.InnerPID(p.PID) == l.pid)
	})
	if there || c.check(s) != nil {
		return false
	}
	last := &record{}
	_, _, err := jsonl.Tail(ctx, s.Path, func(_ *tail.Back, line []byte, _ int64) jsonl.Says {
		r, ok := anyLine(line)
		if !ok {
			return jsonl.Nothing
		}
		last = r
		return jsonl.NoStop
	})
	return err == nil && last.Type == typeShutdown && last.at.After(l.made)
}

// startedFor tells whether a process that has no lock of the session yet was started to go on with it.
func (c *Copilot) startedFor(p agent.Proc, procs []agent.Proc, s detect.Session) (detect.Holder, bool) {
	argv := c.env.Procs.Argv(p.PID)
	if !c.looksCopilot(p, argv) || c.onlyLoads(p, argv, procs) {
		return detect.Holder{}, false
	}
	args := arguments(argv)
	h := detect.Holder{Liveness: detect.Alive, PID: p.PID, Boot: c.env.Procs.Boot(), Kind: kindOf(p, args)}
	switch call := callOf(args); {
	case c.opensAnother(p.PID, s.ID):
		return h, false
	case call.session == s.ID:
		h.Sure, h.Named, h.Why = true, true, fmt.Sprintf("process %d was started for this session", p.PID)
	case len(argv) == 0:
		h.Why = fmt.Sprintf("process %d of the agent does not let its arguments be seen, and may have it open", p.PID)
	case call.last && c.locksAnother(p, s.ID):
		return h, false
	case call.last: // of any folder: none is its window yet
		h.Liveness, h.Why = detect.HolderUnknown, fmt.Sprintf("process %d was started to go on with the newest session, and has none open yet", p.PID)
	default:
		return h, false
	}
	c.describe(&h, p)
	return h, true
}

// opensAnother tells whether a process has the lock of another session.
func (c *Copilot) opensAnother(pid int, id string) bool {
	return slices.ContainsFunc(c.env.Procs.Opens(pid), func(path string) bool {
		dir := filepath.Dir(path)
		return strings.HasSuffix(path, ".hold") && filepath.Base(filepath.Dir(dir)) == state && filepath.Base(dir) != id
	})
}

// locksAnother tells whether a process of a version that locks no file has its mark in the folder of another session.
func (c *Copilot) locksAnother(p agent.Proc, id string) bool {
	folders, err := agent.ReadDir(c.root, filepath.Join(c.root, state))
	if err != nil {
		return false
	}
	name := fmt.Sprintf("inuse.%d.lock", c.env.Procs.InnerPID(p.PID))
	return slices.ContainsFunc(folders, func(f fs.DirEntry) bool {
		fi, err := agent.Own(filepath.Join(c.root, state, f.Name(), name))
		return err == nil && f.Name() != id && !p.Started.After(fi.ModTime().Add(startSlack))
	})
}

// describe tells of a process that lives. A loader that leads the terminal's session ends with the agent, and so tells no more of how
// that went than the agent itself would.
func (c *Copilot) describe(h *detect.Holder, p agent.Proc) {
	holders.Describe(c.env.Procs, h, p)
	argv := c.env.Procs.Argv(p.Leader)
	if l, ok := c.env.Procs.Get(p.Leader); ok && l.PID != p.PID && len(argv) > 0 && !isProgram(c.cfg, argv[0]) && c.looksCopilot(l, argv) {
		h.Leader, h.LeaderStart = p.PID, p.Start
	}
}

// onlyLoads tells whether a process only waits for the agent that it has started.
func (c *Copilot) onlyLoads(p agent.Proc, argv []string, procs []agent.Proc) bool {
	if len(argv) == 0 || isProgram(c.cfg, argv[0]) {
		return false
	}
	return slices.ContainsFunc(procs, func(child agent.Proc) bool {
		return child.PPID == p.PID && !child.Zombie && c.looksCopilot(child, c.env.Procs.Argv(child.PID))
	})
}

// loader is npm's script around the program.
const loader = "npm-loader.js"

var runtimes = []string{"node", "nodejs", "bun"}

// looksCopilot: the program itself, whatever the system calls the process, or node with npm's loader.
func (c *Copilot) looksCopilot(p agent.Proc, argv []string) bool {
	switch {
	case len(argv) == 0:
		return p.Comm == "copilot"
	case isProgram(c.cfg, argv[0]):
		return true
	case len(argv) < 2 || !slices.Contains(runtimes, filepath.Base(argv[0])):
		return false
	}
	return isProgram(c.cfg, argv[1]) || filepath.Base(argv[1]) == loader
}

func isProgram(cfg agent.Config, path string) bool {
	base := filepath.Base(path)
	return base == "copilot" || cfg.Command != "" && base == filepath.Base(cfg.Command)
}

// arguments gives what follows the program in a command line.
func arguments(argv []string) []string {
	switch {
	case len(argv) > 1 && slices.Contains(runtimes, filepath.Base(argv[0])):
		return argv[2:]
	case len(argv) > 0:
		return argv[1:]
	}
	return nil
}

// call is what the command line of a process says.
type call struct {
	session string // that it goes on with, or begins under an id of its own
	last    bool   // it goes on with the newest one
	print   bool   // with one prompt, and nobody is there
	server  bool
}

func callOf(args []string) (c call) {
	options.Read(args, func(name string, values []string) {
		switch value := strings.Join(values, " "); name {
		case "--resume", "--session-id":
			c.session = value
		case "--continue":
			c.last = true
		case "--prompt":
			c.print = true
		case "--acp", "--server", "--headless":
			c.server = true
		}
	})
	return c
}

func kindOf(p agent.Proc, args []string) detect.HolderKind {
	switch c := callOf(args); {
	case c.server:
		return detect.Server
	case c.print || p.TTY == "":
		return detect.Headless
	}
	return detect.Interactive
}
