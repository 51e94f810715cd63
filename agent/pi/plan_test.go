package pi

import (
	"errors"
	"os"
	"path/filepath"
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

// planner gives the agent over a folder with one session, and a request for it.
func planner(t *testing.T, cfg agent.Config, vars ...string) (*Pi, agent.Request) {
	t.Helper()
	root := t.TempDir()
	s := fileOf(root, sid)
	put(t, s.Path, begun+failed+"\n")
	p := over(root, procTable{}, cfg, vars...)
	_, b := verdict(t, p, s, detect.Gone)
	b.Info.Dir = t.TempDir()
	return p, agent.Request{Session: s, Info: b.Info, Prompt: "-x @y", NewID: newID, Handoff: []byte("go on"),
		Stop: detect.Stop{Reason: detect.RateLimit}, Program: agent.Program{Path: "/usr/bin/pi", Version: "1.6.0"}}
}

func TestPlan(t *testing.T) {
	p, r := planner(t, agent.Config{Args: []string{"--offline"}})
	got, err := p.Plan(r)
	want := resume.Plan{Form: resume.FormPrompt, Session: sid, Dir: r.Info.Dir, Auth: "login", Flags: detect.KnownRecorded,
		Stdin: []byte("-x @y"), Prompt: detect.HashText("-x @y"), Env: []string{dirVar + "=" + p.given},
		Unset: append(slices.Clone(keys["anthropic"]), sessionVar),
		Argv: []string{"/usr/bin/pi", "--mode", "json", "-p", "--provider", "anthropic", "--model", "claude-sonnet-4-5", "--thinking", "high",
			"--tools", "bash,read", "--no-mcp", "--offline", "--session", sid}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, d)
	}
	// A fresh session needs no file of the old one.
	if err := os.Remove(r.Session.Path); err != nil {
		t.Fatal(err)
	}
	got, err = p.Fresh(r)
	want.Form, want.Session, want.Stdin, want.Prompt = resume.FormFresh, newID, r.Handoff, detect.HashText("go on")
	want.Argv = append(slices.Clone(want.Argv[:len(want.Argv)-2]), "--session-id", newID)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("fresh: %v, (-want +got):\n%s", err, d)
	}
	r.Program.Version = "0.73.1" // which cannot be given an id
	if got, err = p.Fresh(r); err != nil || got.Session != "" || slices.Contains(got.Argv, "--session-id") {
		t.Errorf("an old version: %+v, %v", got, err)
	}
	if _, err := p.Plan(r); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session without a file: %v", err)
	}
}

