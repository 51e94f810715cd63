package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// A store that was cut off (a full disk, a bad copy): it is moved aside with one clear line, what
// was fired is known from its mark, and the next session is resumed.
func TestTruncatedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "die after init", "succeed")
	id, _ := w.limited()
	once := filepath.Join(w.root, "once")
	if err := os.Mkdir(once, 0o700); err != nil {
		t.Fatal(err)
	}
	w.start("CLAWD_CRASH_AT=T4.before", "CLAWD_CRASH_ONCE="+once).ended(false)
	if err := os.Truncate(filepath.Join(w.state, "clawd", "clawd.db"), 9000); err != nil {
		t.Fatal(err)
	}
	d := w.start()
	d.await("daemon_started")
	d.await("session_held")
	w.limited()
	w.until("the next one is resumed", func() bool { return len(d.events("resume_succeeded")) > 0 })
	d.stop()
	if len(d.events("state_damaged")) != 1 || len(w.starts()) != 2 {
		t.Errorf("%d starts; log:\n%s", len(w.starts()), d.log)
	}
	if rec := w.ledger().sessions[id]; rec.Phase != state.Held {
		t.Errorf("phase %s, want held", rec.Phase)
	}
}

// No damaged page keeps the real program from starting: it is told, and the next session is resumed.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	path := filepath.Join(w.state, "clawd", "clawd.db")
	s, err := state.Open(path, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		ds := detect.Session{Agent: "claude", ID: strconv.Itoa(i)}
		c := state.Session{Session: ds}.Noted(s.Books(time.Now, func(err error) { t.Fatal(err) }),
			state.Read{Session: ds, Info: detect.Info{Dir: strings.Repeat("/folder", 30)}})
		if err := s.Commit(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := os.Getpagesize()
	damaged := 0
	for page := range len(good) / size {
		b := bytes.Clone(good)
		clear(b[page*size : (page+1)*size])
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		d := w.start()
		d.await("daemon_started")
		d.stop()
		damaged += len(d.events("state_damaged"))
	}
	if damaged == 0 {
		t.Error("no damage was told")
	}
	w.limited()
	d := w.start()
	d.await("resume_succeeded")
	d.stop()
}

// What is no file where the store should be ends clawd at once, with clear words.
func TestStoreIsNoFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	path := filepath.Join(w.state, "clawd", "clawd.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	d := w.start()
	d.ended(false)
	if code := d.cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(d.log.String(), path+" is a named pipe") {
		t.Errorf("exit %d: %s", code, d.log)
	}
}
