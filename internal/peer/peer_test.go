package peer

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
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
