package agent

import (
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/detect"
)

// Terminal fills in where a live interactive process is shown: its terminal, and the tmux pane that
// says so in the process's own environment. Nothing else of the environment is kept. A process of
// another namespace names sockets and panes that are not ours.
func Terminal(procs Procs, h *detect.Holder) {
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
