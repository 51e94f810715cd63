package claude

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// rec makes a line with the fields of every message line; over replaces or adds fields.
func rec(kind string, n int, over map[string]any) string {
	m := map[string]any{
		"type": kind, "uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", n), "parentUuid": nil, "isSidechain": false,
		"timestamp": time.Date(2026, 11, 21, 0, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z"),
		"sessionId": sid, "cwd": "/home/dev/work/demo", "version": "2.1.197", "entrypoint": "cli",
	}
	for k, v := range over {
		m[k] = v
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

func prompt(n int, text string) string {
	return rec("user", n, map[string]any{"message": map[string]any{"role": "user", "content": text}, "origin": map[string]any{"kind": "human"}})
}

func answer(n int, text string) string {
	return rec("assistant", n, map[string]any{"message": map[string]any{
		"id": "msg", "model": "claude-opus-4-8", "stop_reason": "end_turn",
		"content": []any{map[string]any{"type": "text", "text": text}}}})
}

// failed is a synthetic line with a text and further fields.
func failed(n int, text string, over map[string]any) string {
	m := map[string]any{"isApiErrorMessage": true, "message": map[string]any{
		"id": "x", "model": synthetic, "stop_reason": "stop_sequence", "content": []any{map[string]any{"type": "text", "text": text}}}}
	for k, v := range over {
		m[k] = v
	}
	return rec("assistant", n, m)
}

func readText(t *testing.T, text string) (detect.Stop, agenttest.Batch) {
	t.Helper()
	root := t.TempDir()
	s := session(root, sid)
	put(t, s.Path, text)
	return verdict(t, over(root, table{}, agent.Config{}), s, nil)
}

const limitSentence = "You've hit your session limit · resets 3:09am (Europe/Rome)"

// TestNoStop: what looks like a limit, and stands anywhere but in the agent's own failure record.
func TestNoStop(t *testing.T) {
	quoted := strings.TrimSuffix(failed(9, limitSentence, map[string]any{"error": "rate_limit", "apiErrorStatus": 429}), "\n")
	var object map[string]any
	if err := json.Unmarshal([]byte(quoted), &object); err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{
		"prompt":        prompt(2, limitSentence),
		"quoted record": prompt(2, quoted),
		"tool result": rec("user", 2, map[string]any{"message": map[string]any{"content": []any{
			map[string]any{"type": "tool_result", "content": quoted}}}, "toolUseResult": object}),
		"nested object":            rec("user", 2, map[string]any{"message": object, "toolUseResult": object}),
		"prose":                    answer(2, limitSentence),
		"error field in an answer": rec("assistant", 2, map[string]any{"isApiErrorMessage": true, "error": "rate_limit", "message": map[string]any{"model": "claude-opus-4-8", "content": limitSentence}}),
		"synthetic, no error":      rec("assistant", 2, map[string]any{"isApiErrorMessage": false, "message": map[string]any{"model": synthetic, "content": limitSentence}}),
		"text instead of true":     rec("assistant", 2, map[string]any{"isApiErrorMessage": "true", "message": map[string]any{"model": synthetic, "content": limitSentence}}),
		"user line":                rec("user", 2, map[string]any{"isApiErrorMessage": true, "error": "rate_limit", "message": map[string]any{"model": synthetic, "content": limitSentence}}),
		"sub-agent":                failed(2, limitSentence, map[string]any{"isSidechain": true}),
		"other session":            failed(2, limitSentence, map[string]any{"sessionId": "0a8d26f8-e126-4d05-8111-000000000002"}),
		"no session":               failed(2, limitSentence, map[string]any{"sessionId": nil}),
		"other type":               strings.Replace(failed(2, limitSentence, nil), `"type":"assistant","uuid"`, `"type":"assistant-note","uuid"`, 1),
		"notice":                   rec("system", 2, map[string]any{"subtype": "informational", "level": "notice", "content": limitSentence}),
		"attachment":               rec("attachment", 2, map[string]any{"attachment": object}),
		"warning text":             rec("system", 2, map[string]any{"subtype": "informational", "level": "notice", "content": "You've used 92% of your session limit · resets 3am"}),
	} {
		t.Run(name, func(t *testing.T) {
			stop, b := readText(t, prompt(1, "start")+line)
			if stop.IsStop() || stop.State == detect.Retrying {
				t.Errorf("taken for a stop: %+v", stop)
			}
			if b.Skipped != 0 {
				t.Errorf("skipped: %s", b.Problem)
			}
		})
	}
	if stop, _ := readText(t, prompt(1, "start")+quoted+"\n"); stop.Reason != detect.UsageLimit {
		t.Fatalf("the same record, in its place, is %s: the test proves nothing", stop.Reason)
	}
}

func TestUserLines(t *testing.T) {
	content := func(blocks ...map[string]any) map[string]any {
		return map[string]any{"message": map[string]any{"content": blocks}}
	}
	text := func(s string) map[string]any { return map[string]any{"type": "text", "text": s} }
	with := func(m map[string]any, k string, v any) map[string]any { m[k] = v; return m }
	const mark = "[Request interrupted by user]"
	for _, c := range []struct {
		name, line string
		kind       detect.Kind // empty: says nothing
		meta       bool
	}{
		{"prompt", prompt(2, "go on"), detect.KindPrompt, false},
		{"prompt with a picture", rec("user", 2, content(map[string]any{"type": "image"}, text("look"))), detect.KindPrompt, false},
		{"interrupt", rec("user", 2, content(text(mark))), detect.KindInterrupt, false},
		{"interrupt in a tool", rec("user", 2, content(text("[Request interrupted by user for tool use]"))), detect.KindInterrupt, false},
		{"the words, typed", prompt(2, mark), detect.KindPrompt, false},
		{"the words, pasted beside a picture", rec("user", 2, with(content(text(mark)), "origin", map[string]any{"kind": "human"})), detect.KindPrompt, false},
		{"the words and more", rec("user", 2, content(text(mark+" really"))), detect.KindPrompt, false},
		{"the words in two blocks", rec("user", 2, content(text(mark), text("x"))), detect.KindPrompt, false},
		{"the words in a tool result", rec("user", 2, content(map[string]any{"type": "tool_result", "content": mark})), detect.KindToolResult, false},
		{"the agent's own continue", rec("user", 2, with(content(text("Continue from where you left off.")), "isMeta", true)), detect.KindPrompt, true},
		{"continued after a limit", rec("user", 2, with(content(text("go")), "origin", map[string]any{"kind": "auto-continuation"})), detect.KindPrompt, true},
		{"summary", rec("user", 2, with(content(text("This session is being continued")), "isCompactSummary", true)), detect.KindPrompt, true},
		{"local command", prompt(2, "<command-name>/model</command-name>"), "", false},
		{"output of a local command", prompt(2, "<local-command-stdout>Set model</local-command-stdout>"), "", false},
		{"caveat", rec("user", 2, with(content(text("<local-command-caveat>Caveat")), "isMeta", true)), "", false},
		{"shell line", prompt(2, "<bash-input>ls</bash-input>"), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, b := readText(t, c.line)
			var got detect.Event
			if len(b.Events) > 0 {
				got = b.Events[0]
			}
			if got.Kind != c.kind || got.Meta != c.meta || b.Skipped != 0 {
				t.Errorf("kind %q meta %v skipped %d, want %q %v 0", got.Kind, got.Meta, b.Skipped, c.kind, c.meta)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	reset := time.Date(2026, 11, 21, 2, 9, 0, 0, time.UTC)
	for _, c := range []struct {
		name, text string
		fields     map[string]any
		want       detect.Failure
	}{
		{"spend limit with a plan's reset", "You've hit your org's monthly spend limit · run /usage-credits to raise it · your 5-hour limit resets 3:09am (Europe/Rome)",
			map[string]any{"error": "rate_limit", "apiErrorStatus": 429}, detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, Status: 429, ResetAt: reset, ResetMinute: true}},
		{"spend limit alone", "You've hit your individual spend limit · run /usage-credits to raise it",
			map[string]any{"error": "rate_limit", "apiErrorStatus": 429}, detect.Failure{Reason: detect.Billing, Status: 429}},
		{"monthly spend limit, short", "You've hit your monthly spend limit.", map[string]any{"error": "rate_limit"}, detect.Failure{Reason: detect.Billing}},
		{"credits, no reset", "You're out of usage credits. /model to switch models.", map[string]any{"error": "rate_limit"}, detect.Failure{Reason: detect.Billing}},
		{"org out of usage", "Your org is out of usage · add funds to continue", map[string]any{"error": "rate_limit"}, detect.Failure{Reason: detect.Billing}},
		{"model limit without a reset", "You've reached your Fable 5 limit", map[string]any{"error": "rate_limit"}, detect.Failure{Reason: detect.UsageLimit, Window: detect.Model}},
		{"wide apostrophe", "You’ve hit your session limit · resets 3:09am (Europe/Rome)", map[string]any{"error": "rate_limit"},
			detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: reset, ResetMinute: true}},
		{"a wording nobody knows, with a reset", "No more of it this session · resets 3:09am (Europe/Rome)", map[string]any{"error": "rate_limit", "apiErrorStatus": 429},
			detect.Failure{Reason: detect.UsageLimit, Status: 429, ResetAt: reset, ResetMinute: true}},
		{"a wording nobody knows, without a time", "No more of it until it resets", map[string]any{"error": "rate_limit", "apiErrorStatus": 429},
			detect.Failure{Reason: detect.RateLimit, Status: 429}},
		{"provider text that quotes a limit", "API Error: Request rejected (429) · You've hit your session limit · resets 3:09am (Europe/Rome)", map[string]any{"error": "rate_limit", "apiErrorStatus": 429},
			detect.Failure{Reason: detect.RateLimit, Status: 429}},
		{"fields against text", "API Error: whatever", map[string]any{"error": "rate_limit", "apiError": "usage_limit_reached", "quotaLimits": map[string]any{"status": "rejected", "resetsAt": 1795226940, "rateLimitType": "seven_day"}},
			detect.Failure{Reason: detect.UsageLimit, Window: detect.Weekly, ResetAt: reset}},
		{"rejection without a window", "API Error: Server is temporarily limiting requests (not your usage limit) · Error", map[string]any{"error": "rate_limit", "apiErrorStatus": 429, "quotaLimits": map[string]any{"status": "rejected"}},
			detect.Failure{Reason: detect.RateLimit, Status: 429}},
		{"quota that allows", "API Error: Request rejected (429) · x", map[string]any{"error": "rate_limit", "quotaLimits": map[string]any{"status": "allowed", "resetsAt": 1795226940, "rateLimitType": "five_hour"}},
			detect.Failure{Reason: detect.RateLimit, Status: 429}},
		{"overloaded by type", "API Error: x", map[string]any{"error": "unknown", "apiErrorType": "overloaded_error"}, detect.Failure{Reason: detect.Overloaded}},
		{"overloaded with 429", "api error", map[string]any{"error": "overloaded_error", "apiErrorStatus": 429}, detect.Failure{Reason: detect.Overloaded, Status: 429}},
		{"server error that mentions a connection", "API Error: 500 Connection refused by the pool", map[string]any{"error": "server_error", "apiErrorStatus": 500}, detect.Failure{Reason: detect.ServerError, Status: 500}},
		{"too large is no full context", "Request too large (max 32MB).", map[string]any{"error": "invalid_request", "apiErrorStatus": 413, "errorDetails": "400 prompt is too long"}, detect.Failure{Reason: detect.InvalidRequest, Status: 413}},
		{"too long by details", "API Error: 400 bad", map[string]any{"error": "invalid_request", "apiErrorStatus": 400, "errorDetails": `400 {"type":"error","error":{"message":"prompt is too long: 215000 tokens"}}`}, detect.Failure{Reason: detect.ContextFull, Status: 400}},
		{"new auth words", "x", map[string]any{"error": "account_on_hold"}, detect.Failure{Reason: detect.Auth}},
		{"old key", "Invalid API key · Please run /login", nil, detect.Failure{Reason: detect.Auth}},
		{"old epoch", "Claude AI usage limit reached|1795226940", nil, detect.Failure{Reason: detect.UsageLimit, ResetAt: reset}},
		{"old server error", `API Error: 500 {"type":"error"}`, nil, detect.Failure{Reason: detect.ServerError, Status: 500}},
		{"too large, by the status alone", "Prompt is too long", map[string]any{"error": "unknown", "apiErrorStatus": 413}, detect.Failure{Reason: detect.InvalidRequest, Status: 413}},
		{"a server that answered", "API Error: 502 upstream closed (ECONNRESET)", nil, detect.Failure{Reason: detect.ServerError, Status: 502}},
		{"spend limit, a reset that cannot be read", "You've hit your monthly spend limit · your session limit resets 25:00", map[string]any{"error": "rate_limit"}, detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour}},
		{"nobody knows", "Something odd at /home/dev/secret for dev@example.com", map[string]any{"error": "brand_new"}, detect.Failure{Reason: detect.Unknown}},
		{"fields of other types", limitSentence, map[string]any{"error": map[string]any{"a": 1}, "apiErrorStatus": "429", "quotaLimits": "none"},
			detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: reset, ResetMinute: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, b := readText(t, failed(2, c.text, c.fields))
			if len(b.Events) != 1 || b.Events[0].Failure == nil {
				t.Fatalf("events %+v, problem %q", b.Events, b.Problem)
			}
			got := *b.Events[0].Failure
			if (got.Reason == detect.Unknown) != (got.Text != "") || strings.Contains(got.Text, "secret") {
				t.Errorf("text %q", got.Text)
			}
			got.Text, got.Notes, got.Source, got.Field = "", nil, "", ""
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestSelfResume(t *testing.T) {
	at := time.Date(2026, 11, 21, 0, 38, 20, 0, time.UTC)
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]struct {
		next     time.Time
		done, ok bool
	}{
		"Usage limit reached · continuing automatically at 1:38am · esc to cancel":                                                      {at.Truncate(time.Minute), false, true},
		"Usage limit reached again · continuing automatically at 3am · esc to cancel":                                                   {at.Truncate(time.Hour).Add(2 * time.Hour), false, true},
		"Usage limit reached · continuing automatically soon":                                                                           {at.Add(longestArmed), false, true},
		"Usage limit reset · Continuing automatically":                                                                                  {at, false, true},
		"Automatic continue cancelled · /rate-limit-options to re-arm":                                                                  {time.Time{}, true, true},
		"Automatic continue stopped · the usage limit now resets more than 24 hours out, so it is off":                                  {time.Time{}, false, true},
		"Goal still active · the API was unavailable or the connection dropped · retrying in 5 min (2/3) · send a message to retry now": {at.Add(6 * time.Minute), false, true}, // a fifth of it by chance
		"Automatic continue did not run · the continuation was blocked":                                                                 {time.Time{}, false, true},
		"Automatic continue stopped · your login changed or ended · send a prompt to continue":                                          {time.Time{}, true, true},
		"Usage limit has reset · Press enter to continue":                                                                               {time.Time{}, false, true},
		"Please write: Usage limit reached · continuing automatically at 1:38am":                                                        {time.Time{}, false, false},
		"Approaching weekly limit · resets 3am":                                                                                         {time.Time{}, false, false},
	} {
		next, done, ok := selfResume(text, at, rome)
		if !next.Equal(want.next) || done != want.done || ok != want.ok {
			t.Errorf("%q: %v %v %v, want %+v", text, next, done, ok, want)
		}
	}
}

func TestInfo(t *testing.T) {
	text := `{"type":"queue-operation","timestamp":"2026-11-20T23:59:00.000Z","sessionId":"` + sid + `"}` + "\n" +
		prompt(1, "start") +
		rec("assistant", 2, map[string]any{"cwd": "/home/dev/elsewhere", "message": map[string]any{"model": "claude-opus-4-8", "stop_reason": "tool_use",
			"usage": map[string]any{"input_tokens": 5, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 200000, "output_tokens": 7}}}) +
		`{"type":"permission-mode","permissionMode":"acceptEdits","sessionId":"` + sid + `"}` + "\n" +
		failed(3, limitSentence, map[string]any{"entrypoint": "sdk-cli", "version": "2.1.329"})
	_, b := readText(t, text)
	want := detect.Info{
		Dir: "/home/dev/work/demo", Version: "2.1.329", Model: "claude-opus-4-8", Mode: "acceptEdits", Tokens: 200022,
		FirstPrompt: detect.HashText("start"), Created: time.Date(2026, 11, 20, 23, 59, 0, 0, time.UTC),
		Options: detect.Options{Entry: "sdk-cli"},
	}
	if d := cmp.Diff(want, b.Info); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestJoinedLate: a session first met at its end still tells when it was made.
func TestJoinedLate(t *testing.T) {
	root := t.TempDir()
	c, s := over(root, table{}, agent.Config{}), session(root, sid)
	put(t, s.Path, prompt(1, "start")+answer(2, "done"))
	maybe, cursor, err := c.Tail(t.Context(), s)
	if maybe || err != nil {
		t.Fatalf("Tail = %v, %v", maybe, err)
	}
	put(t, s.Path, prompt(50, "more"))
	b, err := agenttest.Read(t.Context(), c, s, cursor)
	if err != nil || len(b.Events) != 1 || b.Anew {
		t.Fatalf("%d events, anew %v, err %v", len(b.Events), b.Anew, err)
	}
	if want := time.Date(2026, 11, 21, 0, 0, 1, 0, time.UTC); !b.Info.Created.Equal(want) || b.Info.FirstPrompt != detect.HashText("start") {
		t.Errorf("created %v, first prompt %s", b.Info.Created, b.Info.FirstPrompt)
	}
}

func TestLastPrompt(t *testing.T) {
	root := t.TempDir()
	c, s := over(root, table{}, agent.Config{}), session(root, sid)
	put(t, s.Path, prompt(1, "first")+prompt(2, "second, 'quoted'")+
		rec("user", 3, map[string]any{"isMeta": true, "message": map[string]any{"content": "meta"}})+failed(4, limitSentence, nil))
	if got, err := c.LastPrompt(t.Context(), s); got != "second, 'quoted'" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestBadLines(t *testing.T) {
	for name, line := range map[string]string{
		"cut":         `{"type":"user","uuid":"x`,
		"NUL":         "\x00\x00\x00\x00",
		"NUL first":   "\x00" + strings.TrimSuffix(prompt(2, "x"), "\n"),
		"no JSON":     "hello",
		"deep":        `{"type":"user","message":{"content":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}}`,
		"no id":       strings.TrimSuffix(rec("user", 2, map[string]any{"uuid": nil}), "\n"),
		"no time":     strings.TrimSuffix(rec("user", 2, map[string]any{"timestamp": "yesterday"}), "\n"),
		"long id":     strings.TrimSuffix(rec("user", 2, map[string]any{"uuid": strings.Repeat("x", 65)}), "\n"),
		"two objects": `{"type":"user"}{"type":"user"}`,
	} {
		t.Run(name, func(t *testing.T) {
			stop, b := readText(t, failed(1, limitSentence, nil)+line+"\n")
			want := detect.UsageLimit
			if name == "no id" || name == "no time" || name == "long id" { // somebody asked behind the failure
				want = detect.Unknown
			}
			if b.Skipped != 1 || b.Problem == "" || stop.Reason != want {
				t.Errorf("skipped %d (%s), reason %s", b.Skipped, b.Problem, stop.Reason)
			}
		})
	}
	if stop, b := readText(t, strings.ReplaceAll(prompt(1, "x")+failed(2, limitSentence, nil), "\n", "\r\n")+"\r\n"); b.Skipped != 0 || stop.Reason != detect.UsageLimit {
		t.Errorf("CRLF: skipped %d (%s), reason %s", b.Skipped, b.Problem, stop.Reason)
	}
	if stop, b := readText(t, strings.ReplaceAll(failed(2, limitSentence, nil), `":`, `" : `)); b.Skipped != 0 || stop.Reason != detect.UsageLimit {
		t.Errorf("blanks: skipped %d (%s), reason %s", b.Skipped, b.Problem, stop.Reason)
	}
}

// FuzzLine feeds a stranger's line to all that reads one.
func FuzzLine(f *testing.F) {
	f.Add([]byte(failed(1, limitSentence, map[string]any{"error": "rate_limit", "apiErrorStatus": 429})))
	f.Add([]byte(prompt(1, "x")))
	for _, w := range wants(f)[:20] {
		for _, line := range lines(f, w.file, "-") {
			if strings.Contains(line, "ApiError") {
				f.Add([]byte(strings.ReplaceAll(line, strings.TrimSuffix(filepath.Base(w.file), ".jsonl"), sid)))
			}
		}
	}
	f.Add([]byte(rec("system", 1, map[string]any{"subtype": "api_error", "retryInMs": 1e300, "error": map[string]any{}})))
	f.Add([]byte(rec("system", 1, map[string]any{"subtype": "informational", "level": "notice", "content": "Usage limit reached · continuing automatically at 99:99am (X/Y)"})))
	f.Add([]byte(failed(1, "x", map[string]any{"quotaLimits": map[string]any{"status": "rejected", "resetsAt": -1e300, "rateLimitType": "five_hour"}})))
	f.Add([]byte(`{"type":"user","uuid":"x","timestamp":"9999-12-31T23:59:59-23:59","sessionId":"` + sid + `"}`))
	c := over("/nowhere", table{}, agent.Config{})
	s := detect.Session{Agent: "claude", ID: sid, Path: "/nowhere/projects/-home-dev-work-demo/" + sid + ".jsonl"}
	f.Fuzz(func(t *testing.T, line []byte) {
		var b agenttest.Batch
		x := fold{c: c, s: s, b: &b.Batch, each: func(e detect.Event) { b.Events = append(b.Events, e) }, folder: "-home-dev-work-demo", head: head{wanted: true}}
		x.line(line, 0)
		b.Events = slices.DeleteFunc(b.Events, func(e detect.Event) bool { return e.Kind == detect.KindStrange }) // said beside the others
		if len(b.Events) > 1 || len(b.Events) > 0 && b.Skipped > 0 {
			t.Fatalf("one line gave %d events and %d skipped", len(b.Events), b.Skipped)
		}
		agenttest.CheckEvents(t, b.Events)
		for _, e := range b.Events {
			if e.At.IsZero() {
				t.Errorf("event without a time: %+v", e)
			}
		}
	})
}
