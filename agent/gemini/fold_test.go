package gemini

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// TestStages reads recorded sessions up to the moments at which something was decided.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		file  string
		lines int // how many were written
		state detect.State
		why   detect.Reason
		key   string
	}{
		{"tui-daily", 4, detect.Running, "", "49ed"},
		{"tui-daily", 6, detect.Stopped, detect.UsageLimit, "49ed"}, // with the error that the terminal shows
		{"tui-daily", 9, detect.Stopped, detect.UsageLimit, "49ed"}, // and the advice below it
		{"tui-daily", 10, detect.Running, "", "f03d"},               // its user went on
		{"tui-401", 6, detect.Stopped, detect.Auth, "e9d3"},
		{"tui-daily-esc-2", 5, detect.Stopped, detect.Interrupted, "6c75"}, // Esc at the dialog
		{"tui-daily-esc-2", 7, detect.Stopped, detect.Interrupted, "6c75"}, // and the prompt is taken back
		{"tui-esc-mid-turn", 5, detect.Running, "", "eb93"},                // the tool runs
		{"tui-esc-mid-turn", 7, detect.Stopped, detect.Interrupted, "eb93"},
		{"tui-esc-mid-turn", 11, detect.Stopped, detect.Interrupted, "2891"}, // its cancelled result asks nobody
		{"tui-permission", 5, detect.Running, "", "946b"},                    // approval asked
		{"tui-permission", 8, detect.Running, "", "0819"},
		{"resume-02-uuid-ok", 9, detect.Stopped, detect.UsageLimit, "c143"},  // the summary of another run
		{"resume-02-uuid-ok", 12, detect.Stopped, detect.UsageLimit, "c143"}, // a second header with context only
		{"resume-02-uuid-ok", 14, detect.Stopped, detect.UsageLimit, "c143"}, // resumed, nothing asked yet
		{"resume-02-uuid-ok", 15, detect.Running, "", "bb6d"},
	} {
		g, _ := recorded(t, c.file)
		all, err := filepath.Glob(filepath.Join(recordings, c.file, "home/tmp/demo/chats/*.jsonl"))
		must(t, err)
		rel, err := filepath.Rel(recordings, all[0])
		must(t, err)
		text := recordedLines(t, rel)
		s := named(t, g, id(t, text[0])[:8])
		put(t, s.Path, strings.Join(text[:c.lines], ""))
		stop, _ := verdict(t, g, s, detect.Alive)
		if stop.State != c.state || stop.Reason != c.why || !strings.HasPrefix(stop.Key, c.key) {
			t.Errorf("%s, %d lines: %s %s, key %s; want %s %s %s", c.file, c.lines, stop.State, stop.Reason, stop.Key, c.state, c.why, c.key)
		}
	}
}

