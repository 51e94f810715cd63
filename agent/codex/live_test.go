package codex

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
)

const (
	sid   = "01a1fb7b-62e3-75f2-ab13-67f557d17c28"
	other = "01a1fb7b-62e3-75f2-ab13-67f557d17c29"
)

// at names a rollout of a session.
func rolloutOf(root, id string) detect.Session {
	return detect.Session{Agent: "codex", ID: id, Path: filepath.Join(root, day, "rollout-2026-11-21T00-22-09-"+id+".jsonl")}
}

// lockLine is the line of /proc/locks for a file; off is added to its device.
func lockLine(t *testing.T, path string, pid int, off uint32) string {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	dev := uint64(st.Dev) //nolint:unconvert // 32 bits on macOS
	return fmt.Sprintf("9: FLOCK  ADVISORY  WRITE %d %02x:%02x:%d 0 EOF\n", pid, unix.Major(dev), unix.Minor(dev)+off, st.Ino)
}

func TestLive(t *testing.T) {
	shell := agent.Proc{PID: 50, Leader: 50, Start: 5}
	proc := func(pid int) agent.Proc {
		return agent.Proc{PID: pid, Leader: 50, Group: pid, Start: 77, Comm: "codex"}
	}
	const bin = "/opt/codex/vendor/x86_64-unknown-linux-musl/bin/codex"
	for _, w := range []struct {
		name  string
		lock  bool // the lock file is there
		held  int  // by this process
		off   uint32
		procs procTable // their opens are made absolute
		live  detect.Liveness
		kind  detect.HolderKind
		pid   int
	}{
		{name: "nobody", live: detect.Gone},
		{name: "the lock of a killed process", lock: true, live: detect.LeftBehind},
		{name: "a headless run", lock: true, held: 60, live: detect.Alive, kind: detect.Headless, pid: 60,
			procs: procTable{All: []agent.Proc{shell, proc(60)}, Args: map[int][]string{60: {bin, "-c", "a=b", "exec", "--json", "say hi"}}}},
		{name: "a terminal", lock: true, held: 60, live: detect.Alive, kind: detect.Interactive, pid: 60,
			procs: procTable{All: []agent.Proc{shell, proc(60)}, Args: map[int][]string{60: {bin, "--no-daemon"}}}},
		{name: "the background server", lock: true, held: 60, live: detect.Alive, kind: detect.Server, pid: 60,
			procs: procTable{All: []agent.Proc{shell, proc(60)}, Args: map[int][]string{60: {bin, "app-server", "--listen", "unix://", "--managed-daemon"}}}},
		{name: "another device number, but it has the lock open", lock: true, held: 60, off: 1, live: detect.Alive, kind: detect.Headless, pid: 60,
			procs: procTable{All: []agent.Proc{shell, proc(60)}, Args: map[int][]string{60: {bin, "exec"}}, Files: map[int][]string{60: {"thread-writer-locks/" + sid + ".lock"}}}},
		{name: "the same inode of another disk", lock: true, held: 60, off: 1, live: detect.LeftBehind,
			procs: procTable{All: []agent.Proc{shell, proc(60)}, Args: map[int][]string{60: {"postgres"}}, Files: map[int][]string{60: {"null"}}}},
		{name: "a holder whom the process table does not show", lock: true, held: 4711, live: detect.Alive, kind: detect.Interactive, pid: 4711},
		{name: "an old version has the file open", live: detect.Alive, kind: detect.Interactive, pid: 61,
			procs: procTable{All: []agent.Proc{shell, proc(61), {PID: 60, Comm: "node"}}, Args: map[int][]string{60: {"node", "/usr/bin/codex"}, 61: {bin}},
				Files: map[int][]string{60: {"null"}, 61: {day + "/rollout-2026-11-21T00-22-09-" + sid + ".jsonl"}}}},
		{name: "an editor has the file open", live: detect.Gone,
			procs: procTable{All: []agent.Proc{{PID: 61, Comm: "vim"}}, Args: map[int][]string{61: {"vim", "codex"}},
				Files: map[int][]string{61: {day + "/rollout-2026-11-21T00-22-09-" + sid + ".jsonl"}}}},
		{name: "about to open it", live: detect.Alive, kind: detect.Headless, pid: 60,
			procs: procTable{All: []agent.Proc{{PID: 60, Comm: "node"}}, Args: map[int][]string{60: {"node", "/usr/bin/codex", "exec", "--json", "resume", sid, "continue"}}}},
		{name: "its terminal shows another session by now", live: detect.Gone,
			procs: procTable{All: []agent.Proc{shell, {PID: 60, Group: 60, Comm: "node"}, {PID: 61, Group: 60, Comm: "codex"}},
				Args:  map[int][]string{60: {"node", "/usr/bin/codex", "resume", sid}, 61: {bin, "resume", sid}},
				Files: map[int][]string{60: {"null"}, 61: {day + "/rollout-2026-11-21T00-22-09-" + other + ".jsonl"}}}},
		{name: "forks it", live: detect.Gone,
			procs: procTable{All: []agent.Proc{proc(60)}, Args: map[int][]string{60: {bin, "exec", "fork", sid, "continue"}}, Files: map[int][]string{60: {"null"}}}},
		{name: "resumes another", live: detect.Gone,
			procs: procTable{All: []agent.Proc{proc(60)}, Args: map[int][]string{60: {bin, "exec", "resume", other, "continue"}}, Files: map[int][]string{60: {"null"}}}},
		{name: "hides its files", live: detect.Alive, kind: detect.Headless, pid: 60,
			procs: procTable{All: []agent.Proc{proc(60)}, Args: map[int][]string{60: {bin, "exec", "say hi"}}}},
		{name: "a zombie", live: detect.Gone,
			procs: procTable{All: []agent.Proc{{PID: 60, Zombie: true, Comm: "codex"}}, Args: map[int][]string{60: {bin, "exec", "resume", sid}}}},
		{name: "no process table", live: detect.HolderUnknown, procs: procTable{Err: agent.ErrNoProcs}},
		{name: "no process table, left lock", lock: true, live: detect.HolderUnknown, procs: procTable{Err: agent.ErrNoProcs}},
	} {
		t.Run(w.name, func(t *testing.T) {
			root := t.TempDir()
			for pid, paths := range w.procs.Files {
				for n := range paths {
					w.procs.Files[pid][n] = filepath.Join(root, paths[n])
				}
			}
			c := over(root, w.procs, agent.Config{})
			lock := filepath.Join(root, "thread-writer-locks", sid+".lock")
			if w.lock {
				put(t, lock, "")
			}
			c.locks = func() ([]byte, error) {
				table := "1: POSIX  ADVISORY  WRITE 3 fe:00:12 0 EOF\nrubbish\n2: FLOCK  ADVISORY  WRITE x fe:00:12 0 EOF\n"
				if w.held != 0 {
					table += lockLine(t, lock, w.held, w.off)
				}
				return []byte(table), nil
			}
			all, err := c.Live(t.Context(), rolloutOf(root, sid), detect.Info{})
			if err != nil || len(all) != 1 {
				t.Fatalf("%d holders, err %v", len(all), err)
			}
			h := all[0]
			if h.Liveness != w.live || h.Kind != w.kind || h.PID != w.pid || h.Why == "" {
				t.Errorf("%+v", h)
			}
			if w.pid == 60 && len(w.procs.All) == 2 && (h.Start != 77 || h.Leader != 50 || h.LeaderStart != 5 || h.Boot != "boot" || !h.Sure) {
				t.Errorf("its process is not described: %+v", h)
			}
		})
	}
}

