package copilot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
)

const (
	tty    = "/dev/pts/3"
	native = "/usr/lib/node_modules/@github/copilot/node_modules/@github/copilot-linux-x64/copilot"
)

// lockLine is the line of /proc/locks for a file.
func lockLine(t *testing.T, path string, pid int) string {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	dev := uint64(st.Dev) //nolint:unconvert // 32 bits on macOS
	return fmt.Sprintf("9: FLOCK  ADVISORY  WRITE %d %02x:%02x:%d 0 EOF\n", pid, unix.Major(dev), unix.Minor(dev), st.Ino)
}

// world is a session's folder, and who is at work.
type world struct {
	name  string
	lines string            // of the transcript; empty: a turn that is under way
	lock  bool              // inuse.41.lock is there
	hold  bool              // inuse.41.hold, too
	held  int               // the process that has it locked
	proc  func(*agent.Proc) // of 41
	argv  []string          // of 41; nil: it is gone
	more  func(*procTable)
	// others: inuse.41.lock lies in the folder of another session, and is so much newer than 41; 0: it does not
	others time.Duration
	want   detect.Holder // of it Liveness, Kind, Sure, Named, Foreign, Status and Hung count
	count  int           // of holders; 0: 1
}

var (
	run      = []string{native, "-p", "say done", "--output-format", "json"}
	terminal = []string{native}
	inTTY    = func(p *agent.Proc) { p.TTY = tty }
	limited  = begun + failed + "\n"
)

func alive(k detect.HolderKind) detect.Holder {
	return detect.Holder{Liveness: detect.Alive, Kind: k, Sure: true}
}

