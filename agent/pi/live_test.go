package pi

import (
	"errors"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// TestLive: a live pi has the title "pi" in the place of its arguments (recorded in holder-evidence and
// two-in-one-folder).
func TestLive(t *testing.T) {
	const script = "/usr/lib/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"
	const tty = "/dev/pts/3"
	type want struct {
		liveness detect.Liveness
		kind     detect.HolderKind
		sure     bool
	}
	gone := want{liveness: detect.Gone}
	maybe := func(k detect.HolderKind) want { return want{detect.Alive, k, false} }
	for _, c := range []struct {
		name, cwd, comm, tty string
		argv                 []string
		tool                 string // what a command that it runs has in its environment
		want                 want
	}{
		{"in a terminal", work, "pi", tty, []string{"pi"}, "", maybe(detect.Interactive)},
		{"headless", work, "pi", "", []string{"pi"}, "", maybe(detect.Headless)},
		{"driven by a program", work, "pi-rpc", "", []string{"pi-rpc"}, "", maybe(detect.Server)},
		{"it starts", work, "node", tty, []string{"node", "/usr/bin/pi", "-c"}, "", maybe(detect.Interactive)},
		{"it starts, by the package", work, "MainThread", "", []string{"/usr/bin/node", "--import", "/x.mjs", script, "-p", "x"}, "", maybe(detect.Headless)},
		{"hidden", "", "pi", "", nil, "", maybe(detect.Headless)},
		{"another folder", "/home/dev/work/other", "pi", tty, []string{"pi"}, "", gone},
		{"its tool runs", work, "pi", tty, []string{"pi"}, sid, want{detect.Alive, detect.Interactive, true}},
		{"its tool runs elsewhere", "/home/dev", "pi", "", []string{"pi"}, sid, want{detect.Alive, detect.Headless, true}},
		{"a tool of another session", work, "pi", tty, []string{"pi"}, other, gone},
		{"another program", work, "pip", tty, []string{"pip"}, "", gone},
		{"an editor of its script", work, "vim", tty, []string{"vim", script}, "", gone},
		{"a script of the project", work, "node", tty, []string{"node", "build.js", "pi"}, "", gone},
	} {
		table := procTable{All: []agent.Proc{{PID: 40, Start: 9, Comm: "bash"}, {PID: 41, PPID: 40, Leader: 40, Group: 41, Start: 7, Comm: c.comm, TTY: c.tty}},
			Args: map[int][]string{41: c.argv, 42: {"sleep", "60"}}, Dirs: map[int]string{41: c.cwd}, Vars: map[int][]string{}}
		if c.tool != "" {
			table.All = append(table.All, agent.Proc{PID: 42, PPID: 41, Start: 8, Comm: "sleep"})
			table.Vars[42] = []string{"A=b", sessionEnv + c.tool}
		}
		got, err := over(t.TempDir(), table, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{Dir: work})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %+v, err %v", c.name, got, err)
			continue
		}
		h := got[0]
		if (want{h.Liveness, h.Kind, h.Sure}) != c.want || h.Why == "" {
			t.Errorf("%s: %+v, want %+v", c.name, h, c.want)
		}
		if h.Liveness == detect.Alive && (h.PID != 41 || h.Start != 7 || h.Group != 41 || h.Leader != 40 || h.LeaderStart != 9) {
			t.Errorf("%s: described as %+v", c.name, h)
		}
	}
}

// TestLiveBeforeItsHeader: a session's file is empty for a moment, and its folder is not known. Then every window may have it open, so
// none of them is taken, and remembered, for the one that has; but one that a tool runs for it in.
func TestLiveBeforeItsHeader(t *testing.T) {
	const tty = "/dev/pts/3"
	table := procTable{All: []agent.Proc{{PID: 41, Comm: "pi", TTY: tty}, {PID: 42, Comm: "pi"}, {PID: 43, PPID: 42, Comm: "sleep"}},
		Args: map[int][]string{41: {"pi"}, 42: {"pi"}, 43: {"sleep"}}, Dirs: map[int]string{41: "/home/dev/other", 42: work}, Vars: map[int][]string{43: {sessionEnv + sid}}}
	got, err := over(t.TempDir(), table, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{})
	if err != nil || len(got) != 2 || got[0].PID != 42 || got[0].Liveness != detect.Alive || got[1].Liveness != detect.HolderUnknown || got[1].Why == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A pi that a tool of another one has started has that one's session in its own environment, and so have its children.
func TestLiveNested(t *testing.T) {
	env := []string{sessionEnv + sid}
	table := procTable{All: []agent.Proc{{PID: 41, Comm: "pi"}, {PID: 42, PPID: 41, Comm: "bash"}, {PID: 43, PPID: 42, Comm: "pi"}, {PID: 44, PPID: 43, Comm: "node"}},
		Args: map[int][]string{41: {"pi"}, 42: {"bash", "-c", "pi"}, 43: {"pi"}, 44: {"node", "mcp.js"}}, Dirs: map[int]string{41: work, 43: "/home/dev"},
		Vars: map[int][]string{42: env, 43: env, 44: env}}
	got, err := over(t.TempDir(), table, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{Dir: work})
	if err != nil || len(got) != 1 || got[0].PID != 41 || !got[0].Sure {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLiveWithoutATable(t *testing.T) {
	for _, procs := range []agent.Procs{nil, procTable{Err: agent.ErrNoProcs}} {
		got, err := over(t.TempDir(), procs, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{})
		if err != nil || len(got) != 1 || got[0].Liveness != detect.HolderUnknown {
			t.Errorf("%+v, err %v", got, err)
		}
	}
	broken := errors.New("broken")
	if got, err := over(t.TempDir(), procTable{Err: broken}, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{}); !errors.Is(err, broken) {
		t.Errorf("%+v, err %v", got, err)
	}
}

func TestLiveTerminal(t *testing.T) {
	const tty = "/dev/pts/3"
	table := procTable{All: []agent.Proc{{PID: 50, Start: 5, TTY: tty, Comm: "pi"}, {PID: 51, Start: 6, Comm: "pi"}},
		Args: map[int][]string{50: {"pi"}, 51: {"pi"}}, Dirs: map[int]string{50: work, 51: work}}
	got, err := over(t.TempDir(), agenttest.InTmux{Procs: table}, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{Dir: work})
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for n, shown := range []bool{true, false} {
		h := got[n]
		if (h.TTY == tty) != shown || (h.Tmux == "/tmp/tmux-1000/default" && h.Pane == "%3") != shown {
			t.Errorf("%+v", h)
		}
	}
}

// Between two programs a process shows nothing, or what another one was started with.
func TestPassing(t *testing.T) {
	p := fileOf(t.TempDir(), sid)
	open := func(procs agent.Procs) agent.Agent { return over("/x", procs, agent.Config{}) }
	agenttest.Spelled(t, open, p, []string{"pi"}, "pi")
	agenttest.Bystanders(t, open, p, work, agenttest.Procs{})
	agenttest.Passing(t, open, p, work, []string{"node", "/usr/bin/pi"}, nil, "pi", true)
}
