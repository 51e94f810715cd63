package actor

import (
	"bytes"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

func newCodex(w *World) Agent { return NewCodex(w) }

const codexRuns = "../../../testdata/codex/"

// codexShaper looks into what the adapter reads. retained_source and mcp_attribution stand in a message's metadata
// now and then, and the adapter reads none of it.
var codexShaper = shaper{deep: func(path string) bool {
	for _, p := range []string{".payload.error", ".payload.item.type", ".payload.item.content", ".payload.rate_limits", ".payload.info", ".payload.turn_attribution", ".payload.sandbox_policy", ".payload.content"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return path == ".payload" || path == ".payload.item" || path == ".payload.type"
}}

// codexShapes are those of 0.169.0: from 0.150 on a line has an ordinal, and the recordings with one are of that
// version.
func codexShapes(t testing.TB) map[string]bool {
	known := codexShaper.shapes(t, codexRuns+"*/home/sessions/*/*/*/rollout-*.jsonl")
	for sh := range known {
		if !strings.Contains(sh, "ordinal") {
			delete(known, sh)
		}
	}
	return known
}

var codexEndings = []ending{
	{name: "exec-json-ok"},
	{name: "exec-json-tool-ok", answers: []Answer{{Kind: CallsTool}}},
	{name: "exec-json-429-none", answers: []Answer{{Kind: RateLimited}}},
	{name: "exec-json-429-small", answers: []Answer{{Kind: RateLimited, RetryAfter: 2 * time.Second}}},
	{name: "exec-json-429-small-forever", answers: many(Answer{Kind: RateLimited, RetryAfter: 2 * time.Second}, 6)},
	{name: "exec-json-usage-limit", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(time.Hour)}}},
	{name: "exec-json-usage-limit-weekly", answers: []Answer{{Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(72 * time.Hour)}}},
	{name: "exec-json-tool-usage-limit", answers: []Answer{{Kind: CallsTool}, {Kind: UsedUp, Reset: epoch.Add(time.Hour)}}},
	{name: "exec-json-500", answers: many(Answer{Kind: Broken}, 6)},
	{name: "exec-json-failed-overloaded", answers: []Answer{{Kind: Overloaded}}},
	{name: "exec-json-401", answers: many(Answer{Kind: Unauthorized}, 6)},
	{name: "exec-json-400-context", answers: []Answer{{Kind: TooLong}}},
	{name: "exec-json-drop", answers: many(Answer{Kind: Cut}, 6)},
	{name: "exec-json-quota", answers: []Answer{{Kind: NoCredit}}},
	{name: "exec-json-signal-INT", answers: []Answer{{Kind: Silent}}, then: do(Interrupt)},
	{name: "exec-json-signal-TERM", answers: []Answer{{Kind: Silent}}, then: do(Terminate)},
	{name: "exec-json-signal-KILL", answers: []Answer{{Kind: Silent}}, then: do(Crash)},
	{name: "exec-json-refused", answers: many(Answer{Kind: Unreachable}, 1000), then: do(Terminate)},
	{name: "tui-waiting-approval", tty: "/dev/pts/1", answers: []Answer{{Kind: CallsTool, Asks: true}}, then: do(Quit)},
	{name: "tui-no-daemon-usage-limit", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(time.Hour)}}, then: func(s *scene, x Session) {
		must(s.t, x.Prompt("continue", Person, s.now))
		s.run(x, time.Minute)
	}},
}

func TestCodexWritesWhatTheRealOneWrote(t *testing.T) {
	known := codexShapes(t)
	for _, e := range codexEndings {
		t.Run(e.name, func(t *testing.T) {
			s, a, x := e.play(t, 7, newCodex)
			b, err := os.ReadFile(x.Path())
			must(t, err)
			if n := codexShaper.check(t, known, b, e.name); n < 5 {
				t.Errorf("%d lines", n)
			}
			stop, batch := s.look(s.reader("codex", a.Root()), x.ID())
			agree(t, "codex", e.name, stop, batch.Info.Parent != "")
		})
	}
}

// TestCodexShapesCanDiffer: a key that is missing where the adapter looks is seen.
func TestCodexShapesCanDiffer(t *testing.T) {
	known := codexShapes(t)
	_, _, x := codexEndings[5].play(t, 7, newCodex)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	codexShaper.misses(t, known, b, `"last_agent_message":null,`, `"window_minutes":300,`, `,"codex_error_info":"usage_limit_exceeded"`, `"turn_trigger":"exec",`)
}

// TestCodexHolds: a process that lives has the session open, and one that ended well does not.
func TestCodexHolds(t *testing.T) {
	s := newScene(t, 7)
	c := NewCodex(s.w)
	x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	live := func() detect.Liveness {
		hs, err := s.reader("codex", c.Root()).Live(t.Context(), detect.Session{Agent: "codex", ID: x.ID(), Path: x.Path()}, detect.Info{Dir: dir})
		must(t, err)
		return hs[0].Liveness
	}
	if l := live(); l != detect.Alive {
		t.Errorf("it is %s while it is open", l)
	}
	if _, err := c.Open(x.ID(), Start{Dir: dir, TTY: "/dev/pts/2"}, s.now); err == nil {
		t.Error("two processes write one session")
	}
	must(t, x.Do(Quit, s.now))
	if l := live(); l != detect.Gone {
		t.Errorf("it is %s after a quit", l)
	}
	y, err := c.Open(x.ID(), Start{Dir: dir, TTY: "/dev/pts/2"}, s.now)
	must(t, err)
	must(t, y.Do(Crash, s.now))
	if l := live(); l != detect.LeftBehind {
		t.Errorf("it is %s after a crash", l)
	}
}

