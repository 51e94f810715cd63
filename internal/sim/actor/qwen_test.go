package actor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

func newQwen(w *World) Agent { return NewQwen(w) }

const qwenRuns = "../../../testdata/qwen/"

// qwenShaper looks into all but what tools are given and give.
var qwenShaper = shaper{deep: func(path string) bool {
	for _, cut := range []string{"args", "response", "Display", "trackedFileBackups", "fileStates", "byName", "models"} {
		if strings.HasSuffix(path, cut) {
			return false
		}
	}
	return true
}}

// qwenShapes are those of 0.24.4: only that says where a record comes from.
func qwenShapes(t testing.TB) map[string]bool {
	known := qwenShaper.shapes(t, qwenRuns+"*/home/projects/*/chats/*.jsonl")
	for sh := range known {
		if !strings.Contains(sh, "provenance") {
			delete(known, sh)
		}
	}
	return known
}

// sameShape compares a file of one record with a recorded one.
func sameShape(t testing.TB, path, recorded string) {
	t.Helper()
	var shapes [2]string
	for i, path := range []string{path, recorded} {
		b, err := os.ReadFile(path)
		must(t, err)
		shapes[i], err = qwenShaper.of(b)
		must(t, err)
	}
	if shapes[0] != shapes[1] {
		t.Errorf("%s:\n got %s\nwant %s", path, shapes[0], shapes[1])
	}
}

func onlyInner(a Agent) { a.(*Qwen).Retries, a.(*Qwen).Rounds = 0, 0 }

func codingPlan(a Agent) { a.(*Qwen).CodingPlan = true }

var (
	qwenReset = epoch.Add(5 * time.Hour)
	inStream  = []Answer{{Took: time.Minute}}
	inTool    = []Answer{{Kind: CallsTool, Tool: time.Hour}}
	inWait    = many(Answer{Kind: RateLimited, RetryAfter: time.Hour}, 4)
)

const qwenTTY = "/dev/pts/1"

