package qwen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// entry is one file of the registry: an open terminal, or a session of a process that hosts some; or one that was killed. Beside
// these fields it has a secret, which is not looked at.
type entry struct {
	PID     int    `json:"pid"`
	Start   string `json:"procStart"` // boot id, ":", field 22 of /proc/PID/stat; none on a Mac
	Space   uint64 `json:"pidNs"`     // the inode of its pid namespace; none on a Mac
	Session string `json:"sessionId"`
	Kind    string `json:"kind"` // "tui", "headless" (an editor's, say), "serve"; empty in the first versions, which had terminals alone

	written time.Time // the file
}

// hosted tells whether the process may have other sessions open, too.
func (e entry) hosted() bool { return e.Kind != "" && e.Kind != "tui" }

// foreign tells whether the process does not live among those that we see.
func (e entry) foreign(space string) bool {
	its := fmt.Sprintf("pid:[%d]", e.Space)
	if e.Space == 0 {
		if e.Start != "" {
			return false
		}
		its = agent.MacPIDs
	}
	return space != "" && space != its
}

const entryMax = 64 << 10

// entryName: the entry of a terminal is named PID.json, and that of each session which a process hosts PID-xxxxxxxx.json.
var entryName = lazyregexp.New(`^([1-9][0-9]{0,9})(-[0-9a-f]{8})?\.json$`)

func entryPID(path string) (int, bool) {
	m := entryName.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return 0, false
	}
	pid, err := strconv.Atoi(m[1])
	return pid, err == nil
}

// entry reads one entry and remembers whose it is. One that is just written may be torn: a second look finds it whole.
func (q *Qwen) entry(path string) (entry, error) {
	e, err := q.entryOnce(path)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
		e, err = q.entryOnce(path)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case err == nil && agent.IsUUID(e.Session):
		q.entries[path] = e.Session
	case errors.Is(err, fs.ErrNotExist):
		delete(q.entries, path)
	}
	return e, err
}

func (q *Qwen) entryOnce(path string) (e entry, err error) {
	fi, err := agent.OwnIn(q.root, q.given, path)
	if err != nil {
		return entry{}, err
	}
	b, err := agent.ReadFile(path, entryMax)
	switch {
	case err != nil:
		return entry{}, err
	case len(b) == 0:
		return entry{}, io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(b, &e); err != nil {
		return entry{}, err
	}
	e.written = fi.ModTime()
	if pid, _ := entryPID(path); e.PID != pid {
		return entry{}, errors.New("the entry names another process than its file")
	}
	return e, nil
}

// Live asks the registry, in which terminals stand from 0.24 on, then the process table: by the session that a process
// was started for, or that a tool of its runs for; else any process of the agent in the session's very folder may
// have it, and one that hosts sessions wherever it works.
func (q *Qwen) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if !agent.IsUUID(s.ID) {
		return nil, errors.New("the session id is not a lower-case UUID")
	}
	procs, err := q.env.Procs.List()
	blind := errors.Is(err, agent.ErrNoProcs)
	if err != nil && !blind {
		return nil, err
	}
	live, dead, entered, err := q.registered(s, blind)
	if err != nil {
		return nil, err
	}
	if blind {
		return append(live, holders.Unknown(agent.ErrNoProcs.Error())...), nil
	}
	others, err := holders.Among(ctx, q.env.Procs, procs, func(p agent.Proc) (detect.Holder, bool) { return q.holder(p, procs, s, i, entered) })
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(h detect.Holder) bool {
		return slices.ContainsFunc(live, func(entered detect.Holder) bool { return entered.PID == h.PID && entered.Liveness == detect.Alive })
	})
	slices.SortStableFunc(others, func(a, b detect.Holder) int { return rank(a) - rank(b) })
	switch live = append(live, others...); {
	case len(live) > 0:
		return append(live, dead...), nil
	case len(dead) > 0:
		return dead, nil
	}
	return holders.Gone(q.env.Procs, "no entry of the registry names the session, and no process of qwen without one runs in its folder"), nil
}

// rank puts those first that are sure.
func rank(h detect.Holder) int {
	if h.Sure {
		return 0
	}
	return 1
}

