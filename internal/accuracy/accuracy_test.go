package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/detect"
)

const repo = "../.."

// TestAccuracy lets no figure fall below what docs/accuracy.md records.
func TestAccuracy(t *testing.T) {
	s, err := measure(t.Context(), repo, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := readFigures(filepath.Join(repo, "docs", "accuracy.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range s.worse(recorded) {
		t.Error(w)
	}
	if t.Failed() {
		t.Log("make accuracy lists the differences")
	}
	for _, f := range s.sorted() {
		if !slices.ContainsFunc(recorded, func(r figure) bool { return r.Name == f.Name }) {
			t.Logf("%s is not recorded yet: make accuracy-record", f.Name)
		}
	}
}

func recordedRun(t *testing.T, name string) run {
	t.Helper()
	r, err := loadRun(filepath.Join(repo, "testdata", name, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A truth that the verdict does not meet is counted as wrong, field by field.
func TestDifferences(t *testing.T) {
	ten := 10.0
	for _, c := range []struct {
		name   string
		change func(*session)
		wrong  []string
	}{
		{"nothing", func(*session) {}, nil},
		{"state", func(s *session) { s.State, s.Reason = detect.Running, "" }, []string{"state and reason"}},
		{"reason", func(s *session) { s.Reason = detect.RateLimit }, []string{"state and reason"}},
		{"window", func(s *session) { s.Window = detect.Weekly }, []string{"window"}},
		{"no window", func(s *session) { s.Window = "" }, []string{"window"}},
		{"minute", func(s *session) { s.ResetAt = s.ResetAt.Add(time.Minute) }, []string{"reset time"}},
		{"within the minute", func(s *session) { s.ResetAt = s.ResetAt.Add(20 * time.Second) }, nil},
		{"second", func(s *session) { s.ResetAt, s.Minute = s.ResetAt.Add(20*time.Second), false }, []string{"reset time"}},
		{"retry-after", func(s *session) { s.RetryAfterS = &ten }, []string{"retry-after"}},
		{"self-resume", func(s *session) { s.SelfResumeAt = s.ResetAt }, []string{"self-resume time"}},
		{"resumable", func(s *session) { s.Resumable = false }, []string{"resumable"}},
		{"another session", func(s *session) { s.ID = "x" }, []string{"reset time", "resumable", "state and reason", "window"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := recordedRun(t, "claude/lim_5h_max")
			c.change(&r.Sessions[0])
			s := newScores()
			if err := s.scoreRuns(t.Context(), []run{r}); err != nil {
				t.Fatal(err)
			}
			var wrong []string
			for _, f := range s.sorted() {
				if f.Right < f.Of {
					wrong = append(wrong, strings.TrimPrefix(f.Name, "claude 2.1.197 "))
				}
			}
			if d := cmp.Diff(c.wrong, wrong); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if got := len(s.misses) > 0; got != (len(c.wrong) > 0) {
				t.Errorf("differences in words: %q", s.misses)
			}
		})
	}
}

// Who is alive in the recording decides.
func TestProcesses(t *testing.T) {
	r := recordedRun(t, "claude/sigkill")
	got := judged(t, r)
	if got.stop.Reason != detect.Crashed {
		t.Errorf("its process is gone: %+v", got.stop)
	}
	r = recordedRun(t, "claude/tui_esc_retry-v2.1.329")
	if got := judged(t, r); got.stop.Reason != detect.Interrupted {
		t.Errorf("its process lives, idle: %+v", got.stop)
	}
	r.Procs = nil
	if got := judged(t, r); got.stop.Reason != detect.Crashed {
		t.Errorf("without a process its registry entry is left behind: %+v", got.stop)
	}
}

func judged(t *testing.T, r run) verdict {
	t.Helper()
	verdicts, err := r.judge(t.Context(), t.TempDir())
	if err != nil || len(verdicts) != 1 {
		t.Fatalf("%d verdicts, %v", len(verdicts), err)
	}
	return verdicts[r.Sessions[0].ID]
}

// Planting counts whatever no longer looks finished, in files and in databases.
func TestPlantedFalseStops(t *testing.T) {
	for _, name := range []string{"claude/lim_5h_max", "opencode/rate-limit-gives-up", "opencode/old-1.1.53-auth-401"} {
		r, s := recordedRun(t, name), newScores()
		if err := s.scorePlanted(t.Context(), r, seeds([]string{"x"})); err != nil {
			t.Fatal(err)
		}
		f := s.sorted()
		if len(f) != 1 || f[0].Right != 0 || f[0].Of != 2 || len(s.misses) != 2 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// The places to plant are those in which people, models and tools speak.
func TestSpots(t *testing.T) {
	for name, want := range map[string][]string{
		"claude/tool_ok":               {"user content", "text text", "tool_use input", "tool_result content", "command", "user gitBranch"},
		"opencode/tool-then-finish":    {"text text", "output", "input", "command"},
		"opencode/old-1.1.53-finished": {"text text"},
	} {
		spots, err := recordedRun(t, name).spots()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !spots[w] {
				t.Errorf("%s: no %q among %v", name, w, spots)
			}
		}
	}
	for _, c := range []struct{ record, want string }{
		{`{"z":1,"type":"user","content":"a","n":[{"text":"a"},"a"],"input":{},"args":{"k":"a"}}`,
			`{"z":1,"type":"user","content":"b<","n":[{"text":"b<"},"a"],"input":{"quoted":"v"},"args":{"k":"a","quoted":"v"}}`},
		{`{"type":"system","content":"a"}`, `{"type":"system","content":"a"}`}, // the agent speaks for itself
		{`{"isApiErrorMessage":true,"content":"a"}`, `{"isApiErrorMessage":true,"content":"a"}`},
		{`{"type":"event_msg","payload":{"type":"error","message":"a"}}`, `{"type":"event_msg","payload":{"type":"error","message":"a"}}`},
		{`{"content":"a"`, `{"content":"a"`}, // torn
	} {
		got := strings.TrimSpace(string(templateOf("x.jsonl", []byte(c.record+"\n"), nil).fill(seed{text: "b<", value: "v"})))
		if got != c.want {
			t.Errorf("planted into %s: %s", c.record, got)
		}
	}
}

func TestScoreMessage(t *testing.T) {
	at := time.Date(2026, 11, 20, 14, 0, 0, 500, time.UTC)
	for _, c := range []struct {
		m    message
		stop detect.Stop
		ok   bool
		want []figure
	}{
		{message{corpus: "messages", reason: "none"}, detect.Stop{}, false, []figure{{" messages that are no stops", 1, 1}}},
		{message{corpus: "messages", reason: "none"}, detect.Stop{State: detect.Stopped, Reason: detect.RateLimit}, true, []figure{{" messages that are no stops", 0, 1}}},
		{message{corpus: "messages", reason: "usage_limit", reset: "2026-11-20T14:00:00Z"}, detect.Stop{State: detect.Stopped, Reason: detect.UsageLimit, ResetAt: at}, true,
			[]figure{{" messages reason", 1, 1}, {" messages reset time", 1, 1}}},
		{message{corpus: "messages", reason: "usage_limit", window: "weekly"}, detect.Stop{State: detect.Stopped, Reason: detect.UsageLimit, ResetAt: at}, true,
			[]figure{{" messages reason", 1, 1}, {" messages reset time", 0, 1}, {" messages window", 0, 1}}},
		{message{corpus: "messages", reason: "retrying", reset: "2026-11-20T14:00:00Z"}, detect.Stop{State: detect.Retrying, SelfResumeAt: at}, true,
			[]figure{{" messages reason", 1, 1}, {" messages reset time", 1, 1}}},
		{message{corpus: "messages", reason: "unknown"}, detect.Stop{}, false, []figure{{" messages reason", 1, 1}}},
		{message{corpus: "messages", reason: "unknown"}, detect.Stop{State: detect.Stopped, Reason: detect.Network}, true, []figure{{" messages reason", 0, 1}}},
		{message{corpus: "blind texts", reason: "asking"}, detect.Stop{}, false, []figure{{" blind texts reason", 0, 1}}},
	} {
		s := newScores()
		s.scoreMessage(c.m, c.stop, c.ok)
		if d := cmp.Diff(c.want, s.sorted()); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c.m, d)
		}
	}
}

func TestRecord(t *testing.T) {
	page := filepath.Join(t.TempDir(), "accuracy.md")
	text := "before\n<!-- figures -->\nold\n<!-- end -->\nbetween $1\n<!-- cannot tell -->\n<!-- end -->\n<!-- differences -->\n<!-- end -->\nafter\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readFigures(page); err == nil {
		t.Error("no figures, and no error")
	}
	s := newScores()
	s.count("a 2.1.329 x", true)
	s.count("a 2.1.99 x", true)
	s.count("a 2.1.99 x", false)
	s.cannot = []string{"because of ${1}"}
	for range 2 { // a second time over its own text
		if err := s.record(page); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readFigures(page)
	if d := cmp.Diff([]figure{{"a 2.1.99 x", 1, 2}, {"a 2.1.329 x", 1, 1}}, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	b, _ := os.ReadFile(page)
	for _, want := range []string{"before\n", "between $1\n", "- because of ${1}\n", "None.\n", "after\n"} {
		if strings.Count(string(b), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, b)
		}
	}
}

func TestWorse(t *testing.T) {
	s := newScores()
	for n := range 10 {
		s.count("f", n > 0) // 9 of 10
	}
	for _, c := range []struct {
		recorded figure
		worse    bool
	}{
		{figure{"f", 9, 10}, false},
		{figure{"f", 8, 10}, false},
		{figure{"f", 8, 9}, false}, // a case more, and right
		{figure{"f", 10, 10}, true},
		{figure{"f", 9, 9}, true}, // a case more, and wrong
		{figure{"gone", 1, 1}, true},
	} {
		if got := s.worse([]figure{c.recorded}); (len(got) > 0) != c.worse {
			t.Errorf("%+v: %q", c.recorded, got)
		}
	}
}

func TestLoadRuns(t *testing.T) {
	const good = `{"agent":"claude","version":"1","zone":"UTC","at":"2026-11-21T00:00:00Z","about":"x","note":"y","sessions":[]}`
	for _, c := range []struct{ name, old, new, want string }{
		{"good", "", "", ""},
		{"misspelt", `"note"`, `"notes"`, "notes"},
		{"zone", "UTC", "Mars", "Mars"},
		{"agent", "claude", "opencode", "opencode"},
		{"no session", `"y"`, `""`, "note"},
		{"no file", `[]`, `[{"session":"1","path":"gone","state":"running"}]`, "gone"},
		{"reason", `[]`, `[{"session":"1","path":"want.json","state":"stopped","reason":"lazy"}]`, "lazy"},
		{"state", `[]`, `[{"session":"1","path":"want.json","state":"idle"}]`, "idle"},
		{"truth", `[]`, `[{"session":"1","path":"want.json","state":"running","cannot_tell":"z"}]`, "truth_reason"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "claude", "case", "want.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(good, c.old, c.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		runs, left, err := loadRuns(dir, []string{"claude"})
		switch {
		case c.name == "good":
			if err != nil || len(runs) != 1 || len(left) != 0 {
				t.Errorf("%v, %v, %v", runs, left, err)
			}
		case c.name == "no file":
			if err != nil || len(runs) != 0 || len(left) != 1 || !strings.Contains(left[0], c.want) {
				t.Errorf("no file: %v, %v, %v", runs, left, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v", c.name, err)
		}
		if runs, left, err := loadRuns(dir, nil); len(runs) != 0 || len(left) != 1 || !strings.Contains(left[0], "claude") || err != nil {
			t.Errorf("an unknown agent: %v, %v, %v", runs, left, err)
		}
	}
	if _, _, err := loadRuns(t.TempDir(), nil); err == nil {
		t.Error("an empty folder was taken for good")
	}
}

// A corpus that was written before the agent's "waiting" became "asking" is read on, with the same figures.
func TestOldCorpus(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "messages.tsv")
	if err := os.WriteFile(table, []byte("claude\twaiting\t\t\tDo you want to proceed?\\n❯ 1. Yes\\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := loadMessages(table, "messages")
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	s := newScores()
	s.scoreMessage(all[0], detect.Stop{State: detect.Asking}, true)
	if d := cmp.Diff([]figure{{"claude messages reason", 1, 1}}, s.sorted()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	want, err := os.ReadFile("../../testdata/claude/tui_ask@waiting/want.json")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "want.json")
	if err := os.WriteFile(file, []byte(strings.Replace(string(want), `"asking"`, `"waiting"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := loadRun(file)
	if err != nil || len(r.Sessions) != 1 || r.Sessions[0].State != detect.Asking {
		t.Errorf("%+v, %v", r, err)
	}
}
