package actor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

func newClaude(w *World) Agent { return NewClaude(w) }

const claudeRuns = "../../../testdata/claude/"

// claudeShaper looks into what the adapter reads. session_id repeats sessionId in a
// terminal's lines; the others stand on the stdout of one form of run alone.
var claudeShaper = shaper{skip: []string{"session_id", "resume_reason", "user_message_uuid", "user_message_uuids", "api_error", "api_error_params"}, deep: func(path string) bool {
	for _, p := range []string{".message.content", ".message.usage", ".quotaLimits", ".origin", ".attachment", ".params.output_config", ".shape.tools"} {
		if strings.HasPrefix(p, path) || path == p {
			return true
		}
	}
	return path == ".shape" || path == ".params"
}}

// claudeShapes are those of 2.1.329, and of the versions that alone recorded a command of the terminal or a
// limit without a time.
func claudeShapes(t testing.TB) map[string]bool {
	return claudeShaper.shapes(t, claudeRuns+"*v2.1.329*/projects/*/*.jsonl", claudeRuns+"lim_noreset/projects/*/*.jsonl",
		claudeRuns+"tui_clear/projects/*/*.jsonl", "../../../agent/claude/testdata/local-2.1.330.jsonl")
}

var claudeEndings = []ending{
	{name: "ok_stream-v2.1.329"},
	{name: "r429_max1-v2.1.329", answers: many(Answer{Kind: RateLimited}, 9), set: func(a Agent) { a.(*Claude).Retries = 1 }},
	{name: "r429_ra2_then_ok-v2.1.329", answers: []Answer{{Kind: RateLimited, RetryAfter: 2 * time.Second}}},
	{name: "r429_ra90-v2.1.329", answers: []Answer{{Kind: RateLimited, RetryAfter: 90 * time.Second}}},
	{name: "lim_5h_max-v2.1.329", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}}},
	{name: "lim_7d-v2.1.329", answers: []Answer{{Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(72 * time.Hour)}}},
	{name: "lim_opus-v2.1.329", answers: []Answer{{Kind: UsedUp, Window: detect.Model, Reset: epoch.Add(40 * time.Hour)}}},
	{name: "e400_spend-v2.1.329", answers: []Answer{{Kind: UsedUp, Window: detect.Monthly, Reset: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}}},
	{name: "lim_noreset", answers: []Answer{{Kind: UsedUp}}},
	{name: "e529-v2.1.329", answers: many(Answer{Kind: Overloaded}, 9)},
	{name: "e500", answers: many(Answer{Kind: Broken}, 20)},
	{name: "e401_max0-v2.1.329", answers: many(Answer{Kind: Unauthorized}, 20)},
	{name: "e400_credit-v2.1.329", answers: []Answer{{Kind: NoCredit}}},
	{name: "e400_toolong-v2.1.329", answers: []Answer{{Kind: TooLong}}},
	{name: "refused_conn-v2.1.329", answers: many(Answer{Kind: Unreachable}, 20)},
	{name: "lim_5h_aftertool", answers: []Answer{{Kind: CallsTool}, {Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}}},
	{name: "sigint-v2.1.329", answers: []Answer{{Kind: Silent}}, then: do(Interrupt)},
	{name: "sigterm-v2.1.329", answers: []Answer{{Kind: Silent}}, then: do(Terminate)},
	{name: "sigkill", answers: []Answer{{Kind: Silent}}, then: do(Crash)},
	{name: "tui_ok", tty: "/dev/pts/1"},
	{name: "tui_esc-v2.1.329@busy", tty: "/dev/pts/1", answers: []Answer{{Kind: Silent}}},
	{name: "tui_esc-v2.1.329@interrupted", tty: "/dev/pts/1", answers: []Answer{{Kind: Silent}}, then: do(Interrupt)},
	{name: "tui_esc_retry-v2.1.329", tty: "/dev/pts/1", answers: []Answer{{Kind: RateLimited, RetryAfter: 40 * time.Second}}, span: 20 * time.Second, then: do(Interrupt)},
	{name: "tui_retry-v2.1.329@retrying", tty: "/dev/pts/1", answers: []Answer{{Kind: RateLimited, RetryAfter: 40 * time.Second}}, span: 20 * time.Second},
	{name: "tui_lim_5h-v2.1.329@limit", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}}},
	{name: "tui_lim_auto-v2.1.329", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}}, span: 3 * time.Hour},
	{name: "tui_lim_off-v2.1.329@limit", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}}, set: func(a Agent) { a.(*Claude).Continues = false }},
	{name: "tui_perm@waiting", tty: "/dev/pts/1", answers: []Answer{{Kind: CallsTool, Asks: true}}},
	{name: "tui_perm-v2.1.329", tty: "/dev/pts/1", answers: []Answer{{Kind: CallsTool, Asks: true}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Approve, s.now))
		s.run(x, time.Minute)
	}},
	{name: "tui_kill@killed", tty: "/dev/pts/1", answers: []Answer{{Kind: Silent}}, then: do(Crash)},
	{name: "tui_hup", tty: "/dev/pts/1", answers: []Answer{{Kind: Silent}}, then: do(Hangup)},
	{name: "tui_clear", tty: "/dev/pts/1", then: func(s *scene, x Session) {
		must(s.t, x.Do(Clear, s.now))
		must(s.t, x.Prompt("again", Person, s.now))
		s.run(x, time.Minute)
	}},
}

