package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestUnanswered: who gets no answer from the daemon is told why, and what to do.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	t.Cleanup(func() { close(hangs) })
	for _, c := range []struct {
		name   string
		serves func(net.Conn) // nil: nobody listens
		want   string
		code   int
	}{
		{"nobody", nil, "no daemon is running", exitNoDaemon},
		{"stopped", func(net.Conn) { <-hangs }, "has not answered for 10s", exitFailed},
		{"killed meanwhile", func(c net.Conn) { c.Close() }, "ended before it answered", exitFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(t.TempDir(), "s")
			if c.serves != nil {
				l, err := net.Listen("unix", socket)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
				go func() {
					for {
						conn, err := l.Accept()
						if err != nil {
							return
						}
						go c.serves(conn)
					}
				}()
			}
			client := http.Client{Timeout: 100 * time.Millisecond, Transport: &http.Transport{DisableKeepAlives: true,
				DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }}}
			resp, err := client.Get("http://clawd/v1/status")
			if err == nil {
				resp.Body.Close()
				t.Fatal("answered")
			}
			checkUnanswered(t, unanswered(err, socket), socket, c.want, c.code)
		})
	}
}

func checkUnanswered(t *testing.T, err error, socket, want string, code int) {
	t.Helper()
	got := exitFailed
	if c := (*codeError)(nil); errors.As(err, &c) {
		got = c.code
	}
	if got != code || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), socket) || strings.Contains(err.Error(), "http://") {
		t.Errorf("%d %v", got, err)
	}
}

// TestAnothersDaemon: who may not ask is not told that nobody is there.
func TestAnothersDaemon(t *testing.T) {
	err := &net.OpError{Op: "dial", Net: "unix", Err: syscall.EACCES}
	checkUnanswered(t, unanswered(err, "/s"), "/s", "belongs to another user", exitFailed)
}
