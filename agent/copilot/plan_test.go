package copilot

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

const newID = "55555555-0000-4000-8000-000000000005"

// planner gives the agent over a folder with one session, and a request for it, whose process was seen.
func planner(t *testing.T, cfg agent.Config, launch []string, vars ...string) (*Copilot, agent.Request) {
	t.Helper()
	root := t.TempDir()
	s := fileOf(root, sid)
	put(t, s.Path, begun+failed+"\n")
	c := over(root, procTable{}, cfg, vars...)
	_, b := verdict(t, c, s, detect.Gone)
	b.Info.Dir = t.TempDir()
	r := agent.Request{Session: s, Info: b.Info, Prompt: "-x @y", NewID: newID, Handoff: []byte("go on"),
		Stop: detect.Stop{Reason: detect.UsageLimit}, Program: agent.Program{Path: "/usr/bin/copilot", Version: "1.0.102"}}
	if launch != nil {
		r.Launch = &detect.Launch{PID: 41, Pays: login}
		r.Launch.Flags, r.Launch.Lost = options.Parse(launch)
	}
	return c, r
}

func TestPlan(t *testing.T) {
	c, r := planner(t, agent.Config{Args: []string{"--no-color"}}, []string{"-p", "say done", "--allow-tool", "shell(git:*)", "--deny-tool=shell(git push)", "--model", "x"})
	got, err := c.Plan(r)
	want := resume.Plan{Form: resume.FormPrompt, Session: sid, Dir: r.Info.Dir, Auth: login, Flags: detect.KnownSeen,
		Prompt: detect.HashText("-x @y"), Env: []string{homeVar + "=" + c.given},
		Unset: append([]string{providerVar, modelVar}, append(slices.Clone(tokenVars), allowVar)...),
		Argv: []string{"/usr/bin/copilot", "--output-format", "json", "--allow-tool=shell(git:*)", "--deny-tool=shell(git push)", "--no-color",
			"--resume=" + sid, "--prompt=-x @y"}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, d)
	}
	if err := os.Remove(r.Session.Path); err != nil { // a fresh session needs no file of the old one
		t.Fatal(err)
	}
	got, err = c.Fresh(r)
	want.Form, want.Session, want.Stdin, want.Prompt = resume.FormFresh, newID, r.Handoff, detect.HashText("go on")
	want.Argv = append(slices.Clone(want.Argv[:len(want.Argv)-2]), "--model", "claude-sonnet-4.6", "--session-id="+newID)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("fresh: %v, (-want +got):\n%s", err, d)
	}
	if _, err := c.Plan(r); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session without a file: %v", err)
	}
}

