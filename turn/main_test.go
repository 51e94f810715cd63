package turn

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary be an agent.
func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		os.Exit(fakeClaude(mode))
	}
	code := m.Run()
	os.RemoveAll(builtDir)
	os.Exit(code)
}

// builtDir holds the agent.
var builtDir string

// agentProgram is this test binary once more, without the race detector, which makes each of some five hundred starts
// of the agent take 0.1 s of processor time. The agent has one goroutine.
var agentProgram = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "turn-test")
	if err != nil {
		return "", err
	}
	builtDir = dir
	path := filepath.Join(dir, "agent")
	cmd := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// patient is the deadline of what other processes do.
const patient = 60 * time.Second

func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	deadline, tick := time.After(patient), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-deadline:
			t.Fatalf("never came: %s", what)
		case <-tick.C:
		}
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
