package turn

import (
	"os"
	"testing"
	"time"
)

// TestMain lets the test binary be an agent.
func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		os.Exit(fakeClaude(mode))
	}
	os.Exit(m.Run())
}

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
