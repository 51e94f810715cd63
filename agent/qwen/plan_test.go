package qwen

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

// planner gives the agent over a folder with one session that failed after a tool, and a request for it.
func planner(t *testing.T, cfg agent.Config, vars ...string) (*Qwen, agent.Request) {
	t.Helper()
	return plannerOf(t, begun+answered+called+gave+limited("e1", "12:13:30.000"), cfg, vars...)
}

func plannerOf(t *testing.T, text string, cfg agent.Config, vars ...string) (*Qwen, agent.Request) {
	t.Helper()
	root := t.TempDir()
	s := fileOf(root, sid)
	put(t, s.Path, text)
	endedAt(t, root, "2026-11-22T12:20:00Z")
	q := over(root, agenttest.Procs{}, cfg, vars...)
	_, b := verdict(t, q, s, detect.Gone)
	b.Info.Dir = t.TempDir()
	return q, agent.Request{Session: s, Info: b.Info, Prompt: "continue", NewID: newID, Handoff: []byte("go on"),
		Stop: detect.Stop{Reason: detect.RateLimit}, Program: agent.Program{Path: "/usr/bin/qwen", Version: "0.24.4"}}
}

func TestPlan(t *testing.T) {
	q, r := planner(t, agent.Config{Args: []string{"--bare"}})
	got, err := q.Plan(r)
	want := resume.Plan{Form: resume.FormPrompt, Session: sid, Dir: r.Info.Dir, Auth: "key", Flags: detect.KnownNot,
		Stdin: []byte("continue"), Prompt: detect.HashText("continue"), Env: []string{homeVar + "=" + q.given}, Unset: []string{runtimeVar},
		Argv: []string{"/usr/bin/qwen", "--output-format", "stream-json", "--approval-mode", "default", "--model", "demo-1", "--auth-type", "openai", "--bare", "--resume", sid}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, d)
	}
	// A fresh session needs no file of the old one.
	if err := os.Remove(r.Session.Path); err != nil {
		t.Fatal(err)
	}
	got, err = q.Fresh(r)
	want.Form, want.Session, want.Stdin, want.Prompt = resume.FormFresh, newID, r.Handoff, detect.HashText("go on")
	want.Argv = append(slices.Clone(want.Argv[:len(want.Argv)-2]), "--session-id", newID)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("fresh: %v, (-want +got):\n%s", err, d)
	}
	if _, err := q.Plan(r); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session without a file: %v", err)
	}
}

