package agenttest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

const (
	// maxPeak is the most memory that a process may take to read a session, whatever its file holds, in bytes.
	maxPeak = 64 << 20
	// manyHeld is the most that is held at the end of many small lines. They are few enough to be read soon, and what is kept of
	// each must still show: some 20 bytes.
	manyHeld = 3 << 20
	// huge is how long a line is of which next to nothing may be held.
	huge = 4 * maxPeak
)

// HugeLine reads a session with a huge line, a hole of the file, in a process of its own: the
// sound records around it are read, and its memory stays small. open gives the agent over a folder in
// which the session is to lie.
func HugeLine(t *testing.T, open func(dir string) (agent.Agent, detect.Session), before, after string) {
	small(t, maxPeak, open, func(s detect.Session) {
		write(t, s.Path, before+`{"type":"assistant","message":"`, 0o600)
		must(t, os.Truncate(s.Path, huge))
		f, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		_, err = f.WriteString("\"}\n" + after)
		must(t, err)
		must(t, f.Close())
	}, func(a agent.Agent, s detect.Session) {
		b, err := Read(t.Context(), a, s, "")
		must(t, err)
		if b.Skipped != 1 || verdict(b.Events).Reason != detect.Completed {
			t.Errorf("%d skipped, %+v", b.Skipped, verdict(b.Events))
		}
		must(t, os.Truncate(s.Path, huge)) // the huge line is the last one now, and not whole
		if maybe, _, err := a.Tail(t.Context(), s); err != nil || !maybe {
			t.Errorf("Tail: %v, err %v", maybe, err)
		}
	})
}

// ManyLines reads a session with as many answers as line gives for other numbers, in a process of its own.
func ManyLines(t *testing.T, open func(dir string) (agent.Agent, detect.Session), before string, line func(n int) string) {
	const many = 100_000
	small(t, maxPeak, open, func(s detect.Session) {
		write(t, s.Path, before, 0o600)
		f, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		w := bufio.NewWriter(f)
		for n := range many {
			_, err = w.WriteString(line(n))
			must(t, err)
		}
		must(t, w.Flush())
		must(t, f.Close())
	}, func(a agent.Agent, s detect.Session) {
		n := 0
		var c detect.Classifier
		_, err := a.Read(t.Context(), s, "", func(e detect.Event) {
			n++
			c.Feed(e)
			if n == many { // here, for a peak depends on when the collector got to run
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				if m.HeapAlloc > manyHeld {
					t.Errorf("%d KB are held, want at most %d", m.HeapAlloc>>10, manyHeld>>10)
				}
			}
		})
		must(t, err)
		if n < many || c.Last.Kind != detect.KindAnswer {
			t.Errorf("%d events, the last %+v", n, c.Last)
		}
	})
}

// LongLine reads a session with one line of 15 MB, also many times at once, in a process of its own.
// lines give the record with a text, by kind. In Race this process reads a shorter one: long lines wait
// for each other.
func LongLine(t *testing.T, open func(dir string) (agent.Agent, detect.Session), before string, lines map[string]func(text string) string) {
	for name, line := range lines {
		put := func(s detect.Session, size int) { write(t, s.Path, before+line(strings.Repeat("x\n", size)), 0o600) }
		t.Run(name, func(t *testing.T) {
			if inRace(t) {
				a, s := open(t.TempDir())
				put(s, 400_000) // a long one still, for package tail
				readLong(t, a, s, 4)
				return
			}
			small(t, maxPeak, open, func(s detect.Session) { put(s, 5_000_000) }, func(a agent.Agent, s detect.Session) {
				tail.Patience = time.Hour // a machine is slow; what is measured is how much is held
				readLong(t, a, s, 4)      // at once, their lines alone would take it all
			})
		})
	}
}

// readLong reads a session in each way, and then as if it were many sessions.
func readLong(t *testing.T, a agent.Agent, s detect.Session, many int) {
	t.Helper()
	_, _, err := a.Tail(t.Context(), s)
	must(t, err)
	n := 0
	b, err := a.Read(t.Context(), s, "", func(detect.Event) { n++ })
	must(t, err)
	if n < 2 || b.Skipped != 0 {
		t.Errorf("%d events, %d skipped", n, b.Skipped)
	}
	_, err = a.LastPrompt(t.Context(), s)
	must(t, err)
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			if _, err := a.Read(t.Context(), s, "", func(detect.Event) {}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// small has a process of its own read what another has written with put, and looks how much memory
// that took. Both are built as clawd is, without the race detector: it keeps notes of all memory.
func small(t *testing.T, most int64, open func(dir string) (agent.Agent, detect.Session), put func(detect.Session), read func(agent.Agent, detect.Session)) {
	t.Helper()
	if dir := os.Getenv(envPut); dir != "" {
		debug.SetGCPercent(800) // what is measured is the other one
		_, s := open(dir)
		put(s)
		return
	}
	if dir := os.Getenv(envRead); dir != "" {
		read(open(dir))
		status, err := os.ReadFile(filepath.Join("/proc/self", "status"))
		must(t, err)
		os.Stdout.Write(status)
		return
	}
	if testing.Short() {
		t.Skip("a large file")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell the peak of a process")
	}
	program, err := withoutRace()
	must(t, err)
	dir := t.TempDir()
	run := func(env string) []byte {
		cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.count=1")
		cmd.Env = append(os.Environ(), env+"="+dir, "GOGC=100") // as clawd has it
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return out
	}
	run(envPut)
	out := run(envRead)
	var peak int64
	for line := range bytes.Lines(out) {
		if _, err := fmt.Sscanf(string(line), "VmHWM: %d kB", &peak); err == nil {
			break
		}
	}
	t.Logf("peak %d MB", peak>>10)
	if peak == 0 || peak<<10 > most {
		t.Errorf("%d MB, want at most %d\n%s", peak>>10, most>>20, out)
	}
}

const (
	envPut  = "CLAWD_TEST_MEMORY_PUT"
	envRead = "CLAWD_TEST_MEMORY_READ"
)

// withoutRace gives this test program, built without the race detector.
var withoutRace = sync.OnceValues(func() (string, error) {
	if !race {
		return os.Args[0], nil
	}
	dir, err := os.MkdirTemp("", "clawd-test")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "plain.test")
	cmd := exec.Command("go", "test", "-c", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	if plain, err = os.Open(program); err != nil {
		return "", err
	}
	return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), plain.Fd()), nil
})

// plain holds what withoutRace built: open, it stays as long as this process, and no longer.
var plain *os.File
