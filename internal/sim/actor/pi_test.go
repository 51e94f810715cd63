package actor

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

func newPi(w *World) Agent { return NewPi(w) }

const piRuns = "../../../testdata/pi/"

// piShaper: what only some records of a kind have, though nothing looks at it, has no shape.
var piShaper = shaper{deep: func(path string) bool {
	for _, cut := range []string{"arguments", "args", "details", "systemMessage", "toolsAdded", "messages", "toolResults"} {
		if strings.HasSuffix(path, cut) {
			return false
		}
	}
	return true
}}

func piShapes(t testing.TB) map[string]bool {
	return piShaper.shapes(t, piRuns+"*/home/sessions/*/*.jsonl")
}

func provider(name string) func(a Agent) {
	return func(a Agent) { a.(*Pi).Provider = name }
}

func say(text string) func(s *scene, x Session) {
	return func(s *scene, x Session) {
		must(s.t, x.Prompt(text, Person, s.now))
		s.run(x, 10*time.Minute)
	}
}

var (
	piLimit   = Answer{Kind: RateLimited, RetryAfter: 20 * time.Second}
	piWaits   = ending{answers: many(piLimit, 2), span: 5 * time.Second}
	piStreams = ending{answers: []Answer{{Kind: Done, Took: time.Hour}}, span: time.Minute}
	piWorks   = ending{answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, span: time.Minute}
)

// ends makes an ending of what goes on, in a terminal if the run was in one.
func (e ending) ends(name string, m Move) ending {
	e.name, e.then = name, do(m)
	if strings.HasPrefix(name, "tui-") {
		e.tty = "/dev/pts/1"
	}
	return e
}

var piEndings = []ending{
	{name: "finished"},
	{name: "tool-then-finish", answers: []Answer{{Kind: CallsTool}}},
	{name: "429-no-header", answers: many(piLimit, 4)},
	{name: "429-retry-after-5-recovers", answers: many(piLimit, 1)},
	{name: "tool-then-429", answers: append([]Answer{{Kind: CallsTool}}, many(piLimit, 4)...)},
	{name: "zai-1302-concurrency", answers: many(Answer{Kind: RateLimited}, 4)},
	{name: "500", answers: many(Answer{Kind: Broken}, 4)},
	{name: "500-then-ok", answers: many(Answer{Kind: Broken}, 2)},
	{name: "anthropic-529", answers: many(Answer{Kind: Overloaded}, 4), set: provider("anthropic")},
	{name: "anthropic-5h-limit", answers: many(Answer{Kind: UsedUp}, 4), set: provider("anthropic")},
	{name: "anthropic-weekly-limit-text", answers: many(Answer{Kind: UsedUp, Reset: epoch.Add(100 * time.Hour)}, 4), set: provider("anthropic")},
	{name: "codex-usage-limit-plus", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(125 * time.Minute)}}, set: provider("openai-codex")},
	{name: "chatgpt-signin-sharing-limit", answers: []Answer{{Kind: UsedUp}}, set: provider("openai")},
	{name: "openrouter-429-free-day", answers: many(Answer{Kind: UsedUp, Reset: epoch.Add(8 * time.Hour)}, 4), set: provider("openrouter")},
	{name: "openrouter-402", answers: []Answer{{Kind: NoCredit}}, set: provider("openrouter")},
	{name: "401", answers: []Answer{{Kind: Unauthorized}}},
	{name: "refused", answers: many(Answer{Kind: Unreachable}, 4)},
	{name: "stream-cut", answers: many(Answer{Kind: Cut}, 4)},
	{name: "stream-hang", answers: many(Answer{Kind: Silent}, 4), span: time.Hour},
	{name: "context-overflow", answers: []Answer{{Kind: TooLong}}},
	{name: "compaction-overflow", tty: "/dev/pts/1", answers: []Answer{{}, {Kind: TooLong}}, then: say("go on")},
	{name: "tui-429-gives-up", tty: "/dev/pts/1", answers: many(piLimit, 4), then: say("continue")},
	{name: "tui-codex-limit", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(150 * time.Minute)}}, set: provider("openai-codex")},
	piStreams.ends("sigterm-mid-stream", Terminate),
	piStreams.ends("sigint-mid-stream", Interrupt),
	piStreams.ends("sigkill-mid-stream", Crash),
	piStreams.ends("tui-ctrl-c-in-stream", Quit),
	piStreams.ends("tui-terminal-closed-in-stream", Hangup),
	piWorks.ends("sigterm-in-tool", Terminate),
	piWorks.ends("sighup-in-tool", Hangup),
	piWorks.ends("sigint-in-tool", Interrupt),
	piWorks.ends("sigkill-in-tool", Crash),
	piWaits.ends("sigterm-in-retry-wait", Terminate),
	piWaits.ends("sigint-in-retry-wait", Interrupt),
	piWaits.ends("sigkill-in-retry-wait", Crash),
	piWaits.ends("tui-terminal-closed-in-retry", Hangup),
	{name: "sigterm-in-retry-wait@before", answers: many(piLimit, 2), span: 5 * time.Second},
	{name: "tui-esc-in-tool", tty: "/dev/pts/1", answers: piWorks.answers, span: time.Minute, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		must(s.t, x.Do(Quit, s.now))
	}},
	{name: "tui-esc-in-retry", tty: "/dev/pts/1", answers: piWaits.answers, span: 5 * time.Second, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		must(s.t, x.Do(Quit, s.now))
	}},
	{name: "tui-esc-in-stream", tty: "/dev/pts/1", answers: piStreams.answers, span: time.Minute, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		say("continue")(s, x)
	}},
	{name: "tui-sigterm-idle", tty: "/dev/pts/1", then: do(Terminate)},
}

