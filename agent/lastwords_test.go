package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/detect"
)

// TestLastWords: what a run says of its end is found among its other lines, and little of them is kept.
func TestLastWords(t *testing.T) {
	note := func(lines ...string) (all []agent.Said) {
		for _, l := range lines {
			all = append(all, agent.Said{Kind: agent.SaidNote, Text: l})
		}
		return all
	}
	failed := agent.Said{Kind: agent.SaidFailed, Stop: &detect.Stop{State: detect.Stopped, Reason: detect.Billing}}
	a := claude.New(agent.Env{Home: t.TempDir(), Getenv: func(string) string { return "" }}, agent.Config{})
	for name, c := range map[string]struct {
		said []agent.Said
		want detect.Reason
	}{
		"nothing":                   {nil, ""},
		"nothing that is known":     {note("the moon is in the wrong phase"), ""},
		"one line":                  {note("Not logged in · Please run /login"), detect.Auth},
		"behind others":             {note("Warning: no ripgrep", "", "\x1b[31mNot logged in · Please run /login\x1b[0m"), detect.Auth},
		"the last of two":           {note("Not logged in · Please run /login", "API Error: Unable to connect to API (ECONNREFUSED)"), detect.Network},
		"its own report before all": {append([]agent.Said{failed}, note("Not logged in · Please run /login")...), detect.Billing},
		"what it does by itself":    {note("Retrying in 4 seconds… (attempt 4/10)"), ""},
		"its work":                  {[]agent.Said{{Kind: agent.SaidText, Text: "Not logged in · Please run /login"}}, ""},
	} {
		var w agent.LastWords
		for _, s := range c.said {
			w.Hear(s)
		}
		if s, ok := w.Stop(a, time.Now()); s.Reason != c.want || ok != (c.want != "") {
			t.Errorf("%s: %v %+v", name, ok, s)
		}
	}
	var w agent.LastWords
	for range 100 {
		w.Hear(agent.Said{Kind: agent.SaidNote, Text: strings.Repeat("x", 10_000)})
	}
	if n := len(w.Notes()); n > 20*401 {
		t.Errorf("%d bytes of notes are kept", n)
	}
}
