package daemon

import (
	"context"
	"net"
	"net/http"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/peer"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/state"
)

// askerKey is of the process that asks, in the context of a connection.
type askerKey struct{}

// asker notes who asks.
func asker(ctx context.Context, c net.Conn) context.Context {
	pid, _ := peer.PID(c)
	return context.WithValue(ctx, askerKey{}, pid)
}

// person refuses an order that an agent, or a tool of one, gives: a sandbox may let it reach sockets, and
// orders are its user's. Questions are answered to all.
func (d *Daemon) person(r *http.Request) error {
	pid, _ := r.Context().Value(askerKey{}).(int)
	if pid <= 0 {
		return machine.Refuse("clawd can't tell who gives this order; type it in a terminal of your own, on this machine and in no container")
	}
	above, err := d.above(pid)
	switch {
	case err != nil:
		return err
	case above == 0:
		return nil
	}
	d.log.Warn().Str("event", "order_refused").Int("pid", pid).Int("agent_pid", above).Str("order", r.URL.Path).Msg("an agent or a tool of one gave an order")
	return machine.Refuse("it comes from inside the agent with process %d, and orders are yours alone: type it in a terminal of your own", above)
}

// above gives an agent that a process belongs to: one that clawd wrap or clawd itself runs, or that has
// a session open; 0: none.
func (d *Daemon) above(pid int) (int, error) {
	procs := d.o.Env.Procs
	found := 0
	try := func(p int, start uint64) {
		if now, ok := procs.Get(p); found == 0 && ok && now.Start == start && agent.Below(procs, pid, p) {
			found = p
		}
	}
	wraps, _ := wrap.List(d.o.Wraps) // what cannot be read is told by the pruning
	for _, w := range wraps {
		if w.Boot == d.boot && w.End == nil && !slices.Contains(shells, w.Argv0) {
			try(w.Child.PID, w.Child.Start)
		}
	}
	err := d.store.Sessions(func(rec state.Session) error {
		if c := rec.Claim; c != nil && c.PID > 0 && c.Boot == d.boot {
			try(c.PID, c.Start)
		}
		if h := rec.Holder; h.PID > 0 && h.Boot == d.boot {
			try(h.PID, h.Start)
		}
		return nil
	})
	return found, err
}

// shells may be wrapped, too: what is below one is a person's, unless an agent is between.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "nu", "pwsh", "elvish", "xonsh", "tmux", "screen"}
