package gemini

import (
	"errors"
	"path/filepath"
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

// The way to sign in stands in the settings, before all variables. A session on a login does not go on at the price of a key that is chosen meanwhile.
func TestWayIsKept(t *testing.T) {
	settings := func(way string) string { return `{"security":{"auth":{"selectedType":"` + way + `"}}}` }
	for _, c := range []struct {
		name       string
		ran        string // the user's settings at the start
		now, there string // and now, with the project's
		left       bool
	}{
		{"the same", settings("oauth-personal"), settings("oauth-personal"), "", false},
		{"a key now", settings("oauth-personal"), settings("gemini-api-key"), "", true},
		{"a key now, by the project", settings("oauth-personal"), settings("oauth-personal"), settings("gemini-api-key"), true},
		{"a key now, with a comment", settings("oauth-personal"), "// mine\n" + settings("gemini-api-key"), "", true},
		{"with a comment before", "/* mine */" + settings("oauth-personal"), settings("gemini-api-key"), "", true},
		{"a login now", settings("gemini-api-key"), settings("oauth-personal"), "", true},
		{"not told before", "{}", settings("gemini-api-key"), "", false},
		{"cannot be read now", settings("oauth-personal"), "{ // mine", "", false},
	} {
		g, r := planner(t, agent.Config{})
		put(t, filepath.Join(g.root, "settings.json"), c.ran)
		r.Launch = &detect.Launch{Pays: g.signed(g.purse([]string{"A=b"}), r.Info.Dir)}
		put(t, filepath.Join(g.root, "settings.json"), c.now)
		put(t, filepath.Join(r.Info.Dir, ".gemini", "settings.json"), c.there)
		p, err := g.Plan(r)
		if errors.As(err, new(*agent.Unfit)) != c.left {
			t.Errorf("%s: paid by %s, %v", c.name, p.Auth, err)
		}
	}
}

// A look at the process that began a session notes the way.
func TestWayIsNoted(t *testing.T) {
	_, home, all := world(t)
	s := all["tool"]
	begun, err := over(home, procs{}).begun(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(home, "settings.json"), `{"security":{"auth":{"selectedType":"oauth-personal"}}}`)
	g := over(home, procs{Args: map[int][]string{7: {"node", "/usr/bin/gemini", "-p", "x"}}, Dirs: map[int]string{7: ""}, Vars: map[int][]string{7: {"A=b"}},
		All: []agent.Proc{{PID: 7, Start: 1, Started: begun.Add(-time.Second)}}})
	found, err := g.Launches(s.Path)
	if err != nil || len(found) != 1 || agent.Payer(found[0].Pays) != "login" {
		t.Fatalf("%+v, %v", found, err)
	}
	put(t, filepath.Join(home, "settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`)
	if !g.otherWay(found[0].Pays, "") {
		t.Errorf("another way is not told by %q", found[0].Pays)
	}
}
