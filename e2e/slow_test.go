//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// An agent that is slow to remove its lock or its entry in a registry, as on a busy machine, may have let go of that before, and may
// have ended before it has removed it: its user has quit all the same.
func TestLiveEndsSlowly(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	if why := lacking("strace"); why != "" {
		t.Fatal(why)
	}
	for _, a := range []agentCase{copilot, copilot65, claude332, claude197, codex171, qwen024} {
		t.Run(a.kind+"-"+a.version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			c, p, id := w.stopsOpen(false, 2*time.Minute) // a busy machine takes half a minute to slow it, and as long again to end it
			w.waitMain(w.stops())
			args := []string{"-f", "-qq", "-o", "/dev/null", "-e", "inject=unlink,unlinkat:delay_enter=3000000"}
			pids := p.below()
			for _, pid := range pids {
				args = append(args, "-p", pid)
			}
			w.startProgram("strace", args...)
			w.eventually(agentTime, "each thread is slow", func() bool {
				return !slices.ContainsFunc(pids, func(pid string) bool {
					threads, err := filepath.Glob("/proc/" + pid + "/task/*/status")
					return err != nil || slices.ContainsFunc(threads, func(path string) bool {
						b, err := os.ReadFile(path)
						return err == nil && strings.Contains(string(b), "TracerPid:\t0\n")
					})
				})
			})
			p.quits()
			c.wait("session_left", "session", id)
			w.wantMain(w.stops())
			if n := len(c.entries("resume_started")); n != 0 {
				t.Errorf("%d starts", n)
			}
		})
	}
}

// below gives the pids of the processes that the shell of the pane has started, directly or not.
func (p *terminal) below() []string {
	p.w.t.Helper()
	out, err := p.command("display-message", "-p", "#{pane_pid}").Output()
	if err != nil {
		p.w.t.Fatal(err)
	}
	pids := []string{strings.TrimSpace(string(out))}
	for n := 0; n < len(pids); n++ {
		lists, _ := filepath.Glob("/proc/" + pids[n] + "/task/*/children")
		for _, list := range lists {
			b, _ := os.ReadFile(list) // none: that thread has ended
			pids = append(pids, strings.Fields(string(b))...)
		}
	}
	return pids[1:]
}
