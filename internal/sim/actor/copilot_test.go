package actor

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

func newCopilot(w *World) Agent { return NewCopilot(w) }

const copilotRuns = "../../../testdata/copilot/"

// copilotShaper looks into what the adapter reads.
var copilotShaper = shaper{deep: func(path string) bool {
	for _, p := range []string{".data.context", ".data.error", ".data.usage"} {
		if path == p {
			return true
		}
	}
	return path == ".data" || strings.HasPrefix(path, ".data.toolRequests") && !strings.HasSuffix(path, ".arguments")
}}

// copilotShapes are those of all versions.
func copilotShapes(t testing.TB) map[string]bool {
	return copilotShaper.shapes(t, copilotRuns+"*/home/session-state/*/events.jsonl")
}

var copilotEndings = []ending{
	{name: "ok-json"},
	{name: "tool-ok", mode: copilotAllows, answers: []Answer{{Kind: CallsTool}}},
	{name: "tool-denied", answers: []Answer{{Kind: CallsTool}}},
	{name: "global", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}}},
	{name: "weekly@hung", answers: []Answer{{Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(51 * time.Hour)}}},
	{name: "weekly-term", answers: []Answer{{Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(51 * time.Hour)}}, then: do(Terminate)},
	{name: "weekly-23h", answers: []Answer{{Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(23*time.Hour + time.Minute)}}},
	{name: "model-limit", answers: []Answer{{Kind: UsedUp, Window: detect.Model, Reset: epoch.Add(14 * time.Minute)}}},
	{name: "r429-aftertool", mode: copilotAllows, answers: []Answer{{Kind: CallsTool}, {Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(51 * time.Hour)}}, then: do(Interrupt)},
	{name: "r429-plain", answers: many(Answer{Kind: RateLimited}, 6)},
	{name: "r429-ra170", answers: []Answer{{Kind: RateLimited, RetryAfter: 170 * time.Second}}},
	{name: "r429-ra240", answers: []Answer{{Kind: RateLimited, RetryAfter: 240 * time.Second}}},
	{name: "e500", answers: many(Answer{Kind: Broken}, 6)},
	{name: "e500-once", answers: []Answer{{Kind: Broken}}},
	{name: "e503", answers: many(Answer{Kind: Overloaded}, 6)},
	{name: "e401", answers: many(Answer{Kind: Unauthorized}, 3)},
	{name: "q402", answers: []Answer{{Kind: NoCredit}}},
	{name: "e400-context", answers: many(Answer{Kind: TooLong}, 6)},
	{name: "cut", answers: many(Answer{Kind: Cut}, 6)},
	{name: "refused-mid", mode: copilotAllows, answers: append([]Answer{{Kind: CallsTool}}, many(Answer{Kind: Unreachable}, 6)...)},
	{name: "hang", answers: []Answer{{Kind: Silent}}, then: do(Terminate)},
	{name: "sigint", answers: []Answer{{Kind: Silent}}, then: do(Interrupt)},
	{name: "sighup", answers: []Answer{{Kind: Silent}}, then: do(Hangup)},
	{name: "sigterm-tool", mode: copilotAllows, answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, then: do(Terminate)},
	{name: "sigkill-only", answers: []Answer{{Kind: Silent}}, then: do(Crash)},
	{name: "sigkill-tool", mode: copilotAllows, answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, then: do(Crash)},
	{name: "sigkill-retry", answers: many(Answer{Kind: RateLimited, RetryAfter: time.Minute}, 6), span: 30 * time.Second, then: do(Crash)},
	{name: "subagent-429", mode: copilotAllows, answers: []Answer{{Kind: CallsTool}}, set: func(a Agent) { a.(*Copilot).Subs = 1 }},
	{name: "autopilot", mode: copilotAllows, set: func(a Agent) { a.(*Copilot).Autopilot = 1 }},
	{name: "autopilot-429", mode: copilotAllows, answers: []Answer{{}, {Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}}, set: func(a Agent) { a.(*Copilot).Autopilot = 1 }},
	{name: "tui-500", tty: "/dev/pts/1", answers: many(Answer{Kind: Broken}, 6)},
	{name: "tui-q402", tty: "/dev/pts/1", answers: []Answer{{Kind: NoCredit}}},
	{name: "tui-limit", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}}, then: goesOn},
	{name: "tui-weekly", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(51 * time.Hour)}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		goesOn(s, x)
	}},
	{name: "tui-perm-open", tty: "/dev/pts/1", answers: []Answer{{Kind: CallsTool, Asks: true}}},
	{name: "tui-perm", tty: "/dev/pts/1", answers: []Answer{{Kind: CallsTool, Asks: true}}, then: do(Interrupt)},
	{name: "tui-tool-esc", tty: "/dev/pts/1", mode: copilotAllows, answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, then: do(Interrupt)},
	{name: "tui-killterm", tty: "/dev/pts/1", answers: []Answer{{Kind: Silent}}, then: do(Hangup)},
	{name: "tui-kill9", tty: "/dev/pts/1", answers: []Answer{{Kind: Silent}}, then: do(Crash)},
	{name: "tui-ctrlc", tty: "/dev/pts/1", answers: []Answer{{Kind: Silent}}, then: do(Quit)},
}