// TestPlanKeeps: what a session had is what its resume gets; where that is not known, its user is told.
func TestPlanKeeps(t *testing.T) {
	for what, c := range map[string]struct {
		set  func(r *agent.Request)
		args []string
		want string // a part of the arguments; empty: unfit
	}{
		"its tools":                          {want: "--tools bash,read --no-mcp"},
		"tools of a server":                  {set: func(r *agent.Request) { r.Info.Offer = "tools:mcp__x__y,read" }, want: "--tools mcp__x__y,read --session"},
		"no tools":                           {set: func(r *agent.Request) { r.Info.Offer = "tools:" }, want: "--thinking high --no-tools --session"},
		"tools, an old program":              {set: func(r *agent.Request) { r.Program.Version = "0.80.3" }, want: "--tools bash,read --session"},
		"an older place":                     {set: func(r *agent.Request) { r.Info.Shape = shapeBranch }, want: "--thinking high --session"},
		"an older place, an old program":     {set: func(r *agent.Request) { r.Info.Shape, r.Program.Version = shapeBranch, "0.80.3" }},
		"not recorded":                       {set: func(r *agent.Request) { r.Info.Options = detect.Options{} }},
		"not recorded, some used":            {set: func(r *agent.Request) { r.Info.Options = detect.Options{Used: []string{"grep", "read"}} }, want: "--tools grep,read --session"},
		"not recorded, in the config":        {set: func(r *agent.Request) { r.Info.Options = detect.Options{} }, args: []string{"--tools", "read"}, want: "--thinking high --tools read --session"},
		"no model":                           {set: func(r *agent.Request) { r.Info.Model = "" }},
		"no provider":                        {set: func(r *agent.Request) { r.Info.Provider = "" }},
		"a model that is an option":          {set: func(r *agent.Request) { r.Info.Model = "--approve" }},
		"another model in the config":        {args: []string{"--model", "x/y"}, want: "-p --thinking high --tools bash,read --no-mcp --model x/y --session"},
		"a model with a slash":               {set: func(r *agent.Request) { r.Info.Provider, r.Info.Model = "openrouter", "z-ai/glm-4.7:free" }, want: "--provider openrouter --model z-ai/glm-4.7:free"},
		"another effort in the config":       {args: []string{"--thinking", "low"}, want: "claude-sonnet-4-5 --tools bash,read --no-mcp --thinking low --session"},
		"an effort that is none":             {set: func(r *agent.Request) { r.Info.Setup.Effort = "--yes" }, want: "claude-sonnet-4-5 --tools"},
		"a prompt of its own":                {set: func(r *agent.Request) { r.Info.Setup.Bound = true }},
		"a prompt of its own, in the config": {set: func(r *agent.Request) { r.Info.Setup.Bound = true }, args: []string{"--append-system-prompt", "x"}, want: "--append-system-prompt x --session"},
		"a prompt of its own, in a file": {set: func(r *agent.Request) {
			r.Info.Setup.Bound = true
			put(t, filepath.Join(r.Info.Dir, ".pi", "SYSTEM.md"), "You are a pirate.")
		}, want: "--session"},
	} {
		p, r := planner(t, agent.Config{Args: c.args})
		if c.set != nil {
			c.set(&r)
		}
		for _, plan := range []func(agent.Request) (resume.Plan, error){p.Plan, p.Fresh} {
			got, err := plan(r)
			if c.want == "" {
				var unfit *agent.Unfit
				if !errors.As(err, &unfit) || unfit.Key != "agent.pi.args" || unfit.Command != "cd "+r.Info.Dir+" && PI_CODING_AGENT_DIR="+p.given+" pi --session "+sid {
					t.Errorf("%s: %+v, %q", what, err, got.Argv)
				}
				continue
			}
			if line := strings.Replace(strings.Join(got.Argv, " "), "--session-id", "--session", 1); err != nil || !strings.Contains(line, c.want) {
				t.Errorf("%s: %q, %v", what, line, err)
			}
		}
	}
}

// TestPlanPays: who paid goes on to pay, whatever clawd's own environment holds.
func TestPlanPays(t *testing.T) {
	const env = "ANTHROPIC_API_KEY=k"
	for what, c := range map[string]struct {
		provider string
		reason   detect.Reason
		file     bool // auth.json is there
		cfg      map[string]string
		vars     []string
		auth     string
		unset    bool // the provider's key
	}{
		"a key":                        {provider: "anthropic", vars: []string{env}, auth: "key"},
		"a login":                      {provider: "anthropic", file: true, auth: "login", unset: true},
		"a login, beside a key":        {provider: "anthropic", file: true, vars: []string{env}, auth: "login", unset: true},
		"a key of the config":          {provider: "anthropic", file: true, cfg: map[string]string{"ANTHROPIC_API_KEY": "k"}, auth: "key"},
		"a plan's limit":               {provider: "anthropic", reason: detect.UsageLimit, file: true, cfg: map[string]string{"ANTHROPIC_API_KEY": "k"}, auth: "login", unset: true},
		"a key's limit":                {provider: "anthropic", reason: detect.UsageLimit, vars: []string{env}, auth: "key"},
		"another provider's login":     {provider: "openai", file: true, vars: []string{"OPENAI_API_KEY=k"}, auth: "login", unset: true},
		"a provider without a login":   {provider: "zai", file: true, reason: detect.UsageLimit, vars: []string{"ZAI_API_KEY=k"}, auth: "key"},
		"a provider without a key":     {provider: "openai-codex", auth: "login"},
		"a provider of the user's own": {provider: "fake", file: true, auth: "key"},
	} {
		p, r := planner(t, agent.Config{Env: c.cfg}, c.vars...)
		r.Info.Provider = c.provider
		if c.reason != "" {
			r.Stop.Reason = c.reason
		}
		if c.file {
			put(t, filepath.Join(p.root, "auth.json"), "{}")
		}
		got, err := p.Plan(r)
		unset := len(keys[c.provider]) > 0 && slices.Contains(got.Unset, keys[c.provider][0])
		if err != nil || got.Auth != c.auth || unset != c.unset {
			t.Errorf("%s: %s, unset %q, %v", what, got.Auth, got.Unset, err)
		}
		if given := slices.Contains(got.Env, "ANTHROPIC_API_KEY=k"); given != (c.cfg != nil && !c.unset) {
			t.Errorf("%s: environment %q", what, got.Env)
		}
		if c.reason == "" && p.Account(r.Info) != "pi:"+p.root+":"+c.provider+":"+c.auth {
			t.Errorf("%s: %s", what, p.Account(r.Info))
		}
	}
}

