package gemini

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// TestLive: the command lines are those of real runs.
func TestLive(t *testing.T) {
	const demo, bin, child = "/home/dev/work/demo", "/usr/bin/gemini", "--max-old-space-size=4096"
	type want struct {
		liveness detect.Liveness
		kind     detect.HolderKind
		sure     bool
	}
	alive := func(k detect.HolderKind, sure bool) want { return want{detect.Alive, k, sure} }
	gone := want{liveness: detect.Gone}
	for _, c := range []struct {
		name, cwd string
		argv      []string
		want      want
	}{
		{"terminal", demo, []string{"node", bin}, alive(detect.Interactive, false)},
		{"its child", demo, []string{"/usr/bin/node", child, bin}, alive(detect.Interactive, false)},
		{"by the package", demo, []string{"node", "/opt/lib/node_modules/@google/gemini-cli/bundle/gemini.js"}, alive(detect.Interactive, false)},
		{"headless", demo, []string{"node", child, bin, "-p", "say hi", "--output-format", "stream-json"}, alive(detect.Headless, false)},
		{"resumed headless", demo, []string{"node", bin, "--resume", backID, "-p", "continue"}, alive(detect.Headless, true)},
		{"resumed headless, joined", "/", []string{"node", bin, "--resume=" + backID, "--prompt=continue"}, alive(detect.Headless, true)},
		{"resumed in a terminal", demo, []string{"node", bin, "-r", backID, "-i", "continue"}, alive(detect.Interactive, true)},
		{"begun under its id", demo, []string{"node", bin, "--session-id", backID, "-o", "json", "fresh"}, alive(detect.Headless, true)},
		{"another, headless", demo, []string{"node", bin, "--resume", toolID, "-p", "continue"}, gone},
		{"another, in a terminal", demo, []string{"node", bin, "--resume", toolID}, alive(detect.Interactive, false)},
		{"latest", demo, []string{"node", bin, "--resume", "latest", "-p", "continue"}, alive(detect.Headless, false)},
		{"a prompt that quotes it", demo, []string{"node", bin, "-p", "--resume " + backID}, alive(detect.Headless, false)},
		{"an editor's server", demo, []string{"node", bin, "--experimental-acp"}, alive(detect.Server, false)},
		{"another folder", "/home/dev/work/other", []string{"node", bin}, gone},
		{"a folder below", demo + "/src", []string{"node", bin}, gone},
		{"a hidden folder", "", []string{"node", bin}, alive(detect.Interactive, false)},
		{"no session at all", demo, []string{"node", bin, "mcp", "list"}, gone},
		{"its own server of models", demo, []string{"node", bin, "gemma", "start"}, gone},
		{"its version", demo, []string{"node", bin, "--version"}, gone},
		{"an editor of its file", demo, []string{"vim", bin}, gone},
		{"a script of the project", demo, []string{"node", "build.js", "gemini"}, gone},
		{"a node option with a value", demo, []string{"node", "--import", "/x/hook.mjs", bin}, alive(detect.Interactive, false)},
		{"nothing", demo, nil, gone},
	} {
		_, home, s := world(t)
		table := procs{All: []agent.Proc{{PID: 40, Start: 9, Comm: "bash"}, {PID: 41, Leader: 40, Group: 41, Start: 7, Comm: "node"}},
			Args: map[int][]string{41: c.argv}, Dirs: map[int]string{41: c.cwd}}
		for _, dir := range []string{demo, ""} { // not told: by the hash of the working folder
			got, err := over(home, table).Live(t.Context(), s["back"], detect.Info{Dir: dir})
			if err != nil || len(got) != 1 {
				t.Errorf("%s: %+v, err %v", c.name, got, err)
				continue
			}
			h := got[0]
			if (want{h.Liveness, h.Kind, h.Sure}) != c.want || h.Why == "" {
				t.Errorf("%s (folder %q): %+v, want %+v", c.name, dir, h, c.want)
			}
			if h.Liveness == detect.Alive && (h.PID != 41 || h.Start != 7 || h.Group != 41 || h.Leader != 40 || h.LeaderStart != 9) {
				t.Errorf("%s: described as %+v", c.name, h)
			}
		}
	}
}

// TestLiveHosts: what an editor drives ("gemini --acp") takes sessions of any folder, and its own folder says nothing. A session that a
// headless run drove last is in none; the old files do not tell.
func TestLiveHosts(t *testing.T) {
	const demo, bin = "/home/dev/work/demo", "/usr/bin/gemini"
	acp := []string{"node", bin, "--acp"}
	for _, c := range []struct {
		name, cwd string
		argv      []string
		session   string
		info      detect.Info
		held      bool
	}{
		{"an editor's", "/", acp, "back", detect.Info{Dir: demo, Interactive: true}, true},
		{"an editor's child", "/", []string{"/usr/bin/node", "--max-old-space-size=4096", bin, "--experimental-acp"}, "back", detect.Info{Dir: demo, Interactive: true}, true},
		{"an editor's, the folder not told", "/", acp, "back", detect.Info{Interactive: true}, true},
		{"a headless run drove it", "/", acp, "back", detect.Info{Dir: demo}, false},
		{"a headless run drove it, and the host works there", demo, acp, "back", detect.Info{Dir: demo}, true},
		{"an old file", "/", acp, "old", detect.Info{Dir: demo}, true},
		{"a server of the protocol between agents", demo, []string{"node", "/usr/bin/gemini-cli-a2a-server"}, "back", detect.Info{Dir: demo}, true},
		{"the same elsewhere", "/", []string{"node", "/x/@google/gemini-cli-a2a-server/dist/src/http/server.js"}, "back", detect.Info{Dir: demo, Interactive: true}, true},
		{"a terminal elsewhere", "/", []string{"node", bin}, "back", detect.Info{Dir: demo, Interactive: true}, false},
	} {
		_, home, s := world(t)
		table := procs{All: []agent.Proc{{PID: 41, Start: 7, Comm: "node"}}, Args: map[int][]string{41: c.argv}, Dirs: map[int]string{41: c.cwd}}
		ds := s["back"]
		if c.session == "old" {
			ds.Path = ds.Path[:len(ds.Path)-1] // .json
		}
		got, err := over(home, table).Live(t.Context(), ds, c.info)
		want := detect.Holder{Liveness: detect.Gone}
		if c.held {
			want = detect.Holder{Liveness: detect.Alive, Kind: detect.Server, PID: 41}
		}
		if err != nil || len(got) != 1 || got[0].Liveness != want.Liveness || got[0].Kind != want.Kind || got[0].PID != want.PID || got[0].Sure {
			t.Errorf("%s: %+v, err %v", c.name, got, err)
		}
	}
}

