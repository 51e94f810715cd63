package wrap

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// host is one wrapper.
type host struct {
	o      Options
	tty    *tty
	master int      // the inner terminal; non-blocking
	keep   *os.File // keeps it open
	leader *os.File
	events *json.Decoder
	child  int

	info       Info
	registered bool
	listener   net.Listener
	emu        *emulator // nil: nobody asks for the screen

	// input is held, by one element, from before a read of the terminal until its bytes are in the
	// inner one, and while the daemon types: so nothing comes between its look and its writing.
	input   chan struct{}
	in      input // under input
	output  sync.Mutex
	stopped atomic.Bool
	termed  time.Time   // the last SIGTERM that we got; the loop's alone
	broke   atomic.Bool // the user sent Ctrl-C or Ctrl-\ to a program that leaves them to its terminal

	hangup  chan struct{} // the outer terminal is gone
	drained chan struct{} // the inner one is, and all that it said is written
}

// hangupPatience is how long a program may take to end after its terminal went away. Then the inner
// terminal goes, too.
const hangupPatience = 5 * time.Second

// termPatience is for how long a SIGTERM explains an end. systemd gives 90 s before it kills.
const termPatience = 2 * time.Minute

// loop handles what happens until the program has ended and its last words are written, which takes
// as long as the outer terminal takes.
func (h *host) loop(signals chan os.Signal) End {
	events := make(chan event)
	h.goes(func() {
		defer close(events)
		for {
			var e event
			if h.events.Decode(&e) != nil {
				return
			}
			events <- e
		}
	})
	// Without a word of the leader: somebody killed it, and the program with it.
	last := event{Signal: int(syscall.SIGHUP)}
	var drained chan struct{} // once the program has ended
	var patience <-chan time.Time
	for {
		select {
		case e, ok := <-events:
			switch {
			case !ok:
				if events, drained = nil, h.drained; patience != nil {
					return h.ended(last, true)
				}
			case e.Ended:
				last = e
			case e.Stopped != 0:
				h.suspend(signals, syscall.Signal(e.Stopped))
			}
		case <-h.hangup:
			if patience == nil {
				h.send(syscall.SIGHUP)
				patience = time.After(hangupPatience)
			}
			if events == nil {
				return h.ended(last, true)
			}
		case <-patience:
			return h.ended(last, true)
		case <-drained:
			h.settled(last, signals)
			return h.ended(last, false)
		case s := <-signals:
			h.signal(s.(syscall.Signal))
		}
	}
}

// settled looks whether we got a SIGTERM as well when the program ended: where all of us got one at once, it or the leader may be
// gone before we know of ours. One that is still to come is waited for where the program ended as by one.
func (h *host) settled(e event, signals chan os.Signal) {
	hear := func() {
		for len(signals) > 0 {
			if <-signals == syscall.SIGTERM {
				h.termed = time.Now()
			}
		}
	}
	hear()
	if term, hup := int(syscall.SIGTERM), int(syscall.SIGHUP); e.Code != 128+term && e.Signal != term && e.Signal != hup {
		catchUp()
		hear()
		return
	}
	for wait := time.After(time.Second); h.termed.IsZero(); { // a busy machine sends one after the other
		select {
		case s := <-signals:
			if s == syscall.SIGTERM {
				h.termed = time.Now()
			}
		case <-wait:
			return
		}
	}
}

func (h *host) signal(s syscall.Signal) {
	switch s {
	case syscall.SIGHUP:
		h.hungUp()
	case syscall.SIGTERM:
		h.termed = time.Now()
		h.send(s)
	case syscall.SIGWINCH:
		h.resize()
	case syscall.SIGCONT: // somebody stopped us alone, and a shell may have changed the terminal
		_ = h.tty.raw()
		h.resize()
	default:
		h.send(s)
	}
}

func (h *host) hungUp() {
	select {
	case h.hangup <- struct{}{}:
	default:
	}
}

// send has the leader signal the program, which the leader alone can name without a race.
func (h *host) send(s syscall.Signal) {
	_, _ = h.leader.Write([]byte{byte(s)}) // the leader may have ended
}

// ended judges how the program ended. A SIGTERM to us is a logout or a shutdown that ends everything
// in the terminal: then the exit code by which a program answers it is no quit of its user's.
func (h *host) ended(e event, gone bool) End {
	end := End{Cause: Quit, Code: e.Code, At: time.Now().UTC()}
	if e.Signal != 0 {
		s := syscall.Signal(e.Signal)
		end.Code, end.Signal = 128+e.Signal, unix.SignalName(s)
		if byKey := s == syscall.SIGINT || s == syscall.SIGQUIT; !byKey || !h.broke.Load() {
			end.Cause = Crash
		}
	}
	if gone || !h.termed.IsZero() && time.Since(h.termed) < termPatience {
		end.Cause = Hangup
	}
	return end
}