var qwenEndings = []ending{
	{name: "finished"},
	{name: "tool-then-finish", answers: []Answer{{Kind: CallsTool}}},
	{name: "429-knobs", answers: many(Answer{Kind: RateLimited}, 7), set: onlyInner},
	{name: "tool-then-429", answers: append([]Answer{{Kind: CallsTool}}, many(Answer{Kind: RateLimited}, 7)...), set: onlyInner},
	{name: "429-retry-after-4-recovers", answers: many(Answer{Kind: RateLimited, RetryAfter: 4 * time.Second}, 2)},
	{name: "429-retry-after-90-knobs", answers: many(Answer{Kind: RateLimited, RetryAfter: 90 * time.Second}, 1), set: onlyInner},
	{name: "zai-1308", answers: many(Answer{Kind: UsedUp, Reset: qwenReset}, 7), set: onlyInner},
	{name: "openrouter-429-free-day", answers: many(Answer{Kind: UsedUp}, 7), set: onlyInner},
	{name: "coding-plan-5h-quota", answers: []Answer{{Kind: UsedUp, Reset: qwenReset}}, set: codingPlan},
	{name: "500", answers: many(Answer{Kind: Broken}, 28)},
	{name: "503-html", answers: many(Answer{Kind: Overloaded}, 7), set: onlyInner},
	{name: "refused", answers: many(Answer{Kind: Unreachable}, 28)},
	{name: "stream-cut", answers: many(Answer{Kind: Cut}, 5)},
	{name: "401", answers: []Answer{{Kind: Unauthorized}}},
	{name: "dashscope-free-exhausted-403", answers: []Answer{{Kind: NoCredit}}},
	{name: "context-overflow", answers: []Answer{{Kind: TooLong}}},
	{name: "sigterm-mid-stream", answers: inStream, span: 50 * time.Second, then: do(Terminate)},
	{name: "sigint-mid-stream", answers: inStream, span: 50 * time.Second, then: do(Interrupt)},
	{name: "sigterm-in-tool", answers: inTool, then: do(Terminate)},
	{name: "sigterm-in-retry-wait", answers: inWait, then: do(Terminate)},
	{name: "sigint-in-retry-wait", answers: inWait, then: do(Interrupt)},
	{name: "sigkill-mid-stream", answers: inStream, span: 10 * time.Second, then: kill},
	{name: "sigkill-in-tool", answers: inTool, then: kill},
	{name: "429-retry-after-3600", answers: inWait, then: kill},
	{name: "429-no-header", answers: many(Answer{Kind: RateLimited}, 100), then: kill},
	{name: "tui-finish", tty: qwenTTY, then: do(Quit)},
	{name: "tui-401", tty: qwenTTY, answers: []Answer{{Kind: Unauthorized}}, then: do(Quit)},
	{name: "tui-429-retry-after-600", tty: qwenTTY, answers: many(Answer{Kind: RateLimited, RetryAfter: 600 * time.Second}, 4), span: 5 * time.Minute, then: do(Quit)},
	{name: "tui-429-gives-up", tty: qwenTTY, answers: many(Answer{Kind: RateLimited}, 7), set: onlyInner, then: asksAndQuits},
	{name: "tui-esc-in-stream", tty: qwenTTY, answers: inStream, span: 50 * time.Second, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		asksAndQuits(s, x)
	}},
	{name: "tui-esc-then-continue-in-retry", tty: qwenTTY, answers: inWait, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		asksAndQuits(s, x)
	}},
	{name: "tui-esc-in-tool", tty: qwenTTY, answers: inTool, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		must(s.t, x.Do(Quit, s.now))
	}},
	{name: "tui-ctrl-c-in-stream", tty: qwenTTY, answers: inStream, span: 50 * time.Second, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		must(s.t, x.Do(Quit, s.now))
	}},
	{name: "tui-permission", tty: qwenTTY, answers: []Answer{{Kind: CallsTool, Asks: true}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		must(s.t, x.Do(Quit, s.now))
	}},
	{name: "tui-permission-allowed", tty: qwenTTY, answers: []Answer{{Kind: CallsTool, Asks: true}, {Kind: Silent}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Approve, s.now))
		s.run(x, time.Minute)
		must(s.t, x.Do(Crash, s.now))
	}},
	{name: "tui-sigkill-in-stream", tty: qwenTTY, answers: inStream, span: 10 * time.Second, then: do(Crash)},
	{name: "tui-terminal-closed-in-stream", tty: qwenTTY, answers: inStream, span: 10 * time.Second, then: do(Hangup)},
	{name: "tui-clear-resume-rename", tty: qwenTTY, then: func(s *scene, x Session) {
		must(s.t, x.Do(Rename, s.now))
		must(s.t, x.Do(Clear, s.now))
		must(s.t, x.Prompt("second", Person, s.now))
		s.run(x, time.Minute)
		must(s.t, x.Do(Quit, s.now))
	}},
}

func asksAndQuits(s *scene, x Session) {
	must(s.t, x.Prompt("continue", Person, s.now))
	s.run(x, time.Minute)
	must(s.t, x.Do(Quit, s.now))
}

// kill goes on until all of a run is gone: it may meet the launcher alone.
func kill(s *scene, x Session) {
	for _, over := x.Exit(); !over; _, over = x.Exit() {
		must(s.t, x.Do(Crash, s.now))
	}
	s.run(x, time.Second)
}

func TestQwenWritesWhatTheRealOneWrote(t *testing.T) {
	known := qwenShapes(t)
	records := qwenShaper.shapes(t, qwenRuns+"*/home/usage_record.jsonl")
	for _, e := range qwenEndings {
		t.Run(e.name, func(t *testing.T) {
			s, a, x := e.play(t, 7, newQwen)
			lines := 0
			for _, path := range globbed(t, filepath.Join(a.Root(), "projects", "*", "chats", "*.jsonl")) {
				b, err := os.ReadFile(path)
				must(t, err)
				lines += qwenShaper.check(t, known, b, path)
			}
			if lines < 2 {
				t.Errorf("%d lines", lines)
			}
			for _, path := range globbed(t, filepath.Join(a.Root(), "usage_record.jsonl")) {
				b, err := os.ReadFile(path)
				must(t, err)
				qwenShaper.check(t, records, b, path)
			}
			stop, batch := s.look(s.reader("qwen", a.Root()), x.ID())
			agree(t, "qwen", e.name, stop, batch.Info.Parent != "")
			if batch.Info.Interactive != (e.tty != "") || batch.Info.Untold {
				t.Errorf("%+v", batch.Info)
			}
		})
	}
}

