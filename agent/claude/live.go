package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
)

// entry is one file of the registry: a process that runs, or that ended without tidying up.
type entry struct {
	PID        int    `json:"pid"`
	SessionID  string `json:"sessionId"`
	CWD        string `json:"cwd"`
	ProcStart  string `json:"procStart"` // field 22 of /proc/PID/stat; macOS: "Sat Nov 21 00:18:12 2026", UTC
	Entrypoint string `json:"entrypoint"`
	Status     string `json:"status"`          // busy also while only an agent of its own works in the background
	StatusAt   int64  `json:"statusUpdatedAt"` // in milliseconds
	Kind       string `json:"kind"`            // "bg" of one in the background
	Job        string `json:"jobId"`           // its short name there
	PIDDomain  string `json:"pidDomain"`       // e.g. linux:<machine>:pid:[4026532393], darwin; from 2.1.329
}

// machine is where the process lives, of a namespace that is called as ours; empty: not told.
func (e entry) machine(space string) string {
	m, ok := strings.CutSuffix(e.PIDDomain, ":"+space)
	_, m, _ = strings.Cut(m, ":")
	if !ok {
		return ""
	}
	return m
}

// foreign tells whether the process does not live among those that we see. Before 2.1.329 an entry does not name its pid namespace, but
// a Mac's tells the start of its process as a date, and that of a container on it as a number.
func (e entry) foreign(space string) bool {
	switch {
	case space == "":
		return false
	case e.PIDDomain != "" || e.ProcStart == "":
		return e.PIDDomain != "" && !strings.HasSuffix(e.PIDDomain, space)
	}
	_, err := strconv.ParseUint(e.ProcStart, 10, 64)
	return (err == nil) == (space == agent.MacPIDs)
}

const entryMax = 64 << 10

// entryPID: registry entries are named PID.json; keys and sockets lie beside them.
func entryPID(path string) (int, bool) {
	name, ok := strings.CutSuffix(filepath.Base(path), ".json")
	pid, err := strconv.Atoi(name)
	return pid, ok && err == nil && pid > 0 && strconv.Itoa(pid) == name
}

// readEntry reads one entry and remembers whose it is. An entry is rewritten in place, so it may
// be torn for a moment: a second look then finds it whole. An entry that is gone gives an error
// that is fs.ErrNotExist.
func (c *Claude) readEntry(path string) (entry, error) {
	e, err := c.readEntryOnce(path)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
		e, err = c.readEntryOnce(path)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil && agent.IsUUID(e.SessionID):
		c.seen[path] = e.SessionID
	case errors.Is(err, os.ErrNotExist):
		delete(c.seen, path)
	}
	return e, err
}

func (c *Claude) readEntryOnce(path string) (entry, error) {
	if _, err := c.own(path); err != nil {
		return entry{}, err
	}
	b, err := agent.ReadFile(path, entryMax)
	if err != nil {
		return entry{}, err
	}
	if len(b) == 0 {
		return entry{}, io.ErrUnexpectedEOF
	}
	var e entry
	if err := json.Unmarshal(b, &e); err != nil {
		return entry{}, err
	}
	if pid, _ := entryPID(path); e.PID != pid {
		return entry{}, errors.New("the entry names another process than its file")
	}
	return e, nil
}

// Live asks the registry, then the process table.
//
// Versions before 2.1 keep no registry. A process of the agent without an entry of its own may
// hold any session of its working folder: it is given as alive, and not as sure.
func (c *Claude) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	procs, procErr := c.env.Procs.List()
	if procErr != nil && !errors.Is(procErr, agent.ErrNoProcs) {
		return nil, procErr
	}
	files, err := agent.ReadDir(c.root, c.registry())
	if err != nil {
		return nil, err
	}
	var live, dead []detect.Holder
	entered := map[int]bool{} // processes with an entry, whatever session they have
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		path := filepath.Join(c.registry(), f.Name())
		pid, ok := entryPID(path)
		if !ok {
			continue
		}
		e, err := c.readEntry(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			// What a crash left torn names no session and no start: its pid may be any process by now.
			if p, ok := c.env.Procs.Get(pid); procErr != nil || ok && !p.Zombie && looksClaude(p, c.env.Procs.Argv(pid)) {
				live = append(live, detect.Holder{Liveness: detect.HolderUnknown, PID: pid, Why: "a registry entry of a live process cannot be read"})
			}
			continue
		}
		h := c.holder(e, procs, procErr != nil)
		if h.Liveness == detect.Alive {
			entered[h.PID] = true
		}
		switch {
		case e.SessionID != s.ID:
		case h.Liveness == detect.LeftBehind:
			dead = append(dead, h)
		default:
			live = append(live, h)
		}
	}
	others, err := c.unregistered(ctx, s, i, procs, entered)
	if err != nil {
		return nil, err
	}
	live = append(live, others...)
	switch {
	case len(live) > 0:
		return append(live, dead...), nil
	case procErr != nil:
		return holders.Unknown(procErr.Error()), nil
	case len(dead) > 0:
		return dead, nil
	}
	return []detect.Holder{{Liveness: detect.Gone, Why: "no registry entry names the session, and no process of the agent without one runs in its folder"}}, nil
}