func TestCodexResumes(t *testing.T) {
	limit := Answer{Kind: UsedUp, Reset: epoch.Add(time.Hour)}
	for name, tc := range map[string]struct {
		answers       []Answer
		tty           string
		before        func(s *scene, c *Codex, x Session)
		code, prompts int
		began         bool
		refused       bool
	}{
		"well":          {answers: []Answer{limit}, prompts: 1, began: true},
		"limited again": {answers: []Answer{limit, limit}, code: 1, prompts: 1, began: true},
		"gone":          {answers: []Answer{limit}, before: func(s *scene, _ *Codex, x Session) { must(s.t, os.Remove(x.Path())) }, code: 1, refused: true},
		"open": {answers: []Answer{limit}, before: func(s *scene, c *Codex, x Session) {
			_, err := c.Open(x.ID(), Start{Dir: dir, TTY: "t"}, s.now)
			must(s.t, err)
		}, code: 1},
		"killed": {answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, prompts: 1, began: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 7, tc.answers...)
			c := NewCodex(s.w)
			c.Provider = "fake"
			x, err := c.Begin(Start{Dir: s.w.Home}, s.now)
			must(t, err)
			must(t, x.Prompt("say done", Person, s.now))
			s.run(x, time.Minute)
			if _, ended := x.Exit(); !ended {
				must(t, x.Do(Crash, s.now))
			}
			a := s.reader("codex", c.Root())
			stop, _ := s.look(a, x.ID())
			p := s.plan(a, x, func(r *agent.Request) { r.Launch = &detect.Launch{Pays: "key"} })
			if tc.before != nil {
				tc.before(s, c, x)
			}
			var out bytes.Buffer
			run, err := c.Resume(p, nil, &out, s.now)
			must(t, err)
			s.run(run, time.Minute)
			code, ended := run.Exit()
			prompts := s.w.Ledger.Prompts("codex", x.ID(), stop.Key, Clawd)
			o, err := a.Output(bytes.NewReader(out.Bytes()), nil)
			must(t, err)
			if !ended || code != tc.code || prompts != tc.prompts || o.Began != tc.began || o.Refused != tc.refused {
				t.Errorf("ended %v, code %d, %d prompts, %+v\n%s", ended, code, prompts, o, out.Bytes())
			}
			if tc.began {
				b, err := os.ReadFile(x.Path())
				must(t, err)
				codexShaper.check(t, codexShapes(t), b, "after the resume")
				known := codexShaper.shapes(t, codexRuns+"*/stdout")
				codexShaper.check(t, known, out.Bytes(), "stdout")
			}
		})
	}
}

// TestCodexForks: the fork's file stands alone, and the old session's stop is not in it.
func TestCodexForks(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: UsedUp, Reset: epoch.Add(time.Hour)})
	c := NewCodex(s.w)
	x, err := c.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	y, err := c.Fork(x.ID(), Start{Dir: dir}, s.now)
	must(t, err)
	must(t, y.Prompt("continue", Person, s.now))
	s.run(y, time.Minute)
	b, err := os.ReadFile(y.Path())
	must(t, err)
	codexShaper.check(t, codexShapes(t), b, "fork")
	stop, _ := s.look(s.reader("codex", c.Root()), y.ID())
	agree(t, "codex", "exec-fork", stop, false)
}

// TestCodexRewinds: the session goes on in a rollout of its own, in which the turn that was taken back is not.
func TestCodexRewinds(t *testing.T) {
	s := newScene(t, 7, Answer{}, Answer{Kind: UsedUp, Reset: epoch.Add(time.Hour)}, Answer{Kind: RateLimited})
	c := NewCodex(s.w)
	a := s.reader("codex", c.Root())
	x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	for _, text := range []string{"say one", "say two"} {
		must(t, x.Prompt(text, Person, s.now))
		s.run(x, time.Minute)
	}
	before := x.Path()
	for x.Path() == before { // Escape may also do nothing
		must(t, x.Do(Interrupt, s.now))
	}
	s.run(x, time.Minute)
	if stop, _ := s.look(a, x.ID()); stop.Reason != detect.Interrupted {
		t.Errorf("taken back: %+v", stop)
	}
	must(t, x.Prompt("say three", Person, s.now))
	s.run(x, time.Minute)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	known := codexShapes(t)
	maps.Copy(known, codexShaper.shapes(t, "../../../agent/codex/testdata/rewind/*.jsonl"))
	codexShaper.check(t, known, b, "after the rewind")
	if stop, _ := s.look(a, x.ID()); stop.Reason != detect.RateLimit {
		t.Errorf("the turn behind it: %+v", stop)
	}
}

// TestCodexSubAgent is none of a person's sessions, and an archived one says so.
func TestCodexSubAgent(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: RateLimited})
	c := NewCodex(s.w)
	parent := uuid7(s.w.Rand, s.now)
	x, err := c.Begin(Start{Dir: dir, Parent: parent}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	a := s.reader("codex", c.Root())
	if _, b := s.look(a, x.ID()); b.Info.Parent != parent {
		t.Errorf("its parent is %q", b.Info.Parent)
	}
	must(t, c.Archive(x.ID()))
	if _, b := s.look(a, x.ID()); !b.Info.Archived {
		t.Error("it is not archived")
	}
}

func BenchmarkCodexTurn(b *testing.B) {
	s := newScene(b, 7)
	s.w.Provider = func(Request) Answer { return Answer{Kind: RateLimited} }
	x, err := NewCodex(s.w).Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(b, err)
	benchTurns(b, s, x)
}