// TestQwenShapesCanDiffer: a key that is missing where the adapter looks is seen.
func TestQwenShapesCanDiffer(t *testing.T) {
	known := qwenShapes(t)
	_, _, x := qwenEndings[3].play(t, 7, newQwen)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	qwenShaper.misses(t, known, b, `"status_code":200,`, `"status":"success",`, `"decision":"auto_accept",`, `"prompt_id":"`+x.ID()+`########0",`)
}

// TestQwenPatience: seven tries take about a minute, and where the provider throttles they are made eleven times, in an hour.
func TestQwenPatience(t *testing.T) {
	for kind, want := range map[Kind]struct {
		least, most time.Duration
		requests    int
	}{RateLimited: {40 * time.Minute, 100 * time.Minute, 4 * 7 * 11}, Broken: {time.Minute, 5 * time.Minute, 4 * 7}, Cut: {20 * time.Second, time.Minute, 5}, TooLong: {0, 10 * time.Second, 1}} {
		s := newScene(t, 7)
		s.w.Provider = func(r Request) Answer { return Answer{Kind: kind} }
		x, err := NewQwen(s.w).Begin(Start{Dir: dir}, s.now)
		must(t, err)
		must(t, x.Prompt("say done", Person, s.now))
		for _, over := x.Exit(); !over; _, over = x.Exit() {
			s.run(x, time.Second)
		}
		if took := s.now.Sub(epoch); took < want.least || took > want.most || s.w.Ledger.Asks[0].Requests != want.requests {
			t.Errorf("%s: it gave up after %s and %d requests", kind, took, s.w.Ledger.Asks[0].Requests)
		}
	}
}

// TestQwenScreen: the real adapter reads a failure on the screen, and none where its user has stopped a request.
func TestQwenScreen(t *testing.T) {
	s := newScene(t, 7, append(many(Answer{Kind: RateLimited}, 7), inWait[0])...)
	q := NewQwen(s.w)
	onlyInner(q)
	x, err := q.Begin(Start{Dir: dir, TTY: qwenTTY}, s.now)
	must(t, err)
	term, err := agent.TerminalOf(s.reader("qwen", q.Root()))
	must(t, err)
	p := x.(*qwen)
	see := func(input, when string, ready bool) {
		t.Helper()
		typed := input
		if !p.Failed() { // then no text is one that a prompt of clawd's may be
			typed = ""
		}
		if v := term.Screen(p.Drawn(input)); v.Ready != ready || v.Input != typed || ready != (p.Failed() && x.Idle() && input == "") {
			t.Errorf("%s: %+v\n%s", when, v, strings.Join(p.Drawn(input).Rows, "\n"))
		}
	}
	see("", "at the beginning", false)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, 10*time.Second)
	if v := term.Screen(p.Drawn("")); v.Ready || v.Why != agent.WhyBusy {
		t.Errorf("in a wait: %+v", v)
	}
	s.run(x, 10*time.Minute)
	see("", "when it has given up", true)
	see("half a thought", "with a text", false)
	must(t, x.Prompt("go on", Person, s.now))
	s.run(x, time.Minute)
	must(t, x.Do(Interrupt, s.now))
	see(p.Back(), "when it was stopped", false)
	see("", "when its box was cleared", false)
}