// registered judges the entries of the registry. entered are the live terminals that have one, with the processes above them:
// a terminal's launcher looks as it does. A process that hosts sessions has an entry only for those whose settings say so.
func (q *Qwen) registered(s detect.Session, blind bool) (live, dead []detect.Holder, entered map[int]bool, err error) {
	files, err := agent.ReadDir(q.root, q.registry())
	if err != nil {
		return nil, nil, nil, err
	}
	entered = map[int]bool{}
	for _, f := range files {
		path := filepath.Join(q.registry(), f.Name())
		pid, ok := entryPID(path)
		if !ok {
			continue
		}
		e, err := q.entry(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil: // what it names may be this session
			if _, there := q.env.Procs.Get(pid); there || blind {
				live = append(live, detect.Holder{Liveness: detect.HolderUnknown, PID: pid, Why: "an entry of the registry of a live process cannot be read"})
			}
			continue
		}
		h := q.judge(e, blind)
		if h.Liveness == detect.Alive && !e.hosted() {
			q.above(pid, entered)
		}
		switch {
		case e.Session != s.ID:
		case h.Liveness == detect.LeftBehind:
			dead = append(dead, h)
		default:
			live = append(live, h)
		}
	}
	return live, dead, entered, nil
}

// above marks a process and those of the agent that it was started by.
func (q *Qwen) above(pid int, entered map[int]bool) {
	for range 8 {
		p, ok := q.env.Procs.Get(pid)
		if !ok {
			return
		}
		if _, is := q.arguments(q.env.Procs.Argv(pid)); !is {
			return
		}
		entered[pid] = true
		pid = p.PPID
	}
}

// judge says what became of the process that an entry names.
func (q *Qwen) judge(e entry, blind bool) detect.Holder {
	procs := q.env.Procs
	h := detect.Holder{PID: e.PID, Kind: detect.Interactive, Sure: true, Boot: procs.Boot()}
	if e.hosted() {
		h.Kind = detect.Server
	}
	boot, start, _ := strings.Cut(e.Start, ":")
	h.Start, _ = strconv.ParseUint(start, 10, 64)
	switch space := procs.PIDNamespace(); {
	case e.foreign(space):
		h.Liveness, h.Foreign, h.Why = detect.HolderUnknown, true, "its entry in the registry comes from another pid namespace"
		return h
	case blind:
		h.Liveness, h.Why = detect.HolderUnknown, agent.ErrNoProcs.Error()
		return h
	case h.Start == 0 && e.Start == "" && space == agent.MacPIDs:
		return q.undated(e, h)
	case h.Start == 0:
		h.Liveness, h.Why = detect.HolderUnknown, undated
		return h
	}
	p, ok := procs.Get(e.PID)
	if sameBoot := h.Boot == "" || boot == h.Boot; ok && !p.Zombie && p.Start == h.Start && sameBoot {
		h.Liveness, h.Why = detect.Alive, fmt.Sprintf("process %d has it open%s, says the registry", e.PID, e.drivenBy())
		holders.Describe(procs, &h, p)
		return h
	}
	// One of a boot before was written before this one.
	if first, ok := procs.Get(1); ok && !first.Started.IsZero() && h.Boot != "" && boot != h.Boot && e.written.After(first.Started.Add(clockSlack)) {
		h.Liveness, h.Foreign = detect.HolderUnknown, true
		h.Why = "its entry in the registry comes from another machine, which shares the agent's folder with this one"
		return h
	}
	h.Liveness, h.Why = detect.LeftBehind, fmt.Sprintf("process %d has left its entry in the registry: it was killed", e.PID)
	return h
}

