package wrap

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/clawd-project/clawd/agent"
)

func TestBytesPassThrough(t *testing.T) {
	o := newOuter(t).wrap("echo")
	o.wait("ready>")
	for _, s := range []string{"hello", "\x1b[A", "\x03", "\x1a", "\x1b[200~paste\r\n\x1b[201~", "\x1b[<0;1;1M", "\x00\xff\xfe\x80", "漢字", "\x1b[?1049h\x1b[c\x1b[6n"} {
		o.keys(s)
		o.wait(s)
	}
	if got := o.output(); got != "" {
		t.Errorf("besides the echo the terminal got %q", got)
	}
	o.keys("q")
	o.wantExit(0)
	o.wantEnd(Quit, 0, "")
}

// Both sides answer the same queries: were the emulator one of them, the agent would read its answer.
func TestBinaryOutput(t *testing.T) {
	o := newOuter(t).wrap("junk")
	if got := o.wait("end>"); got != string(junk()) {
		t.Errorf("%d bytes came through changed: %q", len(got), got)
	}
	if _, _, err := o.info().Screen(t.Context()); err != nil {
		t.Errorf("no screen after junk: %v", err)
	}
	o.keys("x")
	o.wantExit(0)
}

func TestFlood(t *testing.T) {
	o := newOuter(t)
	o.start(o.wrapper("flood", "raw")...)
	want, got := sha256.New(), sha256.New()
	flood(want)
	b, n := make([]byte, 64<<10), 0
	for n < floodBytes {
		m, err := o.pty.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(b[:m])
		n += m
	}
	o.read()
	o.wantExit(0)
	if string(want.Sum(nil)) != string(got.Sum(nil)) {
		t.Error("the output is not what the program wrote")
	}
}

// A terminal that takes nothing must not make the wrapper hold the output.
func TestSlowTerminal(t *testing.T) {
	o := newOuter(t)
	o.start(o.wrapper("flood")...)
	pid := o.info().Child.PID
	procs := agent.NewProcs()
	var last uint64
	same := 0
	until(t, "the program to block", func() bool {
		p, ok := procs.Get(pid)
		if !ok {
			t.Fatal("the program has ended, so somebody holds 50 MB")
		}
		if p.CPU != last {
			last, same = p.CPU, 0
		}
		same++
		return same > 40
	})
	o.keys("\x03") // the keys have their own way
	o.read()
	o.wantExit(130)
	o.wantEnd(Quit, 130, "SIGINT")
}

func TestSize(t *testing.T) {
	o := newOuter(t).wrap("size")
	o.wait("<80x24>")
	if err := pty.Setsize(o.pty, &pty.Winsize{Rows: 50, Cols: 132}); err != nil {
		t.Fatal(err)
	}
	o.wait("<132x50>")
	until(t, "the emulator's size", func() bool {
		s, _, err := o.info().Screen(t.Context())
		return err == nil && len(s.Rows) == 50
	})
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name, mode string
		do         func(o *outer)
		cause      Cause
		code       int
		signal     string
	}{
		{"it exits", "exit", func(o *outer) { o.wait("last words") }, Quit, 7, ""},
		{"Ctrl-C", "lines", func(o *outer) { o.wait("ready>"); o.keys("\x03") }, Quit, 130, "SIGINT"},
		{"Ctrl-\\", "sleep", func(o *outer) { o.info(); o.keys("\x1c") }, Quit, 131, "SIGQUIT"},
		{"killed", "lines", func(o *outer) { o.wait("ready>"); kill(o, syscall.SIGKILL) }, Crash, 137, "SIGKILL"},
		{"a fault", "sleep", func(o *outer) { kill(o, syscall.SIGBUS) }, Crash, 135, "SIGBUS"},
		{"SIGINT by another", "sleep", func(o *outer) { kill(o, syscall.SIGINT) }, Crash, 130, "SIGINT"},
		{"SIGTERM to the wrapper", "sleep", func(o *outer) { o.info(); _ = o.cmd.Process.Signal(syscall.SIGTERM) }, Hangup, 143, "SIGTERM"},
		{"SIGTERM to the wrapper of one that handles it", "term", func(o *outer) { o.wait("ready>"); o.info(); _ = o.cmd.Process.Signal(syscall.SIGTERM) }, Hangup, 143, ""},
		{"SIGTERM to the wrapper of one that ends well by it", "tidy", func(o *outer) { o.wait("ready>"); o.info(); _ = o.cmd.Process.Signal(syscall.SIGTERM) }, Hangup, 0, ""},
		{"SIGTERM to the program alone", "term", func(o *outer) { o.wait("ready>"); kill(o, syscall.SIGTERM) }, Quit, 143, ""},
		{"SIGHUP to the wrapper", "sleep", func(o *outer) { o.info(); _ = o.cmd.Process.Signal(syscall.SIGHUP) }, Hangup, 129, "SIGHUP"},
		{"the leader is killed", "sleep", func(o *outer) {
			p, _ := agent.NewProcs().Get(o.info().Child.PID)
			_ = syscall.Kill(p.PPID, syscall.SIGKILL)
		}, Crash, 129, "SIGHUP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOuter(t)
			before := o.modes()
			argv := o.wrapper(c.mode)
			if c.mode == "sleep" { // a program with the default signals
				argv = append(argv[:3], "/bin/sleep", "1000")
			}
			o.start(argv...).read()
			c.do(o)
			o.wantExit(c.code)
			o.wantEnd(c.cause, c.code, c.signal)
			if o.modes() != before {
				t.Error("the terminal is not as it was")
			}
		})
	}
}