// TestQwenLauncherDiesAlone: what it started goes on and is seen.
func TestQwenLauncherDiesAlone(t *testing.T) {
	alone := 0
	for seed := range uint64(20) {
		s := newScene(t, seed, inStream...)
		q := NewQwen(s.w)
		x, err := q.Begin(Start{Dir: s.w.Home}, s.now)
		must(t, err)
		must(t, x.Prompt("say done", Person, s.now))
		s.run(x, 20*time.Second)
		must(t, x.Do(Crash, s.now))
		if _, over := x.Exit(); over {
			continue
		}
		alone++
		a := s.reader("qwen", q.Root())
		_, b := s.look(a, x.ID())
		held, err := a.Live(t.Context(), detect.Session{Agent: "qwen", ID: x.ID(), Path: x.Path()}, b.Info)
		if err != nil || len(held) != 1 || held[0].Liveness != detect.Alive || held[0].PID != x.PID() {
			t.Errorf("%+v, %v", held, err)
		}
		s.run(x, time.Minute)
		if stop, _ := s.look(a, x.ID()); stop.Reason != detect.Completed {
			t.Errorf("it ended as %+v", stop)
		}
	}
	if alone == 0 || alone == 20 {
		t.Errorf("the launcher died alone in %d of 20 worlds", alone)
	}
}

// TestQwenRegistry: a terminal is listed with the session that it shows, and a headless run is not.
func TestQwenRegistry(t *testing.T) {
	s := newScene(t, 7)
	q := NewQwen(s.w)
	a := s.reader("qwen", q.Root())
	x, err := q.Begin(Start{Dir: s.w.Home, TTY: qwenTTY}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	first, path := x.ID(), x.Path()
	must(t, x.Do(Clear, s.now))
	live := func(id, path string) []detect.Holder {
		t.Helper()
		held, err := a.Live(t.Context(), detect.Session{Agent: "qwen", ID: id, Path: path}, detect.Info{Dir: s.w.Home})
		must(t, err)
		return held
	}
	if held := live(first, path); held[0].Liveness != detect.Gone {
		t.Errorf("after /clear: %+v", held)
	}
	for _, path := range globbed(t, filepath.Join(q.Root(), "sessions", "*")) {
		sameShape(t, path, "testdata/qwen/entry.json")
	}
	for _, path := range globbed(t, strings.TrimSuffix(x.Path(), ".jsonl")+".runtime.json") {
		sameShape(t, path, globbed(t, qwenRuns+"tui-finish/home/projects/*/chats/*.runtime.json")[0])
	}
	if held := live(x.ID(), x.Path()); len(held) != 1 || held[0].PID != x.PID() || !held[0].Sure || held[0].Kind != detect.Interactive {
		t.Errorf("its new session: %+v", held)
	}
	must(t, x.Prompt("say done", Person, s.now))
	must(t, x.Do(Crash, s.now))
	if held := live(x.ID(), x.Path()); held[0].Liveness != detect.LeftBehind {
		t.Errorf("killed: %+v", held)
	}
	headless, err := q.Begin(Start{Dir: s.w.Home}, s.now)
	must(t, err)
	must(t, headless.Prompt("say done", Person, s.now))
	if n := len(globbed(t, filepath.Join(q.Root(), "sessions", "*"))); n != 1 {
		t.Errorf("%d entries", n)
	}
}

// TestQwenSideRequests: what fails beside the conversation stands in its file, and is no stop of it.
func TestQwenSideRequests(t *testing.T) {
	s := newScene(t, 7)
	s.w.Provider = func(r Request) Answer {
		if r.Step == 0 {
			return Answer{Kind: CallsTool}
		}
		return Answer{}
	}
	q := NewQwen(s.w)
	x, err := q.Begin(Start{Dir: dir, TTY: qwenTTY}, s.now)
	must(t, err)
	for range 40 {
		must(t, x.Prompt("say done", Person, s.now))
		s.run(x, time.Minute)
		if stop, _ := s.look(s.reader("qwen", q.Root()), x.ID()); stop.Reason != detect.Completed {
			t.Fatalf("%+v", stop)
		}
	}
	b, err := os.ReadFile(x.Path())
	must(t, err)
	qwenShaper.check(t, qwenShapes(t), b, "the session")
	for _, who := range []string{`"prompt_id":"suggestion-`, `"subagent_name"`} {
		if !strings.Contains(string(b), who) {
			t.Errorf("nothing with %s has failed", who)
		}
	}
}

func BenchmarkQwenTurn(b *testing.B) {
	s := newScene(b, 7)
	x, err := NewQwen(s.w).Begin(Start{Dir: dir, TTY: qwenTTY}, s.now)
	must(b, err)
	benchTurns(b, s, x)
}