// holder judges one registry entry.
func (c *Claude) holder(e entry, procs []agent.Proc, blind bool) detect.Holder {
	h := detect.Holder{PID: e.PID, Kind: detect.Interactive, Status: detect.Activity(e.Status), Sure: true, Boot: c.env.Procs.Boot()}
	if strings.HasPrefix(e.Entrypoint, "sdk-") {
		h.Kind = detect.Headless
	}
	if e.Kind == "bg" && e.Job != "" {
		h.Attach = c.attach(e.Job)
	}
	if e.StatusAt > 0 {
		h.Since = detect.Clamp(time.UnixMilli(e.StatusAt).UTC())
	}
	switch e.Status {
	case "waiting": // for its user
		h.Status = detect.Asks
	case "shell": // idle, with a shell of its own in the background
		h.Status = detect.Idle
	}
	h.Start, _ = strconv.ParseUint(e.ProcStart, 10, 64)
	if e.foreign(c.env.Procs.PIDNamespace()) {
		h.Liveness, h.Foreign = detect.HolderUnknown, true
		h.Why = "its registry entry comes from another pid namespace"
		return h
	}
	if blind {
		h.Liveness, h.Why = detect.HolderUnknown, agent.ErrNoProcs.Error()
		return h
	}
	p, ok := c.env.Procs.Get(e.PID)
	if at, err := time.Parse(time.ANSIC, e.ProcStart); err == nil && ok && p.Start/1e6 == uint64(at.Unix()) {
		h.Start = p.Start
	}
	switch {
	case ok && !p.Zombie && h.Start != 0 && p.Start == h.Start:
		h.Liveness, h.Why = detect.Alive, fmt.Sprintf("process %d has it open, says the registry", e.PID)
		c.describe(&h, p)
		return h
	case ok && !p.Zombie && h.Start == 0 && looksClaude(p, c.env.Procs.Argv(e.PID)):
		h.Liveness, h.Why = detect.HolderUnknown, fmt.Sprintf("process %d lives, and its registry entry does not tell its start", e.PID)
		return h
	}
	// Before 2.1.329 an entry does not tell its pid namespace. All namespaces of one kernel share
	// the clock, so a process of the agent with this very start, and with this pid in a namespace of
	// its own, is the one. The start alone is not enough: it counts in ticks of 10 ms, and the list may be
	// older than the end of the very process that the entry names.
	for _, p := range procs {
		if p.PID != e.PID && p.Start == h.Start && !p.Zombie && c.env.Procs.InnerPID(p.PID) == e.PID && looksClaude(p, c.env.Procs.Argv(p.PID)) {
			h.Liveness, h.Foreign = detect.Alive, true
			h.Why = fmt.Sprintf("process %d has the start time that its registry entry gives for process %d: another pid namespace", p.PID, e.PID)
			h.PID = p.PID
			c.describe(&h, p)
			return h
		}
	}
	if its, here := e.machine(c.env.Procs.PIDNamespace()), c.env.Procs.Machine(); its != "" && here != "" && its != here {
		h.Liveness, h.Foreign = detect.HolderUnknown, true
		h.Why = "its registry entry comes from another machine, which shares the agent's folder with this one"
		return h
	}
	h.Liveness = detect.LeftBehind
	if ok && !p.Zombie {
		h.Why = fmt.Sprintf("its registry entry is left behind: process %d is another one now", e.PID)
	} else {
		h.Why = fmt.Sprintf("its registry entry is left behind: process %d is gone", e.PID)
	}
	return h
}

func (c *Claude) describe(h *detect.Holder, p agent.Proc) { holders.Describe(c.env.Procs, h, p) }

