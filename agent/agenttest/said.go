package agenttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// Said is what an agent's parser passes on of an output, an element a piece, in short.
func Said(t *testing.T, a agent.Agent, output string) []string {
	t.Helper()
	var all []string
	began := time.Now()
	_, err := a.Output(strings.NewReader(output), func(s agent.Said) {
		short := string(s.Kind)
		switch s.Kind {
		case agent.SaidOpened:
			short += " " + s.Session
		case agent.SaidUsage:
			u, cost := s.Usage, "-"
			if u.CostUSD != nil {
				cost = fmt.Sprint(*u.CostUSD)
			}
			short += fmt.Sprintf(" %d %d %d %d %s %s %v", u.InputTokens, u.OutputTokens, u.CacheCreationTokens, u.CacheReadTokens, cost, u.API, u.Whole)
		case agent.SaidFailed:
			if short += " ?"; s.Stop != nil {
				short = fmt.Sprintf("failed %s %s", s.Stop.Reason, s.Stop.Window)
				if !s.Stop.ResetAt.IsZero() {
					short += fmt.Sprintf(" in %s", s.Stop.ResetAt.Sub(began).Round(time.Minute))
				}
			}
			if s.Text == "" {
				t.Error("a failure without a word")
			}
		default:
			text, _, _ := strings.Cut(s.Text, "\n")
			short = strings.TrimSpace(short + " " + text[:min(len(text), 40)])
		}
		all = append(all, short)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Turn gives the arguments of a turn, without the program.
func Turn(t *testing.T, a agent.Starter, r agent.TurnRequest) string {
	t.Helper()
	r.Program.Path, r.Prompt, r.Dir = "/bin/agent", "-n the prompt", "/work"
	p, err := a.Turn(r)
	if err != nil {
		t.Fatal(err)
	}
	if p.Argv[0] != "/bin/agent" || string(p.Stdin) != r.Prompt || p.Dir != r.Dir || len(p.Unset) != 0 {
		t.Errorf("%+v", p)
	}
	return strings.Join(p.Argv[1:], " ")
}
