package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// tracer is how strace starts a program that has a system call fail, stall or kill; the program keeps its pid.
func tracer(t *testing.T, args ...string) []string {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	return append([]string{"strace", "-D", "-f", "-qq", "-o", "/dev/null"}, args...)
}

// namespace is how a program is started that may set up a part of the machine for itself. It sees no process of others:
// it could not look into them, and would take each agent among them for one that may have its sessions open.
func namespace(t *testing.T, setup string) []string {
	t.Helper()
	by := []string{"unshare", "-rmpf", "--mount-proc", "--kill-child", "sh", "-c", "set -e\n" + setup + "\nexec \"$@\"", "sh"}
	if out, err := exec.Command(by[0], append(by[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no such namespace can be had here: %v: %s", err, out)
	}
	return by
}

// startInside starts clawd in a namespace.
func (w *world) startInside(by []string, env ...string) *daemonProc {
	w.t.Helper()
	d := w.startUnder(by, env...)
	pid := 0
	w.until("the first process inside", func() bool {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", d.cmd.Process.Pid, d.cmd.Process.Pid))
		_, err := fmt.Sscan(string(b), &pid)
		return err == nil || ended(d)
	})
	var err error
	if d.main, err = os.FindProcess(pid); err != nil {
		w.t.Fatal(err)
	}
	return d
}

// Killed as it syncs the store: between the pages and the root that names them, or behind both. What was acknowledged is
// there, and the stop is answered once.
func TestKilledBetweenSyncs(t *testing.T) {
	t.Parallel()
	var killed atomic.Int32
	t.Cleanup(func() {
		if killed.Load() < 4 {
			t.Errorf("only %d lives ended at a sync", killed.Load())
		}
	})
	for n := 1; n <= 12; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "succeed")
			id, _ := w.limited()
			d := w.startUnder(tracer(t, "-e", "trace=fdatasync", "-e", fmt.Sprintf("inject=fdatasync:signal=KILL:when=%d", n)))
			w.until("the kill, or the resume", func() bool { return ended(d) || len(d.events("resume_succeeded")) > 0 })
			_ = d.cmd.Process.Signal(syscall.SIGTERM) // it may be killed at this, too
			<-d.done
			if !d.cmd.ProcessState.Success() {
				killed.Add(1)
			}
			d = w.start()
			d.await("daemon_started")
			w.settled(1)
			d.stop()
			if e := append(d.events("state_damaged"), d.events("state_lost")...); len(e) > 0 {
				t.Errorf("the store did not come back: %v", e)
			}
			w.resumedOnce(id)
		})
	}
}

// A disk that takes half a second for each sync delays what is done, and doubles nothing.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	first, _ := w.limitedIn(w.root + "/one")
	d := w.startUnder(tracer(t, "-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=500000"))
	second, _ := w.limitedIn(w.root + "/two")
	for n := range 2 { // step by step: all of it may take longer than the tests' patience
		w.until("a start", func() bool { return len(d.events("resume_started")) > n })
		w.until("its end", func() bool { return len(d.events("resume_succeeded")) > n })
	}
	d.stop()
	w.resumedOnce(first, second)
}

// The store's file is cut off while it is open: clawd ends rather than go on with what is not there, and the next one
// answers every stop once. Half a file may have all that counts.
func TestTruncatedWhileOpen(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]int64{"empty": 0, "half": 2} { // of the file
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "succeed")
			first, _ := w.limited()
			d := w.start()
			d.await("resume_succeeded")
			path := filepath.Join(w.state, "clawd", "clawd.db")
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			size := int64(0)
			if part > 0 {
				size = fi.Size() / part
			}
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
			second, _ := w.limitedIn(w.root + "/second")
			w.until("its end, or the second resume", func() bool { return ended(d) || size > 0 && len(d.events("resume_succeeded")) == 2 })
			if ended(d) {
				d.ended(false)
				d = w.start()
				w.until("the second resume", func() bool { return len(w.starts()) == 2 && len(d.events("resume_succeeded")) > 0 })
			}
			d.stop()
			starts := w.starts()
			if len(starts) != 2 || starts[0][3] != first || starts[1][3] != second {
				t.Errorf("starts %v, want one of %s and one of %s", starts, first, second)
			}
			w.neverTwice(w.ledger())
		})
	}
}