func kill(o *outer, s syscall.Signal) { _ = syscall.Kill(o.info().Child.PID, s) }

func TestTerminalCloses(t *testing.T) {
	o := newOuter(t)
	mark := filepath.Join(o.dir, "mark")
	o.start(o.wrapper("hup", mark)...)
	b := make([]byte, 6)
	if _, err := io.ReadFull(o.pty, b); err != nil || string(b) != "ready>" {
		t.Fatalf("%q %v", b, err)
	}
	o.pty.Close()
	o.wantExit(0)
	o.wantEnd(Hangup, 0, "")
	if _, err := os.Stat(mark); err != nil {
		t.Error("the program was not told")
	}
}

func TestWrapperIsKilled(t *testing.T) {
	o := newOuter(t)
	mark := filepath.Join(o.dir, "mark")
	o.wrap("hup", mark)
	o.wait("ready>")
	i := o.info()
	_ = o.cmd.Process.Kill()
	until(t, "the program's hang-up", func() bool { _, err := os.Stat(mark); return err == nil })
	<-o.ended
	dir, procs := filepath.Join(o.dir, "wraps"), agent.NewProcs()
	if got := o.info(); got.End != nil {
		t.Errorf("somebody wrote an end: %+v", got.End)
	}
	if err := Prune(dir, filepath.Join(o.dir, "sockets"), procs, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, ok := Find(dir, i.Child.PID, i.Child.Start); !ok {
		t.Error("a new file is pruned")
	}
	if err := Prune(dir, filepath.Join(o.dir, "sockets"), procs, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v (%v)", left, err)
	}
}

func TestPanicRestoresTheTerminal(t *testing.T) {
	t.Setenv("TEST_PANIC", "1")
	o := newOuter(t)
	before := o.modes()
	o.wrap("lines")
	o.wait("on purpose")
	o.wantExit(2)
	if o.modes() != before {
		t.Error("the terminal is not as it was")
	}
}

func TestSuspend(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	for _, c := range []struct{ name, mode, stop, back string }{
		{"a TUI that suspends itself", "tstp", "bye>", "back>"},
		{"Ctrl-Z to a program that leaves it to its terminal", "lines", "^Z", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOuter(t)
			o.start(bash, "--norc", "--noprofile", "-i").read()
			o.wait("$ ")
			o.keys(strings.Join(o.wrapper(c.mode), " ") + "; echo code=$?\r")
			o.wait("ready>")
			i := o.info()
			o.keys("\x1a")
			o.wait(c.stop)
			o.wait("Stopped")
			o.wait("$ ")
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			if err := i.Type(ctx, TypeRequest{Keys: 1, Text: "NO"}); err == nil { // 1: the Ctrl-Z
				t.Error("text was typed into a suspended program")
			}
			cancel()
			o.keys("echo shell-$((1+1))\r")
			o.wait("shell-2")
			o.keys("fg\r")
			if c.back != "" {
				o.wait(c.back)
				o.keys("q")
			} else {
				o.wait("be-agent") // the shell says what it continues
				o.keys("after\r")
				o.wait("[after]")
				o.keys("\x04")
			}
			o.wait("$ ")
			until(t, "the end", func() bool { return o.info().End != nil })
			o.wantEnd(Quit, 0, "")
			o.keys("exit\r")
		})
	}
}

