package gemini

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

func TestLaunches(t *testing.T) {
	_, home, all := world(t)
	s := all["tool"]
	begun, err := over(home, procs{}).begun(s.Path)
	if err != nil || begun.IsZero() {
		t.Fatal(begun, err)
	}
	proc := func(pid int, after time.Duration) agent.Proc {
		return agent.Proc{PID: pid, Start: uint64(pid), Started: begun.Add(after)}
	}
	headless := []string{"node", "/usr/bin/gemini", "-p", "x", "--approval-mode", "auto_edit"}
	for _, c := range []struct {
		name string
		all  []agent.Proc
		argv map[int][]string
		want int // pid; 0: none
	}{
		{"alone", []agent.Proc{proc(7, -time.Second)}, map[int][]string{7: headless}, 7},
		{"a launcher and its child", []agent.Proc{proc(7, -2*time.Second), proc(8, -time.Second)}, map[int][]string{7: headless, 8: headless}, 8},
		{"it was started later", []agent.Proc{proc(7, time.Minute)}, map[int][]string{7: headless}, 0},
		{"it was started long before", []agent.Proc{proc(7, -time.Hour)}, map[int][]string{7: headless}, 0},
		{"a terminal", []agent.Proc{proc(7, -time.Second)}, map[int][]string{7: {"node", "/usr/bin/gemini"}}, 0},
		{"two that differ", []agent.Proc{proc(7, -time.Second), proc(8, -time.Second)}, map[int][]string{7: headless, 8: headless[:4]}, 0},
		{"named by its arguments", []agent.Proc{proc(7, time.Hour)}, map[int][]string{7: append(slices.Clone(headless), "--resume", s.ID)}, 7},
		{"another program", []agent.Proc{proc(7, -time.Second)}, map[int][]string{7: {"vi"}}, 0},
	} {
		cwd := map[int]string{}
		for _, p := range c.all {
			cwd[p.PID] = "" // hides it, so it may be any
		}
		found, err := over(home, procs{All: c.all, Args: c.argv, Dirs: cwd}).Launches(s.Path)
		pid := 0
		if len(found) == 1 && found[0].Session == s.ID {
			pid = found[0].PID
		}
		if err != nil || pid != c.want {
			t.Errorf("%s: %+v, %v; want process %d", c.name, found, err, c.want)
		}
	}
}