// The user's bound on the size of files is a full disk: nothing is started that cannot be written down, clawd does not
// die of the signal, and when the bound is lifted every stop is answered once.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	d := w.start()
	d.await("daemon_started")
	limit := func(n uint64) {
		t.Helper()
		if err := unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: unix.RLIM_INFINITY}, nil); err != nil {
			t.Fatal(err)
		}
	}
	limit(8 << 10) // the two roots, and no page behind them
	var ids []string
	for i := range 3 {
		id, _ := w.limitedIn(fmt.Sprintf("%s/%d", w.root, i))
		ids = append(ids, id)
	}
	w.until("the words on it", func() bool {
		return strings.Contains(d.log.String(), syscall.EFBIG.Error()) || ended(d)
	})
	if n := len(w.starts()); n != 0 {
		t.Errorf("%d starts that the store does not know", n)
	}
	if ended(d) {
		t.Fatalf("it ended: %v", d.cmd.ProcessState)
	}
	limit(unix.RLIM_INFINITY)
	w.settled(3)
	d.stop()
	w.resumedOnce(ids...)
}

func ended(d *daemonProc) bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// A state folder on an overlay, as a container has it, holds what a disk does: over a kill, and when what was written has
// become the layer below.
func TestOverlayState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	layer := func(name string) string { return filepath.Join(w.root, "layers", name) }
	for _, dir := range []string{"none", "first", "second", "work1", "work2"} {
		if err := os.MkdirAll(layer(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(w.state, 0o700); err != nil {
		t.Fatal(err)
	}
	over := func(lower, upper, work string) []string {
		return namespace(t, fmt.Sprintf("mount -t overlay overlay -o lowerdir=%s,upperdir=%s,workdir=%s %s", layer(lower), layer(upper), layer(work), w.state))
	}
	id, _ := w.limited()
	below := []string{"sh", "-c", `"$@"; exit $?`, "sh"} // the first process of a namespace cannot kill itself
	d := w.startUnder(append(over("none", "first", "work1"), below...), "CLAWD_CRASH_AT=T4.before", "CLAWD_CRASH_ONCE="+w.root)
	d.ended(false)
	d = w.startInside(over("first", "second", "work2"))
	d.await("resume_succeeded")
	d.stop()
	if e := append(d.events("state_damaged"), d.events("state_lost")...); len(e) > 0 {
		t.Errorf("the store did not come through: %v", e)
	}
	for _, upper := range []string{"first", "second"} { // of the last one only what changed
		if out, err := exec.Command("cp", "-a", layer(upper)+"/.", w.state).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	w.resumedOnce(id)
}

// A run that opened its session on a disk that filled up meanwhile has said so all the same: that nothing is there would be the
// proof that it asked nothing.
func TestRunOnFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "die after init", "succeed")
	if err := os.MkdirAll(w.state, 0o700); err != nil {
		t.Fatal(err)
	}
	program, fill := filepath.Join(w.bin, "claude"), filepath.Join(w.state, "fill")
	if err := os.Rename(program, program+".fake"); err != nil {
		t.Fatal(err)
	}
	w.write(program, fmt.Sprintf("#!/bin/sh\ncase $* in *--version) ;; *) cat /dev/zero >%[1]s 2>/dev/null;; esac\n%[2]s.fake \"$@\"\ncode=$?\nrm -f %[1]s\nexit $code\n", fill, program))
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	id, _ := w.limited()
	d := w.startInside(namespace(t, "mount -t tmpfs -o size=4m tmpfs "+w.state))
	if e := d.await("resume_failed"); e["outcome"] != "unknown" {
		t.Errorf("%v: %v", e["outcome"], e["why"])
	}
	d.stop()
	if all := w.starts(); len(all) != 1 || all[0][3] != id {
		t.Errorf("%v", all)
	}
}

// A home, or a state folder, whose file system keeps no locks, as NFS without its lock daemon, is named, and not taken for another clawd.
func TestNoLocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	d := w.start()
	d.await("sessions_found")
	d.stop()
	w.limited()
	store := filepath.Join(w.state, "clawd", "clawd.db")
	for name, where := range map[string][]string{"clawd.lock": nil, store: {"-P", store}} {
		d := w.startUnder(tracer(t, append(where, "-e", "inject=flock:error=ENOLCK")...))
		d.ended(false)
		if said := d.log.String(); strings.Contains(said, "running already") || !strings.Contains(said, name) || !strings.Contains(said, syscall.ENOLCK.Error()) {
			t.Errorf("it says %q", said)
		}
	}
	if all := w.starts(); len(all) > 0 {
		t.Errorf("it starts %v", all)
	}
}

