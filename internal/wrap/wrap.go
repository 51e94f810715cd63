// Package wrap runs an agent in a pseudo terminal that clawd owns, so that the daemon can look at
// its screen and type a prompt, in any terminal. To the agent and its user nothing changes: bytes,
// window sizes and signals go through as they are, both ways.
//
//	outer terminal  <->  wrapper (Run)  <->  pseudo terminal  <->  program
//	                        |  socket              |
//	                      daemon                leader (Leader): waits for the program
//
// The wrapper writes down which program it runs and where its socket is, and at the end how the
// program ended: DIR/CHILDPID.json.
package wrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/peer"
)

// Env names the variable that holds the wrapper's pid in the program's environment.
const Env = "CLAWD_WRAP"

// Options of Run.
type Options struct {
	Path    string   // of the program
	Argv    []string // argv[0] first
	Leader  []string // a command that calls Leader with the path and the argv that follow it
	Dir     string   // of the registry, where the daemon looks, whatever its runtime folder
	Sockets string   // folder of our socket, e.g. $XDG_RUNTIME_DIR/clawd/wraps
	Lock    string   // the daemon's lock, which tells who it is
	Procs   agent.Procs
}

// Useful says whether there is something to wrap for: a terminal at both ends, a daemon, and no
// wrapper around us yet.
func Useful(o Options) bool {
	if !term.IsTerminal(unix.Stdin) || !term.IsTerminal(unix.Stdout) || inside(o.Procs) {
		return false
	}
	// A socket's path has a limit, and no program may fail for that.
	if len(socket(o.Sockets, 1<<30)) >= 104 {
		return false
	}
	if _, ok := peer.Running(o.Lock); !ok {
		return false
	}
	return openDir(o.Dir) == nil && openDir(o.Sockets) == nil
}

// inside tells a wrapper around us from one that only left its variable, as in a tmux server that
// was started there.
func inside(procs agent.Procs) bool {
	value := os.Getenv(Env)
	wrapper, err := strconv.Atoi(value)
	if err != nil {
		return value != ""
	}
	for pid := os.Getppid(); pid > 1; {
		if pid == wrapper {
			return true
		}
		p, ok := procs.Get(pid)
		if !ok {
			return true // it cannot be told
		}
		pid = p.PPID
	}
	return false
}

// Run runs the program in the terminal at stdin and stdout until it ends, and gives its exit code;
// 128 + the signal when one killed it. The caller then exits: stdin may still be waited for.
// An error means that the program was not started.
func Run(o Options) (int, error) {
	h := &host{o: o, tty: &tty{fd: unix.Stdin}, input: make(chan struct{}, 1), hangup: make(chan struct{}, 1), drained: make(chan struct{})}
	defer h.guard()
	signals := make(chan os.Signal, 16)
	// Not SIGTSTP: once a Go program has asked for it, it can no longer be stopped by it.
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGWINCH, syscall.SIGCONT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	if err := h.tty.save(); err != nil {
		return 0, err
	}
	defer h.tty.cooked()
	if err := h.tty.raw(); err != nil {
		return 0, err
	}
	if err := h.start(); err != nil {
		return 0, err
	}
	h.register()
	h.goes(h.readTerminal)
	h.goes(h.writeTerminal)
	end := h.loop(signals)
	h.tty.cooked() // nobody waits for the daemon
	h.finish(end)
	return end.Code, nil
}

// start makes the inner terminal like the outer one, and starts the program in it.
func (h *host) start() error {
	master, slave, err := pty.Open()
	if err != nil {
		return fmt.Errorf("no pseudo terminal can be had: %w", err)
	}
	defer slave.Close()
	h.master, h.keep = int(master.Fd()), master
	if err := errors.Join(term.Restore(int(slave.Fd()), h.tty.saved), unix.SetNonblock(h.master, true)); err != nil {
		return err
	}
	h.resize()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	theirs := os.NewFile(uintptr(fds[1]), "leader")
	defer theirs.Close()
	h.leader = os.NewFile(uintptr(fds[0]), "leader")
	cmd := exec.Command(h.o.Leader[0], append(append(h.o.Leader[1:len(h.o.Leader):len(h.o.Leader)], h.o.Path), h.o.Argv...)...)
	cmd.Env = append(os.Environ(), Env+"="+strconv.Itoa(os.Getpid()))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if !term.IsTerminal(unix.Stderr) {
		cmd.Stderr = os.Stderr
	}
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	h.events = json.NewDecoder(h.leader)
	var first event
	if err := h.events.Decode(&first); err != nil {
		return fmt.Errorf("the program's terminal cannot be set up: %w", err)
	}
	if first.Error != "" {
		return errors.New(first.Error)
	}
	h.child = first.PID
	return nil
}

// register makes the program known to the daemon. Where that fails the program runs all the same,
// and nobody can type into it; its terminal is no place to say so.
func (h *host) register() {
	if p, ok := h.o.Procs.Get(os.Getpid()); ok {
		h.info.Wrapper = Process{p.PID, p.Start}
		h.info.TTY = p.TTY
	} else {
		h.info.Wrapper = Process{PID: os.Getpid()}
	}
	p, _ := h.o.Procs.Get(h.child)
	h.info.Child = Process{h.child, p.Start}
	h.info.Boot, h.info.Argv0 = h.o.Procs.Boot(), filepath.Base(h.o.Argv[0])
	h.info.Socket = socket(h.o.Sockets, h.child)
	if h.serve() != nil {
		return
	}
	h.registered = h.info.write(h.o.Dir) == nil
}

// finish leaves word of the end.
func (h *host) finish(end End) {
	if h.listener != nil {
		h.listener.Close() // removes the socket
	}
	if !h.registered {
		return
	}
	h.info.End = &end
	if h.info.write(h.o.Dir) != nil {
		return
	}
	d, ok := peer.Running(h.o.Lock)
	if !ok || d.Socket == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	// The daemon also reads the file, so nothing is lost when it does not listen.
	_ = request(ctx, d.Socket, "/v1/wraps/ended", h.info, nil)
}

// tty is the outer terminal.
type tty struct {
	fd    int
	saved *term.State
}

func (t *tty) save() (err error) {
	t.saved, err = term.GetState(t.fd)
	return err
}

func (t *tty) raw() error {
	_, err := term.MakeRaw(t.fd)
	return err
}

// cooked gives the terminal back as it was. It may be gone.
func (t *tty) cooked() { _ = term.Restore(t.fd, t.saved) }

// goes runs f beside the others.
func (h *host) goes(f func()) {
	go func() {
		defer h.guard()
		f()
	}()
}

// guard gives the terminal back before a panic ends the process.
func (h *host) guard() {
	if p := recover(); p != nil {
		if h.tty.saved != nil {
			h.tty.cooked()
		}
		panic(p)
	}
}
