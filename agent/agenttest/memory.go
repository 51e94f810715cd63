package agenttest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// maxPeak is the most memory that a process may take to read a session with a line of 1 GB, in bytes.
const maxPeak = 64 << 20

// HugeLine reads a session with a line of 1 GB, a hole of the file, in a process of its own: the
// sound records around it are read, and its memory stays small. open gives the agent over a folder in
// which the session is to lie.
func HugeLine(t *testing.T, open func(dir string) (agent.Agent, detect.Session), before, after string) {
	const child = "CLAWD_TEST_HUGE_LINE"
	if dir := os.Getenv(child); dir != "" {
		readHuge(t, open, dir)
		return
	}
	if testing.Short() {
		t.Skip("a file of 1 GB")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell the peak of a process")
	}
	dir := t.TempDir()
	_, s := open(dir)
	write(t, s.Path, before+`{"type":"assistant","message":"`, 0o600)
	must(t, os.Truncate(s.Path, 1<<30))
	f, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString("\"}\n" + after)
	must(t, err)
	must(t, f.Close())
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), child+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var peak int64
	for line := range bytes.Lines(out) {
		if _, err := fmt.Sscanf(string(line), "VmHWM: %d kB", &peak); err == nil {
			break
		}
	}
	t.Logf("peak %d MB for a line of 1 GB", peak>>10)
	if limit := int64(maxPeak) * raceFactor; peak == 0 || peak<<10 > limit {
		t.Errorf("%d MB, want at most %d\n%s", peak>>10, limit>>20, out)
	}
}

func readHuge(t *testing.T, open func(dir string) (agent.Agent, detect.Session), dir string) {
	a, s := open(dir)
	b, err := a.Read(t.Context(), s, "")
	must(t, err)
	if b.Skipped != 1 || verdict(b.Events).Reason != detect.Completed {
		t.Errorf("%d skipped, %+v", b.Skipped, verdict(b.Events))
	}
	must(t, os.Truncate(s.Path, 1<<30)) // the huge line is the last one now, and not whole
	if maybe, _, err := a.Tail(t.Context(), s); err != nil || !maybe {
		t.Errorf("Tail: %v, err %v", maybe, err)
	}
	status, err := os.ReadFile(filepath.Join("/proc/self", "status"))
	must(t, err)
	os.Stdout.Write(status)
}