// TestLiveShowsAnother: a terminal keeps the sessions that its user left with /new open, lock and file. Which one it shows is not sure then.
func TestLiveShowsAnother(t *testing.T) {
	const bin = "/opt/codex/vendor/x86_64-unknown-linux-musl/bin/codex"
	for _, w := range []struct {
		name  string
		lock  bool
		args  []string
		opens []string // sessions
		named bool
	}{
		{"its own alone", false, nil, []string{sid}, false},
		{"another, too", false, nil, []string{sid, other}, true},
		{"its own alone, and the lock", true, []string{"--no-daemon"}, []string{sid}, false},
		{"another, too, and the lock", true, []string{"--no-daemon"}, []string{sid, other}, true},
		{"a headless run with a sub-agent", true, []string{"exec", "say hi"}, []string{sid, other}, false},
	} {
		t.Run(w.name, func(t *testing.T) {
			root := t.TempDir()
			procs := procTable{All: []agent.Proc{{PID: 61, Start: 77, Comm: "codex"}}, Args: map[int][]string{61: append([]string{bin}, w.args...)}, Files: map[int][]string{}}
			for _, id := range w.opens {
				procs.Files[61] = append(procs.Files[61], rolloutOf(root, id).Path)
			}
			c := over(root, procs, agent.Config{})
			lock := filepath.Join(root, "thread-writer-locks", sid+".lock")
			if w.lock {
				put(t, lock, "")
			}
			c.locks = func() ([]byte, error) {
				if !w.lock {
					return nil, nil
				}
				return []byte(lockLine(t, lock, 61, 0)), nil
			}
			all, err := c.Live(t.Context(), rolloutOf(root, sid), detect.Info{})
			if err != nil || len(all) != 1 || all[0].Liveness != detect.Alive || !all[0].Sure || all[0].Named != w.named {
				t.Errorf("%+v, %v", all, err)
			}
		})
	}
}

