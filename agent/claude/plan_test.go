package claude

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// request is a headless session in default mode, stopped by a rate limit, in a real folder.
func request(t *testing.T, root string) agent.Request {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "It's mine")
	must(t, os.Mkdir(dir, 0o700))
	return agent.Request{
		Session: detect.Session{Agent: "claude", ID: sid, Path: filepath.Join(root, "projects", encode(dir), sid+".jsonl")},
		Info:    detect.Info{Dir: dir, Version: "2.1.197", Model: "claude-opus-4-8", Mode: "default"},
		Stop:    detect.Stop{State: detect.Stopped, Reason: detect.RateLimit},
		Program: agent.Program{Path: "/opt/claude", Version: "2.1.197"},
		Prompt:  "continue", NewID: id(9), Handoff: []byte("take over"),
		Launch: &detect.Launch{}, Answered: true,
	}
}

func TestPlanForms(t *testing.T) {
	idem := func(extra ...string) []string {
		return append([]string{"/opt/claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--resume", sid}, extra...)
	}
	plain := func(extra ...string) []string {
		return slices.Concat([]string{"/opt/claude", "-p", "--output-format", "stream-json", "--verbose", "--resume", sid}, extra, []string{"--", "continue"})
	}
	inMode := func(m string) []string { return []string{"--permission-mode", m} }
	for _, c := range []struct {
		name   string
		cfg    agent.Config
		change func(r *agent.Request)
		argv   []string // nil: Unfit
		key    string
	}{
		{"idempotent", agent.Config{}, func(*agent.Request) {}, idem(inMode("default")...), ""},
		{"newer", agent.Config{}, func(r *agent.Request) { r.Program.Version = "2.2.0" }, idem(inMode("default")...), ""},
		{"older", agent.Config{}, func(r *agent.Request) { r.Program.Version = "2.1.196" }, plain(inMode("default")...), ""},
		{"much older, no mode", agent.Config{}, func(r *agent.Request) { r.Program.Version, r.Info.Mode = "1.0.100", "" }, plain(), ""},
		{"version unknown", agent.Config{}, func(r *agent.Request) { r.Program.Version = "" }, plain(inMode("default")...), ""},
		{"version odd", agent.Config{}, func(r *agent.Request) { r.Program.Version = "2.1.x" }, plain(inMode("default")...), ""},
		{"after an idempotent run", agent.Config{}, func(r *agent.Request) { r.LastMeta = true }, plain(inMode("default")...), ""},
		{"after one that had no effect", agent.Config{}, func(r *agent.Request) { r.Inert = true }, plain(inMode("default")...), ""},
		{"interrupted, by hand", agent.Config{}, func(r *agent.Request) { r.Stop.Reason = detect.Interrupted }, plain(inMode("default")...), ""},
		{"crashed", agent.Config{}, func(r *agent.Request) { r.Stop.Reason = detect.Crashed }, idem(inMode("default")...), ""},
		{"prompt like an option, variadic arguments", agent.Config{Args: []string{"--allowedTools", "Bash"}},
			func(r *agent.Request) { r.LastMeta, r.Prompt = true, "--help" },
			[]string{"/opt/claude", "-p", "--output-format", "stream-json", "--verbose", "--resume", sid, "--permission-mode", "default", "--allowedTools", "Bash", "--", "--help"}, ""},
		{"big context", agent.Config{}, func(r *agent.Request) { r.Info.Tokens = 200001 }, idem("--permission-mode", "default", "--model", "claude-opus-4-8[1m]"), ""},
		{"small context", agent.Config{}, func(r *agent.Request) { r.Info.Tokens = 200000 }, idem(inMode("default")...), ""},
		{"big context, model chosen", agent.Config{Args: []string{"--model=sonnet"}}, func(r *agent.Request) { r.Info.Tokens = 200001 }, idem("--permission-mode", "default", "--model=sonnet"), ""},
		{"big context, odd model", agent.Config{}, func(r *agent.Request) { r.Info.Tokens, r.Info.Model = 200001, "claude-x;--help" }, idem(inMode("default")...), ""},
		{"manual is the newer name of default", agent.Config{}, func(r *agent.Request) { r.Info.Mode = "manual" }, idem(inMode("default")...), ""},
		{"unknown mode, headless", agent.Config{}, func(r *agent.Request) { r.Info.Mode = "yolo" }, idem(inMode("default")...), ""},
		{"acceptEdits, terminal", agent.Config{}, func(r *agent.Request) { r.Info.Mode, r.Info.Interactive = "acceptEdits", true }, idem(inMode("acceptEdits")...), ""},
		{"auto, terminal", agent.Config{}, func(r *agent.Request) { r.Info.Mode, r.Info.Interactive = "auto", true }, idem(inMode("auto")...), ""},
		{"default, terminal", agent.Config{}, func(r *agent.Request) { r.Info.Interactive = true }, nil, "agent.claude.args"},
		{"no mode, terminal", agent.Config{}, func(r *agent.Request) { r.Info.Interactive, r.Info.Mode = true, "" }, nil, "agent.claude.args"},
		{"unknown mode, terminal", agent.Config{}, func(r *agent.Request) { r.Info.Interactive, r.Info.Mode = true, "yolo" }, nil, "agent.claude.args"},
		{"plan, terminal", agent.Config{}, func(r *agent.Request) { r.Info.Interactive, r.Info.Mode = true, "plan" }, nil, "agent.claude.args"},
		{"plan, headless", agent.Config{}, func(r *agent.Request) { r.Info.Mode = "plan" }, idem(inMode("plan")...), ""},
		{"terminal, mode from the config", agent.Config{Args: []string{"--permission-mode", "acceptEdits"}}, func(r *agent.Request) { r.Info.Interactive = true }, idem(inMode("acceptEdits")...), ""},
		{"terminal, tools from the config", agent.Config{Args: []string{"--allowedTools=Bash"}}, func(r *agent.Request) { r.Info.Interactive = true }, idem("--permission-mode", "default", "--allowedTools=Bash"), ""},
		{"terminal, all allowed by the config", agent.Config{Args: []string{"--dangerously-skip-permissions"}}, func(r *agent.Request) { r.Info.Interactive = true }, idem("--dangerously-skip-permissions"), ""},
		{"bypass, headless", agent.Config{}, func(r *agent.Request) { r.Info.Mode = "bypassPermissions" }, idem(inMode("default")...), ""},
		{"bypass, terminal", agent.Config{}, func(r *agent.Request) { r.Info.Mode, r.Info.Interactive = "bypassPermissions", true }, nil, "agent.claude.restore_bypass"},
		{"bypass, restored", agent.Config{RestoreBypass: true}, func(r *agent.Request) { r.Info.Mode, r.Info.Interactive = "bypassPermissions", true }, idem(inMode("bypassPermissions")...), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			r := request(t, root)
			c.change(&r)
			p, err := over(root, table{}, c.cfg).Plan(r)
			if c.argv == nil {
				var u *agent.Unfit
				want := "cd '" + strings.ReplaceAll(r.Info.Dir, "'", `'\''`) + "' && CLAUDE_CONFIG_DIR=" + agent.Quote(root) + " claude --resume " + sid
				if !errors.As(err, &u) || u.Key != c.key || u.Command != want || u.Why == "" {
					t.Errorf("got %+v, %v; want command %s", p, err, want)
				}
				return
			}
			must(t, err)
			if d := cmp.Diff(c.argv, p.Argv); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			isIdem := slices.Contains(p.Argv, "--input-format")
			want := resume.Plan{Form: resume.FormPrompt, Session: sid, Dir: r.Info.Dir, Auth: "login", Unset: slices.Concat(payers, clouds), Flags: detect.KnownSeen, Prompt: detect.HashText(r.Prompt), Env: []string{"CLAUDE_CONFIG_DIR=" + root}}
			if isIdem {
				want.Form, want.Prompt = resume.FormIdempotent, ""
				want.Env = append(want.Env, "CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1", "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS=31536000000")
			}
			want.Argv = p.Argv
			if d := cmp.Diff(want, p); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	for name, change := range map[string]func(r *agent.Request){
		"id is an option":        func(r *agent.Request) { r.Session.ID = "--dangerously-skip-permissions" },
		"id is not the file's":   func(r *agent.Request) { r.Session.ID = id(8) },
		"upper case":             func(r *agent.Request) { r.Session.ID = strings.ToUpper(sid) },
		"no folder":              func(r *agent.Request) { r.Info.Dir = "" },
		"folder is gone":         func(r *agent.Request) { must(t, os.Remove(r.Info.Dir)) },
		"folder of another":      func(r *agent.Request) { r.Info.Dir = filepath.Dir(r.Info.Dir) },
		"folder open to all":     func(r *agent.Request) { must(t, os.Chmod(r.Info.Dir, 0o777)) },
		"program without a path": func(r *agent.Request) { r.Program.Path = "claude" },
		"no prompt":              func(r *agent.Request) { r.LastMeta, r.Prompt = true, " \n" },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			r := request(t, root)
			change(&r)
			c := over(root, table{}, agent.Config{})
			if p, err := c.Plan(r); err == nil {
				t.Errorf("a plan: %v", p.Argv)
			}
			if p, err := c.Fresh(r); err == nil && name != "no prompt" {
				t.Errorf("a fresh plan: %v", p.Argv)
			}
		})
	}
}

