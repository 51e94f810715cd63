package actor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

func newGemini(w *World) Agent { return NewGemini(w) }

const geminiRuns = "../../../testdata/gemini/"

var geminiShaper = shaper{split: single, deep: func(path string) bool {
	for _, cut := range []string{"args", "response", "Display", "models", "stats"} {
		if strings.HasSuffix(path, cut) {
			return false
		}
	}
	return !strings.Contains(path, "resultDisplay")
}}

// geminiShapes are those of the lines. Of a checkpoint each message counts for itself.
func geminiShapes(t testing.TB) map[string]bool {
	return geminiShaper.shapes(t, geminiRuns+"*/home/tmp/demo/chats/session-*.jsonl")
}

// single makes checkpoints of one message each out of one of many.
func single(line []byte) [][]byte {
	var r struct {
		Set *struct {
			Messages []json.RawMessage `json:"messages"`
			Updated  json.RawMessage   `json:"lastUpdated"`
		} `json:"$set"`
	}
	if json.Unmarshal(line, &r) != nil || r.Set == nil || len(r.Set.Messages) == 0 {
		return [][]byte{line}
	}
	var all [][]byte
	for _, m := range r.Set.Messages {
		all = append(all, fmt.Appendf(nil, `{"$set":{"messages":[%s],"lastUpdated":%s}}`+"\n", m, r.Set.Updated))
	}
	return all
}

var geminiEndings = []ending{
	{name: "finish-sj"},
	{name: "tool-finish-sj", answers: []Answer{{Kind: CallsTool}}},
	{name: "429-daily-tmp-text", answers: []Answer{{Kind: UsedUp, Window: detect.Daily}}},
	{name: "429-cc-quota-plain-sj", answers: []Answer{{Kind: UsedUp, Reset: epoch.Add(5 * time.Hour)}}},
	{name: "hooks-after-tool-429", answers: []Answer{{Kind: CallsTool}, {Kind: UsedUp}}},
	{name: "429-maxattempts-1", answers: []Answer{{Kind: RateLimited}}, set: func(a Agent) { a.(*Gemini).Attempts = 1 }},
	{name: "400-context-json", answers: []Answer{{Kind: TooLong}}},
	{name: "broken-rst-sj", answers: []Answer{{Kind: Cut}}},
	{name: "403-text", answers: []Answer{{Kind: Unauthorized}}},
	{name: "sigterm-child-hang", answers: []Answer{{Kind: Silent}}, then: do(Terminate)},
	{name: "sigkill-child-slowtool", answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, span: time.Minute, then: do(Crash)},
	{name: "tui-401", tty: "/dev/pts/1", answers: []Answer{{Kind: Unauthorized}}, then: do(Quit)},
	{name: "tui-daily", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp}, {Kind: UsedUp}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Dismiss, s.now))
		must(s.t, x.Prompt("please continue", Person, s.now))
		s.run(x, time.Minute)
		must(s.t, x.Do(Hangup, s.now))
	}},
	{name: "tui-daily-keep-trying", tty: "/dev/pts/1", answers: []Answer{{Kind: UsedUp}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Approve, s.now))
		s.run(x, time.Minute)
		must(s.t, x.Do(Quit, s.now))
	}},
	{name: "tui-ctrlc", tty: "/dev/pts/1", answers: []Answer{{Kind: CallsTool, Tool: time.Hour}}, span: time.Minute, then: func(s *scene, x Session) {
		must(s.t, x.Do(Interrupt, s.now))
		must(s.t, x.Do(Quit, s.now))
	}},
	{name: "tui-permission", tty: "/dev/pts/1", answers: []Answer{{Kind: CallsTool, Asks: true}}, then: func(s *scene, x Session) {
		must(s.t, x.Do(Approve, s.now))
		s.run(x, time.Minute)
		must(s.t, x.Do(Quit, s.now))
	}},
}

func TestGeminiWritesWhatTheRealOneWrote(t *testing.T) {
	known := geminiShapes(t)
	for _, e := range geminiEndings {
		t.Run(e.name, func(t *testing.T) {
			s, a, x := e.play(t, 7, newGemini)
			b, err := os.ReadFile(x.Path())
			must(t, err)
			if n := geminiShaper.check(t, known, b, e.name); n < 4 {
				t.Errorf("%d lines", n)
			}
			for _, path := range globbed(t, filepath.Join(s.w.Tmp(), "*.json")) {
				b, err := os.ReadFile(path)
				must(t, err)
				if sh, err := geminiShaper.of(b); err != nil || !strings.HasPrefix(sh, "{context:[{parts:[") || !strings.HasSuffix(sh, "error:{message:s stack:s } }") {
					t.Errorf("the report %s: %v", sh, err)
				}
			}
			stop, batch := s.look(s.reader("gemini", a.Root()), x.ID())
			agree(t, "gemini", e.name, stop, batch.Info.Parent != "")
		})
	}
}

