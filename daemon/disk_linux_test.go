package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/state"
)

// fails puts a file that takes no writes in the place of the open store's: /dev/full is a full disk,
// and below the first mapped page of /proc/self/mem is EIO. done brings the good one back, or lets it go.
func (r *rig) fails(with string) (done func(back bool)) {
	r.t.Helper()
	path, err := filepath.EvalSymlinks(filepath.Join(r.o.StateDir, "clawd.db"))
	if err != nil {
		r.t.Fatal(err)
	}
	bad, err := os.OpenFile(with, os.O_RDWR, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer bad.Close()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err != nil || to != path {
			continue
		}
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			r.t.Fatal(err)
		}
		good, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err == nil {
			err = unix.Dup3(int(bad.Fd()), fd, unix.O_CLOEXEC)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		return func(back bool) {
			if back {
				err = unix.Dup3(good, fd, unix.O_CLOEXEC)
			}
			if err := errors.Join(err, unix.Close(good)); err != nil {
				r.t.Error(err)
			}
		}
	}
	r.t.Fatalf("%s is not open", path)
	return nil
}

// roomy leaves free pages in the store, so that it need not grow, which no such file bears.
func (r *rig) roomy() {
	r.t.Helper()
	seen := map[string]state.Seen{}
	for i := range 500 {
		seen[strconv.Itoa(i)] = state.Seen{Stamp: "s", Cursor: "c"}
	}
	for range 2 {
		if err := r.d.store.SetSeen(seen); err != nil {
			r.t.Fatal(err)
		}
	}
}

// A write that the disk fails is not tried again on the same open file: clawd ends, and the next one
// reads what there is.
func TestDiskFails(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		waits, _ := r.stopped("plan")
		r.wantPhase(waits, state.Waiting)
		r.roomy()
		done := r.fails("/proc/self/mem")
		// Whatever wrote, and whether it looks at the error or not.
		if err := r.d.store.SetSeen(map[string]state.Seen{"x": {}}); !errors.Is(err, state.ErrBroken) || !errors.Is(err, unix.EIO) {
			t.Errorf("the write gave %v", err)
		}
		select {
		case err := <-r.ended:
			if !errors.Is(err, state.ErrBroken) {
				t.Errorf("Run ended with %v", err)
			}
		case <-time.After(time.Minute):
			t.Fatal("it goes on")
		}
		r.d = nil
		done(false)
		r.wantStarts(0)
		r.start()
		r.wantPhase(waits, state.Waiting)
		r.pass(2 * time.Hour)
		r.wantStarts(1)
	})
}

// A full disk passes.
func TestDiskIsFull(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		r.roomy()
		done := r.fails("/dev/full")
		id, _ := r.stopped("limit")
		e := r.log.events("session_error")
		if len(e) != 1 || !strings.Contains(fmt.Sprint(e[0]["error"]), unix.ENOSPC.Error()) || strings.Contains(fmt.Sprint(e[0]["message"]), "read this session") {
			t.Errorf("told: %v; log:\n%s", e, r.log)
		}
		done(true)
		r.pass(time.Minute)
		r.wantPhase(id, state.Following)
		r.wantStarts(1)
	})
}

// Nor does one that is full when clawd starts end it: what it would clean up waits, and so does the note of an agent that it is told
// not to watch any more.
func TestDiskIsFullAtTheStart(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Watch.Agents = []any{"claude", "codex"}
		r.start()
		r.roomy()
		r.down()
		parted := r.clock.now()
		var done func(back bool)
		r.wrap = func(a whole) agent.Agent { // right before the daemon runs
			done = r.fails("/dev/full")
			return a
		}
		r.o.Config.Watch.Agents = []any{"claude"}
		r.start()
		r.pass(2 * time.Minute) // the first rescan, too
		e := r.log.events("state_error")
		if len(e) == 0 {
			t.Errorf("nothing is told; log:\n%s", r.log)
		}
		for _, e := range e {
			if !strings.Contains(fmt.Sprint(e["error"]), unix.ENOSPC.Error()) {
				t.Errorf("told: %v", e)
			}
		}
		done(true)
		select {
		case err := <-r.ended:
			r.d = nil
			t.Fatalf("it ended: %v", err)
		default:
		}
		id, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.wantPhase(id, state.Following)
		r.wantStarts(1)
		away, err := r.d.store.Unwatched()
		if at, ok := away["codex"]; err != nil || !ok || !at.Equal(parted) {
			t.Errorf("not watched since %v, want codex since %v (%v)", away, parted, err)
		}
		if p, ok, err := r.d.store.Parting(); ok || err != nil {
			t.Errorf("it still says that clawd is not there, since %v (%v)", p.At, err)
		}
	})
}
