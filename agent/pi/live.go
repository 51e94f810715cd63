package pi

import (
	"cmp"
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

// Live goes by the working folder of every process of the agent, and by what the commands that it runs as tools
// have in their environment: only that names a session. The agent overwrites its arguments, keeps no list of
// processes, and holds no file open.
//
// A process that was given the path of a session in another folder works in the session's own, and cannot be told
// from outside unless it runs a tool.
func (p *Pi) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if !idForm.MatchString(s.ID) {
		return nil, errors.New("the session id is not one that the agent gives")
	}
	procs, err := p.env.Procs.List()
	if errors.Is(err, agent.ErrNoProcs) {
		return holders.Unknown(err.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	found, err := holders.Among(ctx, p.env.Procs, procs, func(q agent.Proc) (detect.Holder, bool) { return p.holder(q, procs, s, i.Dir) })
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return holders.Gone(p.env.Procs, "no process of pi runs in the session's folder"), nil
	}
	slices.SortStableFunc(found, func(a, b detect.Holder) int { return cmp.Compare(rank(a), rank(b)) })
	return found, nil
}

// rank puts those first that are sure.
func rank(h detect.Holder) int {
	if h.Sure {
		return 0
	}
	return 1
}

// holder tells whether a process may have the session open.
func (p *Pi) holder(q agent.Proc, procs []agent.Proc, s detect.Session, dir string) (detect.Holder, bool) {
	argv := p.env.Procs.Argv(q.PID)
	if !p.looksPi(q, argv) {
		return detect.Holder{}, false
	}
	h := detect.Holder{Liveness: detect.Alive, PID: q.PID, Boot: p.env.Procs.Boot(), Kind: kindOf(q, argv)}
	switch works := p.worksOn(q, procs); {
	case works == s.ID:
		h.Sure, h.Why = true, fmt.Sprintf("a tool of process %d runs for this session", q.PID)
	case works != "" || !agent.WorksIn(p.env.Procs.Cwd(q.PID), dir):
		return h, false
	default:
		h.Why = fmt.Sprintf("process %d is a pi in the session's folder; which session it has open is not recorded", q.PID)
	}
	holders.Describe(p.env.Procs, &h, q)
	if dir == "" && !h.Sure {
		h.Liveness, h.Why = detect.HolderUnknown, fmt.Sprintf("process %d is a pi, and in which folder the session is stands nowhere yet", q.PID)
	}
	return h, true
}

// sessionEnv is in the environment of the commands that the agent runs as tools.
const sessionEnv = "PI_SESSION_ID="

// worksOn gives the session that a tool of a process runs for; empty: none runs.
func (p *Pi) worksOn(q agent.Proc, procs []agent.Proc) string {
	for _, c := range procs {
		if c.PPID != q.PID || c.Zombie {
			continue
		}
		for _, kv := range p.env.Procs.Environ(c.PID) {
			// An agent that a tool has started has it from that tool, and gives its own to its commands.
			if id, ok := strings.CutPrefix(kv, sessionEnv); ok && !p.inherits(q, id) {
				return id
			}
		}
	}
	return ""
}

// inherits tells whether a process has the variable itself: then its children have it from further above.
func (p *Pi) inherits(q agent.Proc, id string) bool {
	return slices.Contains(p.env.Procs.Environ(q.PID), sessionEnv+id)
}

// kindOf: arguments do not tell, so whoever has no terminal is headless.
func kindOf(q agent.Proc, argv []string) detect.HolderKind {
	switch {
	case q.Comm == rpcTitle || len(argv) > 0 && argv[0] == rpcTitle:
		return detect.Server
	case q.TTY == "":
		return detect.Headless
	}
	return detect.Interactive
}

// Titles that the agent gives its process, in place of its arguments.
const (
	title    = "pi"
	rpcTitle = "pi-rpc"
)

var runtimes = []string{"node", "nodejs", "bun", "MainThread"}

// looksPi: by its title, or, before it has one, by the script that a runtime runs.
func (p *Pi) looksPi(q agent.Proc, argv []string) bool {
	if len(argv) == 0 {
		return q.Comm == title || q.Comm == rpcTitle
	}
	if p.isProgram(argv[0]) {
		return true
	}
	if !slices.Contains(runtimes, filepath.Base(argv[0])) {
		return false
	}
	for n := 1; n < len(argv); n++ {
		if p.isProgram(argv[n]) || strings.Contains(argv[n], "/pi-coding-agent/") {
			return true
		}
		// Options of the runtime stand before its script, some with a value of their own.
		if !strings.HasPrefix(argv[n], "-") && !strings.HasPrefix(argv[n-1], "-") {
			break
		}
	}
	return false
}

func (p *Pi) isProgram(path string) bool {
	base := filepath.Base(path)
	return base == title || base == rpcTitle || p.cfg.Command != "" && base == filepath.Base(p.cfg.Command)
}
