package claude

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

func TestMessages(t *testing.T) {
	b, err := os.ReadFile("testdata/messages.tsv")
	must(t, err)
	c := over(t.TempDir(), table{}, agent.Config{})
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rome, err := time.LoadLocation("Europe/Rome")
	must(t, err)
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
		got, ok := c.Message(strings.ReplaceAll(f[4], `\n`, "\n"), at, rome)
		reason := string(got.Reason)
		if !ok {
			reason = "none"
		}
		want := f[1]
		if want == "retrying" || want == "waiting" { // no failures: the agent goes on, or asks
			want = "none"
		}
		if reason != want || f[2] != "" && f[2] != string(got.Window) {
			t.Errorf("%s\n\tgot  %s %s\n\twant %s %s", f[4], reason, got.Window, want, f[2])
		}
		// How a time is read is for detect to test; here: that it is taken over.
		if r, _ := detect.ParseReset(f[4], at, rome); want == "usage_limit" && f[3] != "" && when(r.At) == f[3] && when(got.ResetAt) != f[3] {
			t.Errorf("%s\n\tgot  %s\n\twant %s", f[4], when(got.ResetAt), f[3])
		}
	}
}
