package opencode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// inExec is a process table in which one process is in the middle of exec for the first looks: it has its new name, and no arguments yet.
type inExec struct {
	testProcs
	looks *int
}

func (p inExec) Argv(pid int) []string {
	if *p.looks++; *p.looks <= 2 {
		return nil
	}
	return p.testProcs.Argv(pid)
}

// lostBy names the variables that bound the processes that are told and that a run of clawd's would not have alike.
func lostBy(t *testing.T, o *OpenCode) string {
	t.Helper()
	found, err := o.Launches("")
	if err != nil {
		t.Error(err)
	}
	words := ""
	for _, f := range found {
		words += strings.Join(o.cfg.Unlike(o.env, f.Bounds), " ")
	}
	return words
}

// Seen once in exec, an opencode with rules of its own counts for its whole life as one without.
func TestInExec(t *testing.T) {
	const dir = "/home/dev/work/demo"
	_, db, s := newStore(t)
	insert(t, db, "msg_1fb6f4e8a000prompt", at0, fmt.Sprintf(user, at0))
	looks := 0
	p := inExec{testProcs{All: []agent.Proc{{PID: 7, Start: 70, Comm: "opencode"}}, Args: map[int][]string{7: {"opencode", "run", "say done"}},
		Dirs: map[int]string{7: dir}, Vars: map[int][]string{7: {"HOME=/home/dev", `OPENCODE_PERMISSION={"bash":"deny"}`}}}, &looks}
	o := New(agent.Env{Home: strings.TrimSuffix(s.Path, "/.local/share/opencode/opencode.db"), Procs: p}, agent.Config{})
	got := ""
	for range 10 { // rescans
		got = lostBy(t, o)
	}
	if got != "OPENCODE_PERMISSION" {
		t.Errorf("ten looks: %q", got)
	}
}

// A wrapper by the agent's own name sets its rules and then becomes the agent: the name stays.
func TestWrapper(t *testing.T) {
	_, db, s := newStore(t)
	insert(t, db, "msg_1fb6f4e8a000prompt", at0, fmt.Sprintf(user, at0))
	p := testProcs{All: []agent.Proc{{PID: 7, Start: 70, Comm: "opencode"}}, Args: map[int][]string{7: {"/bin/sh", "/home/dev/bin/opencode"}},
		Dirs: map[int]string{7: "/home/dev/work/demo"}, Vars: map[int][]string{7: {"HOME=/home/dev"}}}
	o := New(agent.Env{Home: strings.TrimSuffix(s.Path, "/.local/share/opencode/opencode.db"), Procs: p}, agent.Config{})
	if got := lostBy(t, o); got != "" {
		t.Errorf("the wrapper: %q", got)
	}
	p.Args[7], p.Vars[7] = []string{"/opt/opencode"}, []string{"HOME=/home/dev", `OPENCODE_PERMISSION={"bash":"deny"}`}
	if got := lostBy(t, o); got != "OPENCODE_PERMISSION" {
		t.Errorf("the agent: %q", got)
	}
}

// What the SDK gives every server that it starts bounds nothing.
func TestEmptyContent(t *testing.T) {
	_, db, s := newStore(t)
	insert(t, db, "msg_1fb6f4e8a000prompt", at0, fmt.Sprintf(user, at0))
	p := testProcs{All: []agent.Proc{{PID: 7, Start: 70, Comm: "opencode"}}, Args: map[int][]string{7: {"opencode", "serve", "--hostname=127.0.0.1", "--port=4096"}},
		Dirs: map[int]string{7: "/"}, Vars: map[int][]string{7: {"HOME=/home/dev", "OPENCODE_CONFIG_CONTENT={}"}}}
	o := New(agent.Env{Home: strings.TrimSuffix(s.Path, "/.local/share/opencode/opencode.db"), Procs: p}, agent.Config{})
	if got := lostBy(t, o); got != "" {
		t.Errorf("every session is left for the sake of an empty config: %q", got)
	}
}

// The folder of the config may be moved by a variable of the system's, as by OPENCODE_CONFIG_DIR, and the data stay where they are.
func TestConfigHome(t *testing.T) {
	_, db, s := newStore(t)
	insert(t, db, "msg_1fb6f4e8a000prompt", at0, fmt.Sprintf(user, at0))
	p := testProcs{All: []agent.Proc{{PID: 7, Start: 70, Comm: "opencode"}}, Args: map[int][]string{7: {"opencode", "run", "say done"}},
		Dirs: map[int]string{7: "/home/dev/work/demo"}, Vars: map[int][]string{}}
	home := strings.TrimSuffix(s.Path, "/.local/share/opencode/opencode.db")
	for value, want := range map[string]string{"/home/dev/strict": "XDG_CONFIG_HOME", home + "/.config/": "", "": ""} {
		p.Vars[7] = []string{"HOME=/home/dev", "XDG_CONFIG_HOME=" + value}
		if got := lostBy(t, New(agent.Env{Home: home, Procs: p}, agent.Config{})); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}