// goesOn is its user's next prompt.
func goesOn(s *scene, x Session) {
	must(s.t, x.Prompt("continue", Person, s.now))
	s.run(x, time.Minute)
}

func TestCopilotWritesWhatTheRealOneWrote(t *testing.T) {
	known := copilotShapes(t)
	for _, e := range copilotEndings {
		t.Run(e.name, func(t *testing.T) {
			s, a, x := e.play(t, 7, newCopilot)
			b, err := os.ReadFile(x.Path())
			must(t, err)
			if n := copilotShaper.check(t, known, b, e.name); n < 5 {
				t.Errorf("%d lines", n)
			}
			stop, batch := s.look(s.reader("copilot", a.Root()), x.ID())
			agree(t, "copilot", e.name, stop, batch.Info.Parent != "")
			if batch.Info.Interactive != (e.tty != "") || batch.Info.Untold {
				t.Errorf("%+v", batch.Info)
			}
		})
	}
}

// TestCopilotShapesCanDiffer: a key that is missing where the adapter looks is seen.
func TestCopilotShapesCanDiffer(t *testing.T) {
	known := copilotShapes(t)
	_, _, x := copilotEndings[8].play(t, 7, newCopilot)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	copilotShaper.misses(t, known, b, `"errorCode":"user_weekly_rate_limited",`, `"reason":"user_initiated"`, `"success":true,`, `"isByok":false,`, `"copilotVersion":"1.0.102",`)
}

// copilotHolders are what the adapter says of who has a session open.
func copilotHolders(s *scene, c *Copilot, x Session) []detect.Holder {
	s.t.Helper()
	hs, err := s.reader("copilot", c.Root()).Live(s.t.Context(), detect.Session{Agent: "copilot", ID: x.ID(), Path: x.Path()}, detect.Info{})
	must(s.t, err)
	return hs
}

func copilotHolder(s *scene, c *Copilot, x Session) detect.Holder { return copilotHolders(s, c, x)[0] }

// TestCopilotHolds: a process that lives has the session open, one that was killed has left its lock behind, and another one may
// open what is open.
func TestCopilotHolds(t *testing.T) {
	for _, loader := range []bool{false, true} {
		s := newScene(t, 7)
		c := NewCopilot(s.w)
		c.Loader = loader
		x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
		must(t, err)
		if b, err := os.ReadDir(filepath.Dir(x.Path())); err != nil || len(b) != 3 {
			t.Errorf("before the first prompt: %v, %v", b, err)
		}
		must(t, x.Prompt("say done", Person, s.now))
		s.run(x, time.Minute)
		if h := copilotHolder(s, c, x); h.Liveness != detect.Alive || h.PID != x.PID() || h.Kind != detect.Interactive || !h.Sure {
			t.Errorf("while it is open: %+v", h)
		}
		y, err := c.Open(x.ID(), Start{Dir: dir}, s.now)
		must(t, err)
		must(t, y.Prompt("continue", Person, s.now))
		s.run(y, time.Minute)
		b, err := os.ReadFile(x.Path())
		must(t, err)
		if !bytes.Contains(b, []byte(`"alreadyInUse":true`)) {
			t.Error("the second one does not say that another has it open")
		}
		must(t, x.Do(Quit, s.now))
		if h := copilotHolder(s, c, x); h.Liveness != detect.Gone {
			t.Errorf("after a quit: %+v", h)
		}
		y, err = c.Open(x.ID(), Start{Dir: dir, TTY: "/dev/pts/2"}, s.now)
		must(t, err)
		must(t, y.Do(Crash, s.now))
		if h := copilotHolder(s, c, x); h.Liveness != detect.LeftBehind || h.Hung {
			t.Errorf("after a crash: %+v", h)
		}
		if _, err = c.Open(x.ID(), Start{Dir: dir, TTY: "/dev/pts/2"}, s.now); err != nil || len(globbed(t, filepath.Join(filepath.Dir(x.Path()), "inuse.*"))) != 2 {
			t.Errorf("what is left is not removed: %v", err)
		}
	}
}

