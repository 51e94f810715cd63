//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// TestReloadRestarts: what a running clawd can't take over is in force after a reload as well, for clawd restarts itself in the same
// process. A run under way is taken up, and nothing of it is left behind. A log that can't be written changes nothing.
func TestReloadRestarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hang")
	id, _ := w.limited()
	d := w.start()
	d.await("resume_started")
	d.reloads("file = \"" + filepath.Join(w.root, "none", "log") + "\"\n")
	if e := d.await("config_reloaded"); e["ok"] != false || !strings.Contains(e["error"].(string), "log.file") {
		t.Errorf("%v", e)
	}
	d.reloads("level = \"debug\"\n")
	w.until("a restart", func() bool { return len(d.events("daemon_started")) == 2 })
	if e := d.events("daemon_started"); e[0]["pid"] != e[1]["pid"] {
		t.Errorf("%v", e)
	}
	w.write(filepath.Join(w.fake, "release"), "")
	d.await("resume_succeeded")
	if all := w.starts(); len(all) != 1 || all[0][3] != id {
		t.Errorf("starts: %v", all)
	}
	d.await("rescanned") // the new level is in force
	w.until("no child that nobody waits for", func() bool { return len(zombies(t, d.main.Pid)) == 0 })
	d.stop()
}

// zombies gives the children of a process that have ended, and that it has not waited for.
func zombies(t *testing.T, parent int) (pids []int) {
	t.Helper()
	all, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	procs := agent.NewProcs()
	for _, f := range all {
		pid, err := strconv.Atoi(f.Name())
		if err != nil {
			continue
		}
		if p, ok := procs.Get(pid); ok && p.PPID == parent && p.Zombie {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestReloadKeepsItsReader: who reads the log from a pipe sees no end of it when clawd restarts itself. Else he would go, and a clawd
// that nobody listens to does not start.
func TestReloadKeepsItsReader(t *testing.T) {
	t.Parallel()
	for name, begins := range map[string]bool{"already": true, "from the reload on": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			pipe, log := filepath.Join(w.root, "pipe"), &lockedBuffer{}
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			reader := exec.Command("cat", pipe) // it ends with the last writer
			reader.Stdout = log
			if err := reader.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = reader.Process.Kill(); _ = reader.Wait() })
			first, err := os.OpenFile(pipe, os.O_WRONLY, 0) // the reader is there
			if err != nil {
				t.Fatal(err)
			}
			toPipe, d := "file = \""+pipe+"\"\n", (*daemonProc)(nil)
			if begins {
				w.configures(toPipe)
				d = w.start()
				d.log = log
				d.await("daemon_started")
				first.Close()
				d.reloads(toPipe + "level = \"debug\"\n")
			} else {
				d = w.start()
				d.await("daemon_started")
				d.reloads(toPipe)
				first.Close()
				d.log = log
			}
			want := 1
			if begins {
				want = 2
			}
			w.until("a restart", func() bool {
				select {
				case <-d.done:
					t.Fatal("clawd ended")
				default:
				}
				return len(d.events("daemon_started")) == want
			})
			d.stop()
			if err := reader.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReloadWithoutItsProgram: a clawd whose program is gone cannot restart itself, so it goes on as it was.
func TestReloadWithoutItsProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := filepath.Join(w.root, "clawd")
	b, err := os.ReadFile(build(t).clawd)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, b, 0o700); err != nil {
		t.Fatal(err)
	}
	d := w.startUnder([]string{"sh", "-c", `exec "$0" run`, program})
	d.await("daemon_started")
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	d.reloads("level = \"debug\"\n")
	if e := d.await("config_reloaded"); e["ok"] != false {
		t.Errorf("%v", e)
	}
	d.stop()
}

// TestReloadAfterRotation: a log that was moved away, as logrotate does, goes on in a new file at its place.
func TestReloadAfterRotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(w.root, "log")
	w.configures("file = \"" + path + "\"\n")
	d := w.start()
	log := func() string { b, _ := os.ReadFile(path); return string(b) }
	w.until("a log", func() bool { return strings.Contains(log(), "daemon_started") })
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one finds the log at its place
		if err := d.main.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		w.until("a new log", func() bool { return strings.Contains(log(), "sessions_found") })
	}
	w.until("a reload", func() bool { return strings.Contains(log(), "config_reloaded") })
	if strings.Contains(log(), "restart_for") {
		t.Errorf("it was there, and clawd restarted for it: %s", log())
	}
	d.stop()
}

// between stops a clawd that restarts itself right before it becomes its new program, with a config that has it decide and do nothing.
func between(t *testing.T) (d *daemonProc, config string) {
	t.Helper()
	w := newWorld(t)
	config = filepath.Join(w.root, "home", ".config", "clawd", "config.toml")
	w.write(config, "[log]\nformat = \"json\"\n")
	d = w.start("CLAWD_CONFIG=", "CLAWD_CRASH_AT=again", "CLAWD_CRASH_BY=stop", "CLAWD_CRASH_ONCE="+w.root)
	d.await("sessions_found")
	w.write(config, "[log]\nformat = \"json\"\n[resume]\ndry_run = true\n")
	if err := d.main.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	w.until("the restart", func() bool { _, err := os.Stat(filepath.Join(w.root, "crashed")); return err == nil })
	return d, config
}

// TestTermBeforeRestart: a SIGTERM is not lost with the program that it reaches.
func TestTermBeforeRestart(t *testing.T) {
	t.Parallel()
	d, _ := between(t)
	if err := errors.Join(d.main.Signal(syscall.SIGTERM), d.main.Signal(syscall.SIGCONT)); err != nil {
		t.Fatal(err)
	}
	d.w.until("the end", func() bool { return ended(d) })
}

// TestConfigGoneAtRestart: a config that is gone for a moment means no defaults in a restart, as in any reload.
func TestConfigGoneAtRestart(t *testing.T) {
	t.Parallel()
	d, config := between(t)
	if err := errors.Join(os.Remove(config), d.main.Signal(syscall.SIGCONT)); err != nil {
		t.Fatal(err)
	}
	d.w.until("an end, or a start", func() bool { return ended(d) || len(d.events("daemon_started")) > 1 })
	if !ended(d) || !strings.Contains(d.log.String(), config+" is gone") {
		t.Errorf("it goes on, or does not say why it does not")
	}
}