// TestPlanKeeps: a resume gets what the run was seen to have, never more; where nobody saw it, its user is told.
func TestPlanKeeps(t *testing.T) {
	for what, w := range map[string]struct {
		launch []string
		unseen bool
		bypass bool
		set    func(r *agent.Request)
		args   []string
		want   string // the arguments between the output's and the session; "-": unfit
	}{
		"nothing":                   {launch: []string{"-p", "x"}},
		"nobody saw it":             {unseen: true, want: "-"},
		"nobody saw it, its config": {unseen: true, args: []string{"--allow-tool=write"}, want: "--allow-tool=write"},
		"all tools":                 {launch: []string{"--allow-all-tools", "-p", "x"}, want: "--allow-all-tools"},
		"everything":                {launch: []string{"--allow-all", "-p", "x"}, want: "--allow-all-tools"},
		"everything, by its short name, and something denied": {launch: []string{"--yolo", "--deny-tool", "shell(rm:*)", "write", "-p", "x"},
			want: "--deny-tool=shell(rm:*) --deny-tool=write --allow-all-tools"},
		"everything, as its user wants": {launch: []string{"--yolo"}, bypass: true, want: "--allow-all"},
		"other words in the config":     {launch: []string{"--allow-all-tools", "--deny-url", "x.test"}, args: []string{"--allow-all-tools"}, want: "--deny-url=x.test --allow-all-tools"},
		"folders and servers":           {launch: []string{"--add-dir", "/a b", "--add-dir=/c", "--disable-mcp-server", "x", "--disable-builtin-mcps"}, want: "--add-dir=/a b --add-dir=/c --disable-mcp-server=x --disable-builtin-mcps"},
		"an agent of its own":           {launch: []string{"--agent=reviewer", "--max-autopilot-continues", "3", "--autopilot"}, want: "--agent=reviewer --max-autopilot-continues=3"},
		"what leaves the machine":       {launch: []string{"--no-remote", "--disable-client-telemetry", "--share-gist", "--usage-output-file", "u.json"}, want: "--no-remote --disable-client-telemetry"},
		"a price of its own":            {launch: []string{"--max-ai-credits", "5"}, want: "-"}, // what is spent of it is not known
		"servers in a file":             {launch: []string{"--additional-mcp-config", "@/x/mcp.json"}, want: "--additional-mcp-config=@/x/mcp.json"},
		"servers as JSON":               {launch: []string{"--additional-mcp-config", `{"a":{}}`}, want: "-"},
		"an option that nobody knows":   {launch: []string{"--tea-time"}, want: "-"},
		"a secret":                      {launch: []string{"--allow-url", "https://user:secret1@x.test"}, want: "-"},
		"autopilot":                     {launch: []string{"--autopilot", "--max-autopilot-continues", "3"}, set: func(r *agent.Request) { r.Info.Mode = autopilot }, want: "--max-autopilot-continues=3 --autopilot"},
		"autopilot, its config":         {launch: []string{}, args: []string{"--mode", "interactive"}, set: func(r *agent.Request) { r.Info.Mode = autopilot }, want: "--mode interactive"},
		"autopilot that was left":       {launch: []string{"--autopilot"}, set: func(r *agent.Request) { r.Info.Mode = "interactive" }},
		"plan mode":                     {launch: []string{}, set: func(r *agent.Request) { r.Info.Mode = "plan" }, want: "-"},
	} {
		if w.launch == nil && !w.unseen {
			w.launch = []string{}
		}
		c, r := planner(t, agent.Config{Args: w.args, RestoreBypass: w.bypass}, w.launch)
		if w.set != nil {
			w.set(&r)
		}
		if w.unseen {
			r.Info.Provider = github
		}
		got, err := c.Plan(r)
		var unfit *agent.Unfit
		if w.want == "-" {
			if !errors.As(err, &unfit) || unfit.Command != "cd "+r.Info.Dir+" && COPILOT_HOME="+c.given+" copilot '--resume="+sid+"'" || strings.Contains(err.Error(), "secret1") {
				t.Errorf("%s: %+v, %q", what, err, got.Argv)
			}
			continue
		}
		line := strings.Join(got.Argv[min(3, len(got.Argv)):], " ")
		if want := strings.TrimSpace(w.want + " --resume=" + sid + " --prompt=-x @y"); err != nil || line != want {
			t.Errorf("%s: %v\n%q, want\n%q", what, err, line, want)
		}
	}
}

