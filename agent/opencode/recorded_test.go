package opencode

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// testdata/want.tsv was written by reading what the recordings' scripted provider answered and how
// each run ended, not by running this package.
func TestRecorded(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range tsv(t, "testdata/want.tsv") {
		name, id := w[0], w[1]
		seen[name] = true
		t.Run(name+"/"+id, func(t *testing.T) {
			o, dir := open(t, nil)
			all := load(t, o, dir, name)
			i := slices.IndexFunc(all, func(x agent.Touched) bool { return x.Session.ID == id })
			if i < 0 {
				t.Fatalf("not among the %d sessions found", len(all))
			}
			b := read(t, o, all[i].Session, "")
			if b.Skipped != 0 {
				t.Errorf("skipped %d: %s", b.Skipped, b.Problem)
			}
			stop := judge(b.Events, detect.Gone)
			after := "-"
			if stop.RetryAfter != nil {
				after = strconv.FormatFloat(stop.RetryAfter.Seconds(), 'f', -1, 64)
			}
			got := []string{name, id, string(stop.Reason), strconv.Itoa(stop.Status), after, stop.Key}
			if d := cmp.Diff(w, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if stop.State != detect.Stopped || stop.At.IsZero() {
				t.Errorf("state %s at %v", stop.State, stop.At)
			}
			wantInfo(t, b.Info)
			maybe, cursor, err := o.Tail(t.Context(), all[i].Session)
			if err != nil || !maybe && stop.IsStop() {
				t.Errorf("Tail: %v, %v", maybe, err)
			}
			for _, from := range []agent.Cursor{b.Cursor, cursor} {
				if from == "" {
					continue
				}
				if again := read(t, o, all[i].Session, from); len(again.Events) != 0 || again.Anew || again.Cursor != b.Cursor {
					t.Errorf("nothing was written, but a second read gave %+v", again)
				}
			}
		})
	}
	for _, store := range []string{"db.sql", "storage"} {
		found, err := filepath.Glob(filepath.Join(cases, "*", store))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if name := filepath.Base(filepath.Dir(f)); !seen[name] && !strings.Contains(name, "@") && !strings.HasPrefix(name, "sub-") { // @: a moment of another case; sub-: see TestSubStops
				t.Errorf("%s is not in want.tsv", name)
			}
		}
	}
}

func wantInfo(t *testing.T, i detect.Info) {
	t.Helper()
	if !filepath.IsAbs(i.Dir) || i.Version == "" || i.Created.Year() != 2026 || i.FirstPrompt == "" || i.Setup.Role != "build" || i.Setup.Model == "" || i.Setup.Bound {
		t.Errorf("info: %+v", i)
	}
}

func one(t *testing.T, name string) (*OpenCode, detect.Session, agenttest.Batch) {
	t.Helper()
	o, dir := open(t, nil)
	all := load(t, o, dir, name)
	if len(all) != 1 {
		t.Fatalf("%d sessions", len(all))
	}
	return o, all[0].Session, read(t, o, all[0].Session, "")
}

func TestInfo(t *testing.T) {
	for _, c := range []struct {
		name        string
		model       string
		tokens      int64
		interactive bool
	}{
		{"finished", "fake/demo-1", 110, false},
		{"old-1.1.53-finished", "fake/demo-1", 110, false},
		{"tui-gives-up", "fake/demo-1", 110, true},
		{"resume-model", "anthropic/demo-claude", 110, false},
		{"unknown-model", "", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, b := one(t, c.name)
			i := b.Info
			if i.Model != c.model || i.Tokens != c.tokens || i.Interactive != c.interactive {
				t.Errorf("model %q tokens %d interactive %v", i.Model, i.Tokens, i.Interactive)
			}
			if c.model != "" && i.Provider == "" {
				t.Error("no provider")
			}
			if want := detect.HashText("Say hello"); i.FirstPrompt != want {
				t.Errorf("first prompt %q, want %q", i.FirstPrompt, want)
			}
		})
	}
}

func kinds(events []detect.Event) []string {
	var all []string
	for _, e := range events {
		k := string(e.Kind)
		for _, f := range []struct {
			on   bool
			name string
		}{{e.Meta, " meta"}, {e.Done, " done"}, {e.ToolCall, " tool"}} {
			if f.on {
				k += f.name
			}
		}
		all = append(all, k)
	}
	return all
}