// TestLockUnreadable: what cannot be seen must not look like nobody.
func TestLockUnreadable(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	c.locks = func() ([]byte, error) { return nil, holders.ErrNoLocks }
	if h, err := c.Live(t.Context(), rolloutOf(root, sid), detect.Info{}); err != nil || h[0].Liveness != detect.Gone {
		t.Errorf("without a lock file there is nothing to look up: %+v, %v", h, err)
	}
	put(t, filepath.Join(root, "thread-writer-locks", sid+".lock"), "")
	if h, err := c.Live(t.Context(), rolloutOf(root, sid), detect.Info{}); err != nil || h[0].Liveness != detect.HolderUnknown {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestRealLock: a lock that this process holds is seen in the system's own table.
func TestRealLock(t *testing.T) {
	if _, err := os.Stat("/proc/locks"); err != nil {
		t.Skip("no /proc/locks")
	}
	root := t.TempDir()
	lock := filepath.Join(root, "thread-writer-locks", sid+".lock")
	put(t, lock, "")
	f, err := os.Open(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	c := over(root, agent.NewProcs(), agent.Config{})
	c.locks = holders.KernelLocks
	l, err := c.lock(rolloutOf(root, sid))
	if err != nil || len(l.pids) != 1 || l.pids[0] != os.Getpid() {
		t.Errorf("%+v, %v", l, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if l, err := c.lock(rolloutOf(root, sid)); err != nil || len(l.pids) != 0 || !l.exists {
		t.Errorf("after it was given back: %+v, %v", l, err)
	}
}

// A terminal that has the session itself tells where it is shown; the background server, to which one may
// be attached, does not.
func TestLiveTerminal(t *testing.T) {
	for _, c := range []struct {
		argv []string
		tty  string
	}{{[]string{"codex", "--no-daemon"}, "/dev/pts/3"}, {[]string{"codex", "app-server", "--managed-daemon"}, ""}, {[]string{"codex", "exec", "x"}, ""}} {
		for _, held := range []bool{true, false} { // by the lock, or by the open file
			root := t.TempDir()
			s := rolloutOf(root, sid)
			lock := filepath.Join(root, "thread-writer-locks", sid+".lock")
			put(t, lock, "")
			table := procTable{All: []agent.Proc{{PID: 60, Start: 77, Comm: "codex", TTY: "/dev/pts/3"}}, Args: map[int][]string{60: c.argv},
				Files: map[int][]string{60: {s.Path}}}
			codex := over(root, agenttest.InTmux{Procs: table}, agent.Config{})
			if held {
				codex.locks = func() ([]byte, error) { return []byte(lockLine(t, lock, 60, 0)), nil }
			}
			got, err := codex.Live(t.Context(), s, detect.Info{})
			if err != nil || len(got) != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			if h := got[0]; h.TTY != c.tty || (h.Tmux == "/tmp/tmux-1000/default" && h.Pane == "%3") != (c.tty != "") {
				t.Errorf("%v: %+v", c.argv, h)
			}
			if h := got[0]; h.Outlives != slices.Contains(c.argv, "--managed-daemon") {
				t.Errorf("%v, lock %t: outlives its terminals: %t", c.argv, held, h.Outlives)
			}
		}
	}
}

// The default of 0.169: terminals show the sessions of a background server, which outlives them and keeps
// their locks. Only the terminals tell that their user is still there.
func TestLiveBackgroundServer(t *testing.T) {
	root := t.TempDir()
	dir, link := filepath.Join(root, "work"), filepath.Join(root, "link")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}
	server := agent.Proc{PID: 60, Leader: 60, Group: 60, Start: 77, Comm: "codex"}
	tui := func(pid int) agent.Proc {
		return agent.Proc{PID: pid, Leader: 50, Group: pid, Start: 88, Comm: "codex", TTY: "/dev/pts/1"}
	}
	noTTY := tui(74)
	noTTY.TTY = ""
	argv := map[int][]string{60: {"/opt/codex/bin/codex", "app-server", "--listen", "unix://", "--managed-daemon"}}
	table := procTable{Args: argv, Files: map[int][]string{}, Dirs: map[int]string{70: dir, 71: root, 72: dir, 73: dir, 74: dir}}
	for pid := 70; pid <= 74; pid++ {
		argv[pid], table.Files[pid] = []string{"/opt/codex/bin/codex"}, []string{"/dev/null"}
	}
	argv[73] = []string{"/opt/codex/bin/codex", "exec", "do it"}
	table.Files[60] = []string{"/dev/null"}
	table.Files[72] = []string{filepath.Join(root, "sessions", "rollout-2026-11-21T00-00-00-"+strings.Replace(sid, "0", "1", 1)+".jsonl")}
	for _, c := range []struct {
		name string
		tuis []agent.Proc
		want []int // pids of the holders
	}{
		{"a terminal in the folder", []agent.Proc{tui(70)}, []int{60, 70}},
		{"none is left", nil, []int{60}},
		{"one in another folder", []agent.Proc{tui(71)}, []int{60}},
		{"one with a session of its own", []agent.Proc{tui(72)}, []int{60}},
		{"a headless run", []agent.Proc{tui(73)}, []int{60}},
		{"one without a terminal", []agent.Proc{noTTY}, []int{60}},
	} {
		table.All = append([]agent.Proc{server}, c.tuis...)
		a := over(root, table, agent.Config{})
		lock := filepath.Join(root, "thread-writer-locks", sid+".lock")
		put(t, lock, "")
		a.locks = func() ([]byte, error) { return []byte(lockLine(t, lock, 60, 0)), nil }
		s := rolloutOf(root, sid)
		put(t, s.Path, "")
		holders, err := a.Live(t.Context(), s, detect.Info{Dir: link})
		var pids []int
		for _, h := range holders {
			pids = append(pids, h.PID)
			if h.Outlives != (h.PID == 60) || h.Sure != (h.PID == 60) {
				t.Errorf("%s: %+v", c.name, h)
			}
		}
		if err != nil || !slices.Equal(pids, c.want) {
			t.Errorf("%s: held by %v, want %v (%v)", c.name, pids, c.want, err)
		}
	}
}

// A user's script about Codex is no Codex, whatever the system calls its process.
func TestLooksCodex(t *testing.T) {
	c := &Codex{}
	for line, want := range map[string]bool{
		"codex|codex exec": true, "codex|/usr/bin/node /usr/bin/codex resume": true, "node|node /usr/lib/codex.js": true, "codex|": true,
		"codex-night.sh|/bin/bash ./codex-night.sh": false, "bash|bash codex-night.sh": false, "python3|python3 codex.py": false, "vim|vim codex.md": false,
	} {
		comm, args, _ := strings.Cut(line, "|")
		if got := c.looksCodex(agent.Proc{PID: 1, Comm: comm}, strings.Fields(args)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestLivePassing(t *testing.T) {
	root := t.TempDir()
	open := func(p agent.Procs) agent.Agent { return over(root, p, agent.Config{}) }
	agenttest.SpelledFile(t, func(root string, p agent.Procs) agent.Agent { return over(root, p, agent.Config{}) },
		func(root string) detect.Session { return rolloutOf(root, sid) }, []string{"codex"}, "codex")
	server := procTable{All: []agent.Proc{{PID: 60, Start: 7, Comm: "codex"}}, Args: map[int][]string{60: {"codex", "app-server", "--managed-daemon"}},
		Files: map[int][]string{60: {rolloutOf(root, sid).Path}}}
	agenttest.Bystanders(t, open, rolloutOf(root, sid), root, server) // whose terminals are looked for
	agenttest.Passing(t, open, rolloutOf(root, sid), root,
		[]string{"codex"}, []string{"codex", "exec", "resume", sid}, "codex", false)
}

// TestLiveLockEnds: a run that is killed keeps the lock for a moment after its arguments are gone, and is no terminal then.
func TestLiveLockEnds(t *testing.T) {
	root := t.TempDir()
	lock := filepath.Join(root, "thread-writer-locks", sid+".lock")
	put(t, lock, "")
	c := over(root, procTable{All: []agent.Proc{{PID: 60, Start: 77, Comm: "codex", Zombie: true}}}, agent.Config{})
	c.locks = func() ([]byte, error) { return []byte(lockLine(t, lock, 60, 0)), nil }
	h, err := c.Live(t.Context(), rolloutOf(root, sid), detect.Info{})
	if err != nil || len(h) != 1 || h[0].Liveness != detect.LeftBehind {
		t.Errorf("%+v, %v", h, err)
	}
}

// A command that opens no session holds none, also in its first moments in a script, when it has nothing open that has a path.
func TestLiveOffhand(t *testing.T) {
	root := t.TempDir()
	for line, want := range map[string]detect.Liveness{
		"codex queue --thread " + sid + " --message=x": detect.Gone, "codex login status": detect.Gone, "node /usr/bin/codex doctor": detect.Gone, "codex -c a=b features list": detect.Gone,
		"codex": detect.Alive, "codex -p debug": detect.Alive, "codex exec queue": detect.Alive, "codex resume " + sid + " apply": detect.Alive,
	} {
		procs := procTable{All: []agent.Proc{{PID: 60, Start: 77, Comm: "codex"}}, Args: map[int][]string{60: strings.Fields(line)}}
		got, err := over(root, procs, agent.Config{}).Live(t.Context(), rolloutOf(root, sid), detect.Info{})
		if err != nil || len(got) != 1 || got[0].Liveness != want {
			t.Errorf("%s: %+v, %v; want %s", line, got, err, want)
		}
	}
}