// A user who has no more watches, or no inotify at all, has the rescan: it is said, and every stop is answered once.
func TestNoWatchesLeft(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]string{"watches": "1 > /proc/sys/user/max_inotify_watches", "instances": "0 > /proc/sys/user/max_inotify_instances"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "succeed")
			before, _ := w.limitedIn(w.root + "/one")
			d := w.startInside(namespace(t, "echo "+limit))
			d.await("watch_degraded")
			after, _ := w.limitedIn(w.root + "/two")
			w.until("both resumes", func() bool { return len(d.events("resume_succeeded")) == 2 })
			d.stop()
			w.resumedOnce(before, after)
		})
	}
}

// With few open files at a time nothing is held and nothing lost: clawd starts what it can, and the next one the rest.
func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	for _, files := range []int{64, 24, 16} {
		t.Run(fmt.Sprint(files), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "succeed")
			var ids []string
			for i := range 4 {
				id, _ := w.limitedIn(fmt.Sprintf("%s/%d", w.root, i))
				ids = append(ids, id)
			}
			d := w.startUnder([]string{"sh", "-c", fmt.Sprintf("ulimit -n %d && exec \"$@\"", files), "sh"})
			w.until("what becomes of it", func() bool {
				short := len(d.events("machine_short")) > 0 || len(d.events("resume_postponed")) > 0 // for a minute, where a file could not be opened
				return ended(d) || short || len(d.events("resume_succeeded")) == len(ids)
			})
			if files == 64 && len(d.events("resume_succeeded")) != len(ids) {
				t.Errorf("%d resumes of %d", len(d.events("resume_succeeded")), len(ids))
			}
			if !ended(d) {
				d.stop()
			}
			if n := len(d.events("session_held")); n > 0 {
				t.Errorf("%d sessions are held for want of files", n)
			}
			d = w.start()
			w.settled(len(ids))
			d.stop()
			w.resumedOnce(ids...)
		})
	}
}

// A panic, wherever the loop is, ends clawd with all its goroutines, and the next one goes on where it was: no half claim.
func TestPanic(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"T1.after", "T2.before", "T2.after", "T3.after", "T4.before"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "succeed")
			id, _ := w.limited()
			d := w.start("CLAWD_CRASH_AT="+point, "CLAWD_CRASH_BY=panic", "CLAWD_CRASH_ONCE="+w.root)
			d.ended(false)
			if code := d.cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(d.log.String(), "crash point "+point) {
				t.Errorf("exit %d", code)
			}
			d = w.start()
			w.settled(1)
			d.stop()
			w.resumedOnce(id)
		})
	}
}

// A disk that is full when clawd starts is no reason to give up. Without a store clawd ends and says why, as often as the
// service starts it; with one it runs. Once there is room the stop is answered, once.
func TestStartsOnFullDisk(t *testing.T) {
	t.Parallel()
	for _, had := range []bool{false, true} {
		t.Run(fmt.Sprintf("store %v", had), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "succeed")
			if had {
				d := w.start()
				d.await("daemon_started")
				d.stop()
			}
			before := filepath.Join(w.root, "before")
			if err := errors.Join(os.MkdirAll(w.state, 0o700), os.CopyFS(before, os.DirFS(w.state))); err != nil {
				t.Fatal(err)
			}
			by := namespace(t, fmt.Sprintf("mount -t tmpfs -o size=1m none %s; cp -a %s/. %s; head -c 2000000 /dev/zero > %s/ballast 2>/dev/null || true",
				w.state, before, w.state, w.state))
			if !had { // three starts by a service, then there is room
				by = append(by, "sh", "-c", fmt.Sprintf("for n in 1 2 3; do \"$@\" && exit 9; done; rm %s/ballast; exec \"$@\"", w.state), "sh")
			}
			w.limited()
			d := w.startInside(by)
			if had {
				w.until("the words on it", func() bool { return strings.Contains(d.log.String(), syscall.ENOSPC.Error()) })
				if err := os.Remove(fmt.Sprintf("/proc/%d/root%s/ballast", d.cmd.Process.Pid, w.state)); err != nil {
					t.Fatal(err)
				}
			}
			d.await("resume_succeeded")
			d.stop()
			if n := strings.Count(d.log.String(), "clawd.db: no space left on device\n"); !had && n != 3 {
				t.Errorf("said %d times", n)
			}
			if n := len(w.starts()); n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}