// TestCopilotRewinds: a prompt that is taken back is gone from the file, which is another one then.
func TestCopilotRewinds(t *testing.T) {
	s := newScene(t, 7, append([]Answer{{}}, many(Answer{Kind: Broken}, 6)...)...)
	c := NewCopilot(s.w)
	x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("say one", Person, s.now))
	s.run(x, time.Minute)
	before, err := os.Stat(x.Path())
	must(t, err)
	must(t, x.Prompt("say two", Person, s.now))
	s.run(x, 3*time.Second)
	must(t, x.Do(Interrupt, s.now))
	after, err := os.Stat(x.Path())
	must(t, err)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	copilotShaper.check(t, copilotShapes(t), b, "after the rewind")
	if os.SameFile(before, after) || bytes.Contains(b, []byte("say two")) || x.(*copilot).Draft() != "say two" {
		t.Errorf("the prompt is not taken back:\n%s", b)
	}
	stop, _ := s.look(s.reader("copilot", c.Root()), x.ID())
	agree(t, "copilot", "tui-rewind", stop, false)
}

// TestCopilotAsksOnTheScreen: the adapter closes the question about another model.
func TestCopilotAsksOnTheScreen(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: UsedUp, Window: detect.Weekly})
	s.answers = many(s.answers[0], 6)
	c := NewCopilot(s.w)
	x, err := c.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, 10*time.Minute)
	term, err := agent.TerminalOf(s.reader("copilot", c.Root()))
	must(t, err)
	if v := term.Screen(x.(*copilot).Screen()); string(v.Close) != agent.Escape {
		t.Errorf("%+v", v)
	}
	must(t, x.Do(Interrupt, s.now))
	if x.(*copilot).Asks() || !x.Idle() {
		t.Error("it still asks")
	}
}

func TestCopilotResumes(t *testing.T) {
	limit := Answer{Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)}
	weekly := Answer{Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(51 * time.Hour)}
	for name, tc := range map[string]struct {
		answers       []Answer
		away          int
		before        func(s *scene, c *Copilot, x Session)
		code, prompts int
		lives         bool
		want          resume.Output
	}{
		"well":                 {answers: []Answer{limit}, prompts: 1, want: resume.Output{Began: true}},
		"limited again":        {answers: []Answer{limit, limit}, code: 1, prompts: 1, want: resume.Output{Began: true, Failed: true}},
		"waits for ever":       {answers: []Answer{limit, weekly}, prompts: 1, lives: true, want: resume.Output{Began: true, Failed: true}},
		"gone":                 {answers: []Answer{limit}, before: func(s *scene, _ *Copilot, x Session) { must(s.t, os.Remove(x.Path())) }, code: 1, want: resume.Output{Refused: true}},
		"no answer of GitHub":  {answers: []Answer{limit}, away: 1, code: 1},
		"killed over a tool":   {answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, prompts: 1, want: resume.Output{Began: true}},
		"killed while it hung": {answers: []Answer{weekly}, prompts: 1, want: resume.Output{Began: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 7, tc.answers...)
			c := NewCopilot(s.w)
			c.Away = tc.away
			x, err := c.Begin(Start{Dir: s.w.Home, Mode: copilotAllows}, s.now)
			must(t, err)
			must(t, x.Prompt("say done", Person, s.now))
			s.run(x, time.Minute)
			if _, ended := x.Exit(); !ended {
				must(t, x.Do(Crash, s.now))
			}
			a := s.reader("copilot", c.Root())
			stop, _ := s.look(a, x.ID())
			p := s.plan(a, x, func(r *agent.Request) { r.Launch = &detect.Launch{Flags: []detect.Flag{{Name: copilotAllows}}} })
			if tc.before != nil {
				tc.before(s, c, x)
			}
			var out bytes.Buffer
			run, err := c.Resume(p, nil, &out, s.now)
			must(t, err)
			s.run(run, time.Minute)
			code, ended := run.Exit()
			prompts := s.w.Ledger.Prompts("copilot", x.ID(), stop.Key, Clawd)
			o, err := a.Output(bytes.NewReader(out.Bytes()), nil)
			must(t, err)
			got := resume.Output{Began: o.Began, Refused: o.Refused, Failed: o.Failed}
			if ended == tc.lives || code != tc.code || prompts != tc.prompts || !reflect.DeepEqual(got, tc.want) || o.Mute {
				t.Errorf("ended %v, code %d, %d prompts, %+v, mute %v\n%s", ended, code, prompts, got, o.Mute, out.Bytes())
			}
			if b, err := os.ReadFile(x.Path()); err == nil {
				copilotShaper.check(t, copilotShapes(t), b, "after the resume")
			}
			known := copilotShaper.shapes(t, "../../../agent/copilot/testdata/output/*.txt")
			for l := range bytes.Lines(out.Bytes()) {
				if l[0] == '{' {
					copilotShaper.check(t, known, l, "stdout")
				}
			}
		})
	}
}

