package opencode

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestLive(t *testing.T) {
	const id, other = ourSession, "ses_e047a531cffesBeTRrTfaQc0DI"
	const dir = "/home/dev/work/demo"
	argv := func(a ...string) []string { return a }
	for name, c := range map[string]struct {
		argv []string
		comm string
		cwd  string
		db   string // "ours", "other", "none"
		want detect.HolderKind
		sure bool
		gone bool
		live detect.Liveness // "": alive
		app  bool            // it has no terminal
	}{
		"TUI here":                       {argv: argv("opencode"), cwd: dir, db: "ours", want: detect.Interactive},
		"TUI above":                      {argv: argv("opencode"), cwd: "/home/dev/work", db: "ours", want: detect.Interactive},
		"TUI below":                      {argv: argv("opencode"), cwd: dir + "/sub", db: "ours", want: detect.Interactive},
		"TUI elsewhere":                  {argv: argv("opencode"), cwd: "/home/dev/work/demo2", db: "ours", gone: true},
		"TUI elsewhere, newest session":  {argv: argv("opencode", "-c"), cwd: "/home/dev/work/demo2", db: "ours", gone: true},
		"TUI of this session":            {argv: argv("opencode", "-s", id), cwd: dir, db: "ours", want: detect.Interactive, sure: true},
		"TUI of another session":         {argv: argv("opencode", "--session", other), cwd: dir, db: "ours", want: detect.Interactive},
		"TUI of a folder":                {argv: argv("opencode", "./demo"), cwd: "/home/dev/work/x", db: "ours", gone: true},
		"TUI of our folder":              {argv: argv("opencode", "../demo"), cwd: "/home/dev/work/x", db: "ours", want: detect.Interactive},
		"TUI with a port":                {argv: argv("opencode", "--port", "4097"), cwd: "/elsewhere", db: "ours", want: detect.Server},
		"server":                         {argv: argv("/usr/bin/opencode", "serve"), cwd: "/", db: "ours", want: detect.Server},
		"web":                            {argv: argv("opencode", "--port=1", "web"), cwd: "/", db: "ours", want: detect.Server},
		"an editor's":                    {argv: argv("opencode", "acp"), cwd: "/", db: "ours", want: detect.Server},
		"an app":                         {argv: argv("/opt/OpenCode/opencode-desktop", "--type=utility"), cwd: "/home/dev", db: "ours", want: detect.Server, app: true},
		"an app, here":                   {argv: argv("/opt/OpenCode/opencode-desktop", "--type=utility"), cwd: dir, db: "ours", want: detect.Server, app: true},
		"an app's window":                {argv: argv("/opt/OpenCode/opencode-desktop", "--type=renderer"), cwd: "/elsewhere", db: "none", gone: true, app: true},
		"a command nobody knows":         {argv: argv("opencode", "orchestrate"), cwd: "/", db: "ours", want: detect.Server},
		"run of this session":            {argv: argv("opencode", "run", "--session", id, "continue"), cwd: dir, db: "ours", want: detect.Headless, sure: true},
		"run of this session, =":         {argv: argv("opencode", "run", "--session="+id, "--", "x"), cwd: "/elsewhere", db: "ours", want: detect.Headless, sure: true},
		"run of this session, starting":  {argv: argv("opencode", "run", "-s", id, "continue"), cwd: dir, db: "none", want: detect.Headless, sure: true},
		"run of another session":         {argv: argv("opencode", "run", "--session", other, "continue"), cwd: dir, db: "ours", gone: true},
		"TUI of a copy of this":          {argv: argv("opencode", "--session", id, "--fork"), cwd: dir, db: "ours", live: detect.HolderUnknown, want: detect.Interactive},
		"TUI of a copy, joined":          {argv: argv("opencode", "--fork=true", "--session="+id), cwd: dir, db: "ours", live: detect.HolderUnknown, want: detect.Interactive},
		"TUI of a copy, elsewhere":       {argv: argv("opencode", "-s", id, "--fork"), cwd: "/elsewhere", db: "ours", gone: true},
		"TUI of a copy, mini":            {argv: argv("opencode", "--mini", "--fork", "true", "-s", id), cwd: dir, db: "ours", live: detect.HolderUnknown, want: detect.Interactive},
		"TUI of no copy":                 {argv: argv("opencode", "-s", id, "--fork=false"), cwd: dir, db: "ours", want: detect.Interactive, sure: true},
		"TUI of no copy, in two words":   {argv: argv("opencode", "--fork", "false", "-s", id), cwd: dir, db: "ours", want: detect.Interactive, sure: true},
		"TUI of no copy, negated":        {argv: argv("opencode", "-s", id, "--no-fork"), cwd: dir, db: "ours", want: detect.Interactive, sure: true},
		"TUI of a copy of another":       {argv: argv("opencode", "-s", other, "--fork"), cwd: dir, db: "ours", want: detect.Interactive},
		"TUI of a copy of the newest":    {argv: argv("opencode", "-c", "--fork"), cwd: dir, db: "ours", want: detect.Interactive},
		"TUI of the newest, one named":   {argv: argv("opencode", "-cs", id), cwd: dir, db: "ours", want: detect.Interactive},
		"run of a copy of this":          {argv: argv("opencode", "run", "--session", id, "--fork", "continue"), cwd: dir, db: "ours", gone: true},
		"run of a copy, last word":       {argv: argv("opencode", "run", "-s="+id, "continue", "--fork"), cwd: dir, db: "ours", gone: true},
		"run of a copy of another":       {argv: argv("opencode", "run", "-s", other, "--fork", "continue"), cwd: dir, db: "ours", want: detect.Headless},
		"run of a copy of the newest":    {argv: argv("opencode", "run", "-c", "--fork", "continue"), cwd: dir, db: "ours", want: detect.Headless},
		"run of a copy, far away":        {argv: argv("opencode", "run", "-c", "--fork", "continue"), cwd: "/home/dev/work/demo2", db: "ours", gone: true},
		"run of this, one word for two":  {argv: argv("opencode", "run", "-cs", id, "continue"), cwd: dir, db: "ours", want: detect.Headless, sure: true},
		"run of this, --fork is a word":  {argv: argv("opencode", "run", "-s", id, "--", "--fork"), cwd: dir, db: "ours", want: detect.Headless, sure: true},
		"run with our id in its message": {argv: argv("opencode", "run", "--session", other, "--", "--session", id), cwd: dir, db: "ours", gone: true},
		"run of a new session here":      {argv: argv("opencode", "run", "hello"), cwd: dir, db: "ours", want: detect.Headless},
		"run of a new session elsewhere": {argv: argv("opencode", "run", "hello"), cwd: "/elsewhere", db: "ours", gone: true},
		"run with our folder":            {argv: argv("opencode", "run", "--dir", dir, "-c", "hello"), cwd: "/elsewhere", db: "ours", want: detect.Headless},
		"a folder that is not told":      {argv: argv("opencode"), cwd: "", db: "none", want: detect.Interactive},
		"other data folder":              {argv: argv("opencode"), cwd: dir, db: "other", gone: true},
		"opens no session":               {argv: argv("opencode", "models"), cwd: dir, db: "none", gone: true},
		"by node":                        {argv: argv("node", "/usr/lib/node_modules/.bin/opencode", "run", "-s", id), comm: "node", cwd: dir, db: "ours", want: detect.Headless, sure: true},
		"from its sources":               {argv: argv("bun", "run", "dev"), comm: "bun", cwd: "/src", db: "ours", want: detect.Server},
		"a script about it":              {argv: argv("/bin/bash", "./opencode-nightly.sh", "run"), comm: "opencode-nightl", cwd: dir, db: "none", gone: true},
		"a script about it, by sh":       {argv: argv("sh", "opencode-nightly.sh"), comm: "sh", cwd: dir, db: "none", gone: true},
		"a script with options":          {argv: argv("/usr/bin/python3", "-u", "/home/dev/opencode.py"), comm: "opencode.py", cwd: dir, db: "none", gone: true},
		"a packager's script":            {argv: argv("/bin/sh", "/usr/bin/opencode", "run", "-s", id), comm: "opencode", cwd: dir, db: "none", want: detect.Headless, sure: true},
		"a packager's program":           {argv: argv("/nix/store/x/bin/.opencode-wrapped", "run", "-s", id), comm: ".opencode-wrapp", cwd: dir, db: "none", want: detect.Headless, sure: true},
		"another node":                   {argv: argv("node", "server.js"), comm: "node", cwd: dir, db: "none", gone: true},
		"an editor":                      {argv: argv("vim", "opencode.md"), comm: "vim", cwd: dir, db: "none", gone: true},
		"a name of its own":              {argv: argv("/opt/oc", "run", "-s", id), comm: "oc", cwd: dir, db: "ours", want: detect.Headless, sure: true},
	} {
		t.Run(name, func(t *testing.T) {
			comm := c.comm
			if comm == "" {
				comm = "opencode"
			}
			p := &testProcs{
				All:  []agent.Proc{{PID: 7, Start: 70, Group: 7, Leader: 3, Comm: comm, TTY: "/dev/pts/3"}, {PID: 3, Start: 30, Comm: "bash"}},
				Args: map[int][]string{7: c.argv, 3: {"bash"}}, Dirs: map[int]string{7: c.cwd, 3: dir}, Files: map[int][]string{},
			}
			if c.app {
				p.All[0].TTY = ""
			}
			o, data := open(t, p)
			if comm == "oc" {
				o.cfg.Command = "/opt/oc"
			}
			db := inProject(t, data, ourProject, dir, dir)
			switch c.db {
			case "ours":
				p.Files[7] = []string{"/dev/null", filepath.Join(data, "log", "opencode.log"), db + "-wal"}
			case "other":
				p.Files[7] = []string{"/mnt/x/opencode/opencode.db"}
			}
			s := detect.Session{Agent: Name, ID: id, Path: db}
			got, err := o.Live(t.Context(), s, detect.Info{Dir: dir})
			if err != nil || len(got) != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			h := got[0]
			if h.Why == "" || h.Boot != "boot" {
				t.Errorf("%+v", h)
			}
			if c.gone {
				if h.Liveness != detect.Gone {
					t.Errorf("%+v, want gone", h)
				}
				return
			}
			live := cmp.Or(c.live, detect.Alive)
			if h.Liveness != live || h.Kind != c.want || h.Sure != c.sure || h.PID != 7 || h.Start != 70 || h.Leader != 3 || h.LeaderStart != 30 {
				t.Errorf("%+v, want %s, sure %v", h, c.want, c.sure)
			}
		})
	}
}