func answerLine(id, at, text, tools string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"gemini","content":%q,"toolCalls":[%s]}`+"\n", id, at, text, tools)
}

// TestRecords are forms that no recording has.
func TestRecords(t *testing.T) {
	const turn = `{"id":"u1","timestamp":"2026-11-21T00:10:01Z","type":"user","content":[{"text":"do it"}]}`
	u, g1 := promptLine("u1", "2026-11-21T00:10:01Z", "do it"), answerLine("g1", "2026-11-21T00:10:02Z", "done", "")
	u2 := promptLine("u2", "2026-11-21T00:10:03Z", "more")
	context := fmt.Sprintf(contextLine, "2026-11-21T00:10:05Z")
	for _, c := range []struct {
		name, text string
		state      detect.State
		why        detect.Reason
		key        string
		empty      bool
	}{
		{"the second turn is taken back", u + g1 + u2 + `{"$set":{"messages":[` + turn + `]}}` + "\n", detect.Stopped, detect.Unknown, "u2", false},
		{"a checkpoint with the request in it", u + g1 + u2 + `{"$set":{"messages":[` + turn + "," + strings.TrimSpace(u2) + `]}}` + "\n", detect.Stopped, detect.Interrupted, "cut:u2", false},
		{"another process checkpoints without it", u + g1 + u2 + `{"$set":{"sessionId":"` + toolID + `"}}` + "\n" + context, detect.Stopped, detect.Interrupted, "cut:u2", false},
		{"a checkpoint without the open tool result", toolText()[len(headLine(toolID)):] + context, detect.Stopped, detect.Interrupted, "cut:f2", false},
		{"a checkpoint at rest", u + g1 + context, detect.Stopped, detect.Completed, "g1", false},
		{"the user went back", u + g1 + u2 + `{"$rewindTo":"u1"}` + "\n", detect.Stopped, detect.Interrupted, "u2", false},
		{"the user went back at rest", u + g1 + `{"$rewindTo":"u1"}` + "\n", detect.Stopped, detect.Interrupted, "g1", false},
		{"a command of the terminal", u + g1 + promptLine("u3", "2026-11-21T00:10:04Z", "/stats"), detect.Stopped, detect.Completed, "g1", false},
		{"an error of a command", u + g1 + `{"id":"e","timestamp":"2026-11-21T00:10:04Z","type":"error","content":"[API Error: You have exhausted your daily quota on this model.]"}` + "\n", detect.Stopped, detect.Completed, "g1", false},
		{"an error that is none of a request", u + `{"id":"e","timestamp":"2026-11-21T00:10:04Z","type":"error","content":"MCP server x is gone"}` + "\n", detect.Stopped, detect.Interrupted, "cut:u1", false},
		{"another error later", u + context + `{"id":"e1","timestamp":"2026-11-21T00:10:06Z","type":"error","content":"[API Error: You have exhausted your daily quota on this model.]"}` + "\n" +
			`{"id":"e2","timestamp":"2026-11-21T00:20:06Z","type":"error","content":"[API Error: terminated]"}` + "\n", detect.Stopped, detect.UsageLimit, "u1", true},
		{"an error in another process", u + context + `{"$set":{"sessionId":"` + toolID + `"}}` + "\n" +
			`{"id":"e2","timestamp":"2026-11-21T00:20:06Z","type":"error","content":"[API Error: terminated]"}` + "\n", detect.Stopped, detect.Unknown, "u1", true},
		{"an error nobody knows", u + context + `{"id":"e","timestamp":"2026-11-21T00:10:06Z","type":"error","content":"[API Error: the moon is full]"}` + "\n", detect.Stopped, detect.Unknown, "u1", true},
		{"a user who quotes a limit", promptLine("u1", "2026-11-21T00:10:01Z", "[API Error: You have exhausted your daily quota on this model.]"), detect.Stopped, detect.Interrupted, "cut:u1", false},
		{"an answer that quotes a limit", u + answerLine("g1", "2026-11-21T00:10:02Z", "[API Error: You have exhausted your daily quota on this model.]", ""), detect.Stopped, detect.Completed, "g1", false},
		{"one of two tools cancelled", u + answerLine("g1", "2026-11-21T00:10:02Z", "", `{"id":"c1","status":"cancelled"},{"id":"c2","status":"success"}`) +
			`{"id":"f1","timestamp":"2026-11-21T00:10:03Z","type":"user","content":[{"functionResponse":{"id":"c1"}},{"functionResponse":{"id":"c2"}}]}` + "\n", detect.Stopped, detect.Interrupted, "cut:f1", false},
	} {
		g, _, s := world(t)
		put(t, s["tool"].Path, headLine(toolID)+c.text)
		stop, b := verdict(t, g, s["tool"], detect.Gone)
		if stop.State != c.state || stop.Reason != c.why || stop.Key != c.key || stop.NotResumable != c.empty || b.Skipped > 0 {
			t.Errorf("%s: %s %s, key %s, not resumable %v, %d skipped; want %s %s %s %v",
				c.name, stop.State, stop.Reason, stop.Key, stop.NotResumable, b.Skipped, c.state, c.why, c.key, c.empty)
		}
	}
}

// TestHosted: a session that an editor drives begins with two headers (recorded with --acp of 0.61), and a person is there. A header that comes
// later is of whoever resumed it.
func TestHosted(t *testing.T) {
	u, g1 := promptLine("u1", "2026-11-21T00:10:01Z", "do it"), answerLine("g1", "2026-11-21T00:10:02Z", "done", "")
	head, context := headLine(toolID), fmt.Sprintf(contextLine, "2026-11-21T00:10:00Z")
	resumed := head + context + `{"$set":{"sessionId":"` + toolID + `"}}` + "\n"
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"an editor's":            {head + context + head + context + u + g1, true},
		"an editor's, resumed":   {head + context + head + context + u + g1 + resumed + promptLine("u2", "2026-11-21T00:11:00Z", "more"), true},
		"a headless run's":       {head + context + u + g1, false},
		"one that was resumed":   {head + context + u + g1 + resumed + resumed + promptLine("u2", "2026-11-21T00:11:00Z", "more"), false},
		"no prompt yet":          {head + context + head + context, false},
		"resumed for the second": {head + context + u + resumed + u + g1 + resumed, false},
	} {
		g, _, s := world(t)
		put(t, s["tool"].Path, c.text)
		for line := range 2 { // whole, then by its end first
			from := agent.Cursor("")
			if line == 1 {
				_, tail, err := g.Tail(t.Context(), s["tool"])
				must(t, err)
				from = tail
			}
			b, err := agenttest.Read(t.Context(), g, s["tool"], from)
			must(t, err)
			if b.Info.Interactive != c.want {
				t.Errorf("%s (from %q): interactive = %v", name, from, b.Info.Interactive)
			}
		}
	}
}

// TestRefusedPromptIsTold: a failure is told even when its user asked again before it was read.
func TestRefusedPromptIsTold(t *testing.T) {
	g, _, s := world(t)
	add(t, s["back"].Path, promptLine("u2", "2026-11-21T00:11:00Z", "again"))
	b, err := agenttest.Read(t.Context(), g, s["back"], "")
	must(t, err)
	var got []string
	for _, e := range b.Events {
		got = append(got, string(e.Kind)+" "+e.ID)
	}
	if want := "prompt u1,failure u1,prompt u2"; strings.Join(got, ",") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHugeLine: a line over the cap is passed over and said so.
func TestHugeLine(t *testing.T) {
	g, _, s := world(t)
	add(t, s["tool"].Path, promptLine("u8", "2026-11-21T00:11:00Z", strings.Repeat("x", 17<<20))+answerLine("g8", "2026-11-21T00:12:00Z", "done", ""))
	stop, b := verdict(t, g, s["tool"], detect.Gone)
	if b.Skipped != 1 || b.Problem == "" || stop.Key != "g8" || stop.Reason != detect.Completed {
		t.Errorf("%d skipped (%s), %s %s", b.Skipped, b.Problem, stop.Key, stop.Reason)
	}
}

// TestRewrittenTorn: a file that is being rewritten is an error that the next read ends; one that
// stays torn is said, and its stop is not lost.
func TestRewrittenTorn(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path := filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-30-579a35bc.json")
	write := rewriter(t, "old34-cc-quota/home/tmp/demo/chats/session-2026-11-21T00-30-579a35bc.json", path)
	g := over(home, procs{})
	write(t, 2, false)
	s := named(t, g, "579a35bc")
	b, err := agenttest.Read(t.Context(), g, s, "")
	must(t, err)
	if n := len(b.Events); n != 3 || b.Events[2].Kind != detect.KindToolResult || b.Events[2].ID != b.Events[1].ID {
		t.Fatalf("%d events: %+v", n, b.Events)
	}
	put(t, path, `{"sessionId":"579a35bc-`)
	if _, err := agenttest.Read(t.Context(), g, s, b.Cursor); err == nil || !strings.Contains(err.Error(), "being written") {
		t.Errorf("torn: %v", err)
	}
	all, err := g.Scan(t.Context(), "")
	if err != nil || len(all) != 1 {
		t.Errorf("torn: %d sessions, err %v", len(all), err)
	}
	g.now = func() time.Time { // it is whole when it is looked at again
		write(t, 3, false)
		return time.Now()
	}
	if again, err := agenttest.Read(t.Context(), g, s, b.Cursor); err != nil || again.Anew || again.Skipped != 0 {
		t.Errorf("whole at the second look: %+v, err %v", again, err)
	}
	put(t, path, `{"sessionId":"579a35bc-`)
	g.now = func() time.Time { return time.Now().Add(time.Hour) }
	torn, err := agenttest.Read(t.Context(), g, s, b.Cursor)
	if err != nil || torn.Anew || torn.Skipped != 1 || len(torn.Events) != 0 || torn.Problem == "" {
		t.Errorf("torn for an hour: %+v, err %v", torn, err)
	}
	write(t, 4, false)
	late, err := agenttest.Read(t.Context(), g, s, torn.Cursor)
	if err != nil || late.Anew || len(late.Events) != 2 || !late.Events[1].Done {
		t.Errorf("whole again: %+v, err %v", late, err)
	}
}