// TestCopilotAsksBeforeItWrites: a run that is killed right when it has asked has left no word of it, neither in the session nor in
// what it printed.
func TestCopilotAsksBeforeItWrites(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: UsedUp, Reset: epoch.Add(2 * time.Hour)})
	c := NewCopilot(s.w)
	x, err := c.Begin(Start{Dir: s.w.Home}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	a := s.reader("copilot", c.Root())
	stop, _ := s.look(a, x.ID())
	p := s.plan(a, x, func(r *agent.Request) { r.Launch = &detect.Launch{} })
	var out bytes.Buffer
	run, err := c.Resume(p, nil, &out, s.now)
	must(t, err)
	s.run(run, 50*time.Millisecond)
	must(t, run.Do(Crash, s.now))
	again, _ := s.look(a, x.ID())
	o, err := a.Output(bytes.NewReader(out.Bytes()), nil)
	must(t, err)
	if s.w.Ledger.Prompts("copilot", x.ID(), stop.Key, Clawd) != 1 || again.Key != stop.Key || o.Began || !o.Mute {
		t.Errorf("asks %+v, stop %s, %+v", s.w.Ledger.Asks, again.Key, o)
	}
}

// TestCopilotHangs: only a headless process that waits for ever is one that the adapter says so of, and its end is no end of the
// turn that another process has begun since.
func TestCopilotHangs(t *testing.T) {
	weekly := Answer{Kind: UsedUp, Window: detect.Weekly, Reset: epoch.Add(51 * time.Hour)}
	for _, loader := range []bool{false, true} {
		s := newScene(t, 7, weekly)
		c := NewCopilot(s.w)
		c.Loader = loader
		x, err := c.Begin(Start{Dir: dir}, s.now)
		must(t, err)
		must(t, x.Prompt("say done", Person, s.now))
		s.run(x, time.Hour)
		if h := copilotHolder(s, c, x); !h.Hung || h.PID != x.PID() || !x.(*copilot).Hung() {
			t.Errorf("it hangs, and the adapter says %+v", h)
		}
		if err := x.Prompt("more", Person, s.now); err == nil {
			t.Error("it takes a prompt")
		}
		y, err := c.Open(x.ID(), Start{Dir: dir}, s.now)
		must(t, err)
		must(t, y.Prompt("continue", Person, s.now))
		s.run(y, 500*time.Millisecond)
		a := s.reader("copilot", c.Root())
		for _, h := range copilotHolders(s, c, x) {
			if h.Hung != (h.PID == x.PID()) {
				t.Errorf("beside another process: %+v", h)
			}
		}
		must(t, x.Do(Terminate, s.now))
		if stop, _ := s.look(a, x.ID()); stop.Reason == detect.Interrupted {
			t.Errorf("its end is taken for that of the other's turn: %+v", stop)
		}
		s.run(y, time.Minute)
		if stop, _ := s.look(a, x.ID()); stop.Reason != detect.Completed {
			t.Errorf("%+v", stop)
		}
	}
}

func BenchmarkCopilotTurn(b *testing.B) {
	s := newScene(b, 7)
	s.w.Provider = func(Request) Answer { return Answer{Kind: NoCredit} }
	x, err := NewCopilot(s.w).Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(b, err)
	benchTurns(b, s, x)
}
