package actor

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

func newOpenCode(w *World) Agent { return NewOpenCode(w) }

const opencodeRuns = "../../../testdata/opencode/"

// opencodeShaper: the names of a row stand beside its data in the databases. Only run gives its sessions rules
// (permission), and of 1.1.53 there are recordings of run alone.
var opencodeShaper = shaper{skip: []string{"id", "sessionID", "messageID", "permission"}, deep: func(path string) bool {
	for _, p := range []string{".time", ".error", ".state", ".tokens", ".path", ".part"} {
		if strings.HasPrefix(path, p) {
			return path != ".state.input" && path != ".state.metadata" && path != ".part.snapshot"
		}
	}
	return false
}}

// opencodeShapes are those of the files of 1.1.53, and of the same rows in the databases of later versions.
func opencodeShapes(t testing.TB) map[string]bool {
	known := map[string]bool{}
	must(t, filepath.WalkDir(opencodeRuns, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "want.json" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(path, "old-1.1.53") && strings.HasSuffix(path, ".json") {
			sh, err := opencodeShaper.of(b)
			known[sh] = true
			return err
		}
		if d.Name() != "db.sql" {
			return nil
		}
		for l := range bytes.Lines(b) {
			from, to := bytes.IndexByte(l, '{'), bytes.LastIndexByte(l, '}')
			if from < 0 || to < from {
				continue
			}
			if sh, err := opencodeShaper.of(bytes.ReplaceAll(l[from:to+1], []byte("''"), []byte("'"))); err == nil {
				known[sh] = true
			}
		}
		return nil
	}))
	return known
}

// stored gives the files of an actor, each on a line.
func stored(t testing.TB, root string) []byte {
	t.Helper()
	var all []byte
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		b, err := os.ReadFile(path)
		var one bytes.Buffer
		must(t, json.Compact(&one, b))
		all = append(append(all, one.Bytes()...), '\n')
		return err
	}))
	return all
}

func inRetry(m Move) ending {
	return ending{tty: "/dev/pts/1", answers: []Answer{{Kind: RateLimited, RetryAfter: time.Hour}}, span: time.Minute, then: do(m)}
}

func named(name string, e ending) ending {
	e.name = name
	return e
}

var opencodeEndings = []ending{
	{name: "old-1.1.53-finished"},
	{name: "old-1.1.53-auth-401", answers: []Answer{{Kind: Unauthorized}}},
	{name: "old-1.1.53-rate-limit-recovers", answers: []Answer{{Kind: RateLimited, RetryAfter: 5 * time.Second}}},
	{name: "old-1.1.53-retries-for-ever", answers: many(Answer{Kind: RateLimited, RetryAfter: time.Second}, 2000), then: do(Terminate), set: func(a Agent) { a.(*OpenCode).Retries = -1 }},
	{name: "rate-limit-gives-up", answers: many(Answer{Kind: RateLimited, RetryAfter: time.Second}, 6)},
	{name: "server-500", answers: many(Answer{Kind: Broken, RetryAfter: time.Second}, 6)},
	{name: "refused", answers: many(Answer{Kind: Unreachable}, 6)},
	{name: "anthropic-529", answers: many(Answer{Kind: Overloaded}, 6)},
	{name: "payment-402", answers: []Answer{{Kind: NoCredit}}},
	{name: "context-full-no-auto", answers: []Answer{{Kind: TooLong}}},
	{name: "tool-then-finish", answers: []Answer{{Kind: CallsTool}}},
	{name: "tool-then-429", answers: append([]Answer{{Kind: CallsTool}}, many(Answer{Kind: RateLimited, RetryAfter: time.Second}, 6)...)},
	{name: "sigint-stream", answers: []Answer{{Kind: Silent}}, then: do(Interrupt)},
	{name: "sigkill-tool@killed", answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, then: do(Crash)},
	named("tui-ctrl-c-in-retry", inRetry(Quit)),
	named("tui-hangup-in-retry", inRetry(Hangup)),
	{name: "serve-abort-stream", tty: "/dev/pts/1", answers: []Answer{{Kind: Silent}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		must(s.t, x.Prompt("continue", Person, s.now))
		s.run(x, time.Minute)
	}},
	{name: "tui-permission", tty: "/dev/pts/1", answers: []Answer{{Kind: CallsTool, Asks: true}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Approve, s.now))
		s.run(x, time.Minute)
	}},
}

func TestOpenCodeWritesWhatTheRealOneWrote(t *testing.T) {
	known := opencodeShapes(t)
	for _, e := range opencodeEndings {
		t.Run(e.name, func(t *testing.T) {
			s, a, x := e.play(t, 7, newOpenCode)
			if n := opencodeShaper.check(t, known, stored(t, a.Root()), e.name); n < 4 {
				t.Errorf("%d files", n)
			}
			stop, batch := s.look(s.reader("opencode", a.Root()), x.ID())
			agree(t, "opencode", e.name, stop, batch.Info.Parent != "")
		})
	}
}

// TestOpenCodeShapesCanDiffer: a key that is missing where the adapter looks is seen.
func TestOpenCodeShapesCanDiffer(t *testing.T) {
	known := opencodeShapes(t)
	_, a, _ := opencodeEndings[4].play(t, 7, newOpenCode)
	b := stored(t, a.Root())
	opencodeShaper.misses(t, known, b, `"isRetryable":true,`, `"statusCode":429,`, `"providerID":"fake",`, `"role":"user",`)
}

