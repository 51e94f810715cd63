package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/scripttest"
)

// Whatever ends clawd exec ends its agent, too, such as a quit by Ctrl-\ or a SIGKILL to its whole group. A reader of its stderr that has gone
// ends nothing, nor does a hang-up under nohup.
func TestExecLeavesNothing(t *testing.T) {
	t.Parallel()
	const again = "$(dirname $0)/again"
	const answers = "echo '{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"done\"}'\n"
	for _, c := range []struct{ name, then string }{
		{"quit", "exec sleep 1000\n"},
		{"killed", "exec sleep 1000\n"},
		{"killed before its leash holds", "exec sleep 1000\n"},
		{"stderr closed", answers},
		{"nohup", "read x < " + again + "\n" + answers},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.name == "killed before its leash holds" && runtime.GOOS != "linux" {
				t.Skip("only Linux ends a process with the one that started it")
			}
			home := t.TempDir()
			pid, gone, alive, again := filepath.Join(home, "pid"), filepath.Join(home, "gone"), filepath.Join(home, "alive"), filepath.Join(home, "again")
			for _, fifo := range []string{pid, gone, alive, again} {
				if err := syscall.Mkfifo(fifo, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			// It tells its pid, waits until the test has done its part, says something, and works on.
			script := "#!/bin/sh\necho $$ > " + pid + "\nexec 9> " + alive + "\nread x < " + gone + "\necho '{\"type\":\"system\",\"subtype\":\"init\"}'\n" + c.then
			scripttest.Write(t, filepath.Join(home, "claude"), script)
			argv := []string{build(t).clawd, "exec", "--verbose", "say hello"}
			if c.name == "nohup" {
				argv = append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, argv...)
			}
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + home + ":/usr/bin:/bin"}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd.Stderr = w
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			b, err := os.ReadFile(pid) // opens when the script has
			n, aerr := strconv.Atoi(strings.TrimSpace(string(b)))
			if err != nil || aerr != nil {
				t.Fatal(err, aerr)
			}
			t.Cleanup(func() { _ = syscall.Kill(-n, syscall.SIGKILL) })
			lives, err := os.Open(alive)
			next, nerr := os.OpenFile(again, os.O_RDWR, 0) // so that it can be written whether the script lives or not
			if err != nil || nerr != nil {
				t.Fatal(err, nerr)
			}
			defer lives.Close()
			defer next.Close()
			switch c.name {
			case "quit":
				err = cmd.Process.Signal(syscall.SIGQUIT)
			case "killed":
				err = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			case "killed before its leash holds":
				endLeash(t, cmd.Process.Pid, n)
				err = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			case "nohup":
				err = errors.Join(cmd.Process.Signal(syscall.SIGHUP), os.WriteFile(gone, []byte("x\n"), 0o600))
				if _, rerr := r.Read(make([]byte, 1)); err == nil && rerr == nil { // it has said what came after the signal
					_, err = next.WriteString("x\n")
				}
			default:
				r.Close()
				err = os.WriteFile(gone, []byte("x\n"), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			if strings.HasPrefix(c.name, "killed") { // its agent ends right after it
				_, err = io.Copy(io.Discard, lives)
			}
			if p, ok := agent.NewProcs().Get(n); ok && !p.Zombie || strings.HasSuffix(c.then, answers) && err != nil {
				t.Errorf("clawd has ended (%v), its agent runs on: %v", err, ok)
			}
		})
	}
}

// endLeash ends what a clawd exec has started beside its agent.
func endLeash(t *testing.T, exec, its int) {
	t.Helper()
	all, err := agent.NewProcs().List()
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	for _, p := range all {
		if p.PPID == exec && p.PID != its {
			ended++
			err = errors.Join(err, syscall.Kill(p.PID, syscall.SIGKILL))
		}
	}
	if err != nil || ended != 1 {
		t.Fatalf("%d processes, want the leash: %v", ended, err)
	}
}