// TestLiveBeforeItsHeader: a session's file is empty for a moment, and its folder is not known. Then every window may have it open, so
// none of them is taken, and remembered, for the one that has.
func TestLiveBeforeItsHeader(t *testing.T) {
	_, home, s := world(t)
	ds := s["back"]
	ds.Path = filepath.Join(filepath.Dir(ds.Path), "session-2026-11-25T07-00-"+ds.ID[:8]+".jsonl")
	if err := os.WriteFile(ds.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	argv := []string{"node", "/usr/bin/gemini"}
	table := procs{All: []agent.Proc{{PID: 41, Start: 7, TTY: "/dev/pts/3"}, {PID: 42, Start: 8}},
		Args: map[int][]string{41: argv, 42: append(argv, "--resume", ds.ID)}, Dirs: map[int]string{41: "/home/dev/other", 42: "/home/dev"}}
	got, err := over(home, table).Live(t.Context(), ds, detect.Info{})
	if err != nil || len(got) != 2 || got[0].PID != 42 || got[0].Liveness != detect.Alive || got[1].Liveness != detect.HolderUnknown {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLiveBoth: launcher and child hold the session, and the child alone when its launcher was killed.
func TestLiveBoth(t *testing.T) {
	_, home, s := world(t)
	args := []string{"/usr/bin/gemini", "--resume", backID}
	table := procs{All: []agent.Proc{{PID: 50}, {PID: 51, PPID: 50}, {PID: 52, Zombie: true}, {PID: 53}},
		Args: map[int][]string{50: append([]string{"node"}, args...), 51: append([]string{"node", "--max-old-space-size=1"}, args...), 52: append([]string{"node"}, args...),
			53: {"node", "/usr/bin/gemini"}},
		Dirs: map[int]string{53: "/home/dev/work/demo"}}
	info := detect.Info{Dir: "/home/dev/work/demo"}
	got, err := over(home, table).Live(t.Context(), s["back"], info)
	if err != nil || len(got) != 3 || !got[0].Sure || !got[1].Sure || got[2].Sure {
		t.Errorf("%+v, err %v", got, err)
	}
	table.All = table.All[1:2]
	if got, err = over(home, table).Live(t.Context(), s["back"], info); err != nil || len(got) != 1 || got[0].PID != 51 {
		t.Errorf("%+v, err %v", got, err)
	}
}

func TestLiveWithoutATable(t *testing.T) {
	_, home, s := world(t)
	for _, p := range []agent.Procs{nil, procs{Err: agent.ErrNoProcs}} {
		got, err := over(home, p).Live(t.Context(), s["back"], detect.Info{})
		if err != nil || len(got) != 1 || got[0].Liveness != detect.HolderUnknown {
			t.Errorf("%+v, err %v", got, err)
		}
	}
	broken := errors.New("broken")
	if got, err := over(home, procs{Err: broken}).Live(t.Context(), s["back"], detect.Info{}); !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%+v, err %v", got, err)
	}
}

// Launcher and child both tell where they are shown; a headless run does not.
func TestLiveTerminal(t *testing.T) {
	_, home, s := world(t)
	const demo, tty = "/home/dev/work/demo", "/dev/pts/3"
	table := procs{All: []agent.Proc{{PID: 50, Start: 5, TTY: tty}, {PID: 51, PPID: 50, Start: 6, TTY: tty}, {PID: 52, Start: 7, TTY: tty}},
		Args: map[int][]string{50: {"node", "/usr/bin/gemini"}, 51: {"node", "--max-old-space-size=1", "/usr/bin/gemini"}, 52: {"node", "/usr/bin/gemini", "-p", "x"}},
		Dirs: map[int]string{50: demo, 51: demo, 52: demo}}
	got, err := over(home, agenttest.InTmux{Procs: table}).Live(t.Context(), s["back"], detect.Info{Dir: demo})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	for n, shown := range []bool{true, true, false} {
		h := got[n]
		if (h.TTY == tty) != shown || (h.Tmux == "/tmp/tmux-1000/default" && h.Pane == "%3") != shown {
			t.Errorf("%+v", h)
		}
	}
}

func TestLivePassing(t *testing.T) {
	_, home, s := world(t)
	open := func(p agent.Procs) agent.Agent { return over(home, p) }
	agenttest.Spelled(t, open, s["back"], []string{"node", "/usr/bin/gemini"}, "node")
	agenttest.Bystanders(t, open, s["back"], "/home/dev/work/demo", agenttest.Procs{})
	agenttest.Passing(t, open, s["back"], "/home/dev/work/demo",
		[]string{"node", "/usr/bin/gemini"}, []string{"node", "/usr/bin/gemini", "--resume", backID, "-p", "x"}, "node", false)
}