func TestRegistration(t *testing.T) {
	o := newOuter(t).wrap("echo")
	o.wait("ready>")
	i := o.info()
	procs := agent.NewProcs()
	w, _ := procs.Get(o.cmd.Process.Pid)
	c, _ := procs.Get(i.Child.PID)
	l, _ := procs.Get(c.PPID)
	if i.Wrapper != (Process{w.PID, w.Start}) || i.Child != (Process{c.PID, c.Start}) || l.PPID != w.PID || i.End != nil ||
		i.Boot != procs.Boot() || i.TTY != o.tty.Name() || i.Argv0 != filepath.Base(os.Args[0]) {
		t.Errorf("%+v", i)
	}
	if c.TTY == i.TTY || c.Group != c.PID || c.Leader != l.PID {
		t.Errorf("the program's terminal, group and session: %+v", c)
	}
	dir := filepath.Join(o.dir, "wraps")
	for path, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, i.path(dir): 0o600, i.Socket: 0o600 | os.ModeSocket} {
		if fi, err := os.Lstat(path); err != nil || fi.Mode() != want {
			t.Errorf("%s: %v (%v), want %v", path, fi.Mode(), err, want)
		}
	}
	if _, ok := Find(dir, i.Child.PID, i.Child.Start+1); ok {
		t.Error("an older program with this pid is found")
	}
	older := i
	older.Child.Start++
	if _, _, err := older.Screen(t.Context()); err == nil {
		t.Error("the screen is taken for an older program's")
	}
	if err := Prune(dir, filepath.Join(o.dir, "sockets"), procs, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, ok := Find(dir, i.Child.PID, i.Child.Start); !ok {
		t.Error("the file of a living wrapper is pruned")
	}
}

func TestTyping(t *testing.T) {
	ctx := t.Context()
	o := newOuter(t).wrap("echo")
	o.wait("ready>")
	i := o.info()
	_, k, err := i.Screen(ctx)
	if err != nil || k != 0 {
		t.Fatalf("%+v %v", k, err)
	}
	for req, want := range map[TypeRequest]string{{Text: "continue – 漢"}: "continue – 漢", {Key: Enter}: "\r", {Key: Escape}: "\x1b"} {
		if err := i.Type(ctx, req); err != nil {
			t.Fatal(err)
		}
		o.wait(want)
	}
	o.keys("\x1b[?62c\x1b[I\x1b[<35;3;4M") // the terminal speaks
	o.wait("4M")
	if _, k, err = i.Screen(ctx); err != nil || k != 0 {
		t.Errorf("clawd's typing or the terminal's answers count as a person's: %+v %v", k, err)
	}
	o.keys("u")
	o.wait("u")
	if err := i.Type(ctx, TypeRequest{Text: "NO"}); !errors.Is(err, ErrPerson) {
		t.Errorf("typed after a person: %v", err)
	}
	_, k, err = i.Screen(ctx)
	if err != nil || k != 1 {
		t.Errorf("%+v %v", k, err)
	}
	o.keys("\x1b[200~pa")
	o.wait("pa")
	_, k, _ = i.Screen(ctx)
	if err := i.Type(ctx, TypeRequest{Keys: k, Text: "NO"}); !errors.Is(err, ErrPerson) {
		t.Errorf("typed into a paste: %v", err)
	}
	o.keys("ste\x1b[201~")
	o.wait("201~")
	_, k, _ = i.Screen(ctx)
	if err := i.Type(ctx, TypeRequest{Keys: k, Text: "yes"}); err != nil {
		t.Error(err)
	}
	if got := o.wait("yes"); strings.Contains(got, "NO") {
		t.Errorf("what was refused was typed: %q", got)
	}
	o.keys("q")
	o.wantExit(0)
}