// TestPlanPays: who paid goes on to pay, whatever clawd's own environment holds.
func TestPlanPays(t *testing.T) {
	const own, gh = providerVar + "=http://x.test", "GH_TOKEN=t"
	for what, w := range map[string]struct {
		provider, pays string
		vars           []string
		auth           string // empty: unfit
		unset          string
	}{
		"a login":                          {github, login, nil, login, "COPILOT_PROVIDER_BASE_URL COPILOT_MODEL COPILOT_GITHUB_TOKEN GH_TOKEN GITHUB_TOKEN COPILOT_ALLOW_ALL"},
		"a login, other things there":      {github, login, []string{own, gh}, login, "COPILOT_PROVIDER_BASE_URL COPILOT_MODEL COPILOT_GITHUB_TOKEN GH_TOKEN GITHUB_TOKEN COPILOT_ALLOW_ALL"},
		"a token":                          {github, token, []string{gh}, login, "COPILOT_PROVIDER_BASE_URL COPILOT_MODEL COPILOT_ALLOW_ALL"},
		"a token that is not there":        {github, token, nil, "", ""},
		"GitHub, nobody saw":               {github, "", []string{own, gh}, login, "COPILOT_PROVIDER_BASE_URL COPILOT_MODEL COPILOT_ALLOW_ALL"},
		"its user's provider":              {byok, key, []string{own}, key, "COPILOT_ALLOW_ALL"},
		"its user's provider, not there":   {byok, key, []string{gh}, "", ""},
		"its user's provider, by its look": {"", key, []string{own}, key, "COPILOT_ALLOW_ALL"},
		"nobody knows":                     {"", "", []string{own, gh}, "", ""},
		"a login, no record tells":         {"", login, []string{own}, login, "COPILOT_PROVIDER_BASE_URL COPILOT_MODEL COPILOT_GITHUB_TOKEN GH_TOKEN GITHUB_TOKEN COPILOT_ALLOW_ALL"},
		"GitHub's session with a key":      {github, key, []string{own}, login, "COPILOT_PROVIDER_BASE_URL COPILOT_MODEL COPILOT_ALLOW_ALL"},
	} {
		c, r := planner(t, agent.Config{}, []string{"--allow-all-tools"}, w.vars...)
		r.Info.Provider, r.Launch.Pays = w.provider, w.pays
		got, err := c.Plan(r)
		if w.auth == "" {
			var unfit *agent.Unfit
			if !errors.As(err, &unfit) || unfit.Key != envKey {
				t.Errorf("%s: %v", what, err)
			}
			continue
		}
		if err != nil || got.Auth != w.auth || strings.Join(got.Unset, " ") != w.unset {
			t.Errorf("%s: %v, %s, %q", what, err, got.Auth, got.Unset)
		}
		if model := slices.Contains(got.Env, modelVar+"=claude-sonnet-4.6"); model != (w.auth == key) {
			t.Errorf("%s: %q", what, got.Env)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	for what, set := range map[string]func(r *agent.Request){
		"no prompt":           func(r *agent.Request) { r.Prompt = " " },
		"no folder":           func(r *agent.Request) { r.Info.Dir = "" },
		"a relative program":  func(r *agent.Request) { r.Program.Path = "copilot" },
		"an id that is none":  func(r *agent.Request) { r.Session.ID = "--help" },
		"another one's file":  func(r *agent.Request) { r.Session.ID = other },
		"a folder that moved": func(r *agent.Request) { r.Info.Dir += "/gone" },
	} {
		c, r := planner(t, agent.Config{}, []string{})
		set(&r)
		if got, err := c.Plan(r); err == nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
	c, r := planner(t, agent.Config{}, []string{})
	r.NewID = "x"
	if _, err := c.Fresh(r); err == nil {
		t.Error("a fresh session under an id that is none")
	}
	r.NewID, r.Handoff = newID, nil
	if _, err := c.Fresh(r); err == nil {
		t.Error("a fresh session without a hand-off")
	}
}

func TestTurn(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	for want, r := range map[string]agent.TurnRequest{
		"--output-format json --session-id=" + newID:                                {NewID: newID},
		"--output-format json --model m --allow-all-tools --resume=" + sid:          {Session: sid, NewID: newID, Model: "m", Args: []string{"--allow-all-tools"}},
		"--output-format json --allow-tool shell(git:*) --no-color --resume=" + sid: {Session: sid, Args: []string{"--allow-tool", "shell(git:*)", "--no-color"}},
	} {
		if got := agenttest.Turn(t, c, r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err := c.Turn(agent.TurnRequest{Session: "--help"}); err == nil {
		t.Error("a session that is none")
	}
}

// TestLaunches: how the process was started that has a session open, unless clawd started it.
func TestLaunches(t *testing.T) {
	w := map[string]struct {
		argv    []string
		environ []string
		want    string
		pays    string
	}{
		"headless":      {[]string{native, "-p", "x", "--allow-all-tools"}, []string{"HOME=/home/dev"}, "--allow-all-tools", login},
		"a token":       {[]string{native}, []string{"GH_TOKEN=t"}, "", token},
		"its provider":  {[]string{native, "--allow-tool=write"}, []string{providerVar + "=http://x.test"}, "--allow-tool=write", key},
		"by a variable": {[]string{native}, []string{allowVar + "=true"}, "--allow-all-tools", login},
		"by a yes":      {[]string{native}, []string{allowVar + "= Yes "}, "--allow-all-tools", login},
		"no network":    {[]string{native}, []string{"COPILOT_OFFLINE=true"}, "COPILOT_OFFLINE", login},
		"by no no":      {[]string{native}, []string{allowVar + "=off"}, "", login},
		"clawd's own":   {[]string{native, "--allow-all-tools"}, []string{agent.AttemptVar + "=1"}, "-", ""},
		"a server":      {[]string{native, "--acp"}, []string{"A=b"}, "-", ""},
	}
	for what, w := range w {
		root := t.TempDir()
		s := fileOf(root, sid)
		put(t, strings.TrimSuffix(s.Path, events)+"inuse.41.lock", "41\n")
		table := procTable{All: []agent.Proc{{PID: 41, Start: 7}}, Args: map[int][]string{41: w.argv}, Vars: map[int][]string{41: w.environ}}
		c := over(root, table, agent.Config{})
		for _, hint := range []string{strings.TrimSuffix(s.Path, events) + "inuse.41.lock", ""} {
			got, err := c.Launches(hint)
			if w.want == "-" {
				if err != nil || len(got) != 0 {
					t.Errorf("%s: %+v, %v", what, got, err)
				}
				continue
			}
			if err != nil || len(got) != 1 || got[0].Session != sid || got[0].PID != 41 || agent.Payer(got[0].Pays) != w.pays {
				t.Errorf("%s: %+v, %v", what, got, err)
				continue
			}
			args := slices.Concat(got[0].Lost, c.cfg.Unlike(c.env, got[0].Bounds))
			for _, f := range got[0].Flags {
				args = append(args, f.Args()...)
			}
			if strings.Join(args, " ") != w.want {
				t.Errorf("%s: %q", what, args)
			}
		}
		if got, err := c.Launches(s.Path); w.want != "-" && (err != nil || len(got) != 0) {
			t.Errorf("%s: once more: %+v, %v", what, got, err)
		}
	}
}

// Another account at GitHub does not pay, nor another provider or another account there.
func TestAccountIsKept(t *testing.T) {
	const work, provider = "GH_TOKEN=work", "COPILOT_PROVIDER_BASE_URL=https://a.example.com/v1"
	for _, w := range []struct {
		name, provider string
		ran, vars      []string
		left           bool
		unset          string // a variable that is taken away
	}{
		{"the same token", "github", []string{work}, []string{work}, false, ""},
		{"another token", "github", []string{work}, []string{"GH_TOKEN=private"}, true, ""},
		{"the token by another name", "github", []string{work}, []string{"GITHUB_TOKEN=work"}, true, ""},
		{"one beside it that goes first", "github", []string{work}, []string{work, "COPILOT_GITHUB_TOKEN=private"}, false, "COPILOT_GITHUB_TOKEN"},
		{"the stored login", "github", []string{"A=b"}, []string{work}, false, "GH_TOKEN"},
		{"the same provider", byok, []string{provider}, []string{provider}, false, ""},
		{"another provider", byok, []string{provider}, []string{"COPILOT_PROVIDER_BASE_URL=https://b.example.com/v1"}, true, ""},
		{"another key there", byok, []string{provider, "COPILOT_PROVIDER_API_KEY=x"}, []string{provider, "COPILOT_PROVIDER_API_KEY=y"}, true, ""},
	} {
		c, r := planner(t, agent.Config{}, []string{}, w.vars...)
		r.Info.Provider, r.Launch = w.provider, &detect.Launch{Pays: purse(w.ran)}
		p, err := c.Plan(r)
		var u *agent.Unfit
		if errors.As(err, &u) != w.left || w.left && u.Key != envKey || w.unset != "" && !slices.Contains(p.Unset, w.unset) {
			t.Errorf("%s: paid by %s without %q, %v", w.name, p.Auth, p.Unset, err)
		}
	}
}