// suspend stops the wrapper as its program was stopped, and continues both when the user's shell
// says so. Where no shell could, the kernel stops nobody and the program goes on at once, as
// without a wrapper.
func (h *host) suspend(signals chan os.Signal, s syscall.Signal) {
	h.stopped.Store(true)
	h.settle()
	h.tty.cooked()
	if s == syscall.SIGSTOP {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	} else {
		_ = syscall.Kill(0, syscall.SIGTSTP) // the whole job, as the terminal would have
	}
	// The signal may reach another thread of ours first.
	for wait := time.After(100 * time.Millisecond); ; {
		select {
		case got := <-signals:
			if got != syscall.SIGCONT {
				h.signal(got.(syscall.Signal))
				continue
			}
		case <-wait:
		}
		break
	}
	_ = h.tty.raw() // in the background this stops us again, until the user gives us the terminal
	h.resize()
	h.stopped.Store(false)
	h.send(syscall.SIGCONT)
}

// settle waits until what a stopped program wrote is on the outer terminal.
func (h *host) settle() {
	for range 20 {
		h.output.Lock()
		more := readable(h.master, 0)
		h.output.Unlock()
		if !more {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// resize gives the inner terminal the outer one's size; the kernel then tells the program.
func (h *host) resize() {
	size, err := unix.IoctlGetWinsize(h.tty.fd, unix.TIOCGWINSZ)
	if err != nil {
		return
	}
	_ = unix.IoctlSetWinsize(h.master, unix.TIOCSWINSZ, size)
	if h.emu != nil {
		h.emu.resize(int(size.Col), int(size.Row))
	}
}

// readTerminal passes on what the user types. It blocks while the program does not read.
func (h *host) readTerminal() {
	defer h.hungUp()
	b := make([]byte, 4096)
	for {
		readable(h.tty.fd, -1)
		h.input <- struct{}{}
		n, err := read(h.tty.fd, b)
		if n > 0 {
			h.in.saw(b[:n])
			h.noticeBreak(b[:n])
			err = write(h.master, b[:n], time.Time{})
		}
		<-h.input
		if n <= 0 || err != nil {
			return
		}
	}
}

// noticeBreak sees the keys that the inner terminal turns into a signal.
func (h *host) noticeBreak(b []byte) {
	t, err := unix.IoctlGetTermios(h.master, getTermios)
	if err != nil || t.Lflag&unix.ISIG == 0 {
		return
	}
	for _, c := range b {
		if c != 0 && (c == t.Cc[unix.VINTR] || c == t.Cc[unix.VQUIT]) {
			h.broke.Store(true)
		}
	}
}

// writeTerminal passes on what the program draws, as fast as the outer terminal takes it.
func (h *host) writeTerminal() {
	defer close(h.drained)
	b := make([]byte, 32<<10)
	gone := false
	for {
		readable(h.master, -1)
		h.output.Lock()
		n, err := read(h.master, b)
		if n > 0 && !gone && write(unix.Stdout, b[:n], time.Time{}) != nil {
			// The program must not block on a terminal that is gone: it has to hear of it.
			gone = true
			h.hungUp()
		}
		if n > 0 && h.emu != nil {
			h.emu.feed(b[:n])
		}
		h.output.Unlock()
		if n <= 0 && !errors.Is(err, unix.EAGAIN) {
			return
		}
	}
}

// readable waits until a read of fd would give something, or its end; ms as in poll(2).
func readable(fd, ms int) bool { return ready(fd, unix.POLLIN, ms) }

func ready(fd int, events int16, ms int) bool {
	for {
		p := []unix.PollFd{{Fd: int32(fd), Events: events}}
		n, err := unix.Poll(p, ms)
		if !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}

func read(fd int, b []byte) (int, error) {
	for {
		n, err := unix.Read(fd, b)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// errFull says that a terminal did not take what was written in time.
var errFull = errors.New("the program does not read its terminal")

// write writes all of b; a zero deadline is none.
func write(fd int, b []byte, deadline time.Time) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		switch {
		case n > 0:
			b = b[n:]
		case errors.Is(err, unix.EINTR):
		case !errors.Is(err, unix.EAGAIN):
			return err
		case deadline.IsZero():
			ready(fd, unix.POLLOUT, -1)
		default:
			left := int(time.Until(deadline).Milliseconds())
			if left <= 0 || !ready(fd, unix.POLLOUT, left) {
				return errFull
			}
		}
	}
	return nil
}
