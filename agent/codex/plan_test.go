package codex

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

// request is one for a headless session in a folder of its own, with a rollout.
func request(t *testing.T, root string) agent.Request {
	t.Helper()
	s := rolloutOf(root, sid)
	if _, err := os.Stat(s.Path); err != nil {
		put(t, s.Path, meta)
	}
	return agent.Request{Session: s, Prompt: "-c x", Program: agent.Program{Path: "/usr/bin/codex", Version: "0.169.0"},
		Info: detect.Info{Dir: t.TempDir(), Model: "gpt-5.1-codex", Provider: "openai", Mode: "workspace-write/never"}}
}

func TestPlan(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{Args: []string{"--strict-config"}})
	r := request(t, root)
	got, err := c.Plan(r)
	want := resume.Plan{Form: resume.FormPrompt, Session: sid, Dir: r.Info.Dir, Auth: "login", Unset: append(slices.Clone(payers), baseURL), Flags: detect.KnownRecorded, Prompt: detect.HashText("-c x"),
		Env: []string{"CODEX_HOME=" + root},
		Argv: []string{"/usr/bin/codex", "exec", "--json", "-C", r.Info.Dir, "--skip-git-repo-check", "-m", "gpt-5.1-codex",
			"-c", `model_provider="openai"`, "-c", `approval_policy="never"`, "-c", `sandbox_mode="workspace-write"`,
			"-c", "sandbox_workspace_write.network_access=false", "-c", "sandbox_workspace_write.writable_roots=[]",
			"--strict-config", "resume", sid, "--", "-c x"}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, d)
	}

	r.Handoff = []byte("go on")
	got, err = c.Fresh(r)
	want.Form, want.Session, want.Prompt, want.Stdin = resume.FormFresh, "", detect.HashText("go on"), r.Handoff
	want.Argv = append(want.Argv[:len(want.Argv)-4:len(want.Argv)-4], "-")
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("fresh: %v, (-want +got):\n%s", err, d)
	}
}

