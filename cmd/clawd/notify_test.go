//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNotify plays the service manager: it is told when clawd is ready, that it lives, that it reads
// its config again, and that it stops.
func TestNotify(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	path := filepath.Join(w.root, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	d := w.start("NOTIFY_SOCKET="+path, "WATCHDOG_USEC=200000")
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil { // from here: clawd may have to be built first
		t.Fatal(err)
	}
	await := func(want string) {
		t.Helper()
		buf := make([]byte, 4096)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				t.Fatalf("waiting for %s: %v", want, err)
			}
			switch got := string(buf[:n]); {
			case strings.HasPrefix(got, want):
				return
			case strings.HasPrefix(got, "STOPPING=1"):
				t.Fatalf("it stops; waiting for %s", want)
			}
		}
	}
	await("READY=1")
	await("WATCHDOG=1")
	await("WATCHDOG=1")
	if err := d.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	await("RELOADING=1\nMONOTONIC_USEC=")
	await("READY=1")
	d.reloads("level = \"debug\"\n") // it restarts itself
	await("RELOADING=1\nMONOTONIC_USEC=")
	await("READY=1")
	d.stop()
	await("STOPPING=1")
}

// TestReloadWhileStarting: a reload that comes while clawd still opens its store does not end it. It opens its log
// before that, here a pipe, which is open when the other end is.
func TestReloadWhileStarting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	pipe, conf := filepath.Join(w.root, "log"), filepath.Join(w.root, "clawd.toml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	w.write(conf, strings.Replace(string(b), "[log]\n", fmt.Sprintf("[log]\nfile = %q\n", pipe), 1))
	d := w.start()
	log, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := d.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(log); ; {
		if !lines.Scan() {
			d.ended(true) // the pipe is closed
			t.Fatal("it ended before it had read its config again")
		}
		if strings.Contains(lines.Text(), `"event":"config_reloaded"`) {
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	d.stop()
}
