package wrap

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/peer"
)

// TestMain lets the test binary be the wrapper, the leader and the agent, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "be-wrapper": // DIR PROGRAM ARGUMENT...
			os.Exit(wrapper(os.Args[2], os.Args[3:]))
		case "be-leader":
			if err := Leader(os.Args[2], os.Args[3:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "be-agent":
			fakeAgent(os.Args[2], os.Args[3:])
			os.Exit(0)
		}
	}
	// A signal that is ignored stays so in all children; one that is caught does not. Under nohup no
	// hang-up would be seen.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	os.Exit(m.Run())
}

// wrapper is "clawd wrap", with no daemon.
func wrapper(dir string, argv []string) int {
	o := Options{Path: argv[0], Argv: argv, Leader: []string{os.Args[0], "be-leader"},
		Dir: filepath.Join(dir, "wraps"), Sockets: filepath.Join(dir, "sockets"), Lock: filepath.Join(dir, "lock"), Procs: agent.NewProcs()}
	if os.Getenv("TEST_PANIC") != "" {
		o.Procs = panics{o.Procs}
	}
	if !Useful(o) {
		fmt.Println("not useful")
		return 99
	}
	code, err := Run(o)
	if err != nil {
		fmt.Println(err)
		return 98
	}
	return code
}

// panics when the wrapper registers.
type panics struct{ agent.Procs }

func (panics) Boot() string { panic("on purpose") }

// fakeAgent does what the mode says.
func fakeAgent(mode string, args []string) {
	raw := func() {
		if _, err := term.MakeRaw(0); err != nil {
			panic(err)
		}
	}
	switch mode {
	case "echo": // bytes back as they come, until a read ends in "q"
		raw()
		fmt.Print("ready>")
		b := make([]byte, 4096)
		for {
			n, err := os.Stdin.Read(b)
			rest, quit := bytes.CutSuffix(b[:n], []byte("q"))
			os.Stdout.Write(rest)
			if err != nil || quit {
				return
			}
		}
	case "draw":
		raw()
		fmt.Print(strings.Join(args, ""))
		_, _ = os.Stdin.Read(make([]byte, 1))
	case "lines": // what a terminal's line discipline makes of the keys
		fmt.Print("ready>")
		s := bufio.NewScanner(os.Stdin)
		for s.Scan() {
			fmt.Printf("[%s]", s.Text())
		}
	case "size":
		sigs := make(chan os.Signal, 4)
		signal.Notify(sigs, syscall.SIGWINCH)
		for {
			w, h, _ := term.GetSize(1)
			fmt.Printf("<%dx%d>", w, h)
			<-sigs
		}
	case "hup": // leaves a file when it is hung up on
		sigs := make(chan os.Signal, 4)
		signal.Notify(sigs, syscall.SIGHUP)
		fmt.Print("ready>")
		<-sigs
		if err := os.WriteFile(args[0], []byte("hup"), 0o600); err != nil {
			panic(err)
		}
	case "term", "tidy": // ends by itself when it is told to
		sigs := make(chan os.Signal, 4)
		signal.Notify(sigs, syscall.SIGTERM)
		fmt.Print("ready>")
		<-sigs
		if mode == "term" {
			os.Exit(143)
		}
	case "exit":
		fmt.Print("last words")
		os.Exit(7)
	case "flood":
		if len(args) > 0 {
			raw()
		}
		w := bufio.NewWriterSize(os.Stdout, 64<<10)
		flood(w)
		w.Flush()
	case "tstp": // suspends itself as TUIs do, and says when it goes on
		raw()
		back := make(chan os.Signal, 1)
		signal.Notify(back, syscall.SIGCONT)
		fmt.Print("ready>")
		b := make([]byte, 1)
		for {
			if _, err := os.Stdin.Read(b); err != nil {
				return
			}
			switch b[0] {
			case 0x1a:
				fmt.Print("bye>")
				_ = syscall.Kill(0, syscall.SIGTSTP)
				<-back // the stop may reach another thread first
				fmt.Print("back>")
			case 'q':
				return
			}
		}
	case "junk":
		raw()
		os.Stdout.Write(junk())
		fmt.Print("end>")
		_, _ = os.Stdin.Read(make([]byte, 1))
	case "usurp": // says that it is the daemon, and looks at its own screen
		raw()
		fmt.Print("ready>")
		_, _ = os.Stdin.Read(make([]byte, 1))
		f, err := os.OpenFile(filepath.Join(args[0], "lock"), os.O_RDWR, 0)
		if err == nil {
			err = errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), peer.Daemon{PID: os.Getpid()}.Hold(f))
		}
		if err != nil {
			panic(err)
		}
		all, err := List(filepath.Join(args[0], "wraps"))
		if err != nil || len(all) != 1 {
			panic(fmt.Sprint(all, err))
		}
		_, _, err = all[0].Screen(context.Background())
		fmt.Printf("saw=%t>", err == nil)
	case "env":
		fmt.Printf("%s=%s>", Env, os.Getenv(Env))
	}
}

// flood writes the same floodBytes every time.
func flood(w io.Writer) {
	for i, left := 0, floodBytes; left > 0; i++ {
		line := fmt.Appendf(nil, "line %d \x1b[2mof a very long output\x1b[0m, 漢字 and all\r\n", i)
		line = line[:min(len(line), left)]
		_, _ = w.Write(line)
		left -= len(line)
	}
}

