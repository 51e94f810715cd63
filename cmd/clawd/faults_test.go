package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/state"
)

// resumedOnce makes sure that every stop of these sessions was answered once, and none is left.
func (w *world) resumedOnce(ids ...string) {
	w.t.Helper()
	l := w.ledger()
	w.neverTwice(l)
	for _, id := range ids {
		if rec := l.sessions[id]; rec.Phase != state.Following {
			w.t.Errorf("session %s: phase %s, want following", id, rec.Phase)
		}
	}
	if n := len(w.starts()); n != len(ids) || l.stats.TotalResumes != n {
		w.t.Errorf("%d starts and %d resumes, want %d", n, l.stats.TotalResumes, len(ids))
	}
}

// SIGTERM comes while an agent is being started: before anything runs, or right behind it. clawd ends well, and the stop is
// answered once.
func TestTermWhileStarting(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"T2.before", "T2.after", "T3.before", "T3.after"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "succeed")
			id, _ := w.limited()
			d := w.start("CLAWD_CRASH_AT="+point, "CLAWD_CRASH_BY=stop", "CLAWD_CRASH_ONCE="+w.root)
			w.until("the point "+point, func() bool { _, err := os.Stat(filepath.Join(w.root, "crashed")); return err == nil })
			for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGCONT} {
				if err := d.cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			d.ended(true)
			d = w.start()
			w.settled(1)
			d.stop()
			w.resumedOnce(id)
		})
	}
}

// Half of a record is there when clawd is killed, the rest comes later: it is read once, as a whole.
func TestKilledBetweenHalves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	id, _ := w.limited()
	path := w.transcript(id)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(b)
	cut := strings.LastIndex(strings.TrimSuffix(whole, "\n"), "\n") + 40
	w.write(path, whole[:cut])
	d := w.start()
	w.until("clawd knows the session", func() bool { st, ok := w.status(); return ok && st.Watched == 1 })
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-d.done
	if n := len(d.events("session_stopped")) + len(d.events("records_skipped")); n != 0 {
		t.Errorf("half a record counted: %d", n)
	}
	d = w.start()
	d.await("sessions_found")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = fmt.Fprint(f, whole[cut:])
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.settled(1)
	d.stop()
	w.resumedOnce(id)
}
