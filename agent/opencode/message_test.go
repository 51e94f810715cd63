package opencode

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// TestTable: each row is the first that matches its own example.
func TestTable(t *testing.T) {
	for i, m := range messages() {
		for j, other := range messages()[:i+1] {
			if hit := other.Pattern.MatchString(plain(m.Example)); hit != (i == j) {
				t.Errorf("row %d (%s %s): row %d matches %v: %q", i, m.State, m.Reason, j, hit, m.Example)
			}
		}
	}
}

// TestMessage: testdata/messages.tsv has the texts that were seen, testdata/unseen.tsv those that
// opencode or a provider could print, and what people and programs write about them.
func TestMessage(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	o, _ := open(t, nil)
	for _, path := range []string{"../../testdata/messages.tsv", "../../testdata/messages-2.tsv", "../../testdata/messages-3.tsv", "testdata/unseen.tsv"} {
		rows := 0
		for line := range strings.Lines(readFile(t, path)) {
			w := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
			if w[0] != "opencode" {
				continue
			}
			rows++
			reason, window, reset := w[1], w[2], w[3]
			text := strings.ReplaceAll(w[4], `\n`, "\n")
			s, ok := o.Message(text, at, rome)
			got, until := string(s.Reason), s.ResetAt
			switch {
			case !ok:
				got = "none"
			case s.State == detect.Retrying:
				got, until = "retrying", s.SelfResumeAt
			}
			if got != reason || window != "" && window != string(s.Window) {
				t.Errorf("%s\n\tgot  %s %s\n\twant %s %s", w[4], got, s.Window, reason, window)
			}
			if reset != "" && until.Format(time.RFC3339) != reset {
				t.Errorf("%s\n\tuntil %v, want %s", w[4], until, reset)
			}
			if ok && (s.Evidence.Source != "message" || s.Evidence.Field == "") {
				t.Errorf("%s: evidence %+v", w[4], s.Evidence)
			}
		}
		if rows < 18 {
			t.Errorf("%s: only %d rows", path, rows)
		}
	}
}

// TestQuoted: whoever writes about a limit quotes it.
func TestQuoted(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	o, _ := open(t, nil)
	quoted := 0
	for _, path := range []string{"../../testdata/messages.tsv", "../../testdata/messages-2.tsv", "../../testdata/messages-3.tsv", "testdata/unseen.tsv"} {
		for line := range strings.Lines(readFile(t, path)) {
			w := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
			if w[0] != "opencode" || w[1] == "none" || strings.HasPrefix(w[4], "{") || strings.Contains(w[4], " headers: ") {
				continue
			}
			text := strings.ReplaceAll(w[4], `\n`, "\n")
			for _, form := range []string{
				`"` + text + `"`, "`" + text + "`", "'" + text + "'", "> " + text, "- " + text, "+" + text, "12:00:03 " + text, "log: " + text, "// " + text, "if it says " + text,
				text + `");`, text + ", so I stopped", text + "\nI have added a test for it.", text + "\n```", "limits.txt:3:" + text, "msg := `" + text,
			} {
				quoted++
				if s, ok := o.Message(form, at, time.UTC); ok {
					t.Errorf("%q: %s %s", form, s.State, s.Reason)
				}
			}
		}
	}
	if quoted < 500 {
		t.Errorf("only %d texts", quoted)
	}
}
