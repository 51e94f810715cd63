package gemini

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
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const stubLine = `{"sessionId":"df27f882-915a-4c0a-b1cb-cb0029659a4c","projectHash":"` + demoHash + `","startTime":"2026-11-21T00:09:00.000Z","lastUpdated":"2026-11-21T00:09:00.000Z","kind":"main"}`

// demoHash is the SHA-256 of /home/dev/work/demo.
const demoHash = "64891c1f78d3de6468fe0be6f20296236127124236b44f5492f252299e16e9db"

func recordedLines(t testing.TB, path string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordings, path))
	must(t, err)
	var all []string
	for line := range bytes.Lines(b) {
		all = append(all, string(line))
	}
	return all
}

// TestSuiteLines: a session that was limited after a tool's result, resumed four times, and limited
// again: its prompt was taken back, and no report tells why.
func TestSuiteLines(t *testing.T) {
	agenttest.Run(t, func(t *testing.T) (agent.Agent, agenttest.Fixture) {
		home := filepath.Join(t.TempDir(), ".gemini")
		g := over(home, procs{})
		put(t, filepath.Join(home, "tmp", "demo", ".project_root"), "/home/dev/work/demo")
		path := filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-06-df27f882.jsonl")
		lines := recordedLines(t, "resume-05-still-limited/home/tmp/demo/chats/session-2026-11-21T00-06-df27f882.jsonl")
		offset := int64(len(strings.Join(lines[:len(lines)-1], "")))
		f := agenttest.Fixture{
			Session: detect.Session{Agent: Name, ID: "df27f882-915a-4c0a-b1cb-cb0029659a4c", Path: path},
			Unknown: func(t *testing.T) {
				add(t, path, `{"id":"x1","timestamp":"2026-11-21T00:07:59Z","type":"mood","content":"fine"}`+"\n")
			},
			Replace: func(t *testing.T) {
				must(t, os.Rename(path, path+".old"))
				put(t, path, strings.Join(lines, ""))
			},
			Position: func(c agent.Cursor) int64 {
				x, _ := parseCursor(c)
				var offset int64
				_, err := fmt.Sscanf(x.Pos, "1:%d", &offset) // as package tail writes it
				must(t, err)
				return offset
			},
			Changed: path,
			Want: detect.Stop{State: detect.Stopped, Reason: detect.Unknown, Key: "6308f987-5a3f-4bb2-8df2-55e52b5d5ee0",
				At:       time.Date(2026, 11, 21, 0, 7, 58, 122e6, time.UTC),
				Evidence: detect.Evidence{Source: "transcript", Offset: offset, Field: "$set.messages"},
				Notes:    []string{"the agent took the prompt back, so its request failed; why is not written down"}},
		}
		var r struct{ ID string }
		for _, l := range lines {
			if json.Unmarshal([]byte(l), &r) == nil && strings.HasPrefix(r.ID, "6308") {
				f.Want.Key = r.ID
			}
			f.Steps = append(f.Steps, func(t *testing.T) { add(t, path, l) })
		}
		return g, f
	})
}

// TestSuiteBroken: lines that were torn by a crash stand between those of a session that ended well.
func TestSuiteBroken(t *testing.T) {
	agenttest.Run(t, func(t *testing.T) (agent.Agent, agenttest.Fixture) {
		home := filepath.Join(t.TempDir(), ".gemini")
		path := filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-02-0d66ac3e.jsonl")
		lines := recordedLines(t, "tool-finish-sj/home/tmp/demo/chats/session-2026-11-21T00-02-0d66ac3e.jsonl")
		f := agenttest.Fixture{
			Session: detect.Session{Agent: Name, ID: id(t, lines[0]), Path: path},
			Broken:  func(t *testing.T) { add(t, path, `{"id":"4288`+"\n") },
			Changed: path,
		}
		f.Steps = append(f.Steps, func(t *testing.T) { add(t, path, lines[0]+lines[1]) })
		for _, l := range lines[2:] {
			f.Steps = append(f.Steps, func(t *testing.T) { add(t, path, l) })
		}
		broken := f.Broken
		f.Broken = func(t *testing.T) {
			if _, err := os.Stat(path); err != nil { // a file does not begin with a torn line
				add(t, path, lines[0])
				f.Steps[0](t)
			}
			broken(t)
		}
		answer := lines[len(lines)-2]
		f.Want = detect.Stop{State: detect.Stopped, Reason: detect.Completed, Key: id(t, answer),
			At:       time.Date(2026, 11, 21, 0, 3, 0, 285e6, time.UTC),
			Evidence: detect.Evidence{Offset: int64(len(strings.Join(lines[:len(lines)-2], ""))), Field: "answer"}}
		return over(home, procs{}), f
	})
}

