package holders

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestTerminal(t *testing.T) {
	tui := detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, PID: 7, Start: 70}
	tmux := []string{"A=b", "TMUX=/tmp/tmux-1000/default,812,0", "TMUX_PANE=%3"}
	shown := func(h detect.Holder, tty, socket, pane string) detect.Holder {
		h.TTY, h.Tmux, h.Pane = tty, socket, pane
		return h
	}
	with := func(set func(h *detect.Holder)) detect.Holder {
		h := tui
		set(&h)
		return h
	}
	for name, c := range map[string]struct {
		h    detect.Holder
		env  []string
		want detect.Holder
	}{
		"in tmux":          {tui, tmux, shown(tui, "/dev/pts/3", "/tmp/tmux-1000/default", "%3")},
		"plain terminal":   {tui, []string{"A=b"}, shown(tui, "/dev/pts/3", "", "")},
		"strange values":   {tui, []string{"TMUX=default,1,2", "TMUX_PANE=3"}, shown(tui, "/dev/pts/3", "", "")},
		"no environment":   {tui, nil, shown(tui, "/dev/pts/3", "", "")},
		"another start":    {with(func(h *detect.Holder) { h.Start = 71 }), tmux, with(func(h *detect.Holder) { h.Start = 71 })},
		"gone":             {with(func(h *detect.Holder) { h.PID = 8 }), tmux, with(func(h *detect.Holder) { h.PID = 8 })},
		"headless":         {with(func(h *detect.Holder) { h.Kind = detect.Headless }), tmux, with(func(h *detect.Holder) { h.Kind = detect.Headless })},
		"left behind":      {with(func(h *detect.Holder) { h.Liveness = detect.LeftBehind }), tmux, with(func(h *detect.Holder) { h.Liveness = detect.LeftBehind })},
		"other namespaces": {with(func(h *detect.Holder) { h.Foreign = true }), tmux, with(func(h *detect.Holder) { h.Foreign = true })},
	} {
		Terminal(agenttest.Procs{All: []agent.Proc{agent.Proc{PID: 7, Start: 70, TTY: "/dev/pts/3"}}, Vars: map[int][]string{7: c.env}}, &c.h)
		if c.h != c.want {
			t.Errorf("%s: %+v, want %+v", name, c.h, c.want)
		}
	}
}
