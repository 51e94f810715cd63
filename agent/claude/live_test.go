package claude

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// entryText makes a registry entry in the form of 2.1.197.
func entryText(pid int, id, start, more string) string {
	return `{"pid":` + strconv.Itoa(pid) + `,"sessionId":"` + id + `","cwd":"/home/dev/work/demo","procStart":"` + start + `","kind":"interactive"` + more + `}`
}

const demo = "/home/dev/work/demo"

func TestLive(t *testing.T) {
	proc := func(pid int, start uint64) agent.Proc {
		return agent.Proc{PID: pid, Group: pid, Leader: 1, Start: start, Comm: "claude"}
	}
	shell := agent.Proc{PID: 1, Leader: 1, Start: 3, Comm: "bash"}
	alive := func(h detect.Holder) detect.Holder {
		h.Liveness, h.Boot, h.Leader, h.LeaderStart = detect.Alive, "boot", 1, 3
		return h
	}
	unseen := func(h detect.Holder) detect.Holder {
		h = alive(h)
		h.Liveness = detect.HolderUnknown
		return h
	}
	argv := func(a ...string) map[int][]string { return map[int][]string{71: a} }
	in := map[int]string{71: demo, 72: demo}
	for _, c := range []struct {
		name    string
		entries map[int]string
		procs   table
		want    []detect.Holder
	}{
		{"terminal, idle", map[int]string{71: entryText(71, sid, "500", `,"entrypoint":"cli","status":"idle"`)}, table{All: []agent.Proc{shell, proc(71, 500)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Status: "idle", Sure: true})}},
		{"background shell", map[int]string{71: entryText(71, sid, "500", `,"entrypoint":"cli","status":"shell"`)}, table{All: []agent.Proc{shell, proc(71, 500)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Status: "idle", Sure: true})}},
		{"background agent", map[int]string{71: entryText(71, sid, "500", `,"entrypoint":"cli","status":"busy","updatedAt":1795370647009,"statusUpdatedAt":1795370647009`)}, table{All: []agent.Proc{shell, proc(71, 500)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Status: "busy", Since: time.UnixMilli(1795370647009).UTC(), Sure: true})}},
		{"headless", map[int]string{71: entryText(71, sid, "500", `,"entrypoint":"sdk-cli"`)}, table{All: []agent.Proc{shell, proc(71, 500)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Headless, PID: 71, Start: 500, Group: 71, Sure: true})}},
		{"an editor's, in another folder", map[int]string{71: entryText(71, sid, "500", `,"entrypoint":"claude-vscode"`)}, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Sure: true})}},
		{"a program's over the SDK, in another folder", map[int]string{71: entryText(71, sid, "500", `,"entrypoint":"sdk-ts"`)}, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Headless, PID: 71, Start: 500, Group: 71, Sure: true})}},
		{"two of them", map[int]string{71: entryText(71, sid, "500", `,"entrypoint":"cli"`), 72: entryText(72, sid, "600", `,"entrypoint":"cli"`)}, table{All: []agent.Proc{shell, proc(71, 500), proc(72, 600)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Sure: true}), alive(detect.Holder{Kind: detect.Interactive, PID: 72, Start: 600, Group: 72, Sure: true})}},
		{"killed", map[int]string{71: entryText(71, sid, "500", `,"entrypoint":"cli","status":"busy"`)}, table{All: []agent.Proc{shell}},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Status: "busy", Sure: true}}},
		{"zombie", map[int]string{71: entryText(71, sid, "500", "")}, table{All: []agent.Proc{{PID: 71, Start: 500, Comm: "claude", Zombie: true}}},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true}}},
		{"pid given to another process", map[int]string{71: entryText(71, sid, "500", "")}, table{All: []agent.Proc{shell, {PID: 71, Start: 9999, Comm: "vim"}}, Args: argv("vim")},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true}}},
		{"hides its folder", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Args: argv("claude")},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71})}},
		{"hides its folder and its arguments", nil, table{All: []agent.Proc{shell, proc(71, 500)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71})}},
		{"is ending", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Ended: map[int]bool{71: true}}, []detect.Holder{{Liveness: detect.Gone}}},
		{"terminal on macOS", map[int]string{71: entryText(71, sid, "Sat Nov  7 00:18:12 2026", `,"entrypoint":"cli"`)}, table{All: []agent.Proc{shell, proc(71, 1794010692_000123)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 1794010692_000123, Group: 71, Sure: true})}},
		{"another start on macOS", map[int]string{71: entryText(71, sid, "Sat Nov  7 00:18:12 2026", `,"entrypoint":"cli"`)}, table{All: []agent.Proc{shell, proc(71, 1794010693_000123)}, Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Boot: "boot", Sure: true}}},
		{"a Mac's", map[int]string{71: entryText(71, sid, "Sat Nov  7 00:18:12 2026", `,"entrypoint":"cli","pidDomain":"darwin"`)}, table{Within: agent.MacPIDs, All: []agent.Proc{shell, proc(71, 1794010692_000123)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 1794010692_000123, Group: 71, Sure: true})}},
		{"killed on a Mac", map[int]string{71: entryText(71, sid, "Sat Nov  7 00:18:12 2026", `,"pidDomain":"darwin"`)}, table{Within: agent.MacPIDs, All: []agent.Proc{shell}},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 71, Boot: "boot", Sure: true}}},
		{"in a container on a Mac", map[int]string{71: entryText(71, sid, "500", `,"pidDomain":"linux:0:pid:[2]"`)}, table{Within: agent.MacPIDs},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true, Foreign: true}}},
		{"in a container on a Mac, not told", map[int]string{71: entryText(71, sid, "500", "")}, table{Within: agent.MacPIDs, All: []agent.Proc{shell, {PID: 71, Start: 1794010692_000123, Comm: "launchd"}}},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true, Foreign: true}}},
		{"on the Mac that has the container", map[int]string{71: entryText(71, sid, "Sat Nov  7 00:18:12 2026", `,"pidDomain":"darwin"`)}, table{Within: "pid:[1]"},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Boot: "boot", Sure: true, Foreign: true}}},
		{"on the Mac that has the container, not told", map[int]string{71: entryText(71, sid, "Sat Nov  7 00:18:12 2026", "")}, table{Within: "pid:[1]"},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Boot: "boot", Sure: true, Foreign: true}}},
		{"other namespace, told", map[int]string{71: entryText(71, sid, "500", `,"pidDomain":"linux:0:pid:[2]"`)}, table{Within: "pid:[1]"},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true, Foreign: true}}},
		{"same namespace, told", map[int]string{71: entryText(71, sid, "500", `,"pidDomain":"linux:0:pid:[1]"`)}, table{Within: "pid:[1]", All: []agent.Proc{shell, proc(71, 500)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Sure: true})}},
		{"same namespace of another machine", map[int]string{71: entryText(71, sid, "500", `,"pidDomain":"linux:1:pid:[1]"`)}, table{Within: "pid:[1]", On: "2", All: []agent.Proc{shell, {PID: 71, Start: 9999, Comm: "vim"}}, Args: argv("vim")},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true, Foreign: true}}},
		{"killed on this machine", map[int]string{71: entryText(71, sid, "500", `,"pidDomain":"linux:2:pid:[1]"`)}, table{Within: "pid:[1]", On: "2"},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true}}},
		{"here, under another name of the machine", map[int]string{71: entryText(71, sid, "500", `,"pidDomain":"linux:1:pid:[1]"`)}, table{Within: "pid:[1]", On: "2", All: []agent.Proc{shell, proc(71, 500)}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Sure: true})}},
		{"other namespace, not told", map[int]string{67: entryText(67, sid, "500", "")}, table{All: []agent.Proc{shell, proc(71, 500)}, Inner: map[int]int{71: 67}},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Sure: true, Foreign: true})}},
		{"another of the same start in another namespace", map[int]string{67: entryText(67, sid, "500", "")}, table{All: []agent.Proc{shell, proc(71, 500)}, Inner: map[int]int{71: 68}, Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 67, Start: 500, Boot: "boot", Sure: true}}},
		{"another of the same start", map[int]string{67: entryText(67, sid, "500", "")}, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 67, Start: 500, Boot: "boot", Sure: true}}},
		{"ended since the processes were listed", map[int]string{71: entryText(71, sid, "500", "")}, table{All: []agent.Proc{shell, proc(71, 500)}, Ended: map[int]bool{71: true}, Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true}}},
		{"another program of the same start", map[int]string{67: entryText(67, sid, "500", "")}, table{All: []agent.Proc{shell, {PID: 71, Start: 500, Comm: "vim"}}, Args: argv("vim")},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 67, Start: 500, Boot: "boot", Sure: true}}},
		{"entry without a start", map[int]string{71: entryText(71, sid, "", "")}, table{All: []agent.Proc{shell, proc(71, 500)}, Args: argv("claude"), Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Boot: "boot", Sure: true}}},
		{"entry without a start whose pid is another program's", map[int]string{71: entryText(71, sid, "", "")}, table{All: []agent.Proc{shell, {PID: 71, Start: 500, Comm: "x"}}, Args: argv("x")},
			[]detect.Holder{{Liveness: detect.LeftBehind, Kind: detect.Interactive, PID: 71, Boot: "boot", Sure: true}}},
		{"torn entry of a live process", map[int]string{71: `{"pid":71,"sess`}, table{All: []agent.Proc{shell, proc(71, 500)}, Args: argv("claude"), Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{{Liveness: detect.HolderUnknown, PID: 71}}},
		{"torn entry of the SDK's process", map[int]string{71: `{`}, table{All: []agent.Proc{shell, {PID: 71, Start: 500, Comm: "claude.exe"}}, Args: argv("/x/claude.exe", "-p"), Dirs: map[int]string{71: "/x"}},
			[]detect.Holder{{Liveness: detect.HolderUnknown, PID: 71}}},
		{"torn entry whose pid is another program's", map[int]string{71: `{"pid":71,"sess`}, table{All: []agent.Proc{shell, {PID: 71, Start: 500, Comm: "vim"}}, Args: argv("vim", "claude"), Dirs: in}, []detect.Holder{{Liveness: detect.Gone}}},
		{"empty entry whose pid is another program's", map[int]string{71: ""}, table{All: []agent.Proc{shell, {PID: 71, Start: 500, Comm: "node"}}, Args: argv("node", "server.js"), Dirs: in}, []detect.Holder{{Liveness: detect.Gone}}},
		{"torn entry of a dead process", map[int]string{71: `{"pid":71,"sess`}, table{All: []agent.Proc{shell}}, []detect.Holder{{Liveness: detect.Gone}}},
		{"entry of another pid", map[int]string{71: entryText(70, sid, "500", "")}, table{All: []agent.Proc{shell}}, []detect.Holder{{Liveness: detect.Gone}}},
		{"nobody", nil, table{All: []agent.Proc{shell}}, []detect.Holder{{Liveness: detect.Gone}}},
		{"other session's process in the folder", map[int]string{71: entryText(71, id(9), "500", "")}, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: in}, []detect.Holder{{Liveness: detect.Gone}}},
		{"other session's dead entry", map[int]string{72: entryText(72, id(9), "500", "")}, table{All: []agent.Proc{shell}}, []detect.Holder{{Liveness: detect.Gone}}},
		{"no registry, node, same folder", nil, table{All: []agent.Proc{shell, {PID: 71, Group: 71, Leader: 1, Start: 500, Comm: "node"}}, Dirs: in, Args: argv("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "-p", "x")},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Headless, PID: 71, Start: 500, Group: 71})}},
		{"no registry, same folder, node options", nil, table{All: []agent.Proc{shell, {PID: 71, Group: 71, Leader: 1, Start: 500, Comm: "node"}}, Dirs: in, Args: argv("/usr/bin/node", "--no-warnings", "/home/dev/.local/bin/claude")},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71})}},
		{"no registry, other folder", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}}, []detect.Holder{{Liveness: detect.Gone}}},
		{"started for it, other folder", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}, Args: argv("claude", "--resume", sid)},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Sure: true, Named: true})}},
		{"started for it by path", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Args: argv("claude", "-r=/x/"+sid+".jsonl")},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71, Sure: true, Named: true})}},
		{"started for another, same folder", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: in, Args: argv("claude", "--session-id", id(9))}, []detect.Holder{{Liveness: detect.Gone}}},
		{"a copy of it", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: in, Args: argv("claude", "--fork-session", "--resume", sid)},
			[]detect.Holder{unseen(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71})}},
		{"a copy of it, other folder", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}, Args: argv("claude", "--resume="+sid, "--fork-session")}, []detect.Holder{{Liveness: detect.Gone}}},
		{"a copy of it, headless", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: in, Args: argv("claude", "-p", "-r", sid, "--fork-session")}, []detect.Holder{{Liveness: detect.Gone}}},
		{"a copy of it under a given id", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: in, Args: argv("claude", "-r", sid, "--fork-session", "--session-id", id(9))}, []detect.Holder{{Liveness: detect.Gone}}},
		{"the copy under its id", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}, Args: argv("claude", "-p", "-r", id(9), "--fork-session", "--session-id", sid)},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Headless, PID: 71, Start: 500, Group: 71, Sure: true, Named: true})}},
		{"a copy of another", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: in, Args: argv("claude", "-r", id(9), "--fork-session")},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Interactive, PID: 71, Start: 500, Group: 71})}},
		{"its prompt speaks of a copy", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: in, Args: argv("claude", "-p", "-r", sid, "--", "--fork-session")},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Headless, PID: 71, Start: 500, Group: 71, Sure: true, Named: true})}},
		{"its id is in another's prompt", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}, Args: argv("claude", "-p", "--", "-r", sid)}, []detect.Holder{{Liveness: detect.Gone}}},
		{"started for it, one word", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}, Args: argv("claude", "-pr"+sid)},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Headless, PID: 71, Start: 500, Group: 71, Sure: true, Named: true})}},
		{"started for it, two in one word", nil, table{All: []agent.Proc{shell, proc(71, 500)}, Dirs: map[int]string{71: "/x"}, Args: argv("claude", "-pr", sid)},
			[]detect.Holder{alive(detect.Holder{Kind: detect.Headless, PID: 71, Start: 500, Group: 71, Sure: true, Named: true})}},
		{"an editor on a file named claude", nil, table{All: []agent.Proc{shell, {PID: 71, Start: 500, Comm: "vim"}}, Dirs: in, Args: argv("vim", "claude")}, []detect.Holder{{Liveness: detect.Gone}}},
		{"no process table", map[int]string{71: entryText(71, sid, "500", "")}, table{Err: agent.ErrNoProcs},
			[]detect.Holder{{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: 71, Start: 500, Boot: "boot", Sure: true}}},
		{"no process table, no entry", nil, table{Err: agent.ErrNoProcs}, []detect.Holder{{Liveness: detect.HolderUnknown}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for pid, text := range c.entries {
				put(t, filepath.Join(root, "sessions", strconv.Itoa(pid)+".json"), text)
			}
			got, err := over(root, c.procs, agent.Config{}).Live(t.Context(), session(root, sid), detect.Info{Dir: demo})
			must(t, err)
			for n := range got {
				if got[n].Why == "" {
					t.Errorf("holder %d has no why", n)
				}
				got[n].Why = ""
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestLiveRecorded takes the entries of real processes.
func TestLiveRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(cases, "*/*sessions/*.json"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d entries, err %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		root := t.TempDir()
		path := filepath.Join(root, "sessions", filepath.Base(f))
		put(t, path, string(b))
		c := over(root, table{}, agent.Config{})
		e, err := c.readEntry(path)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		start, err := strconv.ParseUint(e.ProcStart, 10, 64)
		must(t, err)
		ns := "pid:[7]"
		if e.PIDDomain != "" {
			ns = e.PIDDomain[strings.Index(e.PIDDomain, "pid:"):]
		}
		for _, alive := range []bool{true, false} {
			p := table{Within: ns}
			want := detect.LeftBehind
			if alive {
				p.All, want = []agent.Proc{{PID: e.PID, Start: start, Comm: "claude"}}, detect.Alive
			}
			got, err := over(root, p, agent.Config{}).Live(t.Context(), session(root, e.SessionID), detect.Info{Dir: e.CWD})
			if err != nil || len(got) != 1 || got[0].Liveness != want || got[0].Foreign {
				t.Errorf("%s: %+v, %v", f, got, err)
			}
		}
	}
}

func TestLiveThisMachine(t *testing.T) {
	root := t.TempDir()
	procs := agent.NewProcs()
	me, ok := procs.Get(os.Getpid())
	if !ok {
		t.Skip("no process table here")
	}
	put(t, filepath.Join(root, "sessions", strconv.Itoa(me.PID)+".json"), entryText(me.PID, sid, strconv.FormatUint(me.Start, 10), ""))
	got, err := over(root, procs, agent.Config{}).Live(t.Context(), session(root, sid), detect.Info{Dir: demo})
	if err != nil || len(got) != 1 || got[0].Liveness != detect.Alive || got[0].Group != me.Group || got[0].Leader != me.Leader {
		t.Errorf("%+v, %v", got, err)
	}
}

// A terminal's holder tells where it is shown, a headless one does not.
func TestLiveTerminal(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "sessions", "71.json"), entryText(71, sid, "500", `,"entrypoint":"cli"`))
	put(t, filepath.Join(root, "sessions", "72.json"), entryText(72, sid, "600", `,"entrypoint":"sdk-cli"`))
	procs := table{All: []agent.Proc{{PID: 71, Start: 500, Comm: "claude", TTY: "/dev/pts/3"}, {PID: 72, Start: 600, Comm: "claude", TTY: "/dev/pts/3"},
		{PID: 73, Start: 700, Comm: "claude", TTY: "/dev/pts/4"}}, Dirs: map[int]string{73: demo}}
	got, err := over(root, agenttest.InTmux{Procs: procs}, agent.Config{}).Live(t.Context(), session(root, sid), detect.Info{Dir: demo})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	for n, tty := range []string{"/dev/pts/3", "", "/dev/pts/4"} {
		h := got[n]
		if h.TTY != tty || (h.Tmux == "/tmp/tmux-1000/default" && h.Pane == "%3") != (tty != "") {
			t.Errorf("%+v", h)
		}
	}
}