// TestPlanKeeps: what a session had is what its resume gets, and never more; where that is not known it gets the least.
func TestPlanKeeps(t *testing.T) {
	const rest = " --model demo-1 --auth-type openai"
	least := "--approval-mode default"
	for argv, c := range map[string]struct {
		cfg  agent.Config
		set  func(r *agent.Request)
		want string // between the output's form and --resume; empty: unfit
	}{
		"-p x":                                {want: rest[1:]}, // its settings say what it may do, now as then
		"-p x --approval-mode plan":           {want: "--approval-mode plan" + rest},
		"-p x --approval-mode=auto-edit -m y": {want: "--approval-mode auto-edit" + rest}, // the model that it asked last
		"-p x -y":                             {want: least + rest},
		"-p x --yolo":                         {cfg: agent.Config{RestoreBypass: true}, want: "--approval-mode yolo" + rest},
		"-p x --yolo false":                   {want: rest[1:]},
		"-p x --approval-mode yolo":           {want: least + rest},
		"-p a --approval-mode auto":           {cfg: agent.Config{Args: []string{"--approval-mode", "plan"}}, want: rest[1:] + " --approval-mode plan"},
		"-p b --approval-mode auto":           {cfg: agent.Config{Args: []string{"-y"}}, want: rest[1:] + " -y"},
		"-p c":                                {set: func(r *agent.Request) { r.Program.Version = "0.15.6" }, want: least + rest},
		"-p d":                                {set: func(r *agent.Request) { r.Info.Version = "0.15.6" }, want: least + rest},
		"-p e":                                {cfg: agent.Config{Args: []string{"-m", "z", "--auth-type", "gemini"}}, want: "-m z --auth-type gemini"},
		"-p f":                                {set: func(r *agent.Request) { r.Info.Model = "--yolo" }},
		"-p g":                                {set: func(r *agent.Request) { r.Info.Provider = "--yolo" }, want: "--model demo-1"},
		"-p h":                                {set: func(r *agent.Request) { r.Info.Interactive = true }},
		"-p i":                                {set: func(r *agent.Request) { r.Info.Untold = true }},
		"-p j":                                {set: func(r *agent.Request) { r.Info.Interactive = true }, cfg: agent.Config{Args: []string{"--approval-mode", "plan"}}, want: rest[1:] + " --approval-mode plan"},
		"-p k":                                {set: func(r *agent.Request) { r.Launch = nil }, want: least + rest},
		"x --exclude-tools a b --exclude-tools c --core-tools d --allowed-tools e --add-dir f,g -s": {
			want: rest[1:] + " --exclude-tools=a --exclude-tools=b --exclude-tools=c --core-tools=d --allowed-tools=e --include-directories=f,g --sandbox"},
		"-p x --mcp-config a.json --max-session-turns 5 -e none": {want: rest[1:] + " --mcp-config=a.json --max-session-turns=5 --extensions=none"},
		"-p x --mcp-config {}":                 {},
		"-p x --openai-api-key sk-abcdefghijk": {},
		"-p x --openai-base-url http://x":      {},
		"--input-format stream-json":           {},
		"-p x --json-schema {}":                {},
		"-p x --brand-new":                     {},
	} {
		q, r := planner(t, c.cfg)
		r.Launch = &detect.Launch{}
		r.Launch.Flags, r.Launch.Lost = options.Parse(strings.Fields(argv))
		if c.set != nil {
			c.set(&r)
		}
		for _, plan := range []func(agent.Request) (resume.Plan, error){q.Plan, q.Fresh} {
			got, err := plan(r)
			if c.want == "" {
				var unfit *agent.Unfit
				if !errors.As(err, &unfit) || strings.Contains(unfit.Why, "abcdefghijk") || unfit.Command != "cd "+r.Info.Dir+" && QWEN_HOME="+q.given+" qwen --resume "+sid {
					t.Errorf("%s: %v, %q", argv, err, got.Argv)
				}
				continue
			}
			// Options that are given again stand behind the mode, before the model.
			line, want := sorted(got.Argv[3:max(3, len(got.Argv)-2)]), sorted(strings.Fields(c.want))
			if err != nil || line != want {
				t.Errorf("%s: %q, %v; want %q", argv, line, err, want)
			}
		}
	}
}

// TestPlanYoloBySettings: a mode that asks nothing is restored where the config says so, also where the user's settings or the project's choose it.
func TestPlanYoloBySettings(t *testing.T) {
	for _, c := range []struct {
		user, project, mode string
		bypass              bool
		want                string
	}{
		{user: "yolo", want: "--approval-mode default"},
		{project: "yolo", want: "--approval-mode default"},
		{user: "yolo", bypass: true, want: "--approval-mode yolo"},
		{user: "yolo", mode: "plan", want: "--approval-mode plan"},
		{user: "plan", project: "auto"},
	} {
		q, r := planner(t, agent.Config{RestoreBypass: c.bypass})
		settings := func(dir, mode string) {
			put(t, filepath.Join(dir, "settings.json"), "{\n// mine\n"+`"tools":{"approvalMode":"`+mode+`"}}`)
		}
		settings(q.root, c.user)
		settings(filepath.Join(r.Info.Dir, ".qwen"), c.project)
		r.Launch = &detect.Launch{}
		if c.mode != "" {
			r.Launch.Flags, _ = options.Parse([]string{"--approval-mode", c.mode})
		}
		p, err := q.Plan(r)
		if line := strings.Join(p.Argv, " "); err != nil || !strings.Contains(line, c.want) || (c.want == "") == strings.Contains(line, "--approval-mode") {
			t.Errorf("%+v: %s, %v", c, line, err)
		}
	}
}