// id gives the name of a line's record, or of its session.
func id(t testing.TB, line string) string {
	t.Helper()
	var r struct{ ID, SessionID string }
	must(t, json.Unmarshal([]byte(line), &r))
	return r.ID + r.SessionID
}

// TestSuiteRewritten: a session of 0.34, whose file is rewritten at each change.
func TestSuiteRewritten(t *testing.T) {
	agenttest.Run(t, func(t *testing.T) (agent.Agent, agenttest.Fixture) {
		home := filepath.Join(t.TempDir(), ".gemini")
		put(t, filepath.Join(home, "projects.json"), `{"projects":{"/home/dev/work/other":"demo","/home/dev/work/demo":"demo-1"}}`)
		path := filepath.Join(home, "tmp", "demo-1", "chats", "session-2026-11-21T00-30-579a35bc.json")
		write := rewriter(t, "old34-cc-quota/home/tmp/demo/chats/session-2026-11-21T00-30-579a35bc.json", path)
		f := agenttest.Fixture{
			Session: detect.Session{Agent: Name, ID: "579a35bc-01ca-472c-96e6-6336efab3601", Path: path},
			Replace: func(t *testing.T) {
				must(t, os.Rename(path, path+".old"))
				write(t, 4, false)
			},
			Changed: path,
			Want: detect.Stop{State: detect.Stopped, Reason: detect.Completed, Key: "b2feed8b-8e50-400b-a8b2-7d29d37f18ef",
				At: time.Date(2026, 11, 21, 0, 30, 35, 482e6, time.UTC), Evidence: detect.Evidence{Offset: 4, Field: "answer"}},
		}
		for n := range 5 {
			f.Steps = append(f.Steps, func(t *testing.T) { write(t, []int{1, 2, 2, 3, 4}[n], n == 1) })
		}
		return over(home, procs{}), f
	})
}

// rewriter gives a function that writes the first n messages of a recording, with the last tool calls
// still open if so.
func rewriter(t testing.TB, from, path string) func(t *testing.T, n int, open bool) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordings, from))
	must(t, err)
	return func(t *testing.T, n int, open bool) {
		t.Helper()
		var doc map[string]any
		must(t, json.Unmarshal(b, &doc))
		all, _ := doc["messages"].([]any)
		all = all[:n]
		if m, _ := all[n-1].(map[string]any); open {
			delete(m, "toolCalls")
		}
		// The agent writes these first.
		head := fmt.Sprintf(`{"sessionId":%q,"projectHash":%q,"startTime":%q,"lastUpdated":"2026-11-21T00:30:00Z","messages":`, doc["sessionId"], doc["projectHash"], doc["startTime"])
		list, err := json.Marshal(all)
		must(t, err)
		put(t, path, head+string(list)+`,"kind":"main"}`)
	}
}

// TestPieces reads every recorded session as it grows.
func TestPieces(t *testing.T) {
	var all []func(t *testing.T) agenttest.Recording
	for name, src := range recordedFiles(t) {
		all = append(all, func(t *testing.T) agenttest.Recording {
			dir := t.TempDir()
			home := filepath.Join(dir, "home")
			must(t, os.CopyFS(filepath.Join(dir, "tmp"), os.DirFS(src.reports)))
			path := filepath.Join(home, "tmp", "demo", "chats", filepath.Base(name))
			return agenttest.Recording{Name: name, Session: detect.Session{Agent: Name, ID: src.id, Path: path},
				Open:  func() agent.Agent { return over(home, procs{}) },
				Steps: agenttest.Growth(path, src.text, strings.Index(src.text, "\n")+1)} // without its header it is no session
		})
	}
	agenttest.Pieces(t, 2, all)
}

