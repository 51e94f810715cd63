package claude

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// TestTables: each row is the first that matches its own example, which is the agent's own.
func TestTables(t *testing.T) {
	for name, table := range map[string]detect.Messages{"messages": messages(), "notices": notices()} {
		for i, m := range table {
			plain := bare(detect.Plain(m.Example))
			for j, other := range table[:i+1] {
				if hit := other.Pattern.MatchString(flat(plain)); hit != (i == j) {
					t.Errorf("%s row %d (%s %s): row %d matches %v: %q", name, i, m.State, m.Reason, j, hit, m.Example)
				}
			}
			if m.State != detect.Asking && m.State != detect.Running && !ours(plain[m.End(flat(plain)):], plain) {
				t.Errorf("%s row %d: not all of the agent's own: %q", name, i, m.Example)
			}
		}
	}
}

// TestMessages: testdata/messages.tsv has the texts that were seen, testdata/unseen.tsv those that
// other versions could print, and what people and programs write about them.
func TestMessages(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rome, err := time.LoadLocation("Europe/Rome")
	must(t, err)
	c := over(t.TempDir(), table{}, agent.Config{})
	for _, path := range []string{"../../testdata/messages.tsv", "../../testdata/messages-2.tsv", "../../testdata/messages-3.tsv", "testdata/unseen.tsv"} {
		b, err := os.ReadFile(path)
		must(t, err)
		rows := 0
		for line := range strings.Lines(string(b)) {
			f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
			if strings.HasPrefix(line, "#") || f[0] != "claude" {
				continue
			}
			rows++
			text := strings.ReplaceAll(f[4], `\n`, "\n")
			s, ok := c.Message(text, at, rome)
			got, until := string(s.Reason), s.ResetAt
			switch {
			case !ok:
				got = "none"
			case s.State == detect.Retrying:
				got, until = "retrying", s.SelfResumeAt
			case s.State != detect.Stopped:
				got = string(s.State)
			}
			if got != f[1] || f[2] != "" && f[2] != string(s.Window) {
				t.Errorf("%s\n\tgot  %s %s\n\twant %s %s", f[4], got, s.Window, f[1], f[2])
			}
			// How a time is read is for detect to test; here: that it is taken over.
			if r, _ := detect.ParseReset(text, at, rome); f[3] != "" && (when(r.At) == f[3] || got == "retrying") && when(until) != f[3] {
				t.Errorf("%s\n\tgot  %s\n\twant %s", f[4], when(until), f[3])
			}
		}
		if rows < 40 {
			t.Errorf("%s: only %d rows", path, rows)
		}
	}
}

// TestTextsInRecords: a text means the same in a failure record, whatever that says in its field error.
func TestTextsInRecords(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rome, err := time.LoadLocation("Europe/Rome")
	must(t, err)
	c := over(t.TempDir(), table{}, agent.Config{})
	words := map[string]string{"network": "server_error", "overloaded": "server_error", "usage_limit": "rate_limit", "rate_limit": "rate_limit", "billing": "rate_limit",
		"context_full": "invalid_request", "invalid_request": "invalid_request", "auth": "authentication_failed"}
	rows := 0
	for _, path := range []string{"../../testdata/messages.tsv", "../../testdata/messages-2.tsv", "../../testdata/messages-3.tsv", "testdata/unseen.tsv"} {
		b, err := os.ReadFile(path)
		must(t, err)
		for line := range strings.Lines(string(b)) {
			f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
			if f[0] != "claude" || words[f[1]] == "" || strings.HasPrefix(f[4], "{") {
				continue
			}
			text := strings.ReplaceAll(f[4], `\n`, "\n")
			if _, ok := notices().Find(flat(bare(text))); ok { // stands in a record of another kind
				continue
			}
			rows++
			alone, _ := c.Message(text, at, rome)
			for _, word := range []string{"", "unknown", words[f[1]]} {
				record, err := json.Marshal(map[string]any{"type": "assistant", "isApiErrorMessage": true, "error": word,
					"message": map[string]any{"model": synthetic, "content": []any{map[string]any{"type": "text", "text": text}}}})
				must(t, err)
				s, ok := c.Message(string(record), at, rome)
				if !ok || s.Reason != alone.Reason || s.Window != alone.Window || !s.ResetAt.Equal(alone.ResetAt) {
					t.Errorf("%q %s\n\tgot  %s %s %s\n\twant %s %s %s", word, f[4], s.Reason, s.Window, when(s.ResetAt), alone.Reason, alone.Window, when(alone.ResetAt))
				}
			}
		}
	}
	if rows < 150 {
		t.Errorf("only %d texts", rows)
	}
}