func TestClaudeWritesWhatTheRealOneWrote(t *testing.T) {
	known := claudeShapes(t)
	for _, e := range claudeEndings {
		t.Run(e.name, func(t *testing.T) {
			s, a, x := e.play(t, 7, newClaude)
			b, err := os.ReadFile(x.Path())
			must(t, err)
			if n := claudeShaper.check(t, known, b, e.name); n < 3 {
				t.Errorf("%d lines", n)
			}
			stop, batch := s.look(s.reader("claude", a.Root()), x.ID())
			agree(t, "claude", e.name, stop, batch.Info.Parent != "")
		})
	}
}

// TestShapesCanDiffer: a key that is missing or too many is seen, at the top and where the adapter looks.
func TestShapesCanDiffer(t *testing.T) {
	known := claudeShapes(t)
	_, _, x := claudeEndings[4].play(t, 7, newClaude)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	claudeShaper.misses(t, known, b, `"isApiErrorMessage":true,`, `"rateLimitType":"five_hour",`, `"promptSource":"sdk",`, `"stop_reason":"stop_sequence",`)
}

func TestClaudeRegistry(t *testing.T) {
	known := claudeShaper.shapes(t, claudeRuns+"*v2.1.329*/sessions/*.json")
	for _, e := range claudeEndings {
		_, a, x := e.play(t, 7, newClaude)
		for _, path := range globbed(t, filepath.Join(a.Root(), "sessions", "*")) {
			b, err := os.ReadFile(path)
			must(t, err)
			claudeShaper.check(t, known, b, e.name)
		}
		_, ended := x.Exit()
		if left := len(globbed(t, filepath.Join(a.Root(), "sessions", "*"))) > 0; left != (!ended || strings.Contains(e.name, "kill")) {
			t.Errorf("%s: an entry is there: %v, the process has ended: %v", e.name, left, ended)
		}
	}
}

// TestClaudeCrashAtTheRequest: what was not on the disk is lost, and the provider was asked all the same.
func TestClaudeCrashAtTheRequest(t *testing.T) {
	for _, w := range []Writing{Whole, Torn} {
		s := newScene(t, 7)
		c := NewClaude(s.w)
		x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
		must(t, err)
		x.Write(w)
		must(t, x.Prompt("say done", Person, s.now))
		s.run(x, 10*time.Millisecond)
		must(t, x.Do(Crash, s.now))
		b, err := os.ReadFile(x.Path())
		switch {
		case len(s.asked) != 1 || len(s.w.Ledger.Asks) != 1:
			t.Errorf("asked %d times", len(s.asked))
		case w == Whole && !os.IsNotExist(err):
			t.Errorf("something was written: %q %v", b, err)
		case w == Torn && (len(b) == 0 || b[len(b)-1] == '\n'):
			t.Errorf("no half line was written: %q %v", b, err)
		}
	}
}

// TestClaudeHalfALine: the rest comes later, and then all is read.
func TestClaudeHalfALine(t *testing.T) {
	s := newScene(t, 7)
	c := NewClaude(s.w)
	x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	x.Write(Torn)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, 150*time.Millisecond)
	if b, _ := os.ReadFile(x.Path()); len(b) == 0 || b[len(b)-1] == '\n' {
		t.Errorf("it stands at %q", b)
	}
	s.run(x, time.Minute)
	if stop, _ := s.look(s.reader("claude", c.Root()), x.ID()); stop.Reason != detect.Completed {
		t.Errorf("the verdict is %+v", stop)
	}
}

