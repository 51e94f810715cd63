package actor

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// stoppedQwen is a headless session that a limit has stopped, with the plan of its resume.
func stoppedQwen(t *testing.T, seed uint64, then ...Answer) (s *scene, q *Qwen, x Session, stop detect.Stop, p resume.Plan) {
	t.Helper()
	s = newScene(t, seed, append(many(Answer{Kind: RateLimited}, 7), then...)...)
	q = NewQwen(s.w)
	onlyInner(q)
	x, err := q.Begin(Start{Dir: s.w.Home}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, 10*time.Minute)
	a := s.reader("qwen", q.Root())
	stop, _ = s.look(a, x.ID())
	p = s.plan(a, x, func(r *agent.Request) { r.Launch = &detect.Launch{Pays: "settings"}; r.Program.Version = "0.24.4" })
	return s, q, x, stop, p
}

// resumed runs a plan, and gives what the adapter reads in its output.
func (s *scene) resumed(q *Qwen, p resume.Plan, then func(run Session)) (run Session, o agent.Output, out []byte) {
	s.t.Helper()
	var b bytes.Buffer
	run, err := q.Resume(p, nil, &b, s.now)
	must(s.t, err)
	then(run)
	o, err = s.reader("qwen", q.Root()).Output(bytes.NewReader(b.Bytes()), nil)
	must(s.t, err)
	return run, o, b.Bytes()
}

// TestQwenResumes: what it prints was printed by a real run, and the adapter reads how it went.
func TestQwenResumes(t *testing.T) {
	known := qwenShaper.shapes(t, "testdata/qwen/*.stdout")
	for name, c := range map[string]struct {
		then  []Answer
		set   func(a Agent)
		code  int
		stops detect.Reason
	}{
		"answers":   {then: []Answer{{Kind: CallsTool}}, stops: detect.Completed},
		"limited":   {then: many(Answer{Kind: RateLimited}, 7), code: 1, stops: detect.RateLimit},
		"throttled": {then: many(Answer{Kind: RateLimited}, 7), set: func(a Agent) { a.(*Qwen).Rounds = 1 }, stops: detect.Completed},
		"cut":       {then: many(Answer{Kind: Cut}, 5), code: 1, stops: detect.Network},
	} {
		t.Run(name, func(t *testing.T) {
			s, q, x, stop, p := stoppedQwen(t, 7, c.then...)
			if c.set != nil {
				c.set(q)
			}
			run, o, out := s.resumed(q, p, func(run Session) { s.run(run, time.Hour) })
			if code, ended := run.Exit(); code != c.code || !ended || s.w.Ledger.Prompts("qwen", x.ID(), stop.Key, Clawd) != 1 {
				t.Errorf("code %d, ended %v, stop %s, asks %+v", code, ended, stop.Key, s.w.Ledger.Asks)
			}
			if !o.Began || o.Refused || o.Failed != (c.code != 0) || o.Session != x.ID() {
				t.Errorf("%+v\n%s", o, out)
			}
			for l := range bytes.Lines(out) {
				if l[0] == '{' {
					qwenShaper.check(t, known, l, "stdout")
				}
			}
			b, err := os.ReadFile(x.Path())
			must(t, err)
			qwenShaper.check(t, qwenShapes(t), b, "the session")
			if after, _ := s.look(s.reader("qwen", q.Root()), x.ID()); after.Reason != c.stops || after.Key == stop.Key {
				t.Errorf("after it: %+v", after)
			}
		})
	}
}

// TestQwenKnowsNoSession: in another folder, or when its file is gone.
func TestQwenKnowsNoSession(t *testing.T) {
	s, q, x, stop, p := stoppedQwen(t, 7)
	must(t, os.Remove(x.Path()))
	run, o, out := s.resumed(q, p, func(run Session) { s.run(run, time.Minute) })
	if code, ended := run.Exit(); code != 1 || !ended || !o.Refused || o.Began || s.w.Ledger.Prompts("qwen", x.ID(), stop.Key, Clawd) != 0 {
		t.Errorf("code %d: %+v\n%s", code, o, out)
	}
}

// TestQwenKilledAtItsRequest: the provider was asked, and the prompt may be in no file. Without the first line of its output
// nobody was asked.
func TestQwenKilledAtItsRequest(t *testing.T) {
	var began, asked, kept int
	for seed := range uint64(60) {
		s, q, x, _, p := stoppedQwen(t, seed)
		asks := len(s.w.Ledger.Asks)
		_, o, _ := s.resumed(q, p, func(run Session) {
			s.run(run, time.Duration(seed)*100*time.Millisecond)
			kill(s, run)
		})
		b, err := os.ReadFile(x.Path())
		must(t, err)
		isAsked, isKept := len(s.w.Ledger.Asks) > asks, strings.Count(string(b), `"real_user"`) > 1
		if isAsked != o.Began || isKept && !isAsked {
			t.Errorf("seed %d: began %v, asked %v, kept %v", seed, o.Began, isAsked, isKept)
		}
		for i, is := range []bool{o.Began, isAsked, isKept} {
			if is {
				*[]*int{&began, &asked, &kept}[i]++
			}
		}
	}
	if began == 60 || began == 0 || kept == asked || kept == 0 {
		t.Errorf("of 60 %d began, %d asked, and of these %d have their prompt", began, asked, kept)
	}
}

// TestQwenForks: the copy says where its records come from.
func TestQwenForks(t *testing.T) {
	s, q, x, _, _ := stoppedQwen(t, 7)
	f, err := q.Fork(x.ID(), Start{Dir: s.w.Home}, s.now)
	must(t, err)
	must(t, f.Prompt("go on with the copy", Person, s.now))
	s.run(f, time.Minute)
	b, err := os.ReadFile(f.Path())
	must(t, err)
	if n := qwenShaper.check(t, qwenShapes(t), b, "the copy"); n != 9+4 {
		t.Errorf("%d records", n)
	}
	if stop, _ := s.look(s.reader("qwen", q.Root()), f.ID()); stop.Reason != detect.Completed {
		t.Errorf("%+v", stop)
	}
}