// TestPlanMoved: a run looks for its session where it lies.
func TestPlanMoved(t *testing.T) {
	moved := t.TempDir()
	for what, c := range map[string]struct {
		cfg   agent.Config
		vars  []string
		home  bool // the agent's folder is the default one
		moved bool
	}{
		"by the variable":          {vars: []string{sessionVar + "=" + moved}, home: true, moved: true},
		"not for another folder":   {vars: []string{sessionVar + "=" + moved}},
		"by the config":            {cfg: agent.Config{Env: map[string]string{sessionVar: moved}}, moved: true},
		"to a folder that is none": {cfg: agent.Config{Env: map[string]string{sessionVar: "here"}}},
	} {
		root := t.TempDir()
		p := over(root, procTable{}, c.cfg, c.vars...)
		if c.home {
			env := map[string]string{sessionVar: moved}
			p = New(agent.Env{Home: root, Getenv: func(n string) string { return env[n] }, Procs: procTable{}}, c.cfg)
		}
		s := fileOf(root, sid)
		if c.moved {
			s.Path = filepath.Join(moved, filepath.Base(s.Path)) // flat
		}
		if _, err := os.Stat(s.Path); err != nil {
			put(t, s.Path, begun+failed+"\n")
		}
		all, err := p.Scan(t.Context(), "")
		if err != nil || len(all) != 1 || all[0].Session != s {
			t.Errorf("%s: %+v, %v", what, all, err)
			continue
		}
		_, b := verdict(t, p, s, detect.Gone)
		b.Info.Dir = root
		plan, err := p.Plan(agent.Request{Session: s, Info: b.Info, Prompt: "x", Program: agent.Program{Path: "/usr/bin/pi", Version: "1.6.0"}})
		if err != nil || slices.Contains(plan.Unset, sessionVar) == c.moved {
			t.Errorf("%s: unset %q, %v", what, plan.Unset, err)
		}
	}
	root := t.TempDir()
	agenttest.Linked(t, filepath.Join(root, "settings.json"), `{"sessionDir":"~/elsewhere"}`)
	if p := over(root, procTable{}, agent.Config{}); p.Folders()[0].Path != filepath.Join(filepath.Dir(root), "elsewhere") {
		t.Errorf("by the settings: %+v", p.Folders())
	}
}

func TestPlanRefuses(t *testing.T) {
	p, r := planner(t, agent.Config{})
	for what, change := range map[string]func(r *agent.Request){
		"no prompt":     func(r *agent.Request) { r.Prompt = " \n" },
		"no program":    func(r *agent.Request) { r.Program.Path = "pi" },
		"no folder":     func(r *agent.Request) { r.Info.Dir = "" },
		"a strange id":  func(r *agent.Request) { r.Session.ID = "--help" },
		"another's id":  func(r *agent.Request) { r.Session.ID = other },
		"another place": func(r *agent.Request) { r.Session.Path = filepath.Join(t.TempDir(), filepath.Base(r.Session.Path)) },
	} {
		bad := r
		change(&bad)
		if got, err := p.Plan(bad); err == nil {
			t.Errorf("%s: %q", what, got.Argv)
		}
	}
	for what, change := range map[string]func(r *agent.Request){
		"no hand-off": func(r *agent.Request) { r.Handoff = []byte(" ") },
		"no new id":   func(r *agent.Request) { r.NewID = "--x" },
	} {
		bad := r
		change(&bad)
		if got, err := p.Fresh(bad); err == nil {
			t.Errorf("%s: %q", what, got.Argv)
		}
	}
}

func TestTurn(t *testing.T) {
	p := New(agent.Env{Home: "/home/dev"}, agent.Config{})
	newest := agent.Program{Version: "1.6.0"}
	for want, r := range map[string]agent.TurnRequest{
		"--mode json -p --session-id " + newID:                   {NewID: newID, Program: newest},
		"--mode json -p":                                         {NewID: newID, Program: agent.Program{Version: "0.73.1"}},
		"--mode json -p --model a/b -e x.ts --session my-task-1": {Session: "my-task-1", Model: "a/b", Args: []string{"-e", "x.ts"}, Program: newest},
	} {
		if got := agenttest.Turn(t, p, r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err := p.Turn(agent.TurnRequest{Session: "--x"}); err == nil {
		t.Error("a strange id")
	}
}