func TestPiWritesWhatTheRealOneWrote(t *testing.T) {
	known := piShapes(t)
	for _, e := range piEndings {
		t.Run(e.name, func(t *testing.T) {
			s, a, x := e.play(t, 7, newPi)
			b, err := os.ReadFile(x.Path())
			must(t, err)
			if n := piShaper.check(t, known, b, e.name); n < 5 {
				t.Errorf("%d lines", n)
			}
			stop, batch := s.look(s.reader("pi", a.Root()), x.ID())
			agree(t, "pi", e.name, stop, batch.Info.Parent != "")
		})
	}
}

// TestPiShapesCanDiffer: a key that is missing where the adapter looks is seen.
func TestPiShapesCanDiffer(t *testing.T) {
	known := piShapes(t)
	_, _, x := piEndings[4].play(t, 7, newPi)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	piShaper.misses(t, known, b, `"stopReason":"error",`, `"version":3,`, `"replacement":null`, `"isError":false,`, `"role":"user",`, `"modelId":"demo-1"`)
}

func TestPiResumes(t *testing.T) {
	for name, tc := range map[string]struct {
		answers []Answer
		before  func(s *scene, a *Pi, x Session)
		dir     string
		prompts int
		code    int
		refused bool
		failed  bool
	}{
		"well":        {answers: many(piLimit, 4), prompts: 1},
		"with a tool": {answers: append(many(piLimit, 4), Answer{Kind: CallsTool}), prompts: 1},
		"again":       {answers: many(piLimit, 8), prompts: 1, failed: true},
		"cut":         {answers: append(many(piLimit, 4), many(Answer{Kind: Cut}, 4)...), prompts: 1, failed: true},
		"gone":        {answers: many(piLimit, 4), before: func(s *scene, _ *Pi, x Session) { must(s.t, os.Remove(x.Path())) }, code: 1, refused: true},
		"another dir": {answers: many(piLimit, 4), dir: "/tmp", refused: true},
		"killed":      {answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, prompts: 1},
		"while it was": {answers: many(piLimit, 4), before: func(s *scene, a *Pi, x Session) {
			_, err := a.Open(x.ID(), Start{Dir: s.w.Home, TTY: "/dev/pts/1"}, s.now)
			must(s.t, err)
		}, prompts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 7, tc.answers...)
			p := NewPi(s.w)
			x, err := p.Begin(Start{Dir: s.w.Home}, s.now)
			must(t, err)
			must(t, x.Prompt("say done", Person, s.now))
			s.run(x, time.Minute)
			if _, ended := x.Exit(); !ended {
				must(t, x.Do(Crash, s.now))
			}
			a := s.reader("pi", p.Root())
			stop, _ := s.look(a, x.ID())
			plan := s.plan(a, x, func(r *agent.Request) { r.Program.Version = "1.5.2" })
			if tc.dir != "" {
				plan.Dir = tc.dir
			}
			if tc.before != nil {
				tc.before(s, p, x)
			}
			var out bytes.Buffer
			run, err := p.Resume(plan, nil, &out, s.now)
			must(t, err)
			s.run(run, time.Hour)
			code, ended := run.Exit()
			prompts := s.w.Ledger.Prompts("pi", x.ID(), strings.TrimPrefix(stop.Key, "cut:"), Clawd)
			got, err := a.Output(bytes.NewReader(out.Bytes()), nil)
			must(t, err)
			if code != tc.code || !ended || prompts != tc.prompts || got.Refused != tc.refused || got.Failed != tc.failed || got.Began != (tc.prompts > 0) {
				t.Errorf("code %d, ended %v, %d prompts, %+v\n%s", code, ended, prompts, got, out.Bytes())
			}
			known := piShaper.shapes(t, "testdata/pi/*.stdout")
			for l := range bytes.Lines(out.Bytes()) {
				if l[0] == '{' {
					piShaper.check(t, known, l, "stdout")
				}
			}
		})
	}
}