// TestGeminiShapesCanDiffer: a key that is missing where the adapter looks is seen.
func TestGeminiShapesCanDiffer(t *testing.T) {
	known := geminiShapes(t)
	_, _, x := geminiEndings[4].play(t, 7, newGemini)
	b, err := os.ReadFile(x.Path())
	must(t, err)
	geminiShaper.misses(t, known, b, `"model":"gemini-3.8-flash"`, `"status":"success",`, `"kind":"main"`, `"total":1212`)
}

// TestGeminiDialog stands on the screen only.
func TestGeminiDialog(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: UsedUp, Reset: epoch.Add(5 * time.Hour)})
	g := NewGemini(s.w)
	x, err := g.Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	a := s.reader("gemini", g.Root())
	if stop, _ := s.look(a, x.ID()); stop.State != detect.Running {
		t.Errorf("the disk says %+v", stop)
	}
	term, err := agent.TerminalOf(a)
	must(t, err)
	v := term.Screen(x.(*gemini).Screen())
	if stop, ok := a.Message(v.Dialog, s.now, s.w.Zone); !ok || stop.Reason != detect.UsageLimit {
		t.Errorf("the adapter does not see the dialog: %+v", v)
	}
	must(t, x.Do(Dismiss, s.now))
	s.run(x, time.Second)
	if stop, _ := s.look(a, x.ID()); stop.Reason != detect.UsageLimit {
		t.Errorf("after Stop the disk says %+v", stop)
	}
}

// TestGeminiLosesSessions: a resume leaves a stub, and the next process with another session deletes both.
func TestGeminiLosesSessions(t *testing.T) {
	s := newScene(t, 7, Answer{Kind: CallsTool}, Answer{Kind: UsedUp})
	g := NewGemini(s.w)
	dir := s.w.Home
	x, err := g.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Hour)
	a := s.reader("gemini", g.Root())
	stop, _ := s.look(a, x.ID())
	p := s.plan(a, x, func(r *agent.Request) { r.Launch = &detect.Launch{} })
	var out bytes.Buffer
	run, err := g.Resume(p, nil, &out, s.now)
	must(t, err)
	s.run(run, time.Hour)
	if code, _ := run.Exit(); code != 0 || s.w.Ledger.Prompts("gemini", x.ID(), stop.Key, Clawd) != 1 {
		t.Errorf("code %d, asks %+v", code, s.w.Ledger.Asks)
	}
	o, err := a.Output(bytes.NewReader(out.Bytes()), nil)
	must(t, err)
	if !o.Began || o.Failed || o.Session != x.ID() {
		t.Errorf("%+v\n%s", o, out.Bytes())
	}
	known := geminiShaper.shapes(t, "testdata/gemini/*.stdout")
	for l := range bytes.Lines(out.Bytes()) {
		if l[0] == '{' {
			geminiShaper.check(t, known, l, "stdout")
		}
	}
	files := globbed(t, filepath.Join(filepath.Dir(x.Path()), "*.jsonl"))
	if len(files) != 2 {
		t.Fatalf("%d files after a resume", len(files))
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		geminiShaper.check(t, geminiShapes(t), b, f)
	}
	_, err = g.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	if files := globbed(t, filepath.Join(filepath.Dir(x.Path()), "*.jsonl")); len(files) != 1 {
		t.Errorf("%v are left", files)
	}
	again, err := g.Resume(p, nil, &out, s.now)
	must(t, err)
	if code, ended := again.Exit(); !ended || code != 42 {
		t.Errorf("a lost session: code %d", code)
	}
}

// TestGeminiForgets: a start in the project deletes what was not worked on for a month, by the records' own times.
func TestGeminiForgets(t *testing.T) {
	s := newScene(t, 7)
	g := NewGemini(s.w)
	x, err := g.Begin(Start{Dir: dir}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	s.run(x, time.Minute)
	for days := 29; days <= 31; days += 2 {
		now := s.now.Add(time.Duration(days) * 24 * time.Hour)
		must(t, os.Chtimes(x.Path(), now, now))
		_, err := g.Begin(Start{Dir: dir}, now)
		must(t, err)
		if _, err := os.Stat(x.Path()); os.IsNotExist(err) != (days > 30) {
			t.Errorf("after %d days: %v", days, err)
		}
	}
}

// BenchmarkGeminiTurn leaves out logs.json, which grows with each prompt.
func BenchmarkGeminiTurn(b *testing.B) {
	s := newScene(b, 7)
	s.w.Provider = func(Request) Answer { return Answer{Kind: Unauthorized} }
	x, err := NewGemini(s.w).Begin(Start{Dir: dir, TTY: "/dev/pts/1"}, s.now)
	must(b, err)
	benchTurns(b, s, unlogged{x.(*gemini)})
}

type unlogged struct{ *gemini }

func (u unlogged) Prompt(text string, by By, now time.Time) error { return u.give(text, by, now) }