// TestCut: a file that was cut by a byte is read from its beginning.
func TestCut(t *testing.T) {
	g, _, s := world(t)
	b, err := agenttest.Read(t.Context(), g, s["tool"], "")
	must(t, err)
	must(t, os.Truncate(s["tool"].Path, int64(len(toolText())-1)))
	if b, err = agenttest.Read(t.Context(), g, s["tool"], b.Cursor); err != nil || !b.Anew {
		t.Errorf("anew %v, err %v", b.Anew, err)
	}
}

type recording struct{ id, text, reports string }

// recordedFiles gives every recorded JSONL file that differs from the others.
func recordedFiles(t testing.TB) map[string]recording {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(recordings, "*/home/tmp/*/chats/*.jsonl"))
	must(t, err)
	if len(paths) < 100 {
		t.Fatalf("only %d recorded files", len(paths))
	}
	all, known := map[string]recording{}, map[string]bool{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		must(t, err)
		if known[string(b)] {
			continue
		}
		known[string(b)] = true
		line, _, _ := strings.Cut(string(b), "\n")
		x := recording{id: id(t, line), text: string(b), reports: filepath.Join(strings.Split(p, "/home/")[0], "tmp")}
		if _, err := os.Stat(x.reports); err != nil {
			x.reports = t.TempDir()
		}
		all[p] = x
	}
	return all
}

// FuzzFold: no bytes make the reader panic, and what stands later in the file never changes the key
// of an earlier stop: the keys of a beginning of the file are keys of the whole.
func FuzzFold(f *testing.F) {
	for _, name := range []string{"resume-05-still-limited/home/tmp/demo/chats/session-2026-11-21T00-06-df27f882.jsonl",
		"tui-daily/home/tmp/demo/chats/session-2026-11-21T00-21-bd61be13.jsonl", "tui-ctrlc/home/tmp/demo/chats/session-2026-11-21T00-23-4c7da66e.jsonl",
		"429-daily-sj/home/tmp/demo/chats/session-2026-11-21T00-03-b01f28de.jsonl"} {
		b := strings.Join(recordedLines(f, name), "")
		f.Add(b, len(b)/2)
	}
	f.Add(stubLine+"\n"+`{"$rewindTo":"a"}`+"\n"+`{"id":"a","timestamp":"2026-11-21T00:00:00Z","type":"user","content":"x"}`+"\n"+`{"$set":{"messages":null}}`, 90)
	f.Add(`{"messages":[{"id":"a","timestamp":"2026-11-21T00:00:00Z","type":"gemini","toolCalls":[{}]}]}`, 3)
	f.Add(`{"id":"a","timestamp":"9999-12-31T23:59:59-23:59","type":"user","content":"x"}`, 0)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		g := over("/nonexistent/home", procs{})
		run := func(text string, x state) (*fold, []string) {
			var events []detect.Event
			f := &fold{state: x, g: g, b: new(agent.Batch), each: func(e detect.Event) { events = append(events, e) }}
			for line := range strings.Lines(text) {
				f.line([]byte(strings.TrimSuffix(line, "\n")), 0)
			}
			f.end()
			agenttest.CheckEvents(t, events)
			if _, err := (cursor{State: f.state}).text(); err != nil {
				t.Fatalf("a place that cannot be stored: %v", err)
			}
			var keys []string
			for _, e := range events {
				keys = append(keys, string(e.Kind)+" "+e.ID)
			}
			return f, keys
		}
		cut = max(0, min(cut, len(text)))
		cut = strings.LastIndex(text[:cut], "\n") + 1
		before, first := run(text[:cut], state{})
		after, rest := run(text[cut:], before.state)
		whole, all := run(text, state{})
		at := map[string]bool{}
		for _, k := range all {
			at[k] = true
		}
		for _, k := range append(first, rest...) {
			// A failure that is told between the pieces may be told with its reason at once in the whole.
			if !at[k] && !strings.HasPrefix(k, string(detect.KindFailure)) {
				t.Errorf("%q is only there when the file is read in pieces", k)
			}
		}
		if before, after := whole.Last, after.Last; before != after {
			t.Errorf("the newest record is %q, in pieces %q", before, after)
		}
		one := &fold{g: g, b: new(agent.Batch), each: func(detect.Event) {}, whole: true}
		_ = one.messages(t.Context(), func(each func(*message) bool) error {
			return walkMessages(&short{f: strings.NewReader(text), left: len(text) + 1}, each)
		}, place{ID: "a"}, new(place))
	})
}
