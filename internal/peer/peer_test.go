package peer

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestUID(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if uid, err := UID(conn); err != nil || uid != os.Getuid() {
		t.Errorf("peer %d (%v), want %d", uid, err, os.Getuid())
	}
	if pid, err := PID(conn); err != nil || pid != os.Getpid() {
		t.Errorf("process %d (%v), want %d", pid, err, os.Getpid())
	}
	if c, err := Only(l).Accept(); err != nil {
		t.Errorf("this user is kept out: %v", err)
	} else {
		c.Close()
	}
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	if _, err := UID(server); err == nil {
		t.Error("a connection without a user passes")
	}
}

// Only the lock that is held now tells of a daemon.
func TestRunning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.lock")
	wantNone := func(when string) {
		t.Helper()
		if d, ok := Running(path); ok {
			t.Errorf("%s: %+v", when, d)
		}
	}
	wantNone("no file")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, d := range []Daemon{{1234567, "/run/a/longer/path.sock"}, {42, ""}} {
		if err := d.Hold(f); err != nil {
			t.Fatal(err)
		}
		wantNone("left by a dead one")
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		if got, ok := Running(path); !ok || got != d {
			t.Errorf("%+v %v, want %+v", got, ok, d)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "x", "-1", "0\n/s"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		wantNone(text)
	}
}

// onePeer is a listener with one connection on which no user can be found.
type onePeer struct {
	net.Listener
	conns chan net.Conn
}

func (l onePeer) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func TestStrangersAreRefused(t *testing.T) {
	client, server := net.Pipe()
	conns := make(chan net.Conn, 1)
	conns <- server
	close(conns)
	if c, err := Only(onePeer{conns: conns}).Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a stranger got in: %v %v", c, err)
	}
	if _, err := client.Read(make([]byte, 1)); err == nil {
		t.Error("the stranger's connection is still open")
	}
}