// The launcher's environment is its user's; its child's may have more.
func TestBounds(t *testing.T) {
	_, home, all := world(t)
	s := all["tool"]
	begun, err := over(home, procs{}).begun(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{"node", "/usr/bin/gemini", "-p", "x", "--skip-trust"}
	for name, c := range map[string]struct {
		launcher, child []string
		cfg             agent.Config
		want            string
	}{
		"none":             {launcher: []string{"A=b"}, child: []string{"A=b", "GEMINI_CLI_TRUST_WORKSPACE=true"}},
		"a sandbox":        {launcher: []string{"GEMINI_SANDBOX=docker"}, child: []string{"SANDBOX=x"}, want: "GEMINI_SANDBOX"},
		"the config's":     {launcher: []string{"GEMINI_SANDBOX=docker"}, child: []string{"A=b"}, cfg: agent.Config{Env: map[string]string{"GEMINI_SANDBOX": "docker"}}},
		"in a sandbox":     {launcher: []string{"GEMINI_SANDBOX=docker", "SANDBOX=x"}, child: []string{"SANDBOX=x"}},
		"it can't be read": {},
	} {
		table := procs{Args: map[int][]string{7: argv, 8: argv}, Dirs: map[int]string{7: "", 8: ""}, Vars: map[int][]string{7: c.launcher, 8: c.child}}
		for pid := range 2 {
			table.All = append(table.All, agent.Proc{PID: 7 + pid, PPID: 6 + pid, Start: uint64(pid), Started: begun.Add(time.Duration(pid-2) * time.Second)})
		}
		g := over(home, table)
		g.cfg = c.cfg
		found, err := g.Launches(s.Path)
		if err != nil || len(found) != 1 || found[0].PID != 8 || strings.Join(g.cfg.Unlike(g.env, found[0].Bounds), " ") != c.want {
			t.Errorf("%s: %+v, %v; want %q", name, found, err, c.want)
		}
	}
}

func TestOptionsArePassedAgain(t *testing.T) {
	for argv, want := range map[string]string{
		"-p x": "--approval-mode default",
		"-p x --approval-mode auto_edit -m flash":                                                     "--approval-mode=auto_edit --model=flash",
		"--include-directories a,b --include-directories c --policy p.toml,p.toml -e none --prompt=x": "--approval-mode default --include-directories=a,b --include-directories=c --policy=p.toml,p.toml --extensions=none",
		"--allowed-tools ls run_shell_command":                                                        "--approval-mode default --allowed-tools=ls", // a prompt
		"--policy p.toml do":                                                                          "--approval-mode default --policy=p.toml",
		"--skip-trust false --sandbox true -y false":                                                  "--approval-mode default --skip-trust=false --sandbox=true",
		"-y -p x":                              "--approval-mode default",
		"-p x --approval-mode=yolo":            "--approval-mode default",
		"-p x --approval-mode plan":            "left",
		"-p x --acp":                           "left",
		"-p x --policy /dev/fd/63":             "left",
		"-p x --policy p.toml,/dev/fd/63":      "left",
		"-p x --policy gone.toml":              "left",
		"-p x --admin-policy p.toml,gone.toml": "left",
		"-p x --approvalMode plan":             "left",
	} {
		g, r := planner(t, agent.Config{})
		r.Info.Model = "gemini-2.5-pro" // its user or a router may have chosen it, or a variable
		put(t, filepath.Join(r.Info.Dir, "p.toml"), "")
		r.Launch = &detect.Launch{}
		r.Launch.Flags, r.Launch.Lost = options.Parse(strings.Fields(argv))
		p, err := g.Plan(r)
		var u *agent.Unfit
		if want == "left" {
			if !errors.As(err, &u) || u.Command == "" {
				t.Errorf("%s: %q, %v", argv, p.Argv, err)
			}
			continue
		}
		if !strings.Contains(argv, "-m ") {
			want += " -m gemini-2.5-pro"
		}
		if got := strings.Join(p.Argv[3:max(3, len(p.Argv)-3)], " "); err != nil || got != want || p.Flags != detect.KnownSeen {
			t.Errorf("%s: %q, %v; want %q", argv, got, err, want)
		}
	}
}

// The agent starts with either of two options that say what is approved, and a policy is added to others.
func TestOptionsBesideTheConfigs(t *testing.T) {
	for _, c := range []struct{ argv, args, want string }{
		{"-p x --approval-mode auto_edit", "--yolo", "--yolo"},
		{"-p x --approval-mode plan", "-y", "-y"},
		{"-p x --approval-mode auto_edit", "--approval-mode=default", "--approval-mode=default"},
		{"-p x --policy p.toml", "--policy q.toml", "--policy=p.toml --policy q.toml"},
		{"-p x -m a", "-m b", "-m b"},
	} {
		g, r := planner(t, agent.Config{Args: strings.Fields(c.args)})
		put(t, filepath.Join(r.Info.Dir, "p.toml"), "")
		r.Launch = &detect.Launch{}
		r.Launch.Flags, r.Launch.Lost = options.Parse(strings.Fields(c.argv))
		p, err := g.Plan(r)
		if err != nil {
			t.Errorf("%s: %v", c.argv, err)
			continue
		}
		got := strings.TrimPrefix(strings.Join(p.Argv[3:len(p.Argv)-3], " "), "--approval-mode default ")
		if got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.argv, c.args, got, c.want)
		}
	}
}

