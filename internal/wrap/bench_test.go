package wrap

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// benchTerminal starts the fake agent in a terminal, bare or wrapped, and waits until it is ready.
func benchTerminal(b *testing.B, wrapped bool, mode string, args ...string) *os.File {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	argv := append([]string{self, "be-agent", mode}, args...)
	if wrapped {
		dir, err := os.MkdirTemp("", "wrap")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { os.RemoveAll(dir) })
		beDaemon(b, dir)
		argv = append([]string{self, "be-wrapper", dir}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	outer, err := pty.StartWithAttrs(cmd, &pty.Winsize{Rows: 50, Cols: 200}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		outer.Close()
		_ = cmd.Wait()
	})
	return outer
}

// BenchmarkKey is the way of one key to the program and of its echo back.
func BenchmarkKey(b *testing.B) {
	for name, wrapped := range map[string]bool{"bare": false, "wrapped": true} {
		b.Run(name, func(b *testing.B) {
			outer := benchTerminal(b, wrapped, "echo")
			if _, err := io.ReadFull(outer, make([]byte, len("ready>"))); err != nil {
				b.Fatal(err)
			}
			key := []byte{'k'}
			for b.Loop() {
				if _, err := outer.Write(key); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(outer, key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOutput is 50 MB of colored lines to a terminal of 200 by 50 that takes them at once.
func BenchmarkOutput(b *testing.B) {
	for name, wrapped := range map[string]bool{"bare": false, "wrapped": true} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(floodBytes)
			for b.Loop() {
				outer := benchTerminal(b, wrapped, "flood", "raw")
				if _, err := io.CopyN(io.Discard, outer, floodBytes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEmulator is what the emulator alone takes.
func BenchmarkEmulator(b *testing.B) {
	var lines limited
	flood(&lines)
	e := newEmulator(200, 50)
	b.SetBytes(int64(len(lines)))
	for b.Loop() {
		e.feed(lines)
	}
}

// BenchmarkRepeat is output that asks for as much drawing as its bytes can.
func BenchmarkRepeat(b *testing.B) {
	out := []byte("x" + strings.Repeat("\x1b[65535b", 32<<10/8))
	e := newEmulator(200, 50)
	b.SetBytes(int64(len(out)))
	for b.Loop() {
		e.feed(out)
	}
}

// limited keeps the first MB.
type limited []byte

func (l *limited) Write(p []byte) (int, error) {
	*l = append(*l, p[:min(len(p), 1<<20-len(*l))]...)
	return len(p), nil
}
