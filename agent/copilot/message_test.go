package copilot

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// TestTable: each row is the first one that its own example fits.
func TestTable(t *testing.T) {
	for i, row := range messages() {
		got := -1
		for n, other := range messages() {
			if other.Pattern.MatchString(detect.Plain(row.Example)) {
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
	when := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
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
		got, ok := c.Message(text, when, time.UTC)
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

// TestRecordedTexts: the text of every error of a recorded run means, without its record, what the record says, but where
// only a code or a kind does.
func TestRecordedTexts(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	seen := map[string]bool{}
	for name, files := range recorded(t) {
		for _, path := range files {
			for _, line := range linesOf(t, path) {
				r, err := parse([]byte(strings.TrimSpace(line)))
				if err != nil || r.Type != typeError || r.Agent != "" || seen[r.Data.Message] {
					continue
				}
				seen[r.Data.Message] = true
				want := r.Data.failure(r.at, utcOnly)
				if got, ok := c.Message(strings.TrimSpace(line), r.at, time.UTC); !ok || got.Reason != want.Reason || !got.ResetAt.Equal(want.ResetAt) {
					t.Errorf("%s: the record as a message: %+v", name, got)
				}
				if coded[r.Data.Code] || r.Data.Status >= 400 && r.Data.Code == "" && !strings.Contains(r.Data.Message, strconv.Itoa(r.Data.Status)) {
					continue
				}
				for _, lead := range []string{"", "✗ ", "Error: "} {
					got, ok := c.Message(lead+r.Data.Message, r.at, time.UTC)
					if !ok || got.Reason != want.Reason || got.Window != want.Window || !got.ResetAt.Equal(want.ResetAt) {
						t.Errorf("%s: %q: %v %s %q %s, the record says %s %q %s", name, lead+r.Data.Message, ok, got.Reason, got.Window, got.ResetAt, want.Reason, want.Window, want.ResetAt)
					}
				}
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d texts", len(seen))
	}
}

// coded are codes whose text is that of another one.
var coded = map[string]bool{"integration_rate_limited": true}