// junk are all bytes, and cut sequences.
func junk() []byte {
	var b []byte
	for i := range 256 {
		b = append(b, byte(i), byte(255-i), 0x1b, byte(i))
	}
	return append(b, "\x1b[999999999;999999999H\x1b[99999999b\x1b[9999999L\x1b]0;\xff\xfe\x1b[38;5m\x1bP\xc3\x1b[\x18"...)
}

// outer is a terminal with a wrapper in it.
type outer struct {
	t     *testing.T
	dir   string // wraps/, sockets/ and lock
	lock  *os.File
	pty   *os.File
	tty   *os.File
	cmd   *exec.Cmd
	ended chan struct{}
	code  int

	mu  sync.Mutex
	out bytes.Buffer
	new chan struct{}
}

const patience = 20 * time.Second

// beDaemon makes this process the daemon, until the test ends.
func beDaemon(t testing.TB, dir string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := (peer.Daemon{PID: os.Getpid(), Socket: filepath.Join(dir, "control")}).Hold(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// newOuter makes a terminal and a daemon.
func newOuter(t *testing.T) *outer {
	t.Helper()
	o := &outer{t: t, ended: make(chan struct{}), new: make(chan struct{}, 1)}
	// A test's own folder has too long a name for a socket.
	dir, err := os.MkdirTemp("", "wrap")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o.dir = dir
	o.lock = beDaemon(t, dir)
	if o.pty, o.tty, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(o.pty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.pty.Close(); o.tty.Close() })
	return o
}

// start runs a program in the terminal, as the leader of its session.
func (o *outer) start(argv ...string) *outer {
	o.t.Helper()
	o.cmd = exec.Command(argv[0], argv[1:]...)
	o.cmd.Stdin, o.cmd.Stdout, o.cmd.Stderr = o.tty, o.tty, o.tty
	o.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	o.cmd.Env = append(os.Environ(), "PS1=$ ", "TERM=xterm-256color")
	if err := o.cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	go func() {
		_ = o.cmd.Wait()
		ws := o.cmd.ProcessState.Sys().(syscall.WaitStatus)
		if o.code = ws.ExitStatus(); ws.Signaled() {
			o.code = 128 + int(ws.Signal())
		}
		close(o.ended)
	}()
	o.t.Cleanup(func() { _ = o.cmd.Process.Kill(); <-o.ended })
	return o
}

// wrap starts the wrapper with a fake agent.
func (o *outer) wrap(mode string, args ...string) *outer {
	return o.start(o.wrapper(mode, args...)...).read()
}

func (o *outer) wrapper(mode string, args ...string) []string {
	self, err := os.Executable()
	if err != nil {
		o.t.Fatal(err)
	}
	return append([]string{self, "be-wrapper", o.dir, self, "be-agent", mode}, args...)
}

// read collects what the terminal shows.
func (o *outer) read() *outer {
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, err := o.pty.Read(b)
			o.mu.Lock()
			o.out.Write(b[:n])
			o.mu.Unlock()
			select {
			case o.new <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return o
}

func (o *outer) output() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.out.String()
}

// wait waits until the terminal shows the text, and forgets everything up to its end.
func (o *outer) wait(text string) string {
	o.t.Helper()
	limit := time.After(patience)
	for {
		o.mu.Lock()
		before, after, ok := strings.Cut(o.out.String(), text)
		if ok {
			o.out.Reset()
			o.out.WriteString(after)
		}
		o.mu.Unlock()
		if ok {
			return before
		}
		select {
		case <-o.new:
		case <-limit:
			o.t.Fatalf("the terminal never showed %q, but %q", text, o.output())
		}
	}
}

func (o *outer) keys(s string) {
	o.t.Helper()
	if _, err := o.pty.WriteString(s); err != nil {
		o.t.Fatal(err)
	}
}

// until polls a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit, tick := time.After(patience), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("not in time: " + what)
		}
	}
}

func (o *outer) wantExit(code int) {
	o.t.Helper()
	select {
	case <-o.ended:
	case <-time.After(patience):
		o.t.Fatalf("the wrapper does not end; the terminal shows %q", o.output())
	}
	if o.code != code {
		o.t.Errorf("exit code %d, want %d", o.code, code)
	}
}

// info waits for the registration.
func (o *outer) info() Info {
	o.t.Helper()
	var all []Info
	until(o.t, "the registration", func() bool {
		var err error
		if all, err = List(filepath.Join(o.dir, "wraps")); err != nil {
			o.t.Fatal(err)
		}
		if strings.Contains(o.output(), "not useful") {
			o.t.Fatal("the wrapper finds that it is not useful")
		}
		return len(all) == 1
	})
	return all[0]
}

func (o *outer) wantEnd(cause Cause, code int, sig string) {
	o.t.Helper()
	i := o.info()
	if i.End == nil || i.End.Cause != cause || i.End.Code != code || i.End.Signal != sig || i.End.At.IsZero() {
		o.t.Errorf("the end is %+v, want %s %d %q", i.End, cause, code, sig)
	}
	if _, err := os.Lstat(i.Socket); err == nil {
		o.t.Error("the socket is still there")
	}
}

// modes of the outer terminal.
func (o *outer) modes() unix.Termios {
	o.t.Helper()
	t, err := unix.IoctlGetTermios(int(o.tty.Fd()), getTermios)
	if err != nil {
		o.t.Fatal(err)
	}
	return *t
}