func TestEvents(t *testing.T) {
	for name, want := range map[string][]string{
		"context-full":         {"prompt", "interrupt", "prompt meta", "open", "prompt meta", "answer done"},
		"permission-run":       {"prompt", "denied"},
		"tool-then-429":        {"prompt", "answer tool", "failure"},
		"sigterm-tool":         {"prompt", "open tool"},
		"old-1.1.53-auth-401":  {"prompt", "failure"},
		"serve-abort-tool":     {"prompt", "interrupt"},
		"tui-ctrl-c-in-retry":  {"prompt", "interrupt"},
		"resume-still-limited": {"prompt", "failure", "prompt", "failure", "prompt", "failure"},
		"stream-closed":        {"prompt", "open", "answer done"},
		"go-limit":             {"prompt", "open", "retry"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, b := one(t, name)
			if d := cmp.Diff(want, kinds(b.Events)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A long loop of cut answers is one stop, named by the row that made it a loop.
func TestLoop(t *testing.T) {
	for _, name := range []string{"empty-answer", "stream-reset"} {
		_, _, b := one(t, name)
		stop := judge(b.Events, detect.Alive)
		if stop.Reason != detect.Network || len(stop.Notes) != 1 {
			t.Errorf("%s: %+v", name, stop)
		}
		if len(b.Events) > window+2 || b.Events[0].Kind != detect.KindPrompt {
			t.Errorf("%s: %v", name, kinds(b.Events))
		}
	}
}

func TestHashes(t *testing.T) {
	_, _, b := one(t, "resume-session")
	want := []string{detect.HashText("Say hello"), detect.HashText("continue")}
	var got []string
	for _, e := range b.Events {
		if e.Kind == detect.KindPrompt {
			got = append(got, e.Hash)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestLastPrompt(t *testing.T) {
	for name, want := range map[string]string{
		"resume-session":            "continue",
		"finished":                  `"Say hello"`,
		"old-1.1.53-resume-session": "continue\n",
		"context-full":              `"Say hello"`, // the newer ones are opencode's own
	} {
		o, s, _ := one(t, name)
		if got, err := o.LastPrompt(t.Context(), s); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// While a request waits to be sent again, only the log tells.
func TestRetrying(t *testing.T) {
	for _, name := range []string{
		"go-limit", "anthropic-usage-limit", "rate-limit-long-wait-sigterm", "rate-limit-long-wait-sigint", "old-1.17.0-retries-for-ever",
	} {
		_, _, b := one(t, name)
		if stop := judge(b.Events, detect.Alive); stop.State != detect.Retrying || !stop.SelfResumeAt.IsZero() {
			t.Errorf("%s: %+v", name, stop)
		}
	}
	_, _, b := one(t, "stream-hang")
	if stop := judge(b.Events, detect.Alive); stop.State != detect.Running || len(stop.CouldBe) != 2 {
		t.Errorf("a stream that hangs: %+v", stop)
	}
}

func TestParseRetry(t *testing.T) {
	const id = "ses_e0474c07fffeg0CuZT7o92xp0N"
	at := time.Date(2026, 11, 21, 0, 39, 30, 0, time.UTC)
	for _, c := range []struct {
		line string
		next time.Duration
		ok   bool
	}{
		{`timestamp=2026-11-21T00:39:30.000Z level=ERROR run=52a07eea message="stream error" providerID=fake modelID=demo-1 session.id=` + id + ` small=false agent=build mode=primary error.error="AI_APICallError: x"`, 0, true},
		{`timestamp=2026-11-21T00:39:30.000Z level=ERROR run=52a07eea message="stream error" providerID=fake modelID=demo-1 session.id=` + id + ` small=true agent=title mode=primary error.error="x"`, 0, false},
		{`timestamp=2026-11-21T00:39:30.000Z level=ERROR run=52a07eea message="stream error" providerID=fake modelID=demo-1 session.id=ses_other small=false error.error="session.id=` + id + ` small=false "`, 0, false},
		{`timestamp=2026-11-21T00:39:30.000Z level=INFO message="x" error.error=" message=\"stream error\" session.id=` + id + ` small=false "`, 0, false},
		{`ERROR 2026-11-21T00:39:30 +36ms service=llm providerID=fake modelID=demo-1 sessionID=` + id + ` small=false agent=build mode=primary error={"error":{"name":"AI_APICallError","statusCode":429,"responseHeaders":{"retry-after":"3600"},"requestBodyValues":{}}} stream error`, time.Hour, true},
		{`ERROR 2026-11-21T00:39:30 +36ms service=llm sessionID=` + id + ` small=false error={"error":{"name":"AI_APICallErr`, 0, true},
		{`ERROR 2026-11-21T00:39:30 +36ms service=llm sessionID=` + id + ` small=false error={"error":{"requestBodyValues":{"messages":["what is error.error= ?"]},"responseHeaders":{"retry-after":"5"}}}`, 5 * time.Second, true},
		{`timestamp=2026-11-21T00:39:30.000Z level=ERROR message="stream error" session.id=` + id + ` small=false error.error="x error={"error":{"responseHeaders":{"retry-after":"5"}}}"`, 0, true},
		{`ERROR 2026-11-21T00:39:30 +4ms service=llm providerID=fake modelID=demo-1 session.id=` + id + ` small=false agent=build mode=primary error={"error":{"name":"AI_APICallError","statusCode":429,"responseHeaders":{"retry-after":"3600"}}} stream error`, time.Hour, true},
		{`ERROR 2026-11-21T00:39:30 +3179ms service=llm sessionID=` + id + ` small=false agent=build mode=primary error={"error":{"name":"AI_RetryError","reason":"maxRetriesExceeded","errors":[]}} stream error`, 0, false},
		{`ERROR 2026-11-21T00:39:30 +36ms service=bus sessionID=` + id + ` small=false error={"error":{}}`, 0, false},
		{`ERROR 2026-11-21T00:39:30 +5ms service=llm modelID=demo-small sessionID=` + id + ` small=true agent=title error={"error":{"name":"AI_APICallError","responseHeaders":{"retry-after":"3600"}}} stream error`, time.Hour, true},
		{``, 0, false},
	} {
		session, stamp, ok := parseRetry(c.line)
		if ok = ok && session == id; ok != c.ok {
			t.Errorf("%.80s: %v", c.line, ok)
			continue
		}
		want, next := at, time.Time{}
		if strings.HasPrefix(c.line, oldLine) {
			want = at.Add(999 * time.Millisecond)
		}
		if c.next > 0 {
			next = want.Add(c.next)
		}
		if got := nextTry(c.line, want); ok && (!stamp.Equal(want) || !got.Equal(next)) {
			t.Errorf("%.80s: %s, next %s, want %s and %s", c.line, stamp, got, want, next)
		}
	}
}

// A part that is newer than the log's line shows that the waiting is over.
func TestRetryEnds(t *testing.T) {
	o, db, s := newStore(t)
	insert(t, db, "msg_1", at0, fmt.Sprintf(begun, "msg_0", at0))
	line := func(ms int64) string {
		return "timestamp=" + millis(float64(at0+ms)).Format("2006-01-02T15:04:05.000Z07:00") + ` level=ERROR run=1 message="stream error" session.id=` + s.ID + ` small=false error.error="x"` + "\n"
	}
	log := filepath.Join(o.data, "log", "opencode.log")
	var cursor agent.Cursor
	for i, step := range []struct {
		do   func()
		want []string
	}{
		{func() { writeFile(t, log, line(-5)) }, []string{"open"}},
		{func() { writeFile(t, log, line(-5)+line(10)) }, []string{"retry"}},
		{func() {}, nil},
		{func() { insertPart(t, db, "prt_1", "msg_1", at0+20, `{"type":"step-start"}`) }, nil},
		{func() { writeFile(t, log, line(10)+line(15)) }, nil},
		{func() { writeFile(t, log, line(15)+line(30)) }, []string{"retry"}},
		{func() { writeFile(t, log, strings.Repeat("x", logTail)+"\n"+line(40)) }, []string{"retry"}},
		{func() { writeFile(t, log, line(50)+strings.Repeat("x", logTail)) }, nil}, // out of sight
	} {
		step.do()
		b := read(t, o, s, cursor)
		cursor = b.Cursor
		if d := cmp.Diff(step.want, kinds(b.Events)); d != "" {
			t.Errorf("step %d (-want +got):\n%s", i, d)
		}
	}
}