func TestOpenCodeResumes(t *testing.T) {
	for name, tc := range map[string]struct {
		answers []Answer
		before  func(s *scene, o *OpenCode, x Session)
		dir     string
		prompts int
		code    int
		ended   bool
		refused bool
		said    string
	}{
		"well":          {answers: []Answer{{Kind: NoCredit}}, prompts: 1, ended: true},
		"again":         {answers: []Answer{{Kind: NoCredit}, {Kind: NoCredit}}, prompts: 1, ended: true},
		"gone":          {answers: []Answer{{Kind: NoCredit}}, before: func(s *scene, _ *OpenCode, x Session) { must(s.t, os.Remove(x.Path())) }, code: 1, ended: true, refused: true},
		"role is gone":  {answers: []Answer{{Kind: NoCredit}}, before: func(_ *scene, o *OpenCode, _ Session) { o.Roles = []string{"plan"} }, prompts: 1, ended: true, said: "Falling back to default agent"},
		"another place": {answers: []Answer{{Kind: NoCredit}}, dir: "/tmp", prompts: 1},
		"killed":        {answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, prompts: 1, ended: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 7, tc.answers...)
			o := NewOpenCode(s.w)
			x, err := o.Begin(Start{Dir: s.w.Home}, s.now)
			must(t, err)
			must(t, x.Prompt("say done", Person, s.now))
			s.run(x, time.Minute)
			if _, ended := x.Exit(); !ended {
				must(t, x.Do(Crash, s.now))
			}
			a := s.reader("opencode", o.Root())
			stop, _ := s.look(a, x.ID())
			p := s.plan(a, x, func(r *agent.Request) { r.Program.Version = "1.1.53" })
			if tc.dir != "" {
				p.Dir = tc.dir
			}
			if tc.before != nil {
				tc.before(s, o, x)
			}
			var out bytes.Buffer
			run, err := o.Resume(p, nil, &out, s.now)
			must(t, err)
			s.run(run, time.Hour)
			code, ended := run.Exit()
			prompts := s.w.Ledger.Prompts("opencode", x.ID(), stop.Key, Clawd)
			got, err := a.Output(bytes.NewReader(out.Bytes()), nil)
			must(t, err)
			if code != tc.code || ended != tc.ended || prompts != tc.prompts || got.Refused != tc.refused || !strings.Contains(out.String(), tc.said) {
				t.Errorf("code %d, ended %v, %d prompts, %+v\n%s", code, ended, prompts, got, out.Bytes())
			}
			known := opencodeShaper.shapes(t, "testdata/opencode/*.stdout")
			for l := range bytes.Lines(out.Bytes()) {
				if l[0] == '{' && !bytes.Contains(l, []byte("402")) { // an error of another status has its own headers
					opencodeShaper.check(t, known, l, "stdout")
				}
			}
		})
	}
}

// TestOpenCodeHalfAFile: a reader that comes in between does not take it for a whole one.
func TestOpenCodeHalfAFile(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: NoCredit})
	o := NewOpenCode(s.w)
	x, err := o.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	x.Write(Torn)
	must(t, x.Prompt("say done", Person, s.now))
	torn := globbed(t, filepath.Join(o.Root(), "storage/message/*/*.json"))
	b, err := os.ReadFile(torn[0])
	must(t, err)
	if json.Valid(b) {
		t.Errorf("it is whole: %s", b)
	}
	s.run(x, time.Minute)
	if stop, _ := s.look(s.reader("opencode", o.Root()), x.ID()); stop.Reason != detect.Billing {
		t.Errorf("%+v", stop)
	}
}

// TestOpenCodeKinds: sub-agents' and archived sessions say so.
func TestOpenCodeKinds(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: NoCredit})
	o := NewOpenCode(s.w)
	parent := o.id("ses_", s.now, true)
	x, err := o.Begin(Start{Dir: dir, Parent: parent}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	must(t, o.Archive(x.ID(), s.now))
	if _, b := s.look(s.reader("opencode", o.Root()), x.ID()); b.Info.Parent != parent || !b.Info.Archived {
		t.Errorf("%+v", b.Info)
	}
}

// TestOpenCodeForks: the copy has ids of its own, and the times of the old session.
func TestOpenCodeForks(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: CallsTool}, Answer{Kind: NoCredit}, Answer{Kind: Silent})
	o := NewOpenCode(s.w)
	x, err := o.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	a := s.reader("opencode", o.Root())
	stop, _ := s.look(a, x.ID())
	y, err := o.Fork(x.ID(), Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, y.Prompt("and now", Person, s.now))
	opencodeShaper.check(t, opencodeShapes(t), stored(t, o.Root()), "fork")
	n := len(globbed(t, filepath.Join(o.Root(), "storage/message", y.ID(), "*.json")))
	got, _ := s.look(a, y.ID())
	if n != 5 || got.State != detect.Running {
		t.Errorf("%d messages, %+v", n, got)
	}
	for _, path := range globbed(t, filepath.Join(o.Root(), "storage/*", y.ID(), "*.json")) {
		b, err := os.ReadFile(path)
		must(t, err)
		if bytes.Contains(b, []byte(x.ID())) || bytes.Contains(b, []byte(stop.Key)) {
			t.Errorf("%s names the old session: %s", path, b)
		}
	}
	if old, _ := s.look(a, x.ID()); old.Key != stop.Key || old.Reason != detect.Billing {
		t.Errorf("the old session is %+v", old)
	}
}

func BenchmarkOpenCodeTurn(b *testing.B) {
	s := newScene(b, 7)
	s.w.Provider = func(Request) Answer { return Answer{Kind: NoCredit} }
	x, err := NewOpenCode(s.w).Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(b, err)
	benchTurns(b, s, x)
}