func (w world) look(t *testing.T) []detect.Holder {
	t.Helper()
	root := t.TempDir()
	s := fileOf(root, sid)
	if w.lines == "" {
		w.lines = begun
	}
	put(t, s.Path, w.lines)
	lock, hold := filepath.Join(filepath.Dir(s.Path), "inuse.41.lock"), filepath.Join(filepath.Dir(s.Path), "inuse.41.hold")
	if w.lock {
		put(t, lock, "41\n")
	}
	table := procTable{All: []agent.Proc{{PID: 40, Start: 9, Comm: "bash"}}, Args: map[int][]string{}, Files: map[int][]string{}}
	if w.hold {
		put(t, hold, "")
		table.Files[41] = []string{hold}
	}
	if w.argv != nil {
		p := agent.Proc{PID: 41, PPID: 40, Leader: 40, Group: 41, Start: 7, Comm: "MainThread", Started: at("2026-11-22T12:06:20Z")}
		if w.proc != nil {
			w.proc(&p)
		}
		table.All, table.Args[41] = append(table.All, p), w.argv
	}
	if w.others != 0 {
		lock, made := filepath.Join(filepath.Dir(fileOf(root, other).Path), "inuse.41.lock"), at("2026-11-22T12:06:20Z").Add(w.others)
		put(t, lock, "41\n")
		if err := os.Chtimes(lock, made, made); err != nil {
			t.Fatal(err)
		}
	}
	if w.more != nil {
		w.more(&table)
	}
	c := over(root, table, agent.Config{})
	c.now = func() time.Time { return at("2026-11-24T15:07:00Z") }
	if w.held != 0 {
		line := lockLine(t, hold, w.held)
		c.locks = func() ([]byte, error) { return []byte(line), nil }
	}
	got, err := c.Live(t.Context(), s, detect.Info{Dir: work})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestLive(t *testing.T) {
	gone := detect.Holder{Liveness: detect.Gone}
	left := detect.Holder{Liveness: detect.LeftBehind, Sure: true}
	named := detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, Sure: true, Named: true}
	foreign := detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, Sure: true, Foreign: true}
	asks := alive(detect.Interactive)
	asks.Status = detect.Asks
	question := begun + `{"type":"permission.requested","data":{"requestId":"q1"},"id":"00000000-0000-4000-8000-00000000000c","timestamp":"2026-11-22T12:06:26Z","parentId":null}` + "\n"
	answer := `{"type":"permission.completed","data":{"requestId":"q1"},"id":"00000000-0000-4000-8000-00000000000d","timestamp":"2026-11-22T12:06:27Z","parentId":null}` + "\n"
	ended := func(at string) string {
		return limited + `{"type":"session.shutdown","data":{"shutdownType":"routine"},"id":"00000000-0000-4000-8000-00000000000e","timestamp":"` + at + `","parentId":null}` + "\n"
	}
	const later, earlier = "2099-11-22T12:06:30Z", "2026-11-22T12:06:00Z" // than the lock was made
	for _, w := range []world{
		{name: "nobody", want: gone},
		{name: "quit, and it ended before it had removed its lock", lock: true, hold: true, lines: ended(later), want: gone},
		{name: "1.0.65, the same", lock: true, lines: ended(later), want: gone},
		{name: "it is about to end", lock: true, hold: true, lines: ended(later), argv: terminal, more: func(p *procTable) { p.Files[41] = []string{"/x"} }, want: left},
		{name: "an earlier process ended in order", lock: true, hold: true, lines: ended(earlier), want: left},
		{name: "killed in a later turn", lock: true, hold: true, lines: ended(later) + failed + "\n", want: left},
		{name: "in a terminal", lock: true, hold: true, held: 41, argv: terminal, proc: inTTY, want: alive(detect.Interactive)},
		{name: "headless", lock: true, hold: true, held: 41, argv: run, want: alive(detect.Headless)},
		{name: "headless, started in a terminal", lock: true, hold: true, held: 41, argv: run, proc: inTTY, want: alive(detect.Headless)},
		{name: "driven by a program", lock: true, hold: true, held: 41, argv: []string{native, "--acp"}, want: alive(detect.Server)},
		{name: "a lock that nobody holds", lock: true, hold: true, want: left},
		{name: "its number is another process's", lock: true, hold: true, argv: []string{"vim"}, want: left},
		{name: "another copilot's, which has not the lock", lock: true, hold: true, argv: terminal, more: func(p *procTable) { p.Files[41] = []string{"/x"} }, want: left},
		{name: "a table that does not tell, and the file is open", lock: true, hold: true, argv: run, want: alive(detect.Headless)},
		{name: "in another namespace", lock: true, hold: true, held: -1, want: foreign},
		{name: "1.0.65", lock: true, argv: terminal, proc: inTTY, want: alive(detect.Interactive)},
		{name: "1.0.65, it was killed", lock: true, want: left},
		{name: "1.0.65, its number is another copilot's", lock: true, argv: terminal, proc: func(p *agent.Proc) { p.Started = time.Now().Add(time.Hour) }, want: left},
		{name: "1.0.65, another copilot lives", lock: true, more: func(p *procTable) {
			p.All = append(p.All, agent.Proc{PID: 42, Start: 8, Comm: "MainThread"})
			p.Args[42] = terminal
		}, want: left},
		{name: "it was only just started for it", argv: append([]string{native, "--resume=" + sid}, run[1:]...), want: named},
		{name: "the same by npm's loader", argv: append([]string{"node", "/x/npm-loader.js", "--resume=" + sid}, run[1:]...), want: named},
		{name: "started for another one", argv: []string{native, "--resume=" + other}, want: gone},
		{name: "started for the newest one, whichever that is", argv: []string{native, "--continue"}, proc: inTTY, want: detect.Holder{Liveness: detect.HolderUnknown, Kind: detect.Interactive}},
		{name: "it was started for the newest one, and has another", argv: []string{native, "--continue"}, proc: inTTY, others: time.Minute, want: gone},
		{name: "the same with a lock of an earlier process", argv: []string{native, "--continue"}, proc: inTTY, others: -time.Hour, want: detect.Holder{Liveness: detect.HolderUnknown, Kind: detect.Interactive}},
		{name: "the loader waits for the agent", lock: true, hold: true, held: 41, argv: run, proc: func(p *agent.Proc) { p.PPID = 39 },
			more: func(p *procTable) {
				p.All = append(p.All, agent.Proc{PID: 39, Comm: "node"})
				p.Args[39] = append([]string{"node", "/usr/bin/copilot", "--resume=" + sid}, run[1:]...)
			}, want: alive(detect.Headless)},
		{name: "it asks", lines: question, lock: true, hold: true, held: 41, argv: terminal, proc: inTTY, want: asks},
		{name: "it was answered", lines: question + answer, lock: true, hold: true, held: 41, argv: terminal, proc: inTTY, want: alive(detect.Interactive)},
	} {
		t.Run(w.name, func(t *testing.T) { w.check(t) })
	}
}

func (w world) check(t *testing.T) {
	t.Helper()
	got := w.look(t)
	if len(got) != max(1, w.count) {
		t.Fatalf("%+v", got)
	}
	h := got[0]
	if (detect.Holder{Liveness: h.Liveness, Kind: h.Kind, Sure: h.Sure, Named: h.Named, Foreign: h.Foreign, Status: h.Status, Hung: h.Hung}) != w.want || h.Why == "" {
		t.Errorf("%+v, want %+v", h, w.want)
	}
	if h.Liveness == detect.Alive && !h.Foreign && (h.PID != 41 || h.Start != 7 || h.Leader != 40 || h.LeaderStart != 9) {
		t.Errorf("described as %+v", h)
	}
}

