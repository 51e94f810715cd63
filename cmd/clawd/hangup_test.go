package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// TestTerminalCloses: a clawd that was started by hand ends with its window, for nobody would see it go on. Under nohup it goes on.
func TestTerminalCloses(t *testing.T) {
	t.Parallel()
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP) // else a test that runs under nohup has clawd run under it, too
	t.Cleanup(func() { signal.Stop(hup) })
	for name, by := range map[string][]string{"plain": nil, "nohup": {"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			master, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t)
			d := w.startOn(tty, by)
			tty.Close()
			d.await("daemon_started")
			d.reloads("level = \"debug\"\n") // it restarts itself, and does not forget nohup
			w.until("a restart", func() bool { return len(d.events("daemon_started")) == 2 })
			master.Close()
			if name == "nohup" {
				w.until("a reload", func() bool { return len(d.events("config_reloaded")) == 2 })
				d.stop()
				return
			}
			d.ended(true)
		})
	}
}