func TestLivePassing(t *testing.T) {
	root := t.TempDir()
	open := func(p agent.Procs) agent.Agent { return over(root, p, agent.Config{}) }
	agenttest.Spelled(t, open, session(root, sid), []string{"claude"}, "claude")
	agenttest.Bystanders(t, open, session(root, sid), demo, agenttest.Procs{})
	agenttest.Passing(t, open, session(root, sid), demo,
		[]string{"claude"}, []string{"claude", "-p", "-r", sid}, "claude", true)
}

// What its user asks the program about itself, in the folder of a session, holds no session.
func TestLiveOffhand(t *testing.T) {
	root, old := t.TempDir(), t.TempDir() // of a version that keeps no registry, to which a newer command is a prompt
	must(t, os.Mkdir(filepath.Join(root, "sessions"), 0o700))
	for line, want := range map[string]detect.Liveness{
		"claude mcp list": detect.Gone, "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js doctor": detect.Gone, "/usr/bin/claude plugin list": detect.Gone,
		"/opt/claude.exe --bg-pty-host /tmp/x.sock 200 50 -- /opt/claude.exe": detect.Gone, "/opt/claude.exe --bg-spare /tmp/x.sock": detect.Gone, "claude agents": detect.Gone, "claude attach 0840e06f": detect.Gone,
		"claude": detect.Alive, "claude --model mcp": detect.Alive, "claude -c update": detect.Alive,
	} {
		procs := table{All: []agent.Proc{{PID: 73, Start: 700, Comm: "claude", TTY: "/dev/pts/4"}}, Dirs: map[int]string{73: demo}, Args: map[int][]string{73: strings.Fields(line)}}
		got, err := over(root, procs, agent.Config{}).Live(t.Context(), session(root, sid), detect.Info{Dir: demo})
		if err != nil || len(got) != 1 || got[0].Liveness != want {
			t.Errorf("%s: %+v, %v; want %s", line, got, err, want)
		}
		got, err = over(old, procs, agent.Config{}).Live(t.Context(), session(old, sid), detect.Info{Dir: demo})
		if err != nil || len(got) != 1 || got[0].Liveness != detect.Alive {
			t.Errorf("%s, no registry: %+v, %v", line, got, err)
		}
	}
}
