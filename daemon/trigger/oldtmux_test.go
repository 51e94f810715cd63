package trigger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// table is a process table with one process.
type table struct {
	agent.Procs
	p agent.Proc
}

func (t table) Get(pid int) (agent.Proc, bool) { return t.p, pid == t.p.PID }

// TestTmuxVersions: a tmux before 3.0 takes no bytes, and gets characters; one that does not know what it is asked for gets nothing.
func TestTmuxVersions(t *testing.T) {
	for version, want := range map[string]string{
		"3.3a": "send-keys -t %7 -H c3 a9 0d", "next-3.7": "send-keys -t %7 -H c3 a9 0d", "openbsd-7.5": "send-keys -t %7 -H c3 a9 0d", "3.0a": "send-keys -t %7 -H c3 a9 0d",
		"2.9a": "send-keys -t %7 0xe9 0xd", "2.7": "send-keys -t %7 0xe9 0xd", "": "send-keys -t %7 0xe9 0xd", "too old": "",
	} {
		t.Run(version, func(t *testing.T) {
			dir := t.TempDir()
			said := filepath.Join(dir, "said")
			state := "%7 0 0 0 0 1 2 80 /dev/pts/9 v" + version
			if version == "too old" {
				state = "%7 0 0   1 2 80 /dev/pts/9 v" // 1.8
			}
			script := "#!/bin/sh\nshift 3\ncase $1 in list-panes) echo '%7 /dev/pts/9';; display-message) echo '" + state + "'; echo title; echo screen;; *) echo \"$@\" > " + said + ";; esac\n"
			if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			tr := &Trigger{Procs: table{p: agent.Proc{PID: 901, Start: 91, TTY: "/dev/pts/9"}}, Tmux: func() string { return "default" }}
			term, err := tr.pane(t.Context(), detect.Holder{PID: 901, Start: 91, TTY: "/dev/pts/9"})
			if err != nil {
				t.Fatal(err)
			}
			err = term.Press(t.Context(), []byte("é\r"))
			got, rerr := os.ReadFile(said)
			if want == "" {
				if !errors.As(err, new(*ElsewhereError)) || !strings.Contains(err.Error(), "too old") || rerr == nil {
					t.Errorf("%v; typed %q", err, got)
				}
				return
			}
			if err != nil || rerr != nil || strings.TrimSpace(string(got)) != want {
				t.Errorf("%v, %v; typed %q, want %q", err, rerr, got, want)
			}
		})
	}
}
