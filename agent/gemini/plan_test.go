package gemini

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

const newID = "55555555-0000-4000-8000-000000000005"

// planner gives the agent over a folder with one session, with a configuration and an environment.
func planner(t *testing.T, cfg agent.Config, vars ...string) (*Gemini, agent.Request) {
	t.Helper()
	_, home, s := world(t)
	env := map[string]string{}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	g := New(agent.Env{Home: filepath.Dir(home), Getenv: func(n string) string { return env[n] }, Procs: procs{}}, cfg)
	g.root, g.given = home, home
	return g, agent.Request{Session: s["tool"], Prompt: "-x", NewID: newID, Handoff: []byte("go on"),
		Program: agent.Program{Path: "/usr/bin/gemini", Version: "0.61.0"}, Info: detect.Info{Dir: t.TempDir()}}
}

func TestPlan(t *testing.T) {
	g, r := planner(t, agent.Config{Args: []string{"--debug"}}, "GEMINI_API_KEY=x")
	got, err := g.Plan(r)
	want := resume.Plan{Form: resume.FormPrompt, Session: toolID, Dir: r.Info.Dir, Auth: "key", Flags: detect.KnownNot, Prompt: detect.HashText("-x"),
		Argv: []string{"/usr/bin/gemini", "--output-format", "stream-json", "--approval-mode", "default", "--debug", "--resume", toolID, "--prompt=-x"}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, d)
	}
	// A fresh session needs no file of the old one.
	if err := os.Remove(r.Session.Path); err != nil {
		t.Fatal(err)
	}
	got, err = g.Fresh(r)
	want.Form, want.Session, want.Stdin, want.Prompt = resume.FormFresh, newID, r.Handoff, detect.HashText("go on")
	want.Argv = append(want.Argv[:6:6], "--session-id", newID)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("fresh: %v, (-want +got):\n%s", err, d)
	}
	for _, version := range []string{"0.40.1", "", "0.20.2"} { // it may refuse to start with an id
		if r.Program.Version = version; version == "0.20.2" { // whose launcher would start a run that it has refused for ever
			want.Env = []string{"GEMINI_CLI_NO_RELAUNCH=true"}
		}
		got, err = g.Fresh(r)
		want.Session, want.Argv = "", want.Argv[:6]
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("fresh, version %q: %v, (-want +got):\n%s", version, err, d)
		}
	}
	if _, err := g.Plan(r); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session without a file: %v", err)
	}
}

// TestPlanMode: nothing records what a session could do.
func TestPlanMode(t *testing.T) {
	for _, w := range []struct {
		interactive bool
		args        []string
		want        string // empty: unfit
	}{
		{false, nil, "--approval-mode default"},
		{true, nil, ""},
		{true, []string{"--debug"}, ""},
		{true, []string{"--approval-mode=auto_edit"}, "--approval-mode=auto_edit"},
		{false, []string{"--yolo"}, "--yolo"},
		{false, []string{"--approval-mode=plan"}, ""},
		{true, []string{"--debug", "--approval-mode", "plan"}, ""},
	} {
		g, r := planner(t, agent.Config{Args: w.args, RestoreBypass: true})
		r.Info.Interactive = w.interactive
		p, err := g.Plan(r)
		var unfit *agent.Unfit
		if w.want == "" {
			if !errors.As(err, &unfit) || unfit.Key != "agent.gemini.args" || unfit.Command != "cd "+r.Info.Dir+" && gemini --resume "+toolID {
				t.Errorf("%v: %+v", w.args, err)
			}
			continue
		}
		if got := strings.Join(p.Argv[3:len(p.Argv)-3], " "); err != nil || got != w.want {
			t.Errorf("%v: %s, want %s, err %v", w.args, got, w.want, err)
		}
	}
}

