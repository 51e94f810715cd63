package codex

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Effort and folders come from the last turn.
func TestPlanRestoresTheTurn(t *testing.T) {
	root := t.TempDir()
	r := request(t, root)
	put(t, r.Session.Path, `{"timestamp":"2026-11-21T00:00:01.000Z","type":"turn_context","payload":{"cwd":"/w","model":"gpt-5.1-codex","effort":"low","approval_policy":"never",`+
		`"sandbox_policy":{"type":"workspace-write","network_access":true,"writable_roots":["/it's \"r\"","/h/.codex/memories","relative"]}}}`+"\n")
	c := over(root, procTable{}, agent.Config{})
	b, err := agenttest.Read(t.Context(), c, r.Session, "")
	if err != nil {
		t.Fatal(err)
	}
	b.Info.Dir = r.Info.Dir
	r.Info = b.Info
	p, err := c.Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`model_reasoning_effort="low"`, `sandbox_workspace_write.writable_roots=["/it's \"r\""]`, "sandbox_workspace_write.network_access=true"} {
		if !slices.Contains(p.Argv, want) {
			t.Errorf("%q lacks %s", p.Argv, want)
		}
	}
	c = over(root, procTable{}, agent.Config{Args: []string{"-c", `model_reasoning_effort="high"`}})
	if p, err = c.Plan(r); err != nil || slices.Contains(p.Argv, `model_reasoning_effort="low"`) {
		t.Errorf("the config's own effort is not taken: %q, %v", p.Argv, err)
	}
}

// A turn without further folders records none: those of the turn before are not its own.
func TestPlanAddsNoFolderOfAnEarlierTurn(t *testing.T) {
	turn := func(sandbox string) string {
		return `{"timestamp":"2026-11-21T00:00:01.000Z","type":"turn_context","payload":{"cwd":"/w","model":"gpt-5.1-codex","approval_policy":"never","sandbox_policy":` + sandbox + "}}\n"
	}
	wide := turn(`{"type":"workspace-write","network_access":false,"writable_roots":["/other"]}`)
	for _, c := range []struct{ then, want string }{
		{"", `["/other"]`},
		{turn(`{"type":"workspace-write","network_access":false,"exclude_tmpdir_env_var":false,"exclude_slash_tmp":false}`), `[]`}, // as 0.169 writes it
		{turn(`{"type":"workspace-write","writable_roots":null}`), `[]`},
		{turn(`{"type":"workspace-write","writable_roots":"/x"}`), `[]`},
		{turn(`{"type":"workspace-write","writable_roots":["/mine"]}`), `["/mine"]`},
	} {
		for _, apart := range []bool{false, true} { // in one read, and in two
			root := t.TempDir()
			r := request(t, root)
			a := over(root, procTable{}, agent.Config{})
			var info detect.Info
			cursor := agent.Cursor("")
			texts := []string{wide + c.then}
			if apart {
				texts = []string{wide, wide + c.then}
			}
			for _, text := range texts {
				put(t, r.Session.Path, text)
				b, err := agenttest.Read(t.Context(), a, r.Session, cursor)
				if err != nil {
					t.Fatal(err)
				}
				info.Merge(b.Info)
				cursor = b.Cursor
			}
			info.Dir = r.Info.Dir
			r.Info = info
			p, err := a.Plan(r)
			if err != nil || !slices.Contains(p.Argv, "sandbox_workspace_write.writable_roots="+c.want) {
				t.Errorf("apart %v, then %s: %q, %v", apart, c.then, p.Argv, err)
			}
		}
	}
}