// TestBrokenSettings: no run begins in a folder whose settings are broken.
func TestBrokenSettings(t *testing.T) {
	for _, where := range []string{"user", "project"} {
		q, r := planner(t, agent.Config{})
		path := map[string]string{"user": filepath.Join(q.root, "settings.json"), "project": filepath.Join(r.Info.Dir, ".qwen", "settings.json")}[where]
		put(t, path, "{\"permissions\": {\"deny\": [\"write_file\"]}, // mine\n}")
		_, plain := q.Plan(r)
		_, other := q.TakeOver(agent.TurnRequest{Program: r.Program, NewID: r.Session.ID, Dir: r.Info.Dir, Prompt: "h"})
		for form, err := range map[string]error{"plan": plain, "take over": other} {
			if err == nil || !strings.Contains(err.Error(), path+", line 2") {
				t.Errorf("%s, %s: %v", where, form, err)
			}
		}
	}
}

func sorted(words []string) string {
	words = slices.Clone(words)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// TestPlanPays: what paid goes on to pay, and the requests go where they went.
func TestPlanPays(t *testing.T) {
	const key, server = "OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://x"
	elsewhere := "OPENAI_BASE_URL=http://y"
	for _, c := range []struct {
		name  string
		ran   []string // the environment of the process that was seen
		vars  []string // clawd's
		cfg   map[string]string
		left  bool
		unset string
	}{
		{name: "nobody saw it, clawd has none"},
		{name: "nobody saw it, clawd has a key", vars: []string{key}},
		{name: "nobody saw it, clawd has a server", vars: []string{key, server}, left: true},
		{name: "nobody saw it, clawd has the server of another way to pay", vars: []string{"ANTHROPIC_BASE_URL=http://x"}},
		{name: "nobody saw it, the config names one", vars: []string{server}, cfg: map[string]string{"OPENAI_BASE_URL": "http://x"}},
		{name: "settings, clawd has both", ran: []string{"A=b"}, vars: []string{key, server}, unset: "OPENAI_API_KEY OPENAI_BASE_URL"},
		{name: "settings, the config has a key", ran: []string{"A=b"}, cfg: map[string]string{"OPENAI_API_KEY": "k"}},
		{name: "both, clawd has both", ran: []string{key, server}, vars: []string{key, server}},
		{name: "both, clawd has no key", ran: []string{key, server}, vars: []string{server}, left: true},
		{name: "both, clawd has another key", ran: []string{key, server}, vars: []string{"OPENAI_API_KEY=l", server}, left: true},
		{name: "both, clawd has no server", ran: []string{key, server}, vars: []string{key}, left: true},
		{name: "both, clawd has another server", ran: []string{key, server}, vars: []string{key, elsewhere}, left: true},
		{name: "both, the config names the server", ran: []string{key, server}, vars: []string{key}, cfg: map[string]string{"OPENAI_BASE_URL": "http://x"}},
		{name: "a key, clawd has a server, too", ran: []string{key}, vars: []string{key, server}, unset: "OPENAI_BASE_URL"},
		{name: "an empty key", ran: []string{"OPENAI_API_KEY=", "A=b"}, vars: []string{key}, unset: "OPENAI_API_KEY"},
	} {
		q, r := planner(t, agent.Config{Env: c.cfg}, c.vars...)
		r.Launch = &detect.Launch{Pays: purse(c.ran)}
		p, err := q.Plan(r)
		var u *agent.Unfit
		if errors.As(err, &u) != c.left || c.left && u.Key != envKey {
			t.Errorf("%s: %v", c.name, err)
		}
		if unset := strings.Join(slices.DeleteFunc(p.Unset, func(n string) bool { return n == runtimeVar }), " "); !c.left && unset != c.unset {
			t.Errorf("%s: unset %q", c.name, unset)
		}
	}
	q, r := planner(t, agent.Config{})
	r.Info.Provider = "qwen-oauth"
	if p, err := q.Plan(r); err != nil || p.Auth != "login" || q.Account(r.Info) == q.Account(detect.Info{Provider: "openai"}) {
		t.Errorf("a login: %+v, %v", p, err)
	}
}

// TestMoved: where the sessions lie, a run looks for them.
func TestMoved(t *testing.T) {
	moved := t.TempDir()
	for what, c := range map[string]struct {
		cfg   agent.Config
		vars  []string
		home  bool // the agent's folder is the default one
		file  string
		moved bool
	}{
		"by the variable":          {vars: []string{runtimeVar + "=" + moved}, home: true, moved: true},
		"not for another folder":   {vars: []string{runtimeVar + "=" + moved}},
		"by the config":            {cfg: agent.Config{Env: map[string]string{runtimeVar: moved}}, moved: true},
		"by the settings":          {file: `{"advanced":{"runtimeOutputDir":"` + moved + `"}}`, moved: true},
		"to a folder that is none": {cfg: agent.Config{Env: map[string]string{runtimeVar: "here"}}},
	} {
		root := t.TempDir()
		if c.file != "" {
			agenttest.Linked(t, filepath.Join(root, "settings.json"), c.file)
		}
		q := over(root, agenttest.Procs{}, c.cfg, c.vars...)
		if c.home {
			env := map[string]string{runtimeVar: moved, homeVar: root}
			q = New(agent.Env{Home: "/home/dev", Getenv: func(n string) string { return env[n] }, Procs: agenttest.Procs{}}, c.cfg)
		}
		s := fileOf(root, sid)
		if c.moved {
			s = fileOf(moved, sid)
		}
		if _, err := os.Stat(s.Path); err != nil {
			put(t, s.Path, begun+answered+called+gave+failing)
		}
		for _, hint := range []string{"", s.Path} {
			all, err := q.Scan(t.Context(), hint)
			if err != nil || len(all) != 1 || all[0].Session != s {
				t.Errorf("%s, hint %q: %+v, %v", what, hint, all, err)
			}
		}
		_, b := verdict(t, q, s, detect.Gone)
		b.Info.Dir = root
		plan, err := q.Plan(agent.Request{Session: s, Info: b.Info, Prompt: "x", Program: agent.Program{Path: "/usr/bin/qwen", Version: "0.24.4"}})
		if err != nil || slices.Contains(plan.Unset, runtimeVar) == c.moved {
			t.Errorf("%s: unset %q, %v", what, plan.Unset, err)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	q, r := planner(t, agent.Config{})
	for what, change := range map[string]func(r *agent.Request){
		"no prompt":     func(r *agent.Request) { r.Prompt = " \n" },
		"no program":    func(r *agent.Request) { r.Program.Path = "qwen" },
		"no folder":     func(r *agent.Request) { r.Info.Dir = "" },
		"a strange id":  func(r *agent.Request) { r.Session.ID = "--help" },
		"another's id":  func(r *agent.Request) { r.Session.ID = other },
		"another place": func(r *agent.Request) { r.Session.Path = filepath.Join(t.TempDir(), filepath.Base(r.Session.Path)) },
	} {
		bad := r
		change(&bad)
		if got, err := q.Plan(bad); err == nil {
			t.Errorf("%s: %q", what, got.Argv)
		}
	}
	for what, change := range map[string]func(r *agent.Request){
		"no hand-off": func(r *agent.Request) { r.Handoff = []byte(" ") },
		"no new id":   func(r *agent.Request) { r.NewID = "--x" },
	} {
		bad := r
		change(&bad)
		if got, err := q.Fresh(bad); err == nil {
			t.Errorf("%s: %q", what, got.Argv)
		}
	}
}

func TestTurn(t *testing.T) {
	q := New(agent.Env{Home: "/home/dev"}, agent.Config{})
	for want, r := range map[string]agent.TurnRequest{
		"--output-format stream-json --session-id " + newID:                                                       {NewID: newID},
		"--output-format stream-json --include-partial-messages --model a/b --approval-mode plan --resume " + sid: {Session: sid, Model: "a/b", Args: []string{"--approval-mode", "plan"}, Pieces: true},
	} {
		if got := agenttest.Turn(t, q, r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err := q.Turn(agent.TurnRequest{Session: "--x"}); err == nil {
		t.Error("a strange id")
	}
}