func TestPlanPayment(t *testing.T) {
	key := map[string]string{"GEMINI_API_KEY": "x", "OTHER": "y"}
	for _, w := range []struct {
		name   string
		login  bool
		env    string
		cfg    map[string]string
		reason detect.Reason
		auth   string
		unset  bool
	}{
		{"a login", true, "", nil, detect.RateLimit, "login", true},
		{"a login beside a key", true, "GOOGLE_API_KEY=x", nil, detect.RateLimit, "login", true},
		{"a login beside a cloud", true, "GOOGLE_GENAI_USE_VERTEXAI=true", nil, detect.UsageLimit, "login", true},
		{"a key", false, "GEMINI_API_KEY=x", nil, detect.RateLimit, "key", false},
		{"a key's own quota", false, "GEMINI_API_KEY=x", nil, detect.UsageLimit, "key", false},
		{"a cloud", false, "GOOGLE_GENAI_USE_VERTEXAI=true", nil, detect.RateLimit, "key", false},
		{"the user's word", true, "", key, detect.RateLimit, "key", false},
		{"the user's word, but a login's limit", true, "", key, detect.UsageLimit, "login", true},
	} {
		g, r := planner(t, agent.Config{Env: w.cfg}, w.env)
		if w.login {
			put(t, filepath.Join(g.root, "oauth_creds.json"), "never read")
		}
		r.Stop.Reason = w.reason
		p, err := g.Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		env := strings.Join(p.Env, " ")
		if p.Auth != w.auth || (len(p.Unset) == 3) != w.unset || w.unset && strings.Contains(env, "API_KEY=") || w.cfg != nil && !strings.Contains(env, "OTHER=y") {
			t.Errorf("%s: auth %s, unset %q, env %q", w.name, p.Auth, p.Unset, p.Env)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	for name, change := range map[string]func(*agent.Request){
		"an id that is none":    func(r *agent.Request) { r.Session.ID = "$(rm -rf ~)" },
		"nothing to say":        func(r *agent.Request) { r.Prompt, r.Handoff = " ", nil },
		"a program by its name": func(r *agent.Request) { r.Program.Path = "gemini" },
		"no folder":             func(r *agent.Request) { r.Info.Dir = "" },
	} {
		g, r := planner(t, agent.Config{})
		change(&r)
		if p, err := g.Plan(r); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
		if p, err := g.Fresh(r); err == nil {
			t.Errorf("%s, fresh: %+v", name, p)
		}
	}
	g, r := planner(t, agent.Config{})
	r.NewID = "--yolo"
	if p, err := g.Fresh(r); err == nil {
		t.Errorf("a new id that is none: %+v", p)
	}
	// The agent adds .gemini to its home by itself.
	root := filepath.Join(t.TempDir(), ".gemini")
	for dir, want := range map[string]string{root: "GEMINI_CLI_HOME=" + filepath.Dir(root), filepath.Dir(root): ""} {
		g, r := planner(t, agent.Config{ConfigDir: dir})
		g.given = dir
		p, err := g.Plan(r)
		if got := strings.Join(p.Env, " "); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, want %s, err %v", dir, got, want, err)
		}
	}
}

// The model that answered goes on; nothing that is no name becomes an argument.
func TestPlanModel(t *testing.T) {
	for _, c := range []struct {
		model string
		args  []string
		want  bool
	}{{"gemini-2.5-flash-lite", nil, true}, {"", nil, false}, {"--yolo", nil, false}, {"gemini x", nil, false},
		{"gemini-2.5-pro", []string{"--model=flash"}, false}, {"gemini-2.5-pro", []string{"-m", "flash"}, false}} {
		g, r := planner(t, agent.Config{Args: c.args})
		r.Info.Model = c.model
		for _, plan := range []func(agent.Request) (resume.Plan, error){g.Plan, g.Fresh} {
			p, err := plan(r)
			if got := strings.Contains(strings.Join(p.Argv, " "), " -m "+c.model+" "); err != nil || got != c.want {
				t.Errorf("%q %q: %q, %v", c.model, c.args, p.Argv, err)
			}
		}
	}
}
