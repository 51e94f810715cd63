package agenttest

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// FirstFit checks that each row of an agent's table is the first one that its own example fits. plain is what the agent makes of a text first.
func FirstFit(t *testing.T, rows detect.Messages, plain func(string) string) {
	t.Helper()
	for i, row := range rows {
		for n, other := range rows[:i+1] {
			if hit := other.Pattern.MatchString(plain(row.Example)); hit != (n == i) {
				t.Errorf("row %d fits the example of row %d, %q: %v", n, i, row.Example, hit)
			}
		}
	}
}

// MessageTable compares what an agent says of texts without a record with a file of tab-separated rows: reason or state ("none": no stop),
// window, reset time, text.
func MessageTable(t *testing.T, a agent.Agent, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	when := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			t.Fatalf("%d fields in %q", len(f), line)
		}
		text := strings.ReplaceAll(f[3], `\n`, "\n")
		got, ok := a.Message(text, when, time.UTC)
		word := string(got.Reason)
		if got.State != detect.Stopped {
			word = string(got.State)
		}
		if !ok {
			word = "none"
			if got.State != detect.Running && got.Reason != detect.Unknown {
				t.Errorf("%q is no stop, and yet %+v", text, got)
			}
		}
		reset := ""
		if !got.ResetAt.IsZero() {
			reset = got.ResetAt.Truncate(time.Second).Format(time.RFC3339)
		}
		if word != f[0] || string(got.Window) != f[1] || reset != f[2] {
			t.Errorf("%q\n got %s %q %s\nwant %s %q %s", text, word, got.Window, reset, f[0], f[1], f[2])
		}
	}
}