// What no record tells is seen on the command line.
func TestLaunches(t *testing.T) {
	root := t.TempDir()
	r := request(t, root)
	launch := func(argv ...string) (*Codex, []agent.Launched) {
		c := over(root, procTable{All: []agent.Proc{{PID: 7, Start: 70, Comm: "codex"}, {PID: 8, Start: 80, Comm: "codex"}},
			Args: map[int][]string{7: argv, 8: {"codex", "app-server"}}, Files: map[int][]string{7: {r.Session.Path}, 8: {r.Session.Path}}}, agent.Config{})
		all, err := c.Launches(r.Session.Path)
		if err != nil || len(all) != 1 || all[0].Session != sid || all[0].PID != 7 || all[0].Start != 70 {
			t.Fatalf("%q: %+v, %v", argv, all, err)
		}
		if again, err := c.Launches(r.Session.Path); err != nil || len(again) != 0 {
			t.Errorf("looked at once more for a write: %+v, %v", again, err)
		}
		return c, all
	}
	for argv, want := range map[string]string{
		"codex exec --disable shell_tool -m x say":                                    "--disable=shell_tool",
		"codex exec -c web_search=\"disabled\" -p careful --json resume " + sid:       "--config=web_search=\"disabled\" --profile=careful",
		"codex -c features.apply_patch=false -s read-only --search":                   "--config=features.apply_patch=false",
		"node /usr/bin/codex exec --enable a --enable b -c model=\"m\" -i x.png -- y": "--enable=a --enable=b",
		"codex exec -c mcp_servers.x.env.TOKEN=abcdef say":                            "lost",
		"codex exec --remote-auth-token-env X say":                                    "lost",
		"codex exec -c features.token=sk-abcdefghijkl say":                            "lost",
	} {
		c, all := launch(strings.Fields(argv)...)
		r.Launch = &all[0].Launch
		p, err := c.Plan(r)
		var u *agent.Unfit
		if want == "lost" {
			if !errors.As(err, &u) || u.Command == "" || strings.Contains(u.Why, "TOKEN") {
				t.Errorf("%s: %q, %v", argv, p.Argv, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", argv, err)
			continue
		}
		from, to := slices.Index(p.Argv, "sandbox_workspace_write.writable_roots=[]")+1, slices.Index(p.Argv, "resume")
		if d := cmp.Diff(want, strings.Join(p.Argv[from:to], " ")); d != "" || p.Flags != detect.KnownSeen {
			t.Errorf("%s: %s (-want +got):\n%s", argv, p.Flags, d)
		}
	}
}

// The config's own arguments take the place of what they set, and of nothing else.
func TestOptionsBesideTheConfigs(t *testing.T) {
	for _, c := range []struct{ argv, args, want string }{
		{"-c tools.web_search=false", "-c model_verbosity=low", "left"},
		{"-c tools.web_search=false", "-c tools.web_search=true", ""},
		{"-c mcp_servers.x.env.TOKEN=a", "-c mcp_servers.x.env.TOKEN=b", "left"},
		{"--disable shell_tool", "--disable other", "--disable=shell_tool"},
		{"--enable a", "--enable b", ""},
		{"-c features.a=false -c features.b=false", "--config=features.a=true", "--config=features.b=false"},
		{"-p a", "-pb", ""},
	} {
		r := request(t, t.TempDir())
		r.Launch = &detect.Launch{}
		r.Launch.Flags, r.Launch.Lost = options.Parse(strings.Fields(c.argv))
		args, _, err := over(t.TempDir(), procTable{}, agent.Config{Args: strings.Fields(c.args)}).restore(r)
		got := strings.Join(args, " ")
		if err != nil {
			got = "left"
		}
		if got != c.want {
			t.Errorf("%s with %s: %q, %v; want %q", c.argv, c.args, got, err, c.want)
		}
	}
}

func TestPayerIsKept(t *testing.T) {
	root := t.TempDir()
	put(t, root+"/auth.json", "never read")
	r := request(t, root)
	r.Launch = &detect.Launch{Pays: "key"}
	var u *agent.Unfit
	if p, err := over(root, procTable{}, agent.Config{}).Plan(r); !errors.As(err, &u) {
		t.Errorf("a key paid, and there is none: %v", p.Argv)
	}
	if p, err := over(root, procTable{}, agent.Config{}, "CODEX_API_KEY=x").Plan(r); err != nil || p.Auth != "key" || len(p.Unset) != 0 {
		t.Errorf("a key paid: %s, %q, %v", p.Auth, p.Unset, err)
	}
	if p, err := over(root, procTable{}, agent.Config{}, "OPENAI_API_KEY=x").Plan(r); !errors.As(err, &u) || u.Key != "agent.codex.env" {
		t.Errorf("the key that is there pays nothing: %s, %v", p.Auth, err)
	}
	// Recorded with 0.169: beside a login OPENAI_API_KEY is not read, CODEX_API_KEY is.
	for environ, want := range map[string]string{"": "", "A=b": "login", "CODEX_API_KEY=x OPENAI_API_KEY=y": "key", "CODEX_API_KEY= A=b": "login", "OPENAI_API_KEY=y": ""} {
		r.Launch.Pays = over(root, procTable{}, agent.Config{}).purse(strings.Fields(environ))
		if agent.Payer(r.Launch.Pays) != want {
			t.Errorf("%q: %q pays", environ, r.Launch.Pays)
		}
		if p, err := over(root, procTable{}, agent.Config{}).Plan(r); want != "key" && (err != nil || p.Auth != "login") {
			t.Errorf("%q: %s, %v", environ, p.Auth, err)
		}
	}
	r.Launch.Pays = "login"
	if p, err := over(root, procTable{}, agent.Config{}, "CODEX_API_KEY=x").Plan(r); err != nil || p.Auth != "login" || len(p.Unset) != 3 {
		t.Errorf("a login paid: %s, %q, %v", p.Auth, p.Unset, err)
	}
}

// Another key does not pay, and a key goes to no other server. A login goes to OpenAI's.
func TestAccountIsKept(t *testing.T) {
	const key, server = "CODEX_API_KEY=x", "OPENAI_BASE_URL=https://a.example.com/v1"
	const org, token = "OPENAI_ORGANIZATION=", "CODEX_ACCESS_TOKEN="
	for _, c := range []struct {
		name  string
		ran   []string
		vars  []string // clawd's
		cfg   map[string]string
		left  bool
		unset bool // the server
	}{
		{"both", []string{key, server}, []string{key, server}, nil, false, false},
		{"clawd has a server", []string{key}, []string{key, server}, nil, false, true},
		{"a server, and clawd has none", []string{key, server}, []string{key}, nil, true, false},
		{"a server, and the config names it", []string{key, server}, []string{key}, map[string]string{baseURL: "https://a.example.com/v1"}, false, false},
		{"another server", []string{key, server}, []string{key, "OPENAI_BASE_URL=https://b.example.com/v1"}, nil, true, false},
		{"another key", []string{key}, []string{"CODEX_API_KEY=y"}, nil, true, false},
		{"another key, by the config", []string{key}, nil, map[string]string{ownKey: "y"}, false, false},
		{"another organization", []string{key, org + "a"}, []string{key, org + "b"}, nil, true, false},
		{"a token", []string{token + "a"}, []string{token + "a"}, nil, false, true},
		{"another token", []string{token + "a"}, []string{token + "b"}, nil, true, false},
		{"a token, and clawd has none", []string{token + "a"}, nil, nil, true, false},
		{"the stored login, and clawd has a token", []string{"A=b"}, []string{token + "a"}, nil, false, true},
		{"a login, and clawd has a server", []string{"A=b"}, []string{key, server}, nil, false, true},
	} {
		root := t.TempDir()
		r := request(t, root)
		r.Stop.Reason = detect.RateLimit
		a := over(root, procTable{}, agent.Config{Env: c.cfg}, c.vars...)
		r.Launch = &detect.Launch{Pays: a.purse(c.ran)}
		p, err := a.Plan(r)
		var u *agent.Unfit
		if errors.As(err, &u) != c.left || c.left && u.Key != "agent.codex.env" || slices.Contains(p.Unset, baseURL) != c.unset {
			t.Errorf("%s: paid by %s without %q, %v", c.name, p.Auth, p.Unset, err)
		}
		if takes := slices.Contains(p.Unset, loginAccount[0]); takes != (c.name == "the stored login, and clawd has a token") {
			t.Errorf("%s: without %q", c.name, p.Unset)
		}
	}
}

// TestLaunchesEnding: a process that is ending has lost its arguments before its files, and nothing is learnt of it.
func TestLaunchesEnding(t *testing.T) {
	root := t.TempDir()
	r := request(t, root)
	c := over(root, procTable{All: []agent.Proc{{PID: 7, Start: 70, Comm: "codex"}}, Files: map[int][]string{7: {r.Session.Path}}}, agent.Config{})
	if all, err := c.Launches(r.Session.Path); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}