// TestPlanMode: what the last turn could do, and never more.
func TestPlanMode(t *testing.T) {
	const (
		sandbox, network, roots = `sandbox_mode="`, "sandbox_workspace_write.network_access=", "sandbox_workspace_write.writable_roots=[]"
		narrow                  = sandbox + `workspace-write" ` + network + "false " + roots
	)
	bypasses := agent.Config{RestoreBypass: true}
	for _, w := range []struct {
		mode        string
		interactive bool
		cfg         agent.Config
		want        string // the settings but the approval; empty: unfit
		key         string
	}{
		{"read-only/never", false, agent.Config{}, sandbox + `read-only"`, ""},
		{"workspace-write+network/never", false, agent.Config{}, sandbox + `workspace-write" ` + network + "true " + roots, ""},
		{"workspace-write+network+roots/never", true, agent.Config{}, sandbox + `workspace-write" ` + network + "true", ""},
		{"workspace-write+roots/never", true, agent.Config{}, sandbox + `workspace-write" ` + network + "false", ""},
		{"workspace-write+roots+notmp+notmpdir/never", false, agent.Config{}, sandbox + `workspace-write" ` + network + "false sandbox_workspace_write.exclude_slash_tmp=true sandbox_workspace_write.exclude_tmpdir_env_var=true", ""},
		{"danger-full-access/never", false, agent.Config{}, narrow, ""},
		{"danger-full-access+network+roots/never", false, agent.Config{}, narrow, ""},
		{"danger-full-access/never", false, bypasses, sandbox + `danger-full-access"`, ""},
		{"danger-full-access/never", true, bypasses, sandbox + `danger-full-access"`, ""},
		{"danger-full-access/never", true, agent.Config{}, "", "agent.codex.restore_bypass"},
		{"external-sandbox+network/never", false, bypasses, sandbox + `read-only"`, ""},
		{"", false, bypasses, sandbox + `read-only"`, ""},
		{"", true, bypasses, "", "agent.codex.args"},
		{"workspace-write/on-request", true, agent.Config{}, "", "agent.codex.args"},
		{"workspace-write/untrusted", true, bypasses, "", "agent.codex.args"},
		{"workspace-write/on-failure", true, agent.Config{}, "", "agent.codex.args"},
		{"danger-full-access/on-request", true, bypasses, "", "agent.codex.args"},
		// The user's own word for these runs.
		{"workspace-write/on-request", true, agent.Config{Args: []string{"-s", "read-only"}}, "-s read-only", ""},
		{"danger-full-access/on-request", true, agent.Config{Args: []string{"-c", `sandbox_mode="read-only"`}}, sandbox + `read-only"`, ""},
		{"workspace-write/on-request", true, agent.Config{Args: []string{`--config=approval_policy="never"`}}, narrow + ` --config=approval_policy="never"`, ""},
		{"danger-full-access/never", true, agent.Config{Args: []string{"-c", `approval_policy="never"`}}, "", "agent.codex.restore_bypass"},
	} {
		root := t.TempDir()
		c := over(root, procTable{}, w.cfg)
		r := request(t, root)
		r.Info.Mode, r.Info.Interactive, r.Info.Model, r.Info.Provider = w.mode, w.interactive, "", ""
		p, err := c.Plan(r)
		if w.want == "" {
			var unfit *agent.Unfit
			if !errors.As(err, &unfit) || unfit.Key != w.key || unfit.Command != "cd "+r.Info.Dir+" && CODEX_HOME="+root+" codex resume "+sid {
				t.Errorf("%s: %+v, want key %s", w.mode, err, w.key)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", w.mode, err)
			continue
		}
		var got []string
		for _, a := range p.Argv[6 : len(p.Argv)-4] {
			if a != "-c" && a != `approval_policy="never"` {
				got = append(got, a)
			}
		}
		if all := strings.Join(got, " "); all != w.want {
			t.Errorf("%s, interactive %v: %s, want %s", w.mode, w.interactive, all, w.want)
		}
		if !strings.Contains(strings.Join(p.Argv, " "), `approval_policy="never"`) {
			t.Errorf("%s: %q may ask", w.mode, p.Argv)
		}
	}
}

// TestPlanProfile: a session goes on in its user's own permission profile, which no sandbox's mode beside it puts out of force.
func TestPlanProfile(t *testing.T) {
	for _, w := range []struct {
		mode, profile string
		cfg           agent.Config
		want          string // in the arguments; empty: unfit
	}{
		{"workspace-write/never", "careful", agent.Config{}, `-c default_permissions="careful"`},
		{"read-only/never", "careful", agent.Config{}, `-c default_permissions="careful"`},
		{"workspace-write/never", ":workspace", agent.Config{}, `-c sandbox_mode="workspace-write"`},
		{"workspace-write/never", "careful", agent.Config{Args: []string{"-s", "read-only"}}, "-s read-only"},
		{"danger-full-access/never", "wide", agent.Config{}, ""},
		{"danger-full-access/never", "wide", agent.Config{RestoreBypass: true}, `-c default_permissions="wide"`},
		{"workspace-write/never", `x" -c y="`, agent.Config{}, ""},
	} {
		root := t.TempDir()
		c := over(root, procTable{}, w.cfg)
		r := request(t, root)
		r.Info.Mode, r.Info.Setup.Role = w.mode, w.profile
		p, err := c.Plan(r)
		if w.want == "" {
			var unfit *agent.Unfit
			if !errors.As(err, &unfit) {
				t.Errorf("%+v: %q, %v", w, p.Argv, err)
			}
			continue
		}
		all := strings.Join(p.Argv, " ")
		if err != nil || !strings.Contains(all, w.want) || strings.Contains(all, "sandbox_mode") == strings.Contains(all, "default_permissions") && !strings.Contains(all, "-s ") {
			t.Errorf("%+v: %s, %v", w, all, err)
		}
	}
}

// TestPlanPayment: a key never comes in where a plan paid.
func TestPlanPayment(t *testing.T) {
	key := map[string]string{"OPENAI_API_KEY": "x", "OTHER": "y"}
	for _, w := range []struct {
		name     string
		login    bool
		env      string
		cfg      map[string]string
		provider string
		reason   detect.Reason
		auth     string
		unset    bool
	}{
		{"a login alone", true, "", nil, "openai", detect.RateLimit, "login", true},
		{"a login beside a key", true, "CODEX_API_KEY=x", nil, "openai", detect.RateLimit, "login", true},
		{"a key alone", false, "OPENAI_API_KEY=x", nil, "openai", detect.RateLimit, "key", false},
		{"the user's word", true, "", key, "openai", detect.RateLimit, "key", false},
		{"the user's word, but a plan's limit", true, "", key, "openai", detect.UsageLimit, "login", true},
		{"a plan's limit", true, "OPENAI_API_KEY=x", nil, "openai", detect.UsageLimit, "login", true},
		{"another provider", true, "OPENAI_API_KEY=x", nil, "azure", detect.RateLimit, "key", false},
		{"a limit of another provider", true, "OPENAI_API_KEY=x", nil, "proxy", detect.UsageLimit, "key", false},
	} {
		root := t.TempDir()
		if w.login {
			put(t, filepath.Join(root, "auth.json"), "never read")
		}
		c := over(root, procTable{}, agent.Config{Env: w.cfg}, w.env)
		r := request(t, root)
		r.Info.Provider, r.Stop.Reason = w.provider, w.reason
		p, err := c.Plan(r)
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
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	for name, change := range map[string]func(*agent.Request){
		"an id that is none":    func(r *agent.Request) { r.Session.ID = "-x" },
		"an empty prompt":       func(r *agent.Request) { r.Prompt, r.Handoff = " ", nil },
		"the word for stdin":    func(r *agent.Request) { r.Prompt, r.Handoff = "-", nil },
		"a program by its name": func(r *agent.Request) { r.Program.Path = "codex" },
		"a folder that is gone": func(r *agent.Request) { r.Info.Dir += "/x" },
	} {
		r := request(t, root)
		r.Handoff = []byte("go on")
		change(&r)
		if p, err := c.Plan(r); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
		if p, err := c.Fresh(r); err == nil {
			t.Errorf("%s, fresh: %+v", name, p)
		}
	}
	r := request(t, root)
	r.Info.Model, r.Info.Provider = "--yolo", `x" -c`
	if p, err := c.Plan(r); err != nil || strings.Contains(strings.Join(p.Argv, " "), "yolo") || strings.Contains(strings.Join(p.Argv, " "), "model_provider") {
		t.Errorf("names that are none: %q, %v", p.Argv, err)
	}
}

func TestWake(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{}, "OPENAI_API_KEY=x")
	r := request(t, root)
	r.Holder = detect.Holder{Liveness: detect.Alive, Kind: detect.Server, Sure: true, PID: 7, Outlives: true}
	got, err := c.Wake(r)
	want := resume.Plan{Way: resume.Queue, Form: resume.FormPrompt, Session: sid, Dir: r.Info.Dir, Auth: "key", Prompt: detect.HashText("-c x"),
		Env: []string{"CODEX_HOME=" + root}, Holder: r.Holder,
		Argv: []string{"/usr/bin/codex", "queue", "--thread", sid, "--message=-c x", "--resume"}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, d)
	}
	r.Program.Version = "0.166.0" // the first one whose queue was seen to begin a turn
	if got, err := c.Wake(r); err != nil || got.Way != resume.Queue {
		t.Errorf("%s: %+v, %v", r.Program.Version, got, err)
	}
	for name, change := range map[string]func(*agent.Request){
		"a terminal":      func(r *agent.Request) { r.Holder.Kind = detect.Interactive },
		"an editor's own": func(r *agent.Request) { r.Holder.Outlives = false },
		"one that ended":  func(r *agent.Request) { r.Holder.Liveness = detect.Gone },
		"not sure":        func(r *agent.Request) { r.Holder.Sure = false },
		"only a queue":    func(r *agent.Request) { r.Program.Version = "0.164.0" },
		"not known":       func(r *agent.Request) { r.Program.Version = "" },
	} {
		n := r
		change(&n)
		var unfit *agent.Unfit
		if p, err := c.Wake(n); !errors.As(err, &unfit) || unfit.Why == "" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// TestPlanProvider: whom the last turn asked, not the first.
func TestPlanProvider(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	r := request(t, root)
	for _, w := range []struct{ settings, want string }{
		{"", ""},
		{`{"timestamp":"2026-11-21T00:00:09Z","type":"event_msg","payload":{"type":"thread_settings_applied","thread_settings":{"model_provider_id":"openai"}}}` + "\n", "openai"},
	} {
		put(t, r.Session.Path, w.settings)
		b, err := agenttest.Read(t.Context(), c, r.Session, "")
		if err != nil || b.Info.Provider != w.want {
			t.Errorf("provider %q, want %q, err %v", b.Info.Provider, w.want, err)
		}
	}
}