// TestClaudeLateLines come when the process is gone.
func TestClaudeLateLines(t *testing.T) {
	s := newScene(t, 7)
	c := NewClaude(s.w)
	x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	before, err := os.ReadFile(x.Path())
	must(t, err)
	x.Write(Late)
	must(t, x.Do(Quit, s.now))
	if after, _ := os.ReadFile(x.Path()); len(after) != len(before) || s.w.Procs.Proc(x.PID()) != nil {
		t.Error("the last lines are not late")
	}
	s.run(x, time.Minute)
	if after, _ := os.ReadFile(x.Path()); len(after) == len(before) {
		t.Error("the last lines never came")
	}
}

// TestClaudeTwoWindows: each hangs its prompts on the line that it knows.
func TestClaudeTwoWindows(t *testing.T) {
	s := newScene(t, 7)
	c := NewClaude(s.w)
	x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("one", Person, s.now))
	s.run(x, time.Minute)
	y, err := c.Open(x.ID(), Start{Dir: dir, TTY: "/dev/pts/2"}, s.now)
	must(t, err)
	for _, z := range []Session{y, x} {
		must(t, z.Prompt("two", Person, s.now))
		s.run(z, time.Minute)
	}
	if n := len(s.w.Ledger.For("claude", x.ID(), s.w.Ledger.Asks[1].Stop)); n != 2 {
		t.Errorf("%d prompts hang on the first answer", n)
	}
	hs, err := s.reader("claude", c.Root()).Live(t.Context(), detect.Session{Agent: "claude", ID: x.ID(), Path: x.Path()}, detect.Info{Dir: dir})
	must(t, err)
	if len(hs) != 2 || hs[0].Liveness != detect.Alive || hs[1].Liveness != detect.Alive {
		t.Errorf("holders %+v", hs)
	}
}

// TestClaudeSelfContinue: dropped by its user, dropped by sleep, and at most three in a row.
func TestClaudeSelfContinue(t *testing.T) {
	reset := func(n int) Answer { return Answer{Kind: UsedUp, Reset: epoch.Add(time.Duration(n) * time.Hour)} }
	open := func(answers ...Answer) (*scene, Session) {
		s := newScene(t, 7, answers...)
		x, err := NewClaude(s.w).Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
		must(t, err)
		must(t, x.Prompt("say done", Person, s.now))
		s.run(x, time.Minute)
		return s, x
	}
	s, x := open(reset(1))
	must(t, x.Do(Interrupt, s.now))
	if s.run(x, 3*time.Hour); len(s.asked) != 1 {
		t.Errorf("asked %d times after Esc", len(s.asked))
	}
	s, x = open(reset(1))
	s.now = epoch.Add(2 * time.Hour)
	if s.run(x, time.Hour); len(s.asked) != 1 {
		t.Errorf("asked %d times after a long sleep", len(s.asked))
	}
	s, x = open(reset(1), reset(2), reset(3), reset(4), reset(5))
	if s.run(x, 10*time.Hour); len(s.asked) != 4 || s.w.Ledger.Asks[3].By != Itself {
		t.Errorf("asked %d times in a row", len(s.asked))
	}
	if s, _ := open(reset(30)); s.now.IsZero() || len(s.asked) != 1 {
		t.Error("it armed itself for more than a day")
	}
}

// TestClaudeTidies: a headless run of half a minute deletes what is old.
func TestClaudeTidies(t *testing.T) {
	s := newScene(t, 7)
	c := NewClaude(s.w)
	old, err := c.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	must(t, old.Prompt("old", Person, s.now))
	s.run(old, time.Minute)
	s.now = s.now.Add(31 * 24 * time.Hour)
	s.answers = []Answer{{Took: time.Minute}}
	x, err := c.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	must(t, x.Prompt("new", Person, s.now))
	s.run(x, 2*time.Minute)
	if _, err := os.Stat(old.Path()); !os.IsNotExist(err) {
		t.Errorf("the old file is there: %v", err)
	}
	if _, err := os.Stat(x.Path()); err != nil {
		t.Error(err)
	}
}

// TestRebootKills: what the machine does to its processes is a crash to them.
func TestRebootKills(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: Silent})
	x, err := NewClaude(s.w).Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	s.w.Procs.Reboot("boot 2", s.now)
	s.run(x, time.Second)
	if code, ended := x.Exit(); !ended || code != 137 {
		t.Errorf("exit %d %v", code, ended)
	}
}

// BenchmarkClaudeTurn is a prompt, a failure, and what is written of them. Other work on the machine does not
// count in cpu-ns/op.
func BenchmarkClaudeTurn(b *testing.B) {
	s := newScene(b, 7)
	s.w.Provider = func(Request) Answer { return Answer{Kind: NoCredit} }
	c := NewClaude(s.w)
	x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(b, err)
	benchTurns(b, s, x)
}
