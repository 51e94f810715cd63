package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/internal/peer"
)

// A function runs the agent wrapped in an interactive shell alone, and hides nothing of the shell.
func TestShellInit(t *testing.T) {
	for shell, flags := range map[string][]string{"bash": {"--norc", "--noprofile"}, "zsh": {"-f"}, "fish": {"--no-config"}} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("not installed")
			}
			init, err := exec.Command("clawd", "shell-init", shell).Output()
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			put := func(name, text string, mode os.FileMode) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
					t.Fatal(err)
				}
			}
			put("init", string(init), 0o600)
			// What is called tells its arguments.
			put("claude", "#!/bin/sh\necho \"plain($*)\"\n", 0o700)
			run := func(terminal, withClawd bool, script string, more ...string) string {
				t.Helper()
				if os.Remove(filepath.Join(dir, "clawd")); withClawd {
					put("clawd", "#!/bin/sh\necho \"clawd($*)\"\n", 0o700)
				}
				cmd := exec.Command(path, append(append(append([]string(nil), flags...), more...), "-c", script)...)
				cmd.Env = append(os.Environ(), "PATH="+dir+":/usr/bin:/bin", "HOME="+dir, "TERM=xterm")
				var out bytes.Buffer
				if !terminal {
					cmd.Stdout, cmd.Stderr = &out, &out
					if err := cmd.Run(); err != nil {
						t.Errorf("%s: %v", script, err)
					}
					return out.String()
				}
				tty, err := pty.Start(cmd)
				if err != nil {
					t.Fatal(err)
				}
				defer tty.Close()
				_, _ = out.ReadFrom(tty) // until the terminal is gone
				_ = cmd.Wait()
				return strings.ReplaceAll(out.String(), "\r", "")
			}
			source := ". " + filepath.Join(dir, "init") + "\n"
			for _, c := range []struct {
				name, script string
				terminal     bool
				clawd        bool
				more         []string
				want         string
			}{
				{"interactive", "claude -p 'a b'", true, true, []string{"-i"}, "clawd(wrap -- claude -p a b)\n"},
				{"command", "command claude x", true, true, []string{"-i"}, "plain(x)\n"},
				{"a pipe", "claude x | cat", true, true, []string{"-i"}, "plain(x)\n"},
				{"a script", "claude x", true, true, nil, "plain(x)\n"},
				{"no terminal", "claude x", false, true, []string{"-i"}, "plain(x)\n"},
				{"no clawd", "claude x", true, false, []string{"-i"}, "plain(x)\n"},
				{"the agent is absent", "gemini x", true, true, []string{"-i"}, "gemini"},
			} {
				if got := run(c.terminal, c.clawd, source+c.script, c.more...); !strings.Contains(got, c.want) || strings.Contains(c.want, "plain") && strings.Contains(got, "clawd(") {
					t.Errorf("%s: %q, want %q", c.name, got, c.want)
				}
			}
			if shell != "fish" { // a user's alias and function stay
				alias := "alias claude='claude --mine'\n"
				if shell == "bash" {
					alias = "shopt -s expand_aliases\n" + alias
				}
				if got := run(true, true, alias+source+"eval 'claude x'", "-i"); !strings.Contains(got, "clawd(wrap -- claude --mine x)") {
					t.Errorf("alias: %q", got)
				}
				if got := run(true, true, "claude() { echo mine; }\n"+source+"claude x", "-i"); !strings.Contains(got, "mine\n") {
					t.Errorf("function: %q", got)
				}
			}
		})
	}
}

// The whole way, with the real commands.
func TestWrapInATerminal(t *testing.T) {
	dir, err := os.MkdirTemp("", "wrap") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Mkdir(filepath.Join(dir, "clawd"), 0o700); err != nil {
		t.Fatal(err)
	}
	start := func() (string, int) {
		cmd := exec.Command("clawd", "wrap", "--", "sh", "-c", "echo wrap=${CLAWD_WRAP:-no}; kill -9 $$")
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "HOME="+dir)
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		defer tty.Close()
		stuck := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		defer stuck.Stop()
		var out bytes.Buffer
		_, _ = out.ReadFrom(tty)
		_ = cmd.Wait()
		return out.String(), cmd.ProcessState.ExitCode()
	}
	if out, code := start(); !strings.Contains(out, "wrap=no") || code != -1 {
		t.Errorf("without a daemon: %q %d", out, code)
	}
	state := filepath.Join(dir, ".local", "state", "clawd")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(filepath.Join(state, "clawd.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := errors.Join(unix.Flock(int(lock.Fd()), unix.LOCK_EX), peer.Daemon{PID: os.Getpid()}.Hold(lock)); err != nil {
		t.Fatal(err)
	}
	if out, code := start(); strings.Contains(out, "wrap=no") || code != 137 {
		t.Errorf("with a daemon: %q %d", out, code)
	}
	files, _ := filepath.Glob(filepath.Join(state, "wraps", "*"))
	if len(files) != 1 {
		t.Fatalf("left: %q", files)
	}
	if b, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(b), `"cause":"crash"`) {
		t.Errorf("%s %v", b, err)
	}
}
