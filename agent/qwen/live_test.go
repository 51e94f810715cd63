package qwen

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const (
	script   = "/usr/lib/node_modules/@qwen-code/qwen-code/cli.js"
	launcher = "/usr/local/bin/qwen"
	tty      = "/dev/pts/3"
)

type want struct {
	liveness detect.Liveness
	kind     detect.HolderKind
	sure     bool
}

// TestLive: processes as they were recorded in two-in-one-folder, tui-finish and serve-sessions.
func TestLive(t *testing.T) {
	gone := want{liveness: detect.Gone}
	maybe := func(k detect.HolderKind) want { return want{detect.Alive, k, false} }
	sure := func(k detect.HolderKind) want { return want{detect.Alive, k, true} }
	for _, c := range []struct {
		name, cwd, tty string
		argv           []string
		tool           string // the session that a tool of its runs for
		want           want
	}{
		{"a launcher", work, "", []string{"node", launcher, "-p", "x"}, "", maybe(detect.Headless)},
		{"its child", work, "", []string{"/usr/bin/node", "--expose-gc", script, "-p", "x"}, "", maybe(detect.Headless)},
		{"headless in a terminal", work, tty, []string{"node", launcher, "--output-format", "stream-json", "x"}, "", maybe(detect.Headless)},
		{"interactive", work, tty, []string{"node", launcher, "--approval-mode", "default"}, "", maybe(detect.Interactive)},
		{"interactive with a prompt", work, tty, []string{"node", launcher, "-i", "x"}, "", maybe(detect.Interactive)},
		{"with its prompt on stdin", work, "", []string{"node", launcher}, "", maybe(detect.Headless)},
		{"a server", work, "", []string{"node", launcher, "serve", "--port", "4170"}, "", maybe(detect.Server)},
		{"a server's child", work, "", []string{"node", script, "--acp"}, "", maybe(detect.Server)},
		{"a server, its tool for another session", work, "", []string{"node", script, "--acp"}, other, maybe(detect.Server)},
		{"hidden folder", "", "", []string{"node", launcher, "-p", "x"}, "", maybe(detect.Headless)},
		{"another folder", "/home/dev/work", "", []string{"node", launcher, "-p", "x"}, "", gone},
		{"named", "/elsewhere", "", []string{"node", launcher, "--resume", sid, "-p", "x"}, "", sure(detect.Headless)},
		{"named, joined", work, "", []string{"node", launcher, "--session-id=" + sid, "-p", "x"}, "", sure(detect.Headless)},
		{"another one named", work, "", []string{"node", launcher, "-r", other, "-p", "x"}, "", gone},
		{"another one named, in a terminal", work, tty, []string{"node", launcher, "-r", other}, "", maybe(detect.Interactive)},
		{"its tool runs", "/elsewhere", "", []string{"node", launcher, "-p", "x"}, sid, sure(detect.Headless)},
		{"a tool of another session", work, "", []string{"node", launcher, "-p", "x"}, other, gone},
		{"no session", work, tty, []string{"node", launcher, "mcp", "list"}, "", gone},
		{"no session, by a short name", work, tty, []string{"node", launcher, "hook", "list"}, "", gone},
		{"its help", work, tty, []string{"node", launcher, "--help"}, "", gone},
		{"an editor of its script", work, tty, []string{"vim", script}, "", gone},
		{"a script of the project", work, tty, []string{"node", "build.js", "qwen"}, "", gone},
		{"a script named after it", work, tty, []string{"bash", "/home/dev/qwen.sh"}, "", gone},
	} {
		table := agenttest.Procs{All: []agent.Proc{{PID: 40, Start: 9}, {PID: 41, PPID: 40, Leader: 40, Group: 41, Start: 7, TTY: c.tty}},
			Args: map[int][]string{41: c.argv, 42: {"bash", "-c", "x"}}, Dirs: map[int]string{41: c.cwd}, Vars: map[int][]string{}}
		if c.tool != "" {
			table.All = append(table.All, agent.Proc{PID: 42, PPID: 41, Start: 8})
			table.Vars[42] = []string{"A=b", sessionVar + "=" + c.tool}
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
		if h.Liveness == detect.Alive && (h.PID != 41 || h.Start != 7 || h.Group != 41 || h.LeaderStart != 9) {
			t.Errorf("%s: described as %+v", c.name, h)
		}
	}
}

// A qwen that a tool of another one has started has that one's session in its own environment, and so have its children.
func TestLiveNested(t *testing.T) {
	env := []string{sessionVar + "=" + sid}
	argv := []string{"node", launcher, "-p", "x"}
	table := agenttest.Procs{All: []agent.Proc{{PID: 41}, {PID: 42, PPID: 41}, {PID: 43, PPID: 42}, {PID: 44, PPID: 43}},
		Args: map[int][]string{41: argv, 42: {"bash"}, 43: argv, 44: {"node", "mcp.js"}}, Dirs: map[int]string{41: work, 43: "/home/dev"},
		Vars: map[int][]string{42: env, 43: env, 44: env}}
	got, err := over(t.TempDir(), table, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{Dir: work})
	if err != nil || len(got) != 1 || got[0].PID != 41 || !got[0].Sure {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestRegistry: an entry binds a terminal's process to its session, and so does one for another session.
func TestRegistry(t *testing.T) {
	argv := []string{"node", script, "--approval-mode", "default"}
	table := agenttest.Procs{All: []agent.Proc{{PID: 19, Start: 1, TTY: tty}, {PID: 27, PPID: 19, Start: 2, TTY: tty}, {PID: 47, PPID: 27, Start: 3, TTY: tty}},
		Args: map[int][]string{19: {"node", launcher}, 27: argv, 47: argv}, Dirs: map[int]string{19: work, 27: work, 47: work}, Within: "pid:[77]"}
	entry := func(session, start, space string) string {
		return `{"schemaVersion":1,"pid":47,"procStart":"` + start + `","pidNs":` + space + `,"sessionId":"` + session + `","cwd":"` + work + `","kind":"tui","ipcToken":"x"}`
	}
	begun := func(ago time.Duration) agent.Procs { // the machine, beside when the entry is written
		return agenttest.Procs{All: []agent.Proc{{PID: 1, Comm: "init", Started: time.Now().Add(ago)}}, Within: "pid:[77]"}
	}
	for name, c := range map[string]struct {
		entry string
		procs agent.Procs
		want  want
		pid   int
	}{
		"its own":           {entry(sid, "boot:3", "77"), table, want{detect.Alive, detect.Interactive, true}, 47},
		"another session's": {entry(other, "boot:3", "77"), table, want{liveness: detect.Gone}, 0},
		"a pid used again":  {entry(sid, "boot:9", "77"), agenttest.Procs{All: table.All[2:], Args: map[int][]string{47: {"vim"}}, Within: "pid:[77]"}, want{detect.LeftBehind, detect.Interactive, true}, 47},
		"another boot":      {entry(sid, "before:3", "77"), agenttest.Procs{Within: "pid:[77]"}, want{detect.LeftBehind, detect.Interactive, true}, 47},
		"before this boot":  {entry(sid, "before:3", "77"), begun(time.Hour), want{detect.LeftBehind, detect.Interactive, true}, 47},
		"another machine's": {entry(sid, "before:3", "77"), begun(-time.Hour), want{detect.HolderUnknown, detect.Interactive, true}, 47},
		"another namespace": {entry(sid, "boot:3", "78"), agenttest.Procs{Within: "pid:[77]"}, want{detect.HolderUnknown, detect.Interactive, true}, 47},
		"no table":          {entry(sid, "boot:3", "77"), agenttest.Procs{Err: agent.ErrNoProcs, Within: "pid:[77]"}, want{detect.HolderUnknown, detect.Interactive, true}, 47},
		"no start":          {entry(sid, "", "77"), agenttest.Procs{Within: "pid:[77]"}, want{detect.HolderUnknown, detect.Interactive, true}, 47},
		"torn":              {`{"pid":4`, table, want{detect.HolderUnknown, "", false}, 47},
		"empty, gone":       {"", agenttest.Procs{}, want{liveness: detect.Gone}, 0},
		"another's name":    {strings.Replace(entry(sid, "boot:3", "77"), `"pid":47`, `"pid":48`, 1), agenttest.Procs{}, want{liveness: detect.Gone}, 0},
	} {
		q := over(t.TempDir(), c.procs, agent.Config{})
		put(t, filepath.Join(q.root, "sessions", "47.json"), c.entry)
		put(t, filepath.Join(q.root, "sessions", "notes.json"), "{}")
		got, err := q.Live(t.Context(), fileOf(q.root, sid), detect.Info{Dir: work})
		if err != nil || len(got) == 0 || (want{got[0].Liveness, got[0].Kind, got[0].Sure}) != c.want || got[0].PID != c.pid || got[0].Why == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if foreign := strings.HasPrefix(name, "another machine") || name == "another namespace"; got[0].Foreign != foreign {
			t.Errorf("%s: foreign %v", name, got[0].Foreign)
		}
		if name == "its own" && (len(got) != 1 || got[0].TTY != tty) {
			t.Errorf("its launcher counts, too: %+v", got)
		}
	}
}

// TestRegistryOfAMac: an entry that was written there tells of its process the pid alone.
func TestRegistryOfAMac(t *testing.T) {
	const entry = `{"schemaVersion":1,"pid":47,"procStart":null,"pidNs":null,"sessionId":"` + sid + `","cwd":"` + work + `","kind":"tui","ipcToken":"x"}`
	const contained = `{"schemaVersion":1,"pid":47,"procStart":"before:3","pidNs":77,"sessionId":"` + sid + `","cwd":"` + work + `","kind":"tui","ipcToken":"x"}`
	of := func(space string, ago time.Duration, argv ...string) agent.Procs {
		return agenttest.Procs{All: []agent.Proc{{PID: 47, Start: 3, TTY: tty, Started: time.Now().Add(-ago)}}, Args: map[int][]string{47: argv}, Dirs: map[int]string{47: "/"}, Within: space}
	}
	left, unknown := want{detect.LeftBehind, detect.Interactive, true}, want{detect.HolderUnknown, detect.Interactive, true}
	for name, c := range map[string]struct {
		entry   string
		procs   agent.Procs
		want    want
		foreign bool
	}{
		"it is open":               {entry, of(agent.MacPIDs, time.Hour, "node", script), want{detect.Alive, detect.Interactive, true}, false},
		"it was killed":            {entry, agenttest.Procs{Within: agent.MacPIDs}, left, false},
		"another program's pid":    {entry, of(agent.MacPIDs, time.Hour, "vim"), left, false},
		"a later qwen's pid":       {entry, of(agent.MacPIDs, -time.Hour, "node", script), unknown, false},
		"it hides what it is":      {entry, of(agent.MacPIDs, time.Hour), unknown, false},
		"seen from a container":    {entry, of("pid:[77]", time.Hour, "vim"), unknown, true},
		"in a container on a Mac":  {contained, of(agent.MacPIDs, time.Hour, "vim"), unknown, true},
		"on a system without both": {entry, of("", time.Hour, "node", script), unknown, false},
	} {
		q := over(t.TempDir(), c.procs, agent.Config{})
		put(t, filepath.Join(q.root, "sessions", "47.json"), c.entry)
		got, err := q.Live(t.Context(), fileOf(q.root, sid), detect.Info{Dir: work})
		if err != nil || len(got) == 0 || (want{got[0].Liveness, got[0].Kind, got[0].Sure}) != c.want || got[0].PID != 47 || got[0].Foreign != c.foreign || got[0].Why == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if name == "it is open" && (got[0].Start != 3 || got[0].TTY != tty) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestLiveHosts: what an editor drives ("qwen --acp") takes sessions of any folder, and its own folder says nothing. Below
// "qwen serve" each such process works in the one folder that it has sessions of. A session that a headless run drove last is in none.
func TestLiveHosts(t *testing.T) {
	acp, serve := []string{"node", script, "--acp"}, []string{"node", launcher, "serve", "--workspace", work}
	gone, maybe := want{liveness: detect.Gone}, want{detect.Alive, detect.Server, false}
	for _, c := range []struct {
		name, cwd string
		argv, by  []string
		info      detect.Info
		want      want
	}{
		{"an editor's", "/", acp, []string{"zed"}, detect.Info{Interactive: true}, maybe},
		{"an editor's, of an old version", "/", []string{"node", launcher, "--experimental-acp"}, []string{"zed"}, detect.Info{Interactive: true}, maybe},
		{"before anything tells how it is driven", "/", acp, []string{"zed"}, detect.Info{Untold: true}, maybe},
		{"a headless run drove it", "/", acp, []string{"zed"}, detect.Info{}, gone},
		{"below a server, elsewhere", "/", acp, serve, detect.Info{Interactive: true}, gone},
		{"below a server, here", work, acp, serve, detect.Info{Interactive: true}, maybe},
	} {
		table := agenttest.Procs{All: []agent.Proc{{PID: 40, Start: 9}, {PID: 41, PPID: 40, Start: 7}},
			Args: map[int][]string{40: c.by, 41: c.argv}, Dirs: map[int]string{40: "/", 41: c.cwd}}
		c.info.Dir = work
		got, err := over(t.TempDir(), table, agent.Config{}).Live(t.Context(), fileOf("/x", sid), c.info)
		if err != nil || len(got) != 1 || (want{got[0].Liveness, got[0].Kind, got[0].Sure}) != c.want || got[0].PID != 0 && got[0].PID != 41 {
			t.Errorf("%s: %+v, err %v; want %+v", c.name, got, err, c.want)
		}
	}
}

// TestLiveBeforeItsFirstRecord: a session's file is empty for a moment, and its folder is not known. Then every window may have it open, so
// none of them is taken, and remembered, for the one that has.
func TestLiveBeforeItsFirstRecord(t *testing.T) {
	argv := []string{"node", script}
	table := agenttest.Procs{All: []agent.Proc{{PID: 41, Start: 7, TTY: tty}, {PID: 47, Start: 3, TTY: tty}}, Args: map[int][]string{41: argv, 47: argv},
		Dirs: map[int]string{41: "/home/dev/other", 47: work}, Within: "pid:[77]"}
	q := over(t.TempDir(), table, agent.Config{})
	put(t, filepath.Join(q.root, "sessions", "47.json"), `{"pid":47,"procStart":"boot:3","pidNs":77,"sessionId":"`+sid+`","kind":"tui"}`)
	for id, want := range map[string][]detect.Liveness{sid: {detect.Alive, detect.HolderUnknown}, other: {detect.HolderUnknown}} {
		got, err := q.Live(t.Context(), fileOf(q.root, id), detect.Info{})
		var is []detect.Liveness
		for _, h := range got {
			is = append(is, h.Liveness)
		}
		if err != nil || !slices.Equal(is, want) {
			t.Errorf("%s: %+v, %v; want %v", id, got, err, want)
		}
	}
}

// TestRegistryOfHosts: a process that hosts several sessions has an entry for each, and may have others without one.
func TestRegistryOfHosts(t *testing.T) {
	table := agenttest.Procs{All: []agent.Proc{{PID: 47, Start: 3}}, Args: map[int][]string{47: {"node", script, "--acp"}}, Dirs: map[int]string{47: "/"}, Within: "pid:[77]"}
	entry := func(session, kind string) string {
		return `{"schemaVersion":1,"pid":47,"procStart":"boot:3","pidNs":77,"sessionId":"` + session + `","cwd":"` + work + `","kind":"` + kind + `","ipcToken":"x"}`
	}
	gone := want{liveness: detect.Gone}
	has := want{detect.Alive, detect.Server, true}
	for name, c := range map[string]struct {
		file, entry string
		procs       agent.Procs
		info        detect.Info
		want        want
		why         string
	}{
		"an editor's":           {"47-0e1e7de3.json", entry(sid, "headless"), table, detect.Info{}, has, "editor"},
		"a server's":            {"47-d0c991e0.json", entry(sid, "serve"), table, detect.Info{}, has, "qwen serve"},
		"of a kind to come":     {"47-d0c991e0.json", entry(sid, "new"), table, detect.Info{}, has, ""},
		"without a kind":        {"47.json", strings.Replace(entry(sid, "x"), `"kind":"x",`, "", 1), table, detect.Info{}, want{detect.Alive, detect.Interactive, true}, ""},
		"killed":                {"47-0e1e7de3.json", entry(sid, "headless"), agenttest.Procs{Within: "pid:[77]"}, detect.Info{}, want{detect.LeftBehind, detect.Server, true}, ""},
		"another session's":     {"47-0e1e7de3.json", entry(other, "headless"), table, detect.Info{Interactive: true}, want{detect.Alive, detect.Server, false}, "any folder"},
		"a name of another use": {"47-0E1E7DE3.json", entry(sid, "headless"), table, detect.Info{}, gone, ""},
		"another pid's":         {"48-0e1e7de3.json", entry(sid, "headless"), table, detect.Info{}, gone, ""},
	} {
		q := over(t.TempDir(), c.procs, agent.Config{})
		put(t, filepath.Join(q.root, "sessions", c.file), c.entry)
		c.info.Dir = work
		got, err := q.Live(t.Context(), fileOf(q.root, sid), c.info)
		if err != nil || len(got) != 1 || (want{got[0].Liveness, got[0].Kind, got[0].Sure}) != c.want || !strings.Contains(got[0].Why, c.why) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
		if found, err := q.Launches(filepath.Join(q.root, "sessions", c.file)); c.want.kind == detect.Server && (len(found) != 0 || err != nil) {
			t.Errorf("%s: launches %+v, %v", name, found, err)
		}
	}
}

// A process of this namespace is another one than that of an entry from elsewhere which has its number.
func TestRegistryOfAnotherNamespace(t *testing.T) {
	table := agenttest.Procs{All: []agent.Proc{{PID: 47, Start: 3, TTY: tty}}, Args: map[int][]string{47: {"node", script}}, Dirs: map[int]string{47: work}, Within: "pid:[77]"}
	q := over(t.TempDir(), table, agent.Config{})
	put(t, filepath.Join(q.root, "sessions", "47.json"), `{"pid":47,"procStart":"boot:3","pidNs":78,"sessionId":"`+sid+`","kind":"tui"}`)
	got, err := q.Live(t.Context(), fileOf(q.root, sid), detect.Info{Dir: work})
	if err != nil || len(got) != 2 || got[0].Liveness != detect.HolderUnknown || got[1].Liveness != detect.Alive {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestRegistryHints: a terminal goes over to another session, and ends.
func TestRegistryHints(t *testing.T) {
	q, s := session(t, begun)
	second := fileOf(q.root, other)
	put(t, second.Path, strings.ReplaceAll(begun, sid, other))
	path := filepath.Join(q.root, "sessions", "47.json")
	ids := func() (ids []string) {
		t.Helper()
		all, err := q.Scan(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all {
			ids = append(ids, x.Session.ID)
		}
		return ids
	}
	write := func(id string) {
		t.Helper()
		put(t, path+".new", `{"pid":47,"procStart":"boot:3","sessionId":"`+id+`"}`)
		rename(t, path+".new", path)
	}
	write(s.ID)
	if got := ids(); !slices.Equal(got, []string{sid}) {
		t.Errorf("%q", got)
	}
	write(other)
	if got := ids(); !slices.Equal(got, []string{other, sid}) {
		t.Errorf("after /clear: %q", got)
	}
	rename(t, path, path+".gone")
	if got := ids(); !slices.Equal(got, []string{other}) {
		t.Errorf("after its end: %q", got)
	}
}

func TestLiveWithoutATable(t *testing.T) {
	for _, procs := range []agent.Procs{nil, agenttest.Procs{Err: agent.ErrNoProcs}} {
		got, err := over(t.TempDir(), procs, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{})
		if err != nil || len(got) != 1 || got[0].Liveness != detect.HolderUnknown {
			t.Errorf("%+v, err %v", got, err)
		}
	}
	broken := errors.New("broken")
	if got, err := over(t.TempDir(), agenttest.Procs{Err: broken}, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{}); !errors.Is(err, broken) {
		t.Errorf("%+v, err %v", got, err)
	}
}

// Between two programs a process shows nothing, or what another one was started with.
func TestPassing(t *testing.T) {
	open := func(procs agent.Procs) agent.Agent { return over("/x", procs, agent.Config{}) }
	agenttest.Spelled(t, open, fileOf(t.TempDir(), sid), []string{"node", launcher}, "node")
	agenttest.Bystanders(t, open, fileOf(t.TempDir(), sid), work, agenttest.Procs{})
	agenttest.Passing(t, open, fileOf(t.TempDir(), sid), work, []string{"node", launcher}, []string{"node", launcher, "--resume", sid}, "node", false)
}

// The launcher's environment is its user's; its child's may have more.
func TestBounds(t *testing.T) {
	q, s := session(t, begun+failing)
	start := at("2026-11-22T12:13:03.673Z")
	proc := func(pid int, after time.Duration) agent.Proc {
		return agent.Proc{PID: pid, PPID: pid - 1, Start: uint64(pid), Started: start.Add(after)}
	}
	argv := []string{"node", launcher, "-p", "x", "--approval-mode", "auto-edit"}
	for name, c := range map[string]struct {
		vars map[int][]string
		argv []string
		want string
	}{
		"none":              {map[int][]string{7: {"A=b"}, 8: {"A=b", "QWEN_CODE_SIMPLE=1"}}, argv, ""},
		"a sandbox":         {map[int][]string{7: {"QWEN_SANDBOX=podman"}, 8: {"SANDBOX=x"}}, argv, "QWEN_SANDBOX"},
		"bare by variable":  {map[int][]string{7: {"QWEN_CODE_SIMPLE=1"}, 8: {"QWEN_CODE_SIMPLE=1"}}, argv, "QWEN_CODE_SIMPLE"},
		"bare by an option": {map[int][]string{7: {"QWEN_CODE_SIMPLE=1"}, 8: {"QWEN_CODE_SIMPLE=1"}}, append(slices.Clone(argv), "--bare"), ""},
		"in a sandbox":      {map[int][]string{7: {"QWEN_SANDBOX=podman", "SANDBOX=x"}}, argv, ""},
	} {
		found, err := over(q.root, agenttest.Procs{All: []agent.Proc{proc(7, -2*time.Second), proc(8, -time.Second)}, Args: map[int][]string{7: c.argv, 8: c.argv},
			Dirs: map[int]string{7: work, 8: work}, Vars: c.vars}, agent.Config{}).Launches(s.Path)
		if err != nil || len(found) != 1 || strings.Join(q.cfg.Unlike(q.env, found[0].Bounds), " ") != c.want {
			t.Errorf("%s: %+v, %v; want %q", name, found, err, c.want)
		}
	}
}

func TestLaunches(t *testing.T) {
	q, s := session(t, begun+failing)
	start := at("2026-11-22T12:13:03.673Z")
	proc := func(pid int, after time.Duration) agent.Proc {
		return agent.Proc{PID: pid, Start: uint64(pid), Started: start.Add(after)}
	}
	argv := []string{"node", launcher, "-p", "x", "--approval-mode", "auto-edit"}
	for _, c := range []struct {
		name string
		all  []agent.Proc
		argv map[int][]string
		vars map[int][]string
		want int // pid; 0: none
	}{
		{name: "alone", all: []agent.Proc{proc(7, -time.Second)}, argv: map[int][]string{7: argv}, want: 7},
		{name: "a launcher and its child", all: []agent.Proc{proc(7, -2*time.Second), proc(8, -time.Second)}, argv: map[int][]string{7: argv, 8: argv}, want: 8},
		{name: "it was started later", all: []agent.Proc{proc(7, time.Minute)}, argv: map[int][]string{7: argv}},
		{name: "it was started long before", all: []agent.Proc{proc(7, -time.Hour)}, argv: map[int][]string{7: argv}},
		{name: "two that differ", all: []agent.Proc{proc(7, -time.Second), proc(8, -time.Second)}, argv: map[int][]string{7: argv, 8: argv[:4]}},
		{name: "named by its arguments", all: []agent.Proc{proc(7, time.Hour)}, argv: map[int][]string{7: append(slices.Clone(argv), "--resume", s.ID)}, want: 7},
		{name: "clawd's own", all: []agent.Proc{proc(7, -time.Second)}, argv: map[int][]string{7: argv}, vars: map[int][]string{7: {agent.AttemptVar + "=1"}}},
		{name: "another program", all: []agent.Proc{proc(7, -time.Second)}, argv: map[int][]string{7: {"vi"}}},
	} {
		dirs := map[int]string{7: work, 8: work}
		found, err := over(q.root, agenttest.Procs{All: c.all, Args: c.argv, Dirs: dirs, Vars: c.vars}, agent.Config{}).Launches(s.Path)
		pid := 0
		if len(found) == 1 && found[0].Session == s.ID {
			pid = found[0].PID
		}
		if err != nil || pid != c.want {
			t.Errorf("%s: %+v, %v; want process %d", c.name, found, err, c.want)
		}
		if c.want != 0 {
			if v, ok := found[0].Value(modeFlag); !ok || v != "auto-edit" {
				t.Errorf("%s: %+v", c.name, found[0])
			}
		}
	}

	table := agenttest.Procs{All: []agent.Proc{{PID: 47, Start: 3}}, Args: map[int][]string{47: {"node", launcher, "--approval-mode=plan"}}, Vars: map[int][]string{47: {"OPENAI_BASE_URL=http://x"}}}
	q = over(q.root, table, agent.Config{})
	path := filepath.Join(q.root, "sessions", "47.json")
	put(t, path, `{"pid":47,"procStart":"boot:3","sessionId":"`+sid+`"}`)
	found, err := q.Launches(path)
	if err != nil || len(found) != 1 || found[0].Session != sid || !strings.HasPrefix(found[0].Pays, "OPENAI_BASE_URL=") || strings.Contains(found[0].Pays, "http") {
		t.Errorf("a terminal: %+v, %v", found, err)
	}
	if v, _ := found[0].Value(modeFlag); v != "plan" {
		t.Errorf("%+v", found[0])
	}
}