// TestRewrittenBounds: such a file is read message by message, and what has no end is said.
func TestRewrittenBounds(t *testing.T) {
	const head = `{"sessionId":"579a35bc-0000-4000-8000-000000000000","projectHash":"x","startTime":"2026-11-21T00:30:00Z","summary":{"a":[1]},"messages":[`
	const asked = `{"id":"1","timestamp":"2026-11-21T00:30:01Z","type":"user","content":"hi"}`
	for name, c := range map[string]struct {
		text, problem string
		events        int
	}{
		"sound":         {head + asked + `,{"id":7}],"kind":"main"}`, "a message has no id or no time", 2},
		"no list":       {head[:len(head)-1] + `null}`, "", 0},
		"many messages": {head + asked + strings.Repeat(",{}", maxMessages) + "]}", "50000 messages", 0},
		"long message":  {head + asked + `,{"content":"` + strings.Repeat("x", tail.MaxLine+1<<20) + `"}]}`, "longer than 16 MB", 0},
		"long field":    {head + asked + `],"more":"` + strings.Repeat("x", tail.MaxLine+1<<20) + `"}`, "longer than 16 MB", 0},
		"cut":           {head + asked + `,`, "not the JSON object", 0},
		"deep":          {head + strings.Repeat("[", 20_000), "not the JSON object", 0},
		"more behind":   {head + asked + `]}{`, "not the JSON object", 0},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			path := filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-30-579a35bc.json")
			put(t, path, c.text)
			g := over(home, procs{})
			g.now = func() time.Time { return time.Now().Add(time.Hour) }
			b, err := agenttest.Read(t.Context(), g, named(t, g, "579a35bc"), "")
			if err != nil || len(b.Events) != c.events || !strings.Contains(b.Problem, c.problem) || (b.Skipped > 0) != (c.problem != "") {
				t.Errorf("%d events, %d skipped: %q, %v", len(b.Events), b.Skipped, b.Problem, err)
			}
		})
	}
}

