package gemini

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
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

// Vertex is a cloud project's bill, a key is of AI Studio, and some logins have a project of their own: another one of the same kind does not pay.
func TestAccountIsKept(t *testing.T) {
	const key, vertex, project = "GEMINI_API_KEY=k", "GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT=a"
	for _, c := range []struct {
		name  string
		ran   []string
		vars  []string // clawd's
		left  bool
		unset string // a variable that is taken away
	}{
		{"vertex", []string{vertex, project}, []string{vertex, project}, false, ""},
		{"vertex, and clawd has a key of AI Studio", []string{vertex, project}, []string{key}, true, ""},
		{"vertex, and clawd has such a key, too", []string{vertex, project}, []string{vertex, project, key}, false, "GEMINI_API_KEY"},
		{"vertex of another project", []string{vertex, project}, []string{vertex, "GOOGLE_CLOUD_PROJECT=b"}, true, ""},
		{"a key, and clawd is on vertex", []string{key}, []string{key, vertex, project}, false, "GOOGLE_GENAI_USE_VERTEXAI"},
		{"another key", []string{key}, []string{"GEMINI_API_KEY=l"}, true, ""},
		{"another server", []string{key, server + "=http://x"}, []string{key, server + "=http://y"}, true, ""},
		{"a login with a project, and clawd has none", []string{project}, nil, true, ""},
		{"a login with a project", []string{project}, []string{project, key}, false, "GEMINI_API_KEY"},
		{"a login, and clawd has a project", []string{"A=b"}, []string{project}, false, "GOOGLE_CLOUD_PROJECT"},
	} {
		g, r := planner(t, agent.Config{}, c.vars...)
		r.Launch = &detect.Launch{Pays: g.purse(c.ran)}
		p, err := g.Plan(r)
		var u *agent.Unfit
		if errors.As(err, &u) != c.left || c.left && u.Key != "agent.gemini.env" || c.unset != "" && !slices.Contains(p.Unset, c.unset) {
			t.Errorf("%s: paid by %s without %q, %v", c.name, p.Auth, p.Unset, err)
		}
	}
}
