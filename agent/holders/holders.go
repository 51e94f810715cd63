// Package holders is what agents have in common that answer who has a session open: how processes are looked at one
// after the other, what is said where nobody has it or nothing can be seen, and what a process tells of its terminal.
package holders

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Judge gives the holder that a process is; false: it is none.
type Judge func(p agent.Proc) (detect.Holder, bool)

// Among gives the holders among processes of a list. Those that have ended are none, and neither is clawd itself.
func Among(ctx context.Context, procs agent.Procs, list []agent.Proc, judge Judge) (found []detect.Holder, err error) {
	for _, p := range list {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if p.Zombie || p.PID == os.Getpid() {
			continue
		}
		if h, ok := agent.Judge(procs, p, judge); ok {
			found = append(found, h)
		}
	}
	return found, nil
}

// Find is Live of an agent that writes nothing down about its processes, so that only they can tell: the surest
// holder comes first, and last one of which nothing can be told. gone says what it means that there is none.
func Find(ctx context.Context, procs agent.Procs, gone string, judge Judge) ([]detect.Holder, error) {
	list, err := procs.List()
	if errors.Is(err, agent.ErrNoProcs) {
		return Unknown(err.Error()), nil
	}
	var found []detect.Holder
	if err == nil {
		found, err = Among(ctx, procs, list, judge)
	}
	switch {
	case err != nil:
		return Unknown(err.Error()), err
	case len(found) == 0:
		return Gone(procs, gone), nil
	}
	slices.SortStableFunc(found, func(a, b detect.Holder) int { return cmp.Compare(rank(a), rank(b)) })
	return found, nil
}

func rank(h detect.Holder) int {
	switch {
	case h.Sure:
		return 0
	case h.Liveness == detect.Alive:
		return 1
	}
	return 2
}

// Unknown is the answer where nothing can be seen.
func Unknown(why string) []detect.Holder {
	return []detect.Holder{{Liveness: detect.HolderUnknown, Why: why}}
}

// Gone is the answer that nobody has the session open.
func Gone(procs agent.Procs, why string) []detect.Holder {
	return []detect.Holder{{Liveness: detect.Gone, Boot: procs.Boot(), Why: why}}
}

// Describe fills in what a process itself tells of a holder: its start, its group, who leads its session, and for a
// live interactive one where it is shown. One that has another pid in a namespace of its own lives in a container.
func Describe(procs agent.Procs, h *detect.Holder, p agent.Proc) {
	if inner := procs.InnerPID(p.PID); inner != 0 && inner != p.PID {
		h.Foreign = true
	}
	h.Start, h.Group, h.Leader = p.Start, p.Group, p.Leader
	if l, ok := procs.Get(p.Leader); ok {
		h.LeaderStart = l.Start
	}
	Terminal(procs, h)
}

// Terminal fills in where a live interactive process is shown: its terminal, and the tmux pane that
// says so in the process's own environment. Nothing else of the environment is kept. A process of
// another namespace names sockets and panes that are not ours.
func Terminal(procs agent.Procs, h *detect.Holder) {
	if h.Liveness != detect.Alive || h.Kind != detect.Interactive || h.Foreign {
		return
	}
	p, ok := procs.Get(h.PID)
	if !ok || p.Start != h.Start {
		return
	}
	h.TTY = p.TTY
	for _, e := range procs.Environ(h.PID) {
		name, value, _ := strings.Cut(e, "=")
		switch name {
		case "TMUX":
			if socket, _, ok := strings.Cut(value, ","); ok && filepath.IsAbs(socket) {
				h.Tmux = socket
			}
		case "TMUX_PANE":
			if strings.HasPrefix(value, "%") {
				h.Pane = value
			}
		}
	}
}
