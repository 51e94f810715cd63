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

const claudeVersion = "2.1.329"

// plan is clawd's own plan for a stop.
func (s *scene) plan(a agent.Agent, x Session, change func(*agent.Request)) resume.Plan {
	s.t.Helper()
	stop, b := s.look(a, x.ID())
	r := agent.Request{Session: detect.Session{Agent: a.Name(), ID: x.ID(), Path: x.Path()}, Info: b.Info, Stop: stop,
		Program: agent.Program{Path: "/usr/bin/" + a.Name(), Version: claudeVersion}, Prompt: "continue", Answered: true}
	r.Info.Dir = s.w.Home // plans want a folder that is there
	if change != nil {
		change(&r)
	}
	p, err := a.Plan(r)
	must(s.t, err)
	return p
}

func TestClaudeResumes(t *testing.T) {
	type result struct {
		code, prompts int
		out           resume.Output
	}
	limit := Answer{Kind: UsedUp, Reset: epoch.Add(time.Hour)}
	for name, tc := range map[string]struct {
		answers []Answer
		before  func(s *scene, x Session)
		change  func(*agent.Request)
		want    result
	}{
		"idempotent":        {answers: []Answer{limit}, want: result{0, 1, resume.Output{Began: true}}},
		"limited again":     {answers: []Answer{limit, limit}, want: result{1, 1, resume.Output{Began: true, Failed: true}}},
		"prompt":            {answers: []Answer{limit}, change: func(r *agent.Request) { r.Inert = true }, want: result{0, 1, resume.Output{Began: true}}},
		"finished":          {change: func(r *agent.Request) { r.Stop.Reason = detect.RateLimit }, want: result{0, 0, resume.Output{}}},
		"gone":              {answers: []Answer{limit}, before: func(s *scene, x Session) { must(s.t, os.Remove(x.Path())) }, want: result{1, 0, resume.Output{Refused: true, Failed: true}}},
		"killed in between": {answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, want: result{0, 1, resume.Output{Began: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 7, tc.answers...)
			c := NewClaude(s.w)
			x, err := c.Begin(Start{Dir: s.w.Home}, s.now)
			must(t, err)
			must(t, x.Prompt("say done", Person, s.now))
			s.run(x, time.Minute)
			if _, ended := x.Exit(); !ended {
				must(t, x.Do(Crash, s.now))
			}
			a := s.reader("claude", c.Root())
			stop, _ := s.look(a, x.ID())
			p := s.plan(a, x, tc.change)
			if tc.before != nil {
				tc.before(s, x)
			}
			var out bytes.Buffer
			run, err := c.Resume(p, []string{agent.AttemptVar + "=1"}, &out, s.now)
			must(t, err)
			s.run(run, time.Minute)
			code, ended := run.Exit()
			if !ended {
				t.Fatal("the run has not ended")
			}
			got := result{code, s.w.Ledger.Prompts("claude", x.ID(), strings.TrimPrefix(stop.Key, "cut:"), Clawd), resume.Output{}}
			o, err := a.Output(bytes.NewReader(out.Bytes()), nil)
			must(t, err)
			got.out = resume.Output{Began: o.Began, Refused: o.Refused, Failed: o.Failed}
			if got.code != tc.want.code || got.prompts != tc.want.prompts || got.out.Began != tc.want.out.Began || got.out.Refused != tc.want.out.Refused || got.out.Failed != tc.want.out.Failed {
				t.Errorf("got %+v, want %+v\n%s", got, tc.want, out.Bytes())
			}
			known := claudeShaper.shapes(t, claudeRuns+"r429_max1-v2.1.329/run.stdout", "testdata/claude/*.stdout")
			for l := range bytes.Lines(out.Bytes()) {
				if l[0] == '{' {
					claudeShaper.check(t, known, l, "stdout")
				}
			}
		})
	}
}

// TestClaudeIdempotentTwice: the form without a prompt asks once for a stop that comes again.
func TestClaudeIdempotentTwice(t *testing.T) {
	limit := Answer{Kind: UsedUp, Reset: epoch.Add(time.Hour)}
	s := newScene(t, 7, limit, limit, limit)
	c := NewClaude(s.w)
	x, err := c.Begin(Start{Dir: s.w.Home}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	p := s.plan(s.reader("claude", c.Root()), x, nil)
	for n, want := range []int{2, 2} {
		run, err := c.Resume(p, nil, nil, s.now)
		must(t, err)
		s.run(run, time.Minute)
		if len(s.asked) != want {
			t.Errorf("after run %d the provider was asked %d times, want %d", n+1, len(s.asked), want)
		}
	}
}

// TestClaudeForks: the copy of a stop has the id of the stop, and the fork's own turn has its own.
func TestClaudeForks(t *testing.T) {
	limit := Answer{Kind: UsedUp, Reset: epoch.Add(time.Hour)}
	s := newScene(t, 7, limit, Answer{Kind: Silent})
	c := NewClaude(s.w)
	x, err := c.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	a := s.reader("claude", c.Root())
	stop, _ := s.look(a, x.ID())
	y, err := c.Fork(x.ID(), Start{Dir: dir}, s.now)
	must(t, err)
	if _, err := os.Stat(y.Path()); !os.IsNotExist(err) {
		t.Error("its file is there before its prompt")
	}
	must(t, y.Prompt("and now", Person, s.now))
	s.run(y, time.Minute)
	b, err := os.ReadFile(y.Path())
	must(t, err)
	claudeShaper.check(t, claudeShapes(t), b, "fork")
	if !bytes.Contains(b, []byte(`"uuid":"`+stop.Key+`"`)) || bytes.Contains(b, []byte(x.ID())) {
		t.Errorf("it holds no copy of the stop, or the name of the old session:\n%s", b)
	}
	if got, _ := s.look(a, y.ID()); got.State != detect.Running || s.w.Ledger.Prompts("claude", y.ID(), stop.Key, Person) != 1 {
		t.Errorf("the fork is %+v", got)
	}
	if old, _ := s.look(a, x.ID()); old.Key != stop.Key || old.Reason != detect.UsageLimit {
		t.Errorf("the old session is %+v", old)
	}
}
