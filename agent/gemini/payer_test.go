package gemini

import (
	"slices"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// Two runs of one folder, begun in the same minute, one of which goes to a server of its user's: whose the session is cannot be told, so its requests
// are not taken away from that server.
func TestTwoPayers(t *testing.T) {
	_, home, all := world(t)
	s := all["tool"]
	begun, err := over(home, procs{}).begun(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	table := procs{Args: map[int][]string{7: {"node", "/usr/bin/gemini", "-p", "x"}, 8: {"node", "/usr/bin/gemini", "-p", "y"}}, Dirs: map[int]string{7: "", 8: ""},
		Vars: map[int][]string{7: {"GEMINI_API_KEY=x", server + "=https://gemini.example.com"}, 8: {"A=b"}},
		All:  []agent.Proc{{PID: 7, Start: 1, Started: begun.Add(-2 * time.Second)}, {PID: 8, Start: 2, Started: begun.Add(-time.Second)}}}
	found, err := over(home, table).Launches(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	g, r := planner(t, agent.Config{}, "GEMINI_API_KEY=x", server+"=https://gemini.example.com")
	for _, f := range found {
		r.Launch = &f.Launch
	}
	r.Info.Model = "gemini-2.5-pro"
	if p, err := g.Plan(r); err == nil && slices.Contains(p.Unset, server) {
		t.Errorf("its requests go to Google, paid by %s, without %q (found %+v)", p.Auth, p.Unset, found)
	}
}