// A script chose its model by GEMINI_MODEL, or its user did in the terminal: the records tell it. clawd's own variable does not count.
func TestModelIsKept(t *testing.T) {
	const chosen, other = "gemini-2.5-flash", "gemini-2.5-pro"
	for _, c := range []struct {
		name     string
		argv     string
		unseen   bool
		terminal bool
		cfg      agent.Config
		want     string // the options of the model; empty: none
		kept     bool   // clawd's variable
	}{
		{"a variable's", "-p x", false, false, agent.Config{}, "-m " + chosen, false},
		{"not seen", "", true, false, agent.Config{}, "-m " + chosen, false},
		{"an option's", "-p x -m flash", false, false, agent.Config{}, "--model=flash", false},
		{"an option's, in a terminal where another one answered", "-m pro", false, true, agent.Config{Args: []string{"--yolo"}}, "-m " + chosen, false},
		{"the config's", "-p x -m flash", false, false, agent.Config{Args: []string{"--model", other}}, "--model " + other, false},
		{"the config's variable", "-p x -m flash", false, false, agent.Config{Env: map[string]string{modelVar: other}}, "", true},
	} {
		g, r := planner(t, c.cfg, modelVar+"="+other)
		r.Info.Model, r.Info.Interactive = chosen, c.terminal
		if r.Launch = nil; !c.unseen {
			r.Launch = &detect.Launch{}
			r.Launch.Flags, r.Launch.Lost = options.Parse(strings.Fields(c.argv))
		}
		p, err := g.Plan(r)
		var got []string
		for n, a := range p.Argv {
			switch {
			case strings.HasPrefix(a, "--model="):
				got = append(got, a)
			case a == "-m", a == "--model":
				got = append(got, a, p.Argv[n+1])
			}
		}
		if err != nil || strings.Join(got, " ") != c.want || slices.Contains(p.Unset, modelVar) == c.kept {
			t.Errorf("%s: %q without %q, %v; want %q", c.name, got, p.Unset, err, c.want)
		}
	}
}

func TestPurse(t *testing.T) {
	g, r := planner(t, agent.Config{})
	for _, login := range []bool{false, true} {
		if login {
			put(t, filepath.Join(g.root, "oauth_creds.json"), "never read")
		}
		for environ, want := range map[string]string{"": "", "A=b": "login", "A=b GEMINI_API_KEY=": "login", "GEMINI_API_KEY=x": "key"} {
			if want == "key" && login { // the settings may say that the login is taken, and do after a sign-in
				want = ""
			}
			pays := g.purse(strings.Fields(environ))
			r.Launch = &detect.Launch{Pays: pays}
			got := agent.Payer(pays)
			p, err := g.Plan(r)
			if got != want || want != "key" && (err != nil || p.Auth != "login") {
				t.Errorf("login %v, %q: %q pays, want %q; %s, %v", login, environ, got, want, p.Auth, err)
			}
		}
	}
}

// The requests of a resume go where the session's went.
func TestServerIsKept(t *testing.T) {
	key, server := "GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=http://x"
	for _, c := range []struct {
		name  string
		ran   []string
		vars  []string
		cfg   map[string]string
		left  bool
		unset bool
	}{
		{"its own, clawd has none", []string{key, server}, []string{key}, nil, true, false},
		{"its own, clawd has one", []string{key, server}, []string{key, server}, nil, false, false},
		{"its own, the config names it", []string{key, server}, []string{key}, map[string]string{"GOOGLE_GEMINI_BASE_URL": "http://x"}, false, false},
		{"none, clawd has one", []string{key}, []string{key, server}, nil, false, true},
		{"none, the config names one", []string{key}, []string{key}, map[string]string{"GOOGLE_GEMINI_BASE_URL": "http://x"}, false, false},
		{"a login, clawd has one", []string{"A=b"}, []string{server}, nil, false, true},
		{"nobody saw it, clawd has none", nil, []string{key}, nil, false, false},
		{"nobody saw it, clawd has one", nil, []string{key, server}, nil, true, false},
		{"nobody saw it, the config names one", nil, []string{key}, map[string]string{"GOOGLE_GEMINI_BASE_URL": "http://x"}, false, false},
	} {
		g, r := planner(t, agent.Config{Env: c.cfg}, c.vars...)
		r.Launch = &detect.Launch{Pays: g.purse(c.ran)}
		p, err := g.Plan(r)
		var u *agent.Unfit
		if errors.As(err, &u) != c.left || c.left && u.Key != "agent.gemini.env" || slices.Contains(p.Unset, "GOOGLE_GEMINI_BASE_URL") != c.unset {
			t.Errorf("%s: unset %q, %v", c.name, p.Unset, err)
		}
	}
}