func TestTypeRefusesControlBytes(t *testing.T) {
	o := newOuter(t).wrap("echo")
	o.wait("ready>")
	i := o.info()
	for _, r := range []TypeRequest{{}, {Text: "a", Key: Enter}, {Key: "q"}, {Text: "a\r"}, {Text: "a\n"}, {Text: "\x1b[A"}, {Text: "\x03"},
		{Text: "\u009b"}, {Text: "a\u202eb"}, {Text: "\xff"}, {Text: strings.Repeat("a", maxText+1)}} {
		if err := i.Type(t.Context(), r); err == nil {
			t.Errorf("typed: %+v", r)
		}
		if err := i.ask(t.Context(), "/v1/type", order{r, time.Now().Add(patience)}, nil); err == nil && r.Text != "\xff" { // JSON cannot say it
			t.Errorf("the wrapper itself types %+v", r)
		}
	}
	o.keys("q")
	o.wantExit(0)
}

// Keys that nobody has read yet come first, and so do those that the program does not take.
func TestKeysThatWait(t *testing.T) {
	terminal, person, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	program, master, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(terminal.Close(), person.Close(), program.Close(), master.Close()) }()
	h := &host{tty: &tty{fd: int(terminal.Fd())}, master: int(master.Fd()), input: make(chan struct{}, 1)}
	by := time.Now().Add(patience)
	post := func(ctx context.Context) int {
		w := httptest.NewRecorder()
		w.Code = 0
		h.postType(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/type", strings.NewReader(fmt.Sprintf(`{"text":"x","by":%q}`, by.Format(time.RFC3339Nano)))))
		return w.Code
	}
	h.input <- struct{}{} // a key is being written
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := post(ctx); code != 0 || readable(int(program.Fd()), 0) {
		t.Errorf("typed in between: %d", code)
	}
	<-h.input
	if code := post(ctx); code == http.StatusNoContent || readable(int(program.Fd()), 0) {
		t.Errorf("typed for one who has gone: %d", code)
	}
	if _, err := person.WriteString("k"); err != nil {
		t.Fatal(err)
	}
	if code := post(t.Context()); code != http.StatusConflict || readable(int(program.Fd()), 0) {
		t.Errorf("typed before a person's key: %d", code)
	}
	if _, err := terminal.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	by = time.Now().Add(-time.Second)
	if code := post(t.Context()); code != http.StatusGone || readable(int(program.Fd()), 0) {
		t.Errorf("typed for one who has given up: %d", code)
	}
	by = time.Now().Add(patience)
	if code := post(t.Context()); code != http.StatusNoContent || !readable(int(program.Fd()), 0) {
		t.Errorf("not typed: %d", code)
	}
}

func TestScreen(t *testing.T) {
	o := newOuter(t).wrap("draw", "\x1b]0;demo\x07\x1b[2J\x1b[3;1H╭─╮\x1b[4;1H> \x1b[2mTry \"this\"\x1b[22m \x1b[4;3H")
	i := o.info()
	var s agent.Screen
	until(t, "the drawing", func() bool {
		var err error
		s, _, err = i.Screen(t.Context())
		return err == nil && s.Col == 2
	})
	if s.Rows[2] != "╭─╮" || s.Rows[3] != `> Try "this"` || s.Row != 3 || s.Cols != 80 || s.Title != "demo" || fmt.Sprint(s.Faint) != "[[2 12]]" {
		t.Errorf("%+v", s)
	}
}

func TestNested(t *testing.T) {
	o := newOuter(t)
	argv := o.wrapper("env")
	inner := append([]string{argv[0], "be-wrapper", o.dir}, argv[3:]...)
	o.start(append([]string{argv[0], "be-wrapper", o.dir}, inner...)...).read()
	o.wait("not useful")
	o.wantExit(99)

	t.Setenv(Env, "1") // of another that is no wrapper of ours
	o = newOuter(t).wrap("env")
	o.wait(fmt.Sprintf("%s=%d>", Env, o.cmd.Process.Pid))
	o.wantExit(0)
}
