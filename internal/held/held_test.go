package held

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/detect"
)

// TestMain lets the test binary be a process that holds a session until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HELD_DIR"); dir != "" {
		if _, err := Take(dir, "codex", "s1"); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		select {}
	}
	os.Exit(m.Run())
}

func look(t *testing.T, dir, id string) (bool, time.Time) {
	t.Helper()
	now, until, err := Look(dir, detect.Session{Agent: "codex", ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return now, until
}

func TestTake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clawd", "held")
	if now, until := look(t, dir, "s1"); now || !until.IsZero() {
		t.Error("held before anybody took it")
	}
	l, err := Take(dir, "codex", "s1")
	if err != nil {
		t.Fatal(err)
	}
	if now, _ := look(t, dir, "s1"); !now {
		t.Error("not held")
	}
	if now, _ := look(t, dir, "s2"); now {
		t.Error("another session is held, too")
	}
	if _, err := Take(dir, "codex", "s1"); !errors.Is(err, ErrHeld) {
		t.Errorf("taken twice: %v", err)
	}
	if fi, err := os.Stat(filepath.Join(dir, "codex-s1")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", fi.Mode(), err)
	}
	before := time.Now().Add(-time.Second)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if now, until := look(t, dir, "s1"); now || until.Before(before) {
		t.Errorf("after its end: held %v, until %s", now, until)
	}
	if l, err = Take(dir, "codex", "s1"); err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestTakeEndsWithItsProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HELD_DIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if now, _ := look(t, dir, "s1"); !now {
		t.Error("not held by the other process")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if now, until := look(t, dir, "s1"); now || until.IsZero() {
		t.Errorf("after a kill: held %v, until %v", now, until)
	}
}

func TestTakeBesideLooks(t *testing.T) {
	dir := t.TempDir()
	l, err := Take(dir, "codex", "s1")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_, _, _ = Look(dir, detect.Session{Agent: "codex", ID: "s1"})
				}
			}
		})
	}
	for range 50 {
		l, err := Take(dir, "codex", "s1")
		if err != nil {
			t.Error(err)
			break
		}
		l.Close()
	}
	close(done)
	wg.Wait()
}

func TestIDs(t *testing.T) {
	for _, id := range []string{"", "..", "a/b", "a.b", strings.Repeat("x", 200)} {
		if _, err := Take(t.TempDir(), "codex", id); err == nil {
			t.Errorf("%q was taken", id)
		}
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	if err := Prune(filepath.Join(dir, "none"), time.Now()); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"old", "new", "open"} {
		l, err := Take(dir, "codex", id)
		if err != nil {
			t.Fatal(err)
		}
		if id != "open" {
			l.Close()
		}
		if id != "new" {
			past := time.Now().Add(-48 * time.Hour)
			if err := os.Chtimes(filepath.Join(dir, "codex-"+id), past, past); err != nil {
				t.Fatal(err)
			}
		}
		if id == "open" {
			defer l.Close()
		}
	}
	if err := Prune(dir, time.Now().Add(-24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"old": false, "new": true, "open": true} {
		if _, err := os.Stat(filepath.Join(dir, "codex-"+id)); (err == nil) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// The folder of a caller without a daemon does not grow for ever.
func TestTakeRemovesWhatIsOld(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"old", "new", "busy"} {
		l, err := Take(dir, "codex", id)
		if err != nil {
			t.Fatal(err)
		}
		if id != "busy" {
			l.Close()
		} else {
			defer l.Close()
		}
		if id != "new" {
			then := time.Now().Add(-keep - time.Hour)
			if err := os.Chtimes(filepath.Join(dir, "codex-"+id), then, then); err != nil {
				t.Fatal(err)
			}
		}
	}
	l, err := Take(dir, "codex", "next")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, until := look(t, dir, "new"); until.IsZero() {
		t.Error("what is young was removed")
	}
	if now, _ := look(t, dir, "busy"); !now {
		t.Error("what is held was removed")
	}
	if _, until := look(t, dir, "old"); !until.IsZero() {
		t.Error("what is old is still there")
	}
}

// A child has the caller's open files from its fork until it runs its program. The hold ends with Close all the same.
func TestCloseEndsTheHoldOfAChild(t *testing.T) {
	dir := t.TempDir()
	l, err := Take(dir, "codex", "forked")
	if err != nil {
		t.Fatal(err)
	}
	child, err := unix.Dup(int(l.f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(child) }()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if now, until := look(t, dir, "forked"); now || until.IsZero() {
		t.Errorf("held %v until %v", now, until)
	}
}