// TestPiForksTheTree: of two processes each goes on from where it was, and only the place of a line tells which came last.
func TestPiForksTheTree(t *testing.T) {
	s := newScene(t, 7, many(piLimit, 4)...)
	p := NewPi(s.w)
	x, err := p.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	if x.(*pi).Behind() {
		t.Error("nobody else has written yet")
	}
	y, err := p.Open(x.ID(), Start{Dir: dir}, s.now)
	must(t, err)
	must(t, y.Prompt("and now", Person, s.now))
	s.run(y, time.Minute)
	if !x.(*pi).Behind() || y.(*pi).Behind() {
		t.Error("the first one does not know of the second one's records")
	}
	leaf := x.(*pi).leaf
	must(t, x.Prompt("and I", Person, s.now))
	s.run(x, time.Minute)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	if n := bytes.Count(b, []byte(`"parentId":"`+leaf+`"`)); n != 2 {
		t.Errorf("%d records hang below the failure:\n%s", n, b)
	}
	piShaper.check(t, piShapes(t), b, "two writers")
	if stop, _ := s.look(s.reader("pi", p.Root()), x.ID()); stop.Reason != detect.Completed {
		t.Errorf("%+v", stop)
	}
}

// TestPiForks: the copy has the records of the old session, and says whose they are.
func TestPiForks(t *testing.T) {
	s := newScene(t, 7, many(piLimit, 4)...)
	p := NewPi(s.w)
	x, err := p.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	y, err := p.Fork(x.ID(), Start{Dir: dir, TTY: "/dev/pts/2"}, s.now.Add(time.Second))
	must(t, err)
	must(t, y.Prompt("and now", Person, s.now.Add(time.Second)))
	s.run(y, time.Minute)
	b, err := os.ReadFile(y.Path())
	must(t, err)
	piShaper.check(t, piShapes(t), b, "fork")
	a := s.reader("pi", p.Root())
	old, _ := s.look(a, x.ID())
	if got, _ := s.look(a, y.ID()); got.Reason != detect.Completed || old.Reason != detect.RateLimit {
		t.Errorf("%+v, and the old one %+v", got, old)
	}
}

// TestPiWindows: what its terminal shows, the real adapter reads.
func TestPiWindows(t *testing.T) {
	s := newScene(t, 7, many(piLimit, 4)...)
	p := NewPi(s.w)
	x, err := p.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	w := x.(*pi)
	term, err := agent.TerminalOf(s.reader("pi", p.Root()))
	must(t, err)
	want := func(when string, input string, ready bool) {
		t.Helper()
		if v := term.Screen(w.Drawn(input)); v.Ready != ready || v.Input != input {
			t.Errorf("%s: %+v", when, v)
		}
	}
	want("at the start", "", false)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, 4*time.Second)
	want("in the wait before it asks again", "", false)
	s.run(x, time.Minute)
	want("after it gave up", "", true)
	want("with a text in its box", "half a thought", false)
	must(t, x.Do(Rename, s.now))
	want("with another name", "", false)
	again, err := p.Open(x.ID(), Start{Dir: dir, TTY: "/dev/pts/2"}, s.now)
	must(t, err)
	if v := term.Screen(again.(*pi).Drawn("")); !v.Ready {
		t.Errorf("opened at the failure: %+v", v)
	}
	known := map[string]bool{}
	for range 40 {
		must(t, x.Do(Clear, s.now))
		known[x.ID()+w.leaf] = true
	}
	if len(known) < 10 {
		t.Errorf("it only showed %d places", len(known))
	}
	if _, err := os.Stat(filepath.Dir(x.Path())); err != nil {
		t.Error(err)
	}
}

// TestPiHolders: a tool that runs names the session of its process; an idle one is any of its folder.
func TestPiHolders(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: CallsTool, Tool: time.Hour})
	p := NewPi(s.w)
	x, err := p.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	a := s.reader("pi", p.Root())
	sure := func() (n int) {
		_, b := s.look(a, x.ID())
		all, err := a.Live(t.Context(), detect.Session{Agent: "pi", ID: x.ID(), Path: x.Path()}, b.Info)
		must(t, err)
		for _, h := range all {
			if h.Sure && h.PID == x.PID() {
				n++
			}
		}
		return n
	}
	if n := sure(); n != 1 {
		t.Errorf("%d are sure in a tool", n)
	}
	tools := s.w.Procs.next
	must(t, x.Do(Interrupt, s.now))
	if n := sure(); n != 0 || s.w.Procs.Proc(tools) != nil {
		t.Errorf("%d are sure after Escape", n)
	}
}

func BenchmarkPiTurn(b *testing.B) {
	s := newScene(b, 7)
	s.w.Provider = func(Request) Answer { return Answer{Kind: Unauthorized} }
	x, err := NewPi(s.w).Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(b, err)
	benchTurns(b, s, x)
}
