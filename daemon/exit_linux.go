package daemon

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// hangupTime is how long a closing terminal is given to take its shell with it.
const hangupTime = time.Second

// awaitExit makes the session look again soon after a process ended: whether the terminal's shell
// still lives tells a quit from a closed window, and only for a short time.
func (s *session) awaitExit(ctx context.Context, pid int) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil { // gone already, or an old kernel: the rescan looks
		return
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })
	defer stop()
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	err = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && err != unix.EINTR
	})
	if err != nil {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(hangupTime):
		s.d.poke(s)
	}
}