// TestLoaderLeads: a loader that leads the terminal ends with the agent, so that its end does not tell a closed terminal from a quit.
func TestLoaderLeads(t *testing.T) {
	for args, leader := range map[string]int{"node /usr/lib/" + loader: 41, "node /usr/bin/copilot": 41, "bash -c copilot": 40, "node server.js": 40} {
		w := world{lock: true, hold: true, held: 41, argv: terminal, proc: inTTY, more: func(p *procTable) { p.Args[40] = strings.Fields(args) }}
		if h := w.look(t)[0]; h.Liveness != detect.Alive || h.Leader != leader || (h.LeaderStart == h.Start) != (leader == 41) {
			t.Errorf("below %s: %+v", args, h)
		}
	}
}

// TestHung: only a headless process that surely has the session, and surely waits for an answer that nobody can give, is
// left behind while it is there.
func TestHung(t *testing.T) {
	hung := detect.Holder{Liveness: detect.LeftBehind, Kind: detect.Headless, Sure: true, Hung: true}
	not := alive(detect.Headless)
	notEligible := begun + `{"type":"session.error","data":{"errorType":"rate_limit","message":"x","statusCode":429,"errorCode":"user_global_rate_limited","eligibleForAutoSwitch":false},` +
		`"id":"00000000-0000-4000-8000-000000000005","timestamp":"2026-11-22T12:06:25.599Z","parentId":"00000000-0000-4000-8000-000000000004"}` + "\n"
	switched := limited + `{"type":"session.info","data":{"infoType":"auto_mode_switch"},"id":"00000000-0000-4000-8000-00000000000e","timestamp":"2026-11-22T12:06:26Z","parentId":"00000000-0000-4000-8000-000000000005"}` + "\n"
	failedToo := strings.NewReplacer("000000000005", "00000000000a", "000000000004", "000000000008", "12:06:25.599Z", "12:08:05Z").Replace(failed) + "\n"
	endedToo := strings.NewReplacer("000000000006", "00000000000b", "000000000005", "000000000008").Replace(aborted) + "\n"
	beside := strings.ReplaceAll(resumed, "12:08:00", "12:06:40")
	base := world{lines: limited, lock: true, hold: true, held: 41, argv: run, want: hung}
	with := func(name string, want detect.Holder, change func(*world)) world {
		w := base
		w.name, w.want = name, want
		change(&w)
		return w
	}
	for _, w := range []world{
		with("it waits for ever", hung, func(*world) {}),
		with("1.0.83, without a lock that is held", hung, func(w *world) { w.hold, w.held = false, 0 }),
		with("in the background of a terminal", hung, func(w *world) { w.proc = func(p *agent.Proc) { p.TTY, p.Foreground = tty, 40 } }),
		with("somebody may look at it", not, func(w *world) { w.proc = func(p *agent.Proc) { p.TTY, p.Foreground = tty, 41 } }),
		with("in a terminal, which asks", alive(detect.Interactive), func(w *world) { w.argv, w.proc = terminal, inTTY }),
		with("a program asks", alive(detect.Server), func(w *world) { w.argv = []string{native, "--acp"} }),
		with("its turn is under way", not, func(w *world) { w.lines = begun }),
		with("it went on with another model", not, func(w *world) { w.lines = switched }),
		with("a limit that it ends after", not, func(w *world) { w.lines = notEligible }),
		with("it ends now", not, func(w *world) { w.lines = limited + aborted + "\n" }),
		with("another run has gone on since", hung, func(w *world) { w.lines = limited + resumed + again }),
		with("another one that waited, too, has been ended", hung, func(w *world) { w.lines = limited + resumed + again + failedToo + endedToo }),
		with("the limit is another one's, and it works", not, func(w *world) {
			w.lines = begun + resumed + again + failedToo
			w.proc = func(p *agent.Proc) { p.Started = at("2026-11-22T12:06:20Z") }
		}),
		with("another one began when it did, and may be the one that works", not, func(w *world) { w.lines = limited + beside + again }),
		with("a terminal was opened when it began", hung, func(w *world) { w.lines = limited + beside }),
		with("another one began when it did, and was ended", hung, func(w *world) { w.lines = limited + beside + again + endedToo }),
		with("two that began at once wait", hung, func(w *world) { w.lines = limited + beside + again + failedToo }),
		with("the clock was set back since", hung, func(w *world) {
			w.lines = strings.ReplaceAll(limited, "2026-11-22", "2026-11-25")
			w.proc = func(p *agent.Proc) { p.Started = at("2026-11-25T12:06:20Z") }
		}),
		with("it was started after the limit", not, func(w *world) { w.proc = func(p *agent.Proc) { p.Started = at("2026-11-22T12:07:00Z") } }),
		with("when it was started is not known", not, func(w *world) { w.proc = func(p *agent.Proc) { p.Started = time.Time{} } }),
		with("without a prompt on its command line", not, func(w *world) { w.argv = []string{native} }),
		with("it has no lock of the session", detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, Sure: true, Named: true}, func(w *world) {
			w.lock, w.hold, w.held, w.argv = false, false, 0, append([]string{native, "--resume=" + sid}, run[1:]...)
		}),
	} {
		t.Run(w.name, func(t *testing.T) { w.check(t) })
	}
	t.Run("it may still end by itself", func(t *testing.T) {
		w := with("", not, func(w *world) {
			soon := at("2026-11-24T15:07:00Z").Add(-hangs / 2).Format(time.RFC3339Nano)
			w.lines = begun + `{"type":"session.error","data":{"errorType":"rate_limit","message":"x","statusCode":429,"eligibleForAutoSwitch":true},"id":"00000000-0000-4000-8000-000000000005","timestamp":"` + soon + `","parentId":"00000000-0000-4000-8000-000000000004"}` + "\n"
		})
		w.check(t)
	})
	t.Run("two have it", func(t *testing.T) {
		w := with("", hung, func(w *world) {
			w.more = func(p *procTable) {
				p.All = append(p.All, agent.Proc{PID: 42, Start: 8, Comm: "copilot"})
				p.Args[42] = []string{native, "--resume=" + sid}
			}
			w.count = 2
		})
		w.check(t)
	})
}