// TestQuoted: whoever writes about a limit quotes it. No word of theirs may stand around it.
func TestQuoted(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c := over(t.TempDir(), table{}, agent.Config{})
	quoted, rows := 0, 0
	for _, path := range []string{"../../testdata/messages.tsv", "../../testdata/messages-2.tsv", "../../testdata/messages-3.tsv", "testdata/unseen.tsv"} {
		b, err := os.ReadFile(path)
		must(t, err)
		for line := range strings.Lines(string(b)) {
			f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
			if f[0] != "claude" || f[1] != "usage_limit" && f[1] != "billing" && f[1] != "retrying" || strings.HasPrefix(f[4], "{") || strings.Contains(f[4], "API Error") {
				continue
			}
			text := strings.TrimSpace(strings.ReplaceAll(f[4], `\n`, "\n"))
			rows++
			for i, form := range []string{
				`"` + text + `"`, "`" + text + "`", "'" + text + "'", "> " + text, "- " + text, "+" + text, "❯ " + text, "12:00:03 " + text, "log: " + text, "// " + text, "if it says " + text,
				text + " is what it prints", text + `"`, text + "`", text + ", so I stopped", text + "\nThe agent went on after that.", text + "\nworker process is still running",
				text + "\nPASS", text + "\nDone.", text + "\n3 files changed", text + "\n$ git log", text + "\n}", text + "\nI have added a test for it.", text + "\nfunc main() {", text + " // in limits.go",
				"The log ends so:\n" + text, "```\n" + text + "\n```", "1\t" + text, "limits.txt:3:" + text, text + "\nlimits.txt:4:x", "msg := `" + text,
			} {
				if (rows+i)%3 != 0 { // a third of them takes long enough
					continue
				}
				quoted++
				if s, ok := c.Message(form, at, time.UTC); ok {
					t.Errorf("%q: %s %s", form, s.State, s.Reason)
				}
			}
		}
	}
	if quoted < 1000 {
		t.Errorf("only %d texts", quoted)
	}
}

// TestSigns: no sign that a terminal or a font puts in place of another changes the meaning.
func TestSigns(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c := over(t.TempDir(), table{}, agent.Config{})
	const text = "You've hit your session limit · resets 3:45pm"
	for _, form := range []string{
		"\u00a0" + text, "\x1b[31m" + text + "\x1b[0m", strings.Replace(text, "'", "\u2019", 1), strings.Replace(text, "5pm", "5\u202fpm", 1),
		strings.Replace(text, "·", "\u2219", 1), strings.Replace(text, "·", "\u2022", 1), strings.Replace(text, "·", "|", 1),
		strings.Replace(text, "·", "-", 1), strings.Replace(text, " ·", ".", 1), strings.Replace(text, "·", "\u2014", 1), text + "\r\n",
		"● " + text, "  ⎿  " + text, "⚠️ " + text, "┃ " + text + " ┃", "• " + text, "✻ " + text,
	} {
		s, ok := c.Message(form, at, time.UTC)
		if !ok || s.Reason != detect.UsageLimit || s.Window != detect.FiveHour || when(s.ResetAt) != "2026-11-20T15:45:00Z" {
			t.Errorf("%q: %v %s %s %s", form, ok, s.Reason, s.Window, when(s.ResetAt))
		}
	}
	words := strings.Split(text, " ")
	for i := 1; i < len(words); i++ { // a narrow terminal may break the line at any blank
		for j := i; j < len(words); j++ {
			w := slices.Clone(words)
			w[i] = "\n" + w[i]
			if j > i {
				w[j] = "\n" + w[j]
			}
			form := strings.ReplaceAll(strings.Join(w, " "), " \n", "\n")
			if s, ok := c.Message(form, at, time.UTC); !ok || s.Reason != detect.UsageLimit || when(s.ResetAt) != "2026-11-20T15:45:00Z" {
				t.Errorf("%q: %v %s %s", form, ok, s.Reason, when(s.ResetAt))
			}
		}
	}
}
