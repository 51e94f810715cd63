package agenttest

import "github.com/clawd-project/clawd/agent"

// InTmux is a process table whose processes all run in pane %3 of a tmux server.
type InTmux struct{ agent.Procs }

// Environ gives an environment of which no more than the pane may be kept.
func (InTmux) Environ(int) []string {
	return []string{"HOME=/home/dev", "ANTHROPIC_API_KEY=sk-dummy", "TMUX=/tmp/tmux-1000/default,812,0", "TMUX_PANE=%3"}
}