func TestFresh(t *testing.T) {
	root := t.TempDir()
	r := request(t, root)
	p, err := over(root, table{}, agent.Config{Args: []string{"--max-turns", "9"}}).Fresh(r)
	must(t, err)
	want := resume.Plan{
		Form: resume.FormFresh, Session: id(9), Dir: r.Info.Dir, Flags: detect.KnownSeen, Auth: "login", Unset: slices.Concat(payers, clouds), Env: []string{"CLAUDE_CONFIG_DIR=" + root},
		Prompt: detect.HashText("take over"), Stdin: []byte("take over"),
		Argv: []string{"/opt/claude", "-p", "--output-format", "stream-json", "--verbose", "--session-id", id(9), "--permission-mode", "default", "--model", "claude-opus-4-8", "--max-turns", "9"},
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for name, change := range map[string]func(r *agent.Request){
		"no hand-off": func(r *agent.Request) { r.Handoff = nil },
		"bad new id":  func(r *agent.Request) { r.NewID = "-x" },
	} {
		r := request(t, root)
		change(&r)
		if _, err := over(root, table{}, agent.Config{}).Fresh(r); err == nil {
			t.Errorf("%s: a plan", name)
		}
	}
}

// TestBilling: who pays must not change by a resume.
func TestBilling(t *testing.T) {
	key, token := "ANTHROPIC_API_KEY=k", "CLAUDE_CODE_OAUTH_TOKEN=t"
	explicit := map[string]string{"ANTHROPIC_API_KEY": "mine", "A": "b"}
	all := slices.Concat(payers, clouds)
	const keysLimit = detect.Reason("400 You have reached your specified API usage limits")
	for _, c := range []struct {
		name    string
		reason  detect.Reason
		login   bool
		env     map[string]string
		vars    []string
		auth    string
		unset   []string
		wantEnv []string
		account string
	}{
		{"login", detect.RateLimit, true, nil, nil, "login", all, nil, "login"},
		{"login and a key around", detect.RateLimit, true, nil, []string{key}, "login", all, nil, "login"},
		{"token and a key around", detect.RateLimit, false, nil, []string{key, token}, "login", all, nil, "login"},
		{"key", detect.RateLimit, false, nil, []string{key}, "key", clouds, nil, "key"},
		{"key, plan's limit", detect.UsageLimit, false, nil, []string{key}, "login", all, nil, "key"},
		{"login, plan's limit", detect.UsageLimit, true, nil, []string{key}, "login", all, nil, "login"},
		{"neither", detect.RateLimit, false, nil, nil, "login", all, nil, "login"},
		{"key for runs", detect.RateLimit, true, explicit, nil, "key", clouds, []string{"A=b", "ANTHROPIC_API_KEY=mine"}, "key"},
		{"key for runs, plan's limit", detect.UsageLimit, true, explicit, nil, "login", all, []string{"A=b"}, "key"},
		{"key's own limit", keysLimit, false, nil, []string{key}, "key", clouds, nil, "key"},
		{"key's own limit, login around", keysLimit, true, nil, []string{key}, "key", clouds, nil, "login"},
		{"key's own limit, key not to be seen", keysLimit, true, nil, nil, "login", all, nil, "login"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			if c.login {
				put(t, filepath.Join(root, ".credentials.json"), "never read")
				must(t, os.Chmod(filepath.Join(root, ".credentials.json"), 0))
			}
			r := request(t, root)
			if r.Stop.Reason, r.LastMeta = c.reason, true; c.reason == keysLimit {
				r.Stop.Reason, r.Stop.Status = detect.UsageLimit, 400
			}
			a := over(root, table{}, agent.Config{Env: c.env}, c.vars...)
			p, err := a.Plan(r)
			must(t, err)
			got := []any{p.Auth, p.Unset, p.Env, a.Account(detect.Info{})}
			want := []any{c.auth, c.unset, append(slices.Clone(c.wantEnv), "CLAUDE_CONFIG_DIR="+root), "claude:" + root + ":" + c.account}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	// The default folder needs no variable: with one, the agent looks for its settings elsewhere.
	home := t.TempDir()
	c := New(agent.Env{Home: home, Getenv: func(string) string { return "" }, Procs: table{}}, agent.Config{})
	p, err := c.Plan(request(t, filepath.Join(home, ".claude")))
	must(t, err)
	if d := cmp.Diff([]string{"CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1", "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS=31536000000"}, p.Env); d != "" {
		t.Error(d)
	}
}

// Whoever paid for a session pays for its resume, whatever is in clawd's environment.
func TestPayerIsKept(t *testing.T) {
	key, bedrock, server := "ANTHROPIC_API_KEY=k", "CLAUDE_CODE_USE_BEDROCK=1", "ANTHROPIC_BASE_URL=http://x"
	all := slices.Concat(payers, clouds)
	here := append(slices.Clone(all), "ANTHROPIC_BASE_URL")
	for _, c := range []struct {
		name   string
		ran    []string // environment of its process; nil: not seen
		vars   []string // clawd's
		reason detect.Reason
		model  string
		auth   string // empty: left
		unset  []string
	}{
		{"login, clawd on bedrock", []string{"A=b"}, []string{bedrock, key, server}, detect.RateLimit, "", "login", here},
		{"login, clawd on bedrock, plan's limit", []string{"A=b"}, []string{bedrock, key, server}, detect.UsageLimit, "", "login", here},
		{"unseen, clawd on bedrock", nil, []string{bedrock}, detect.RateLimit, "", "login", all},
		{"login, clawd on another cloud", []string{"A=b"}, []string{"CLAUDE_CODE_USE_MANTLE=1"}, detect.RateLimit, "", "login", here},
		{"mantle, and clawd is not", []string{"CLAUDE_CODE_USE_MANTLE=1"}, nil, detect.RateLimit, "", "", nil},
		{"a gateway before a cloud", []string{"CLAUDE_CODE_USE_GATEWAY=1", bedrock}, []string{bedrock}, detect.RateLimit, "", "", nil},
		{"unseen, clawd on bedrock, plan's limit", nil, []string{bedrock}, detect.UsageLimit, "", "login", all},
		{"unseen, but its model is bedrock's", nil, []string{bedrock}, detect.RateLimit, "us.anthropic.claude-opus-4-8-v1:0", "bedrock", nil},
		{"unseen, clawd has a server", nil, []string{server}, detect.RateLimit, "", "", nil},
		{"bedrock", []string{bedrock}, []string{bedrock}, detect.RateLimit, "", "bedrock", []string{"ANTHROPIC_BASE_URL"}},
		{"bedrock, and clawd is not", []string{bedrock}, nil, detect.RateLimit, "", "", nil},
		{"bedrock, and clawd is on vertex", []string{bedrock}, []string{"CLAUDE_CODE_USE_VERTEX=true"}, detect.RateLimit, "", "", nil},
		{"key", []string{key}, []string{key, bedrock}, detect.RateLimit, "", "key", append(slices.Clone(clouds), "ANTHROPIC_BASE_URL")},
		{"key, and clawd has none", []string{key}, nil, detect.RateLimit, "", "", nil},
		{"server, and clawd has none", []string{key, server}, []string{key}, detect.RateLimit, "", "", nil},
		{"server", []string{key, server}, []string{key, server}, detect.RateLimit, "", "key", clouds},
		{"a switch that is off", []string{"CLAUDE_CODE_USE_BEDROCK=0"}, nil, detect.RateLimit, "", "login", here},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			r := request(t, root)
			r.Stop.Reason = c.reason
			if c.model != "" {
				r.Info.Model = c.model
			}
			a := over(root, table{}, agent.Config{}, c.vars...)
			r.Launch.Pays = a.purse(c.ran, true)
			for _, plan := range []func(agent.Request) (resume.Plan, error){a.Plan, a.Fresh} {
				p, err := plan(r)
				var u *agent.Unfit
				if c.auth == "" {
					if !errors.As(err, &u) || u.Key != "agent.claude.env" {
						t.Errorf("%v, %v; want it left", p.Unset, err)
					}
					continue
				}
				must(t, err)
				if d := cmp.Diff([]any{c.auth, c.unset}, []any{p.Auth, p.Unset}); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			}
		})
	}
}

// In a terminal with a login and a key nobody sees who pays; whether the requests go elsewhere is seen.
func TestServerOfATerminalIsKept(t *testing.T) {
	key, server := "ANTHROPIC_AUTH_TOKEN=k", "ANTHROPIC_BASE_URL=http://x"
	for _, c := range []struct {
		name string
		ran  []string
		vars []string
		cfg  map[string]string
		left bool
	}{
		{"no server", []string{key}, nil, nil, false},
		{"a server, and clawd has none", []string{key, server}, nil, nil, true},
		{"a server, and clawd has one", []string{key, server}, []string{key, server}, nil, true},
		{"a server, and the config names it", []string{key, server}, nil, map[string]string{"ANTHROPIC_BASE_URL": "http://x", "ANTHROPIC_AUTH_TOKEN": "k"}, false},
		{"no server, and clawd has one", []string{key}, []string{server}, nil, true},
	} {
		root := t.TempDir()
		put(t, filepath.Join(root, ".credentials.json"), "never read")
		r := request(t, root)
		a := over(root, table{}, agent.Config{Env: c.cfg}, c.vars...)
		r.Launch.Pays = a.purse(c.ran, false)
		p, err := a.Plan(r)
		var u *agent.Unfit
		if errors.As(err, &u) != c.left || c.left && u.Key != "agent.claude.env" || err == nil && c.cfg == nil && p.Auth != "login" {
			t.Errorf("%s: %s, %v", c.name, p.Auth, err)
		}
	}
}

func TestOutput(t *testing.T) {
	c := over(t.TempDir(), table{}, agent.Config{})
	file := func(name string) string {
		b, err := os.ReadFile(filepath.Join(cases, name))
		must(t, err)
		return string(b)
	}
	const wrong = "11111111-2222-4333-8444-555555555555"
	initLine := `{"type":"system","subtype":"init","session_id":"` + sid + `"}`
	quoted := `{"type":"assistant","uuid":"u","message":{"id":"m","content":[{"text":"No conversation found with session ID: x"}]}}`
	for _, x := range []struct {
		name, text string
		want       agent.Output
	}{
		{"killed in an answer", file("sigkill/run.stdout"), agent.Output{Began: true, Session: "72ed4156-6765-4d63-a6bb-0ea8a1b01b37"}},
		{"limited", file("lim_5h_max/run.stdout"), agent.Output{Began: true, Failed: true, Session: strings.TrimSuffix(only(t, "lim_5h_max"), ".jsonl"),
			Messages: []string{"6621fd7f", "fc37cd9a"}}},
		{"a tool denied", file("tool_denied/run.stdout"), agent.Output{Began: true, Denials: 1, CostUSD: 0.0016, Session: "5ee371de-e1b4-4412-9148-83218c0c5e16",
			Messages: []string{"7f29608c", "msg_fake0001", "e2b486f8", "ee1163c1", "msg_fake0002"}}},
		{"went on", file("resume_auto_limit/run.stdout"), agent.Output{Began: true, CostUSD: 0.0008, Session: "38445256-e517-4917-9250-c7bb062ab0ee", Messages: []string{"d6119df9", "msg_fake0003"}}},
		{"wrong id", file("resume_ok/5-wrongid.stderr") + file("resume_ok/5-wrongid.stdout"), agent.Output{Refused: true, Failed: true, Session: wrong}},
		{"wrong id, result alone", file("resume_ok/5-wrongid.stdout"), agent.Output{Refused: true, Failed: true, Session: wrong}},
		{"wrong folder", file("resume_ok/7-othercwd.stderr"), agent.Output{Refused: true}},
		{"id in use", file("resume_ok/8-sessionid-inuse.stderr"), agent.Output{}},
		{"nothing", "", agent.Output{}},
		{"held for plan mode", `{"type":"system","subtype":"status","status":null,"resume_held_for_plan":true,"session_id":"` + sid + `"}` + "\n",
			agent.Output{Idle: "it is in plan mode (resume_held_for_plan)"}},
		{"quoted, and begun", initLine + "\n" + quoted + "\nNo conversation found with session ID: x\n", agent.Output{Began: true, Session: sid, Messages: []string{"u", "m"}}},
		{"no newline at the end", initLine, agent.Output{Began: true, Session: sid}},
		{"cut in the first line", initLine[:len(initLine)-1], agent.Output{}},
		{"binary", "\x00\xff\n\x00{" + initLine + "\n", agent.Output{}},
		{"init behind a line over the buffer", strings.Repeat("x", 200_000) + "\n" + initLine + "\n", agent.Output{Began: true, Session: sid}},
		{"init in a line over the buffer", `{"type":"system","pad":"` + strings.Repeat("x", 200_000) + `","subtype":"init","session_id":"` + sid + `"}` + "\n", agent.Output{Began: true, Session: sid}},
		{"init behind a line over the cap", `{"type":"system","pad":"` + strings.Repeat("x", agent.OutputMax) + `","subtype":"init"}` + "\n" + initLine + "\n", agent.Output{Began: true, Session: sid}},
		{"init said by the model", strings.Replace(quoted, "No conversation found with session ID: x", strings.ReplaceAll(initLine, `"`, `\"`), 1), agent.Output{Messages: []string{"u", "m"}}},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, err := c.Output(strings.NewReader(x.text), nil)
			must(t, err)
			for n, m := range got.Messages { // the recordings' uuids, in short
				if len(m) == 36 {
					got.Messages[n] = m[:8]
				}
			}
			if d := cmp.Diff(x.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func FuzzOutput(f *testing.F) {
	f.Add("{\"type\":\"system\",\"subtype\":\"init\"}\nx")
	f.Add(`{"type":"result","errors":["No conversation found with session ID: x"],"permission_denials":[{}]}`)
	c := over("/nowhere", table{}, agent.Config{})
	f.Fuzz(func(t *testing.T, s string) {
		o, err := c.Output(strings.NewReader(s), nil)
		if err != nil || o.Began && o.Refused {
			t.Errorf("%+v, %v", o, err)
		}
	})
}