func TestLiveUnknown(t *testing.T) {
	const id = "ses_e0490bdf4ffetoGb2yI1hytQKC"
	for name, p := range map[string]agent.Procs{"no table": &testProcs{Err: agent.ErrNoProcs}, "none given": nil} {
		o, data := open(t, p)
		got, err := o.Live(t.Context(), detect.Session{ID: id, Path: filepath.Join(data, "opencode.db")}, detect.Info{})
		if err != nil || len(got) != 1 || got[0].Liveness != detect.HolderUnknown {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	o, data := open(t, &testProcs{Err: errors.New("no descriptors left")})
	got, err := o.Live(t.Context(), detect.Session{ID: id, Path: filepath.Join(data, "opencode.db")}, detect.Info{})
	if err == nil || len(got) != 1 || got[0].Liveness != detect.HolderUnknown {
		t.Errorf("%+v, %v", got, err)
	}
}

// The surest holder comes first.
func TestLiveOrder(t *testing.T) {
	const id = "ses_e0490bdf4ffetoGb2yI1hytQKC"
	p := &testProcs{
		All:  []agent.Proc{{PID: 5, Comm: "opencode"}, {PID: 6, Comm: "opencode", Zombie: true}, {PID: 7, Comm: "opencode"}},
		Args: map[int][]string{5: {"opencode", "serve"}, 6: {"opencode"}, 7: {"opencode", "-s", id}}, Dirs: map[int]string{5: "/w", 6: "/w", 7: "/w"},
	}
	o, data := open(t, p)
	got, err := o.Live(t.Context(), detect.Session{ID: id, Path: filepath.Join(data, "opencode.db")}, detect.Info{Dir: "/w"})
	if err != nil || len(got) != 2 || got[0].PID != 7 || got[1].PID != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A terminal tells where it is shown, and a server where it answers: at the port of its arguments when
// it listens there, else at the one that can only be its own.
func TestLiveWhere(t *testing.T) {
	for name, c := range map[string]struct {
		argv    []string
		listens []int
		url     string
		shown   bool
	}{
		"terminal":                    {[]string{"opencode"}, []int{5000}, "", true},
		"run":                         {[]string{"opencode", "run", "x"}, []int{5000}, "", false},
		"terminal with a port":        {[]string{"opencode", "--port", "4097"}, []int{4097}, "http://127.0.0.1:4097", false},
		"terminal with any port":      {[]string{"opencode", "--port", "0"}, []int{41234}, "http://127.0.0.1:41234", false},
		"not there yet":               {[]string{"opencode", "--port=4097"}, nil, "", false},
		"server":                      {[]string{"opencode", "serve"}, []int{4096}, "http://127.0.0.1:4096", false},
		"server and its tools":        {[]string{"opencode", "serve"}, []int{19876, 4096}, "http://127.0.0.1:4096", false},
		"its port and its tools":      {[]string{"opencode", "serve", "--port", "4100"}, []int{4096, 4100}, "http://127.0.0.1:4100", false},
		"its port was taken":          {[]string{"opencode", "serve", "--port", "4100"}, []int{4101}, "http://127.0.0.1:4101", false},
		"several and none its own":    {[]string{"opencode", "serve"}, []int{5000, 5001}, "", false},
		"a port that is no number":    {[]string{"opencode", "serve", "--port", "x"}, nil, "", false},
		"server on another interface": {[]string{"opencode", "serve", "--hostname", "10.0.0.1"}, nil, "", false},
	} {
		p := &testProcs{All: []agent.Proc{{PID: 7, Start: 70, Comm: "opencode", TTY: "/dev/pts/3"}}, Args: map[int][]string{7: c.argv},
			Dirs: map[int]string{7: "/w"}, Ports: map[int][]int{7: c.listens}}
		o, data := open(t, agenttest.InTmux{Procs: p})
		got, err := o.Live(t.Context(), detect.Session{ID: "ses_e0490bdf4ffetoGb2yI1hytQKC", Path: filepath.Join(data, "opencode.db")}, detect.Info{Dir: "/w"})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		h := got[0]
		if h.URL != c.url || (h.TTY == "/dev/pts/3" && h.Tmux == "/tmp/tmux-1000/default" && h.Pane == "%3") != c.shown {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

// TestLiveServers: of two servers that may both have the session none can be handed a prompt. The script that has started one is none.
func TestLiveServers(t *testing.T) {
	serve, acp := []string{"opencode", "serve"}, []string{"opencode", "acp"}
	for name, c := range map[string]struct {
		second []string
		opens  bool
		port   int
		url    string
	}{
		"its launcher":                    {[]string{"node", "/usr/bin/opencode", "serve"}, false, 0, "http://127.0.0.1:4096"},
		"an editor's that listens":        {acp, true, 41234, ""},
		"an editor's, its files not told": {acp, false, 41234, ""},
		"one that does not listen":        {acp, true, 0, ""},
		"a terminal":                      {[]string{"opencode"}, true, 0, "http://127.0.0.1:4096"},
	} {
		p := &testProcs{All: []agent.Proc{{PID: 7, Comm: "opencode"}, {PID: 8, Comm: "opencode", TTY: "/dev/pts/3"}}, Args: map[int][]string{7: serve, 8: c.second},
			Dirs: map[int]string{7: "/", 8: "/"}, Ports: map[int][]int{7: {4096}}, Files: map[int][]string{}}
		o, data := open(t, p)
		s := detect.Session{ID: "ses_e0490bdf4ffetoGb2yI1hytQKC", Path: filepath.Join(data, "opencode.db")}
		if c.port > 0 {
			p.Ports[8] = []int{c.port}
		}
		if c.opens {
			p.Files[8] = []string{s.Path}
		}
		got, err := o.Live(t.Context(), s, detect.Info{Dir: "/w"})
		if err != nil || len(got) != 2 || got[0].PID != 7 || got[0].URL != c.url || c.url == "" && got[1].URL != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestLiveBeforeItsFolder: while a session's folder is not known, no terminal is taken for the one that shows it.
func TestLiveBeforeItsFolder(t *testing.T) {
	p := &testProcs{All: []agent.Proc{{PID: 7, Comm: "opencode", TTY: "/dev/pts/3"}, {PID: 8, Comm: "opencode"}},
		Args: map[int][]string{7: {"opencode"}, 8: {"opencode", "serve"}}, Dirs: map[int]string{7: "/home/dev", 8: "/"}}
	o, data := open(t, p)
	got, err := o.Live(t.Context(), detect.Session{ID: "ses_e0490bdf4ffetoGb2yI1hytQKC", Path: filepath.Join(data, "opencode.db")}, detect.Info{})
	if err != nil || len(got) != 2 || got[0].PID != 8 || got[0].Liveness != detect.Alive || got[1].Liveness != detect.HolderUnknown {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLivePassing(t *testing.T) {
	_, data := open(t, nil)
	s := detect.Session{Agent: Name, ID: testID, Path: inProject(t, data, ourProject, "/w", "/w")}
	home := filepath.Dir(filepath.Dir(filepath.Dir(data)))
	open := func(p agent.Procs) agent.Agent { return New(agent.Env{Home: home, Procs: p}, agent.Config{}) }
	agenttest.Spelled(t, open, s, []string{"opencode"}, "opencode")
	agenttest.Bystanders(t, open, s, "/w", agenttest.Procs{})
	agenttest.Passing(t, open, s, "/w",
		[]string{"opencode"}, []string{"opencode", "run", "-s", testID, "x"}, "opencode", true)
}

// A server has this store open, though the system writes the way there in other letters, as on a file system that takes them for the same.
func TestLiveSpelledStore(t *testing.T) {
	p := &testProcs{All: []agent.Proc{{PID: 8, Start: 80, Comm: "opencode"}}, Args: map[int][]string{8: {"opencode", "serve"}}, Dirs: map[int]string{8: "/"}}
	o, data := open(t, p)
	link := strings.ToUpper(filepath.Base(data))
	if err := os.Symlink(data, filepath.Join(filepath.Dir(data), link)); err != nil {
		t.Fatal(err)
	}
	s := detect.Session{Agent: Name, ID: testID, Path: inProject(t, data, ourProject, "/w", "/w")}
	p.Files = map[int][]string{8: {filepath.Join(filepath.Dir(data), link, filepath.Base(s.Path)+"-wal")}}
	if got, err := o.Live(t.Context(), s, detect.Info{Dir: "/w"}); err != nil || len(got) != 1 || got[0].Liveness != detect.Alive {
		t.Errorf("%+v, %v", got, err)
	}
}

// Up to 1.1 a process holds nothing open but its log, which tells whose data folder it works in.
func TestLiveOtherLog(t *testing.T) {
	const dir = "/home/dev/work/demo"
	for log, want := range map[string]detect.HolderKind{
		"":                                   detect.Server,
		"ours":                               detect.Server,
		"/mnt/x/opencode/log/2026-11-21.log": "",
		"/mnt/x/app/log/2026-11-21.log":      detect.Server,
	} {
		p := &testProcs{
			All:  []agent.Proc{{PID: 7, Start: 70, Comm: "opencode"}},
			Args: map[int][]string{7: {"opencode", "serve"}}, Dirs: map[int]string{7: "/"}, Files: map[int][]string{7: {"/dev/null"}},
		}
		o, data := open(t, p)
		if log == "ours" {
			log = filepath.Join(data, "log", "2026-11-21T003110.log")
		}
		p.Files[7] = append(p.Files[7], log)
		s := detect.Session{Agent: Name, ID: testID, Path: filepath.Join(data, "storage", "session", "p", testID+".json")}
		got, err := o.Live(t.Context(), s, detect.Info{Dir: dir})
		if err != nil || len(got) != 1 || got[0].Kind != want || (got[0].Liveness == detect.Alive) != (want != "") {
			t.Errorf("%q: %+v, %v, want %q", log, got, err, want)
		}
	}
}

// Up to 1.14 a script of node's starts the program and waits for it.
func TestLiveStarters(t *testing.T) {
	const dir = "/home/dev/work/demo"
	node := func(args ...string) []string {
		return append([]string{"node", "/usr/lib/node_modules/.bin/opencode"}, args...)
	}
	elf := func(args ...string) []string {
		return append([]string{"/usr/lib/node_modules/opencode-ai/bin/.opencode"}, args...)
	}
	for name, c := range map[string]struct {
		script, program []string
		parent          int // of the program
		want            []int
		other           bool // it works in another data folder
	}{
		"a server":                    {node("serve", "--port", "4097"), elf("serve", "--port", "4097"), 7, []int{8}, false},
		"a terminal":                  {node(), elf(), 7, []int{8}, false},
		"a run of it":                 {node("run", "--session", ourSession, "x"), elf("run", "--session", ourSession, "x"), 7, []int{8}, false},
		"by a shell":                  {append([]string{"/bin/sh"}, node("serve")[1:]...), elf("serve"), 7, []int{8}, false},
		"of another data folder":      {node("serve"), elf("serve"), 7, nil, true},
		"another one":                 {node("serve"), elf("serve"), 1, []int{7, 8}, false},
		"one that its tool starts":    {node(), elf("serve"), 7, []int{7, 8}, false},
		"one that the program starts": {elf("serve"), elf("serve"), 7, []int{7, 8}, false},
	} {
		p := &testProcs{
			All:  []agent.Proc{{PID: 7, PPID: 1, Start: 70, Comm: "node"}, {PID: 8, PPID: c.parent, Start: 80, Comm: ".opencode"}},
			Args: map[int][]string{7: c.script, 8: c.program}, Dirs: map[int]string{7: dir, 8: dir}, Files: map[int][]string{},
			Ports: map[int][]int{8: {4097}},
		}
		o, data := open(t, p)
		db := inProject(t, data, ourProject, dir, dir)
		p.Files[8] = []string{db}
		if c.other {
			p.Files[8] = []string{"/mnt/x/opencode/opencode.db"}
		}
		got, err := o.Live(t.Context(), detect.Session{Agent: Name, ID: ourSession, Path: db}, detect.Info{Dir: dir})
		var pids []int
		for _, h := range got {
			if h.Liveness == detect.Alive {
				pids = append(pids, h.PID)
			}
		}
		slices.Sort(pids)
		if err != nil || !slices.Equal(pids, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, pids, err, c.want)
		}
	}
}

// What opencode runs as Bun has no session open, whatever its arguments look like.
func TestLiveBun(t *testing.T) {
	const dir = "/home/dev/work/demo"
	for _, args := range [][]string{
		{"install"},
		{"add", "--force", "--exact", "--cwd", "/home/dev/.cache/opencode", "opencode-anthropic-auth@0.0.13"},
		{"run", "/home/dev/.cache/opencode/node_modules/yaml-language-server/out/server/src/server.js", "--stdio"},
	} {
		for bun, vars := range map[bool][]string{true: {"HOME=/home/dev", asBun}, false: {"HOME=/home/dev", "NOT_" + asBun}} {
			p := &testProcs{
				All:  []agent.Proc{{PID: 7, PPID: 1, Start: 70, Comm: ".opencode"}},
				Args: map[int][]string{7: append([]string{"/usr/lib/node_modules/opencode-ai/bin/.opencode"}, args...)},
				Dirs: map[int]string{7: dir}, Vars: map[int][]string{7: vars},
			}
			o, data := open(t, p)
			db := inProject(t, data, ourProject, dir, dir)
			got, err := o.Live(t.Context(), detect.Session{Agent: Name, ID: ourSession, Path: db}, detect.Info{Dir: dir})
			if err != nil || len(got) != 1 || (got[0].Liveness == detect.Gone) != bun {
				t.Errorf("%q, as Bun %t: %+v, %v", args, bun, got, err)
			}
		}
	}
}
