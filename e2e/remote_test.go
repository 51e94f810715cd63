//go:build linux

package e2e

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// TestCodexExecRemote: from 0.171 on "codex exec --remote" leaves its turn to a server that somebody runs. The server keeps the session
// open, so nothing is started beside it; once it has ended, clawd goes on.
func TestCodexExecRemote(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, codex171)
	d := w.startClawd(settings{left: true})
	port := w.freePort()
	server := w.begin(2*agentTime, w.folder("elsewhere"), nil, w.program, "app-server", "--listen", "ws://127.0.0.1:"+port)
	w.eventually(agentTime, "the server", func() bool {
		server.mustRun()
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	r := w.start(w.project, nil, "exec", "--remote", "ws://127.0.0.1:"+port, "--skip-git-repo-check", "say done").wait()
	if r.code() != 1 {
		t.Fatalf("exit code %d, want 1\n%s", r.code(), r.output())
	}
	id := d.wait("session_stopped", "reason", "rate_limit").text("session")
	w.leftToHost(d, id, "holds the session's writer lock")
	server.signal(syscall.SIGTERM)
	d.resumedOnce(id)
	d.quiet(5 * time.Second)
	w.wantMain(w.stops() + 1)
}