// TestRewrittenShorter: the agent compressed a session of an old version. All is told anew, under the
// same keys.
func TestRewrittenShorter(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path := filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-30-579a35bc.json")
	write := rewriter(t, "old34-cc-quota/home/tmp/demo/chats/session-2026-11-21T00-30-579a35bc.json", path)
	g := over(home, procs{})
	write(t, 4, false)
	s := named(t, g, "579a35bc")
	b, err := agenttest.Read(t.Context(), g, s, "")
	must(t, err)
	write(t, 2, false)
	short, err := agenttest.Read(t.Context(), g, s, b.Cursor)
	if err != nil || !short.Anew || len(short.Events) != 3 || short.Events[2].ID != b.Events[2].ID {
		t.Errorf("%+v, err %v", short, err)
	}
}

// TestRewrittenReport: an old version takes nothing back; a report tells that the request failed,
// while the file stays as it is.
func TestRewrittenReport(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path := filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-30-579a35bc.json")
	write := rewriter(t, "old34-cc-quota/home/tmp/demo/chats/session-2026-11-21T00-30-579a35bc.json", path)
	g := over(home, procs{})
	write(t, 2, false)
	s := named(t, g, "579a35bc")
	b, err := agenttest.Read(t.Context(), g, s, "")
	must(t, err)
	name := "gemini-client-error-Turn.run-sendMessageStream-2026-11-21T00-30-21-049Z.json"
	put(t, filepath.Join(g.reports, name), strings.Join(recordedLines(t, "old34-cc-quota/tmp/"+name), ""))
	told, err := agenttest.Read(t.Context(), g, s, b.Cursor)
	if err != nil || len(told.Events) != 1 || told.Events[0].ID != b.Events[2].ID || told.Events[0].Failure == nil || told.Events[0].Failure.Window != detect.Daily {
		t.Fatalf("%+v, err %v", told, err)
	}
	again, err := agenttest.Read(t.Context(), g, s, told.Cursor)
	if err != nil || len(again.Events) != 0 || again.Cursor != told.Cursor {
		t.Errorf("told twice: %+v, err %v", again, err)
	}
	// Written again without a change, it is still told only once.
	write(t, 2, false)
	if again, err = agenttest.Read(t.Context(), g, s, told.Cursor); err != nil || again.Anew || len(again.Events) != 0 {
		t.Errorf("told twice after a write: %+v, err %v", again, err)
	}
}

// TestTailOwesTheHead: a session that ended well is not read at first; its first prompt is told later.
func TestTailOwesTheHead(t *testing.T) {
	g, _ := recorded(t, "tool-finish-sj")
	s := named(t, g, "0d66ac3e")
	maybe, cursor, err := g.Tail(t.Context(), s)
	if err != nil || maybe {
		t.Fatalf("maybe %v, err %v", maybe, err)
	}
	add(t, s.Path, promptLine("u7", "2026-11-21T00:20:00Z", "go on"))
	b, err := agenttest.Read(t.Context(), g, s, cursor)
	must(t, err)
	if len(b.Events) != 1 || b.Info.FirstPrompt != detect.HashText("read the readme") || b.Info.Created.IsZero() {
		t.Errorf("%+v", b)
	}
	var x cursorText
	must(t, json.Unmarshal([]byte(b.Cursor), &x))
	if x.S.W {
		t.Error("the head is still owed")
	}
	if b, err = agenttest.Read(t.Context(), g, s, agent.Cursor(b.Cursor)); err != nil || b.Info.FirstPrompt != "" {
		t.Errorf("told twice: %+v, err %v", b.Info, err)
	}
}

type cursorText struct {
	S struct{ W bool }
}