// unregistered finds processes of the agent that no entry tells of: those started for this
// session by name, and those that merely stand in its folder.
func (c *Claude) unregistered(ctx context.Context, s detect.Session, i detect.Info, procs []agent.Proc, entered map[int]bool) ([]detect.Holder, error) {
	return holders.Among(ctx, c.env.Procs, procs, func(p agent.Proc) (detect.Holder, bool) {
		if entered[p.PID] {
			return detect.Holder{}, false
		}
		return c.unentered(p, s, i.Dir)
	})
}

// unentered judges a process without an entry. One that does not let its folder be seen may be any.
func (c *Claude) unentered(p agent.Proc, s detect.Session, dir string) (detect.Holder, bool) {
	argv := c.env.Procs.Argv(p.PID)
	if !looksClaude(p, argv) {
		return detect.Holder{}, false
	}
	h := detect.Holder{Liveness: detect.Alive, PID: p.PID, Kind: detect.Interactive, Boot: c.env.Procs.Boot()}
	called := callOf(argv)
	if called.print {
		h.Kind = detect.Headless
	}
	switch {
	case called.session == s.ID:
		h.Sure, h.Named, h.Why = true, true, fmt.Sprintf("process %d was started for this session", p.PID)
	case called.offhand && c.registers() || called.session != "" || dir == "" || called.copied == s.ID && called.print:
		return h, false
	default:
		if !agent.WorksIn(c.env.Procs.Cwd(p.PID), dir) {
			return h, false
		}
		h.Why = fmt.Sprintf("process %d of the agent runs in the same folder and may have it open", p.PID)
		if called.copied == s.ID { // too unlikely for typing into it
			h.Liveness, h.Why = detect.HolderUnknown, fmt.Sprintf("process %d was started with a copy of this session, and may have gone over to it", p.PID)
		}
	}
	c.describe(&h, p)
	return h, true
}

// registers tells whether the agent keeps a registry. For a version that does not, a word of the list may be the prompt of a session.
func (c *Claude) registers() bool {
	_, err := os.Stat(c.registry())
	return err == nil
}

// looksClaude: the native program, or node with the agent's script.
func looksClaude(p agent.Proc, argv []string) bool {
	if len(argv) == 0 {
		return p.Comm == "claude"
	}
	for n, a := range argv {
		if n > 2 {
			break
		}
		if n > 0 && strings.HasPrefix(a, "-") {
			continue
		}
		// The SDK starts it as claude.exe on every system.
		if base := filepath.Base(a); base == "claude" || base == "claude.exe" || strings.Contains(a, "claude-code/cli.js") {
			return true
		}
		if n == 0 && !slices.Contains(runtimes, filepath.Base(a)) {
			break // a program of another name: its arguments are only arguments
		}
	}
	return false
}

var runtimes = []string{"node", "bun", "nodejs"}

// call is what the command line of a process says.
type call struct {
	session string // that it goes on with, or begins under an id of its own
	copied  string // that it reads and does not write to: it goes on in a copy
	print   bool
	offhand bool // it is a command that opens no session
}

// offhand are those commands, of all versions. What agents and attach show is open in processes of the supervisor's, which have an entry
// as soon as they have a session.
var offhand = map[string]bool{
	"--bg-pty-host": true, "--bg-spare": true,
	"agents": true, "attach": true, "auth": true, "auto-mode": true, "config": true, "daemon": true, "doctor": true, "gateway": true, "import": true, "install": true, "kill": true,
	"logs": true, "mcp": true, "migrate-installer": true, "plugin": true, "plugins": true, "project": true, "purge": true, "respawn": true, "rm": true, "setup-token": true,
	"stop": true, "update": true, "upgrade": true,
}

func callOf(argv []string) call {
	var c call
	if len(argv) == 0 {
		return c
	}
	var resumed, id string
	copies := false
	args := arguments(argv)
	c.offhand = len(args) > 0 && offhand[args[0]]
	options.Read(args, func(name string, values []string) {
		value := strings.TrimSuffix(filepath.Base(strings.Join(values, " ")), ".jsonl")
		switch {
		case name == "-p":
			c.print = true
		case name == "--fork-session":
			copies = true
		case name == "-r" && agent.IsUUID(value):
			resumed = value
		case name == "--session-id" && agent.IsUUID(value):
			id = value
		}
	})
	c.session = cmp.Or(id, resumed)
	if copies {
		c.session, c.copied = id, resumed
	}
	return c
}