// undated judges an entry that says no more of its process than the pid: that is a process of the agent which began before the entry was
// written, or the entry is left behind.
func (q *Qwen) undated(e entry, h detect.Holder) detect.Holder {
	p, ok := q.env.Procs.Get(e.PID)
	argv := q.env.Procs.Argv(e.PID)
	_, is := q.arguments(argv)
	switch {
	case !ok || p.Zombie || len(argv) > 0 && !is:
		h.Liveness, h.Why = detect.LeftBehind, fmt.Sprintf("process %d has left its entry in the registry: it was killed", e.PID)
	case !is || p.Started.IsZero() || p.Started.After(e.written):
		h.Liveness, h.Why = detect.HolderUnknown, undated
	default:
		h.Liveness, h.Start, h.Why = detect.Alive, p.Start, fmt.Sprintf("process %d has it open%s, says the registry", e.PID, e.drivenBy())
		holders.Describe(q.env.Procs, &h, p)
	}
	return h
}

const undated = "its entry in the registry does not tell when its process began"

// clockSlack is how far the clock of a file server may be ahead.
const clockSlack = time.Minute

// drivenBy says where the session's user prompts it.
func (e entry) drivenBy() string {
	switch {
	case e.Kind == "serve":
		return " for qwen serve"
	case e.hosted():
		return " for the program that drives it, such as an editor"
	}
	return ""
}

// holder tells whether a process without an entry may have the session open.
func (q *Qwen) holder(p agent.Proc, procs []agent.Proc, s detect.Session, i detect.Info, entered map[int]bool) (detect.Holder, bool) {
	args, ok := q.arguments(q.env.Procs.Argv(p.PID))
	if !ok || entered[p.PID] {
		return detect.Holder{}, false
	}
	c := classify(args)
	if c.kind == "" {
		if c.kind = detect.Headless; p.TTY != "" {
			c.kind = detect.Interactive
		}
	}
	h := detect.Holder{Liveness: detect.Alive, Kind: c.kind, PID: p.PID, Boot: q.env.Procs.Boot()}
	holders.Describe(q.env.Procs, &h, p)
	switch works := q.worksOn(p, procs); {
	case c.none:
		return h, false
	case works == s.ID:
		h.Sure, h.Why = true, fmt.Sprintf("a tool of process %d runs for this session", p.PID)
	case works != "" && c.kind != detect.Server:
		return h, false
	case c.session == s.ID:
		h.Sure, h.Named, h.Why = true, true, fmt.Sprintf("process %d was started for this session", p.PID)
	case c.session != "" && c.kind == detect.Headless:
		return h, false // it has its own; in a terminal its user may have gone over to another
	case !agent.WorksIn(q.env.Procs.Cwd(p.PID), i.Dir):
		h.Why = fmt.Sprintf("process %d is a qwen that takes sessions of any folder from the program that drives it, such as an editor", p.PID)
		return h, c.hosts && (i.Interactive || i.Untold) && !q.served(p)
	default:
		h.Why = fmt.Sprintf("process %d is a qwen in the session's folder; which session it has open is not recorded", p.PID)
	}
	if i.Dir == "" && !h.Sure {
		h.Liveness, h.Why = detect.HolderUnknown, fmt.Sprintf("process %d is a qwen, and in which folder the session is stands nowhere yet", p.PID)
	}
	return h, true
}

// served tells whether "qwen serve" has started a process. It has one for each of its folders, which takes no session of another one.
func (q *Qwen) served(p agent.Proc) bool {
	for range 8 {
		args, is := q.arguments(q.env.Procs.Argv(p.PPID))
		if !is || len(args) == 0 {
			return false
		}
		if args[0] == serveCommand {
			return true
		}
		p, _ = q.env.Procs.Get(p.PPID)
	}
	return false
}

// sessionVar is in the environment of the commands that the agent runs as tools.
const sessionVar = "QWEN_CODE_SESSION_ID"

// worksOn gives the session that a tool of a process runs for; empty: none runs. A process that a tool of another one has
// started has the variable from that one, and so have its children.
func (q *Qwen) worksOn(p agent.Proc, procs []agent.Proc) string {
	for _, c := range procs {
		if c.PPID != p.PID || c.Zombie {
			continue
		}
		for _, kv := range q.env.Procs.Environ(c.PID) {
			if id, ok := strings.CutPrefix(kv, sessionVar+"="); ok && !slices.Contains(q.env.Procs.Environ(p.PID), kv) {
				return id
			}
		}
	}
	return ""
}