// TestLockUnreadable: what cannot be seen must not look like nobody.
func TestLockUnreadable(t *testing.T) {
	c, s := session(t, begun)
	broken := errors.New("broken")
	c.locks = func() ([]byte, error) { return nil, broken }
	put(t, filepath.Join(filepath.Dir(s.Path), "inuse.41.lock"), "41\n")
	put(t, filepath.Join(filepath.Dir(s.Path), "inuse.41.hold"), "")
	if h, err := c.Live(t.Context(), s, detect.Info{}); err != nil || h[0].Liveness != detect.HolderUnknown {
		t.Errorf("%+v, %v", h, err)
	}
	if err := os.Symlink("/dev/null", filepath.Join(filepath.Dir(s.Path), "inuse.42.lock")); err != nil {
		t.Fatal(err)
	}
	if h, err := c.Live(t.Context(), s, detect.Info{}); err == nil {
		t.Errorf("a lock that is a link: %+v", h)
	}
}

func TestLiveWithoutATable(t *testing.T) {
	for _, procs := range []agent.Procs{nil, procTable{Err: agent.ErrNoProcs}} {
		root := t.TempDir()
		got, err := over(root, procs, agent.Config{}).Live(t.Context(), fileOf(root, sid), detect.Info{})
		if err != nil || len(got) != 1 || got[0].Liveness != detect.HolderUnknown {
			t.Errorf("%+v, err %v", got, err)
		}
	}
	broken := errors.New("broken")
	if got, err := over(t.TempDir(), procTable{Err: broken}, agent.Config{}).Live(t.Context(), fileOf("/x", sid), detect.Info{}); !errors.Is(err, broken) {
		t.Errorf("%+v, err %v", got, err)
	}
}

// TestRealLock: a lock that this process holds is seen in the system's own table.
func TestRealLock(t *testing.T) {
	if _, err := os.Stat("/proc/locks"); err != nil {
		t.Skip("no /proc/locks")
	}
	c, s := session(t, begun)
	c.env.Procs, c.locks = agent.NewProcs(), holders.KernelLocks
	pid := os.Getpid()
	hold := filepath.Join(filepath.Dir(s.Path), fmt.Sprintf("inuse.%d.hold", pid))
	put(t, hold, "")
	put(t, filepath.Join(filepath.Dir(s.Path), fmt.Sprintf("inuse.%d.lock", pid)), fmt.Sprintln(pid))
	f, err := os.Open(hold)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	if h, err := c.Live(t.Context(), s, detect.Info{}); err != nil || h[0].Liveness != detect.Alive || h[0].PID != pid {
		t.Errorf("%+v, %v", h, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if h, err := c.Live(t.Context(), s, detect.Info{}); err != nil || h[0].Liveness != detect.LeftBehind {
		t.Errorf("after it was given back: %+v, %v", h, err)
	}
}

// Between two programs a process shows nothing, or what another one was started with.
func TestPassing(t *testing.T) {
	root := t.TempDir()
	open := func(procs agent.Procs) agent.Agent { return over(root, procs, agent.Config{}) }
	agenttest.Bystanders(t, open, fileOf(root, sid), work, agenttest.Procs{})
	agenttest.Passing(t, open, fileOf(root, sid), work, []string{native, "--continue"}, []string{native, "--resume=" + sid}, "copilot", true)
}
