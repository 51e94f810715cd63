package opencode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Its user has set one variable for everything, clawd's runs included.
const global = "OPENCODE_CONFIG_DIR=/home/dev/team"

func globalEnv(home string, p agent.Procs) agent.Env {
	name, value, _ := strings.Cut(global, "=")
	return agent.Env{Home: home, Procs: p, Getenv: func(n string) string {
		if n == name {
			return value
		}
		return ""
	}}
}

// A process with the same bounds as clawd's runs is remembered, for clawd may lose them; one with bounds that these lack takes its place, whether
// it has the session open beside the first one or comes later.
func TestAlikeProcess(t *testing.T) {
	const dir, rules = "/home/dev/work/demo", `OPENCODE_PERMISSION={"bash":"deny"}`
	_, db, s := newStore(t)
	insert(t, db, "msg_1fb6f4e8a000prompt", at0, fmt.Sprintf(user, at0))
	first := agent.Proc{PID: 7, Start: 70, Comm: "opencode"}
	p := testProcs{All: []agent.Proc{first}, Args: map[int][]string{7: {"opencode"}, 8: {"opencode"}},
		Dirs: map[int]string{7: dir, 8: dir}, Vars: map[int][]string{7: {"HOME=/home/dev", global}, 8: {"HOME=/home/dev", global, rules}}}
	home := strings.TrimSuffix(s.Path, "/.local/share/opencode/opencode.db")
	o := New(globalEnv(home, &p), agent.Config{})
	look := func() (pid int, unlike string) {
		t.Helper()
		found, err := o.Launches("")
		if err != nil || len(found) != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		return found[0].PID, strings.Join(o.cfg.Unlike(o.env, found[0].Bounds), " ")
	}
	if pid, unlike := look(); pid != 7 || unlike != "" {
		t.Errorf("alone: %d, %q", pid, unlike)
	}
	p.All = append(p.All, agent.Proc{PID: 8, Start: 80, Comm: "opencode"})
	insert(t, db, "msg_1fb6f4e8b000prompt", at0+1000, fmt.Sprintf(user, at0+1000)) // what the new one writes
	if pid, unlike := look(); pid != 8 || unlike != "OPENCODE_PERMISSION" {
		t.Errorf("beside another one: %d, %q", pid, unlike)
	}
	o = New(globalEnv(home, &p), agent.Config{})
	if pid, unlike := look(); pid != 8 || unlike != "OPENCODE_PERMISSION" {
		t.Errorf("at the first look: %d, %q", pid, unlike)
	}
	p.All = []agent.Proc{first}
	o = New(agent.Env{Home: home, Procs: &p}, agent.Config{}) // as a service, without what the shell has
	if pid, unlike := look(); pid != 7 || unlike != "OPENCODE_CONFIG_DIR" {
		t.Errorf("clawd has lost the variable: %d, %q", pid, unlike)
	}
}

// A server goes on with a session only with the bounds of the process that it stopped in.
func TestWakeByBounds(t *testing.T) {
	for name, c := range map[string]struct {
		argv    []string
		environ []string
		ok      bool
	}{
		"the same":      {[]string{"opencode", "serve"}, []string{"A=b", global}, true},
		"none":          {[]string{"opencode", "serve"}, []string{"A=b"}, false},
		"others":        {[]string{"opencode", "serve"}, []string{global, "OPENCODE_PURE=1"}, false},
		"no plugins":    {[]string{"opencode", "serve", "--pure"}, []string{global}, false},
		"not readable":  {[]string{"opencode", "serve"}, nil, false},
		"another start": {[]string{"opencode", "serve"}, []string{global}, false},
	} {
		o, data := open(t, nil)
		start := uint64(90)
		if name == "another start" {
			start = 91
		}
		o.env.Procs = testProcs{All: []agent.Proc{{PID: 9, Start: start, Comm: "opencode"}}, Args: map[int][]string{9: c.argv}, Vars: map[int][]string{9: c.environ}}
		r := request(t, data)
		r.Launch = &detect.Launch{PID: 7, Start: 70, Bounds: o.env.Bounds(bounds, []string{global})}
		r.Holder = detect.Holder{URL: "http://127.0.0.1:1", PID: 9, Start: 90}
		if _, err := o.Wake(r); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
