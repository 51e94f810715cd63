// Package peer tells who is at the other end of clawd's unix sockets, and keeps others out.
package peer

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Only lets in processes of this user, and root, which can do anything anyway.
func Only(l net.Listener) net.Listener {
	return Where(l, func(c net.Conn) bool {
		uid, err := UID(c)
		return err == nil && (uid == os.Getuid() || uid == 0)
	})
}

// Where lets in those that the function is for.
func Where(l net.Listener, good func(net.Conn) bool) net.Listener { return &some{l, good} }

type some struct {
	net.Listener
	good func(net.Conn) bool
}

func (s *some) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if s.good(c) {
			return c, nil
		}
		c.Close()
	}
}

// descriptor gives the descriptor of a unix socket to f.
func descriptor(c net.Conn, f func(fd int) error) error {
	uc, ok := c.(*net.UnixConn)
	if !ok {
		return errors.New("not a unix socket")
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return err
	}
	problem := raw.Control(func(fd uintptr) { err = f(int(fd)) })
	return errors.Join(problem, err)
}

// Daemon is a running clawd, as its lock tells.
type Daemon struct {
	PID    int
	Socket string // of its orders; empty: none
}

// Hold writes who has the lock into its file, which the caller has locked.
func (d Daemon) Hold(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(d.PID)+"\n"+d.Socket), 0)
	return err
}

// Running gives the clawd that holds the lock at path now; false: none does.
func Running(path string) (Daemon, bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return Daemon{}, false
	}
	defer f.Close()
	if !errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK) {
		return Daemon{}, false // what it says is of one that has ended
	}
	const most = 4096
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return Daemon{}, false
	}
	first, socket, _ := bytes.Cut(b, []byte{'\n'})
	pid, err := strconv.Atoi(string(first))
	return Daemon{pid, string(socket)}, err == nil && pid > 0
}
