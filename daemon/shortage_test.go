package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// What the machine lacks is nobody's fault: no session is held for it, it is said once, tried less and less
// often, and over with the first start that goes through.
func TestMachineIsShort(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EINTR} {
		t.Run(errno.Error(), func(t *testing.T) {
			in(t, func(r *rig) {
				r.children.fail = fmt.Errorf("fork/exec clawd: %w", errno)
				tries := 0
				r.children.claimed = func(resume.Claim) { tries++ }
				r.seldom()
				r.start()
				var ids []string
				for range 4 {
					id, _ := r.stopped("limit")
					ids = append(ids, id)
				}
				r.pass(3 * time.Hour)
				if tries < 10 || tries > 60 {
					t.Errorf("%d tries in three hours", tries)
				}
				for _, id := range ids {
					if rec := r.wantPhase(id, state.Waiting); rec.Starts != 0 || rec.Episode.Attempts != 0 {
						t.Errorf("%d starts and %d attempts count", rec.Starts, rec.Episode.Attempts)
					}
				}
				said := len(r.log.events("machine_short"))
				lines := 0
				for _, e := range append(r.log.events("claim_settled"), r.log.events("resume_postponed")...) {
					if e["level"] != "debug" {
						lines++
					}
				}
				if said != 1 || lines > 4 {
					t.Errorf("said %d times, and %d lines about sessions", said, lines)
				}
				r.children.mu.Lock()
				r.children.fail = nil
				r.children.mu.Unlock()
				r.pass(10 * time.Minute)
				r.wantStarts(4)
				if n := len(r.log.events("machine_recovered")); n != 1 {
					t.Errorf("recovered %d times", n)
				}
			})
		})
	}
}

// Clawd's own folders and its lock are made again when somebody removes them.
func TestFoldersAreMadeAgain(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		for _, dir := range []string{r.d.marks(), r.d.outputs(), r.d.backups(), filepath.Join(r.o.UserDir, LockName)} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		r.stopped("limit")
		r.pass(5 * time.Minute)
		r.wantStarts(1)
		for _, dir := range []string{r.d.marks(), r.d.outputs(), r.d.backups()} {
			if fi, err := os.Stat(dir); err != nil || fi.Mode() != os.ModeDir|0o700 {
				t.Errorf("%s: %v %v", dir, fi, err)
			}
		}
		if n := len(r.log.events("folder_made_again")); n != 3 {
			t.Errorf("told %d times: %v", n, r.log.events("folder_made_again"))
		}
		second := r.o
		second.StateDir = filepath.Join(r.root, "another")
		if _, err := New(second); !errors.Is(err, ErrRunning) {
			t.Errorf("a second clawd: %v", err)
		}
	})
}

// The control socket, too.
func TestSocketIsMadeAgain(t *testing.T) {
	r := newRig(t)
	r.o.Socket = filepath.Join(r.root, "run", "clawd.sock")
	d, err := New(r.o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { d.release(); d.store.Close() }()
	c, err := d.listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan struct{})
	r.d = d
	r.loops(ctx)
	r.d = nil
	go func() { c.serve(ctx); close(served) }()
	defer func() { stop(); <-served }()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", r.o.Socket)
	}}}
	answers := func() {
		t.Helper()
		resp, err := client.Get("http://clawd/v1/status")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	answers()
	for range 2 {
		if err := os.RemoveAll(filepath.Dir(r.o.Socket)); err != nil {
			t.Fatal(err)
		}
		if err := c.renew(); err != nil {
			t.Fatal(err)
		}
		answers()
	}
}

// A clock that is set back lengthens no session's wait for the machine.
func TestMachineIsShortAndClockSetBack(t *testing.T) {
	in(t, func(r *rig) {
		r.children.fail = fmt.Errorf("fork: %w", syscall.EAGAIN)
		r.start()
		r.stopped("limit")
		r.pass(20 * time.Minute)
		r.clock.jump(-6 * time.Hour)
		r.children.mu.Lock()
		r.children.fail = nil
		r.children.mu.Unlock()
		r.pass(10 * time.Minute)
		r.wantStarts(1)
	})
}

// Who cannot start for a reason of its own does not take the try away from who can.
func TestMachineIsShortForTheOthers(t *testing.T) {
	in(t, func(r *rig) {
		r.children.fail = fmt.Errorf("fork: %w", syscall.EAGAIN)
		r.seldom()
		r.start()
		var ids []string
		for range 41 {
			id, _ := r.stopped("limit")
			ids = append(ids, id)
		}
		r.pass(3 * time.Hour)
		r.children.mu.Lock()
		r.children.fail = nil
		r.children.mu.Unlock()
		for n, id := range ids[:40] { // somebody has them open
			pid := 901 + n
			r.procs.set(func() {
				r.procs.all = append(r.procs.all, agent.Proc{PID: pid, Group: pid, Leader: pid, Start: 91, Comm: "claude"})
				r.procs.argv[pid] = []string{"claude", "-p", "--resume", id, "go on"}
			})
			put(t, filepath.Join(r.agentDir(), "sessions", fmt.Sprint(pid, ".json")),
				fmt.Sprintf(`{"pid":%d,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli","status":"idle"}`, pid, id, r.project))
		}
		r.pass(6 * time.Minute)
		r.wantStarts(1)
	})
}

// Where another clawd has taken the lock in the meantime, this one ends: two would see the same sessions.
func TestLockIsAnothers(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		path := filepath.Join(r.o.UserDir, LockName)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		second := r.o
		second.StateDir = filepath.Join(r.root, "another")
		d, err := New(second)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { d.release(); d.store.Close() }()
		select {
		case err := <-r.ended:
			if r.d = nil; !errors.Is(err, ErrRunning) {
				t.Errorf("ended with %v", err)
			}
		case <-time.After(2 * time.Minute):
			t.Error("two clawds run")
		}
	})
}
