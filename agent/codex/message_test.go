package codex

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// TestTable: each row is the first one that its own example fits.
func TestTable(t *testing.T) {
	if len(texts()) < 40 {
		t.Fatalf("the table has %d rows", len(texts()))
	}
	for i, row := range texts() {
		got := -1
		for n, other := range texts() {
			if other.Pattern.MatchString(lookup(row.Example)) {
				got = n
				break
			}
		}
		if got != i {
			t.Errorf("row %d is not the first to fit its example %q: row %d is", i, row.Example, got)
		}
	}
}

func TestMessage(t *testing.T) {
	b, err := os.ReadFile("testdata/messages.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c := over(t.TempDir(), procTable{}, agent.Config{})
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			t.Fatalf("%d fields in %q", len(f), line)
		}
		text := strings.ReplaceAll(f[3], `\n`, "\n")
		got, ok := c.Message(text, at, rome)
		word := string(got.Reason)
		if got.State != detect.Stopped {
			word = string(got.State)
		}
		if !ok {
			word = "none"
			if got.State != detect.Running || got.Reason != "" {
				t.Errorf("%q is no stop, and yet %+v", text, got)
			}
		}
		reset := got.ResetAt
		if got.State == detect.Retrying {
			reset = got.SelfResumeAt
		}
		when := ""
		if !reset.IsZero() {
			when = reset.Truncate(time.Second).Format(time.RFC3339)
		}
		if word != f[0] || string(got.Window) != f[1] || when != f[2] && f[2] != "?" {
			t.Errorf("%q\n got %s %q %s\nwant %s %q %s", text, word, got.Window, when, f[0], f[1], f[2])
		}
	}
}

// TestMessageZone: without a zone the agent's own counts.
func TestMessageZone(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c := over(t.TempDir(), procTable{}, agent.Config{}, "TZ=America/New_York")
	got, ok := c.Message("You've hit your usage limit. Try again at 8:30 AM.", at, nil)
	if want := time.Date(2026, 11, 20, 13, 30, 0, 0, time.UTC); !ok || !got.ResetAt.Equal(want) {
		t.Errorf("%s, want %s", got.ResetAt, want)
	}
}

// TestTablePrinted: whatever a recorded run printed as its last word is in the table.
func TestTablePrinted(t *testing.T) {
	seen := 0
	for _, name := range cases(t) {
		b, err := os.ReadFile(recordings + "/" + name + "/stdout")
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if !strings.HasPrefix(line, `{"type":"turn.failed"`) && !strings.HasPrefix(line, `{"type":"error"`) {
				continue
			}
			seen++
			c := over(t.TempDir(), procTable{}, agent.Config{})
			if got, ok := c.Message(line, time.Now(), nil); !ok || got.Reason == detect.Unknown {
				t.Errorf("%s: %q is not in the table", name, line)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d lines were looked at", seen)
	}
}
