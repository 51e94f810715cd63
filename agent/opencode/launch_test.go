package opencode

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// A process is remembered that has other bounds than a run of clawd's would have, for each session that it may have open.
func TestLaunches(t *testing.T) {
	const dir, rules = "/home/dev/work/demo", "OPENCODE_PERMISSION"
	plain, deny := []string{"HOME=/home/dev"}, []string{rules + `={"bash":"deny"}`}
	argv := func(a ...string) []string { return append([]string{"opencode"}, a...) }
	for name, c := range map[string]struct {
		argv    []string
		cwd     string
		environ []string
		want    string // what it was started with; empty: nothing is remembered
	}{
		"nothing of its own":         {argv("run", "say done"), dir, plain, ""},
		"its environment is closed":  {argv("run", "say done"), dir, nil, ""},
		"rules":                      {argv("run", "say done"), dir, deny, rules},
		"rules of a terminal":        {argv(), dir, deny, rules},
		"rules of a server":          {argv("serve"), "/", deny, rules},
		"rules, elsewhere":           {argv("run", "say done"), "/home/dev/work/other", deny, ""},
		"no plugins":                 {argv("run", "--pure", "say done"), dir, plain, "--pure"},
		"no plugins, in two words":   {argv("--pure", "true"), dir, plain, "--pure"},
		"plugins all the same":       {argv("--pure=false"), dir, plain, ""},
		"a word of the prompt":       {argv("run", "--", "--pure"), dir, plain, ""},
		"both":                       {argv("run", "--pure", "x"), dir, deny, rules + " --pure"},
		"clawd's own":                {argv("run", "--session", testID, "--", "continue"), dir, append(deny, agent.AttemptVar+"=1"), ""},
		"rules of another's session": {argv("run", "--session", "ses_e047a531cffesBeTRrTfaQc0DI", "x"), dir, deny, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, db, s := newStore(t)
			insert(t, db, "msg_1fb6f4e8a000prompt", at0, fmt.Sprintf(user, at0))
			p := testProcs{All: []agent.Proc{{PID: 7, Start: 70, Comm: "opencode"}}, Args: map[int][]string{7: c.argv},
				Dirs: map[int]string{7: c.cwd}, Vars: map[int][]string{7: c.environ}}
			o := New(agent.Env{Home: strings.TrimSuffix(s.Path, "/.local/share/opencode/opencode.db"), Procs: p}, agent.Config{})
			for n, hint := range []string{s.Path + "-wal", s.Path + "-wal", ""} {
				want := c.want
				if n == 1 { // it was told
					want = ""
				}
				found, err := o.Launches(hint)
				got := ""
				for _, f := range found {
					words := o.cfg.Unlike(o.env, f.Bounds)
					for _, flag := range f.Flags {
						words = append(words, flag.Args()...)
					}
					if got += strings.Join(words, " "); f.Session != testID || f.PID != 7 || f.Start != 70 {
						t.Errorf("%+v", f)
					}
				}
				if err != nil || got != want {
					t.Errorf("look %d: %q, %v; want %q", n, got, err, want)
				}
			}
		})
	}
}

// What bounded the process bounds the run, or there is none.
func TestBoundsAreKept(t *testing.T) {
	o, data := open(t, nil)
	r := request(t, data)
	r.Launch = &detect.Launch{Flags: []detect.Flag{{Name: pure}}}
	p, err := o.Plan(r)
	if err != nil || !slices.Contains(p.Argv, pure) {
		t.Errorf("%q, %v", p.Argv, err)
	}
	if p, err = o.ListRoles(r); err != nil || !slices.Equal(p.Argv[1:], []string{"agent", "list", pure}) {
		t.Errorf("%q, %v", p.Argv, err)
	}
	r.Launch.Bounds = o.env.Bounds(bounds, []string{`OPENCODE_PERMISSION={"bash":"deny"}`})
	if _, err = o.ListRoles(r); unfit(err) == nil {
		t.Errorf("it is asked with other bounds: %v", err)
	}
	_, err = o.Plan(r)
	if u := unfit(err); u == nil || u.Key != "agent.opencode.env" || u.Command == "" {
		t.Errorf("%+v", err)
	}
	r.Holder = detect.Holder{URL: "http://127.0.0.1:1", PID: 7, Start: 70}
	if _, err = o.Wake(r); unfit(err) == nil {
		t.Errorf("a server with other bounds would be asked: %v", err)
	}
	r.Launch.PID, r.Launch.Start = 7, 70
	if _, err = o.Wake(r); err != nil {
		t.Errorf("the server with these bounds is not asked: %v", err)
	}
	r.Handoff = []byte("x")
	if _, err = o.Fresh(r); unfit(err) == nil {
		t.Errorf("a fresh session would begin with more: %v", err)
	}
	o.cfg.Env = map[string]string{"OPENCODE_PERMISSION": `{"bash":"deny"}`}
	o.cfg.Args = []string{pure}
	if p, err = o.Plan(r); err != nil || strings.Count(strings.Join(p.Argv, " "), pure) != 1 || !slices.Contains(p.Env, `OPENCODE_PERMISSION={"bash":"deny"}`) {
		t.Errorf("%q, %q, %v", p.Argv, p.Env, err)
	}
	if p, err = o.ListRoles(r); err != nil || !slices.Equal(p.Argv[1:], []string{"agent", "list", pure}) {
		t.Errorf("%q, %v", p.Argv, err)
	}
}
