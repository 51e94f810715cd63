package qwen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// TestGaveUp: the last try of a run is a stop once the run has ended by itself, and the stamp says that there is
// something to read.
func TestGaveUp(t *testing.T) {
	q, s := session(t, begun+failing)
	stampOf := func(a agent.Agent, hint string) string {
		t.Helper()
		all, err := a.Scan(t.Context(), hint)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all[0].Stamp
	}
	b, err := agenttest.Read(t.Context(), q, s, "")
	if err != nil || len(b.Events) != 3 || b.Events[1].Kind != detect.KindOpen || b.Events[2].Kind != detect.KindRetry {
		t.Fatalf("while it waits: %+v, %v", b.Events, err)
	}
	before := stampOf(q, "")
	endedAt(t, q.root, "2026-11-22T12:13:07.865Z") // an earlier run
	early, err := agenttest.Read(t.Context(), q, s, b.Cursor)
	if err != nil || len(early.Events) != 0 {
		t.Errorf("a run before: %+v, %v", early.Events, err)
	}
	endedAt(t, q.root, "2026-11-22T12:13:07.870Z")
	after := stampOf(q, filepath.Join(q.root, usageFile))
	if anew := over(q.root, agenttest.Procs{}, agent.Config{}); after == before || stampOf(anew, "") != after || stampOf(q, s.Path) != after {
		t.Errorf("stamps %q, %q", before, after)
	}
	late, err := agenttest.Read(t.Context(), over(q.root, agenttest.Procs{}, agent.Config{}), s, b.Cursor)
	if err != nil || late.Anew || len(late.Events) != 1 || late.Events[0].Failure == nil || late.Events[0].Failure.Reason != detect.RateLimit || late.Events[0].ID != "ended:e1" {
		t.Fatalf("it ended: %+v, %v", late.Events, err)
	}
	if again, err := agenttest.Read(t.Context(), q, s, late.Cursor); err != nil || len(again.Events) != 0 {
		t.Errorf("told again: %+v, %v", again.Events, err)
	}
}

// TestLookedAtInTerminal: somebody looks at a session whose run was stopped in a wait, and asks nothing. His terminal takes the old requests
// for its own, and writes down that it ended; the run did not give up by that. Nor does it hide that a run has.
func TestLookedAtInTerminal(t *testing.T) {
	for _, gaveUp := range []bool{false, true} {
		q, s := session(t, begun+failing)
		want := detect.Interrupted
		if gaveUp {
			endedAt(t, q.root, "2026-11-22T12:14:00Z")
			want = detect.RateLimit
		}
		b, err := agenttest.Read(t.Context(), q, s, "")
		if err != nil {
			t.Fatal(err)
		}
		put(t, strings.TrimSuffix(s.Path, ext)+".runtime.json", `{"schema_version":1,"pid":1,"session_id":"`+sid+`","work_dir":"`+work+`","started_at":1}`)
		ranAt(t, q.root, "2026-11-22T12:29:00Z", "2026-11-22T12:30:00Z")
		if late, err := agenttest.Read(t.Context(), q, s, b.Cursor); err != nil || len(late.Events) != 0 {
			t.Errorf("it gave up: %v; afterwards: %+v, %v", gaveUp, late.Events, err)
		}
		if got, _ := verdict(t, over(q.root, agenttest.Procs{}, agent.Config{}), s, detect.Gone); got.Reason != want {
			t.Errorf("it gave up: %v; %s %s", gaveUp, got.Reason, got.Key)
		}
	}
}

// TestStoppedInWait: a headless run that was ended while it meant to ask again has not failed.
func TestStoppedInWait(t *testing.T) {
	q, s := session(t, begun+failing+limited("e2", "12:13:09.000"))
	for h, want := range map[detect.Liveness]detect.State{detect.Alive: detect.Retrying, detect.Gone: detect.Stopped, detect.HolderUnknown: detect.Running} {
		if got, _ := verdict(t, q, s, h); got.State != want || h == detect.Gone && got.Reason != detect.Interrupted {
			t.Errorf("%s: %+v", h, got)
		}
	}
}

// TestOldGivesUp: a run of 0.15 says nowhere that it gave up. After all tries that it makes by itself it has; after
// fewer its user may have ended it.
func TestOldGivesUp(t *testing.T) {
	old := strings.NewReplacer(`"provenance":"x",`, "", "0.24.4", "0.15.6", sid+"########0", "4faf64d93a568")
	for tries, want := range map[int]detect.Reason{7: detect.Interrupted, 76: detect.Interrupted, 77: detect.RateLimit, 78: detect.Interrupted} {
		var text strings.Builder
		text.WriteString(asked)
		for n := range tries {
			text.WriteString(limited(fmt.Sprintf("e%d", n), fmt.Sprintf("13:%02d:%02d.000", n/60, n%60)))
		}
		q, s := session(t, old.Replace(text.String()))
		if got, _ := verdict(t, q, s, detect.Gone); got.State != detect.Stopped || got.Reason != want {
			t.Errorf("%d tries: %+v, want %s", tries, got, want)
		}
	}
}

// TestErrorOf012: it has the text of an error under another name, and the status in that alone (0.12.0, after its seventh try).
func TestErrorOf012(t *testing.T) {
	for text, want := range map[string]detect.Stop{
		"500 Internal server error":       {Reason: detect.ServerError, Status: 500},
		"429 Rate limit reached":          {Reason: detect.RateLimit, Status: 429},
		"401 Incorrect API key provided.": {Reason: detect.Auth, Status: 401},
		"Connection error.":               {Reason: detect.Network},
		"Request was aborted.":            {Reason: detect.Interrupted},
	} {
		failed := made("e1", "12:13:07.000", "system", `,"subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_error","response_id":"","model":"demo-1","error":"`+
			text+`","error_type":"api_error","status_code":"api_error","duration_ms":182,"prompt_id":"`+sid+`########0","auth_type":"openai"}}`)
		q, s := session(t, strings.NewReplacer(`"provenance":"x",`, "", "0.24.4", "0.12.0").Replace(asked+failed))
		if got, _ := verdict(t, q, s, detect.Gone); got.State != detect.Stopped || got.Reason != want.Reason || got.Status != want.Status {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestTriesInATerminal: they are one stop, which the agent may go on after while it lives.
func TestTriesInATerminal(t *testing.T) {
	q, s := session(t, begun+shown+failing+limited("e2", "12:13:09.000"))
	got, b := verdict(t, q, s, detect.Alive)
	if got.State != detect.Retrying || got.Key != "ended:e1" || !got.SelfResumeAt.Equal(at("2026-11-22T12:14:09Z")) || !b.Info.Interactive {
		t.Errorf("%+v, interactive %v", got, b.Info.Interactive)
	}
	if got, _ = verdict(t, q, s, detect.Gone); got.State != detect.Stopped || got.Reason != detect.RateLimit || got.Key != "ended:e1" || !got.ResetAt.Equal(at("2026-11-22T12:13:29Z")) {
		t.Errorf("its process is gone: %+v", got)
	}
	put(t, s.Path, prompted("p2", "12:14:00.000", "again")+limited("e3", "12:14:01.000"))
	if got, _ = verdict(t, q, s, detect.Gone); got.Key != "ended:e3" {
		t.Errorf("another prompt: %+v", got)
	}

	q, s = session(t, asked+failing) // nothing in the session tells, but a file beside it
	put(t, strings.TrimSuffix(s.Path, ext)+".runtime.json", "{}")
	if got, b := verdict(t, q, s, detect.Gone); got.Reason != detect.RateLimit || !b.Info.Interactive {
		t.Errorf("by the file beside it: %+v", got)
	}
}

// TestTriesBesideATerminal: what a headless run tries again stays that when somebody opens the session in a terminal beside it.
func TestTriesBesideATerminal(t *testing.T) {
	q, s := session(t, begun+failing)
	put(t, strings.TrimSuffix(s.Path, ext)+".runtime.json", "{}")
	put(t, s.Path, limited("e2", "12:13:09.000"))
	got, b := verdict(t, q, s, detect.Alive)
	if slices.ContainsFunc(b.Events, func(e detect.Event) bool { return e.Kind == detect.KindFailure }) || !b.Info.Interactive {
		t.Errorf("%+v, interactive %v", got, b.Info.Interactive)
	}
	endedAt(t, q.root, "2026-11-22T12:14:00Z")
	if got, _ := verdict(t, q, s, detect.Gone); got.Reason != detect.RateLimit || got.Key != "ended:e1" {
		t.Errorf("its run has ended: %+v", got)
	}
}

// TestQuitTerminal: a terminal says that it ended when its user quits, too, so that is no word on a request.
func TestQuitTerminal(t *testing.T) {
	q, s := session(t, begun+shown+answered)
	endedAt(t, q.root, "2026-11-22T12:20:00Z")
	if got, _ := verdict(t, q, s, detect.Gone); got.Reason != detect.Interrupted {
		t.Errorf("%+v", got)
	}
}

// TestPause: how long a terminal is left alone after so many tries.
func TestPause(t *testing.T) {
	for status, want := range map[int]map[int]time.Duration{
		429: {1: time.Minute, 6: time.Minute, 7: 2 * time.Minute, 8: time.Minute, 14: 3 * time.Minute, 21: 5 * time.Minute, 28: 6 * time.Minute, 770: 6 * time.Minute},
		500: {1: time.Minute, 7: 10 * time.Second, 8: time.Minute},
	} {
		for tries, d := range want {
			if got := pause(&uiEvent{Status: status}, tries); got != d {
				t.Errorf("%d, %d tries: %s, want %s", status, tries, got, d)
			}
		}
	}
}

// TestNameStays: a session that stopped headless is opened in a terminal later, and read anew then: a stop that was dealt
// with is no other one.
func TestNameStays(t *testing.T) {
	for _, text := range []string{begun, asked} { // where nothing tells how the prompt was given, too
		q, s := session(t, text+limited("e1", "12:13:07.866")+limited("e2", "12:13:09.866")+limited("e3", "12:13:12.866"))
		endedAt(t, q.root, "2026-11-22T12:14:00Z")
		before, _ := verdict(t, q, s, detect.Gone)
		put(t, strings.TrimSuffix(s.Path, ext)+".runtime.json", "{}")
		for _, h := range []detect.Liveness{detect.Alive, detect.LeftBehind, detect.Gone} {
			if after, b := verdict(t, q, s, h); after.Key != before.Key || after.Reason != detect.RateLimit || !b.Info.Interactive {
				t.Errorf("%s: %q is called %q, for %s", h, before.Key, after.Key, after.Reason)
			}
		}
	}
}

// TestFinal: after these the agent asks no more, so they are stops at once.
func TestFinal(t *testing.T) {
	for text, want := range map[string]struct {
		status string
		reason detect.Reason
		final  bool
	}{
		"401 Incorrect API key provided: sk-demo.": {"401", detect.Auth, true},
		"403 something": {"403", detect.Auth, true},
		"402 This request requires more credits, or fewer max_tokens.":                     {"402", detect.Billing, true},
		"400 This model's maximum context length is 100000 tokens.":                        {"400", detect.ContextFull, true},
		"429 hour allocated quota exceeded. It will reset at 2026-11-22 18:05:00.":         {"429", detect.UsageLimit, true},
		"429 hour allocated quota exceeded":                                                {"429", detect.UsageLimit, false},
		"429 Usage limit reached for 5 hour. Your limit will reset at 2026-11-22 21:30:05": {"429", detect.UsageLimit, false},
		"500 The server had an error while processing your request.":                       {"500", detect.ServerError, false},
		"408 x": {"408", detect.Network, false},
	} {
		q, s := session(t, begun+note("e1", "12:13:07.866", apiError, `,"status_code":`+want.status+`,"error_message":"`+text+`"`))
		got, _ := verdict(t, q, s, detect.Alive)
		if (got.State == detect.Stopped) != want.final {
			t.Errorf("%s: %+v", text, got)
		}
		endedAt(t, q.root, "2026-11-22T12:14:00Z")
		if got, _ = verdict(t, q, s, detect.Gone); got.State != detect.Stopped || got.Reason != want.reason {
			t.Errorf("%s, ended: %+v", text, got)
		}
	}
}

// TestOthersRequests: a sub-agent's, and those beside the conversation, say nothing of it.
func TestOthersRequests(t *testing.T) {
	for what, line := range map[string]string{
		"a sub-agent's":      strings.Replace(failing, "########0", "#general-purpose-call_1#0", 1),
		"named":              strings.Replace(failing, `"status_code"`, `"subagent_name":"x","status_code"`, 1),
		"a side request":     strings.Replace(failing, sid+"########0", "compress-1795350126861", 1),
		"without an id":      strings.Replace(failing, sid+"########0", "", 1),
		"another note":       strings.Replace(failing, apiError, "qwen-code.slash_command", 1),
		"a text that quotes": answered + strings.Replace(said, "All done.", `{\"subtype\":\"ui_telemetry\",\"event.name\":\"qwen-code.api_error\"}`, 1),
	} {
		q, s := session(t, begun+answered+said+line)
		endedAt(t, q.root, "2026-11-22T12:20:00Z")
		if got, b := verdict(t, q, s, detect.Gone); got.Reason != detect.Completed || b.Skipped != 0 {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// TestEnds: how a turn ends.
func TestEnds(t *testing.T) {
	partial := strings.Replace(said, `,"usageMetadata":{"totalTokenCount":1212}`, "", 1)
	stopped := strings.Replace(gave, "success", "cancelled", 1)
	rejected := note("n1", "12:13:20.900", toolCall, `,"status":"cancelled","decision":"reject"`)
	old := strings.NewReplacer(`"provenance":"x",`, "", "0.24.4", "0.15.6")
	for what, c := range map[string]struct {
		text string
		want detect.Reason
	}{
		"answered":                   {answered + said, detect.Completed},
		"without usage":              {answered + partial, detect.Completed}, // not every provider tells it
		"stopped in an answer":       {partial, detect.Interrupted},
		"0.15, answered":             {old.Replace(answered + said), detect.Completed},
		"0.15, stopped in an answer": {old.Replace(answered + partial), detect.Interrupted},
		"0.15, stopped in a wait":    {old.Replace(note("e1", "12:13:07.866", apiError, `,"error_message":"Request was aborted."`)), detect.Interrupted},
		"killed in a tool":           {answered + called, detect.Interrupted},
		"killed after a tool":        {answered + called + gave, detect.Interrupted},
		"stopped in a tool":          {answered + called + stopped, detect.Interrupted},
		"a tool was not allowed":     {answered + called + rejected + stopped, detect.Completed},
		"after a failure":            {failing + answered + said, detect.Completed},
	} {
		q, s := session(t, begun+c.text)
		if got, _ := verdict(t, q, s, detect.Gone); got.State != detect.Stopped || got.Reason != c.want {
			t.Errorf("%s: %+v, want %s", what, got, c.want)
		}
	}
}

// TestUnknownErrorKept: the text of an error that no rule knows survives the cursor, without secrets.
func TestUnknownErrorKept(t *testing.T) {
	q, s := session(t, begun+note("e1", "12:13:07.866", apiError, `,"error_message":"the moon is full for sk-ant-api03-secretsecret"`))
	b, err := agenttest.Read(t.Context(), q, s, "")
	if err != nil || strings.Contains(string(b.Cursor), "secretsecret") {
		t.Fatalf("%s, %v", b.Cursor, err)
	}
	endedAt(t, q.root, "2026-11-22T12:14:00Z")
	late, err := agenttest.Read(t.Context(), q, s, b.Cursor)
	if err != nil || len(late.Events) != 1 || late.Events[0].Failure.Reason != detect.Unknown || !strings.Contains(late.Events[0].Failure.Text, "the moon is full") {
		t.Errorf("%+v, %v", late.Events, err)
	}
}

// TestUsageRecords: a list of ended runs that is none of this user's own, or is damaged, tells nothing, and hides nothing.
func TestUsageRecords(t *testing.T) {
	q, s := session(t, begun+failing)
	usage := filepath.Join(q.root, usageFile)
	put(t, usage, "{\"sessionId\":\x00\x00\n[]\n"+`{"sessionId":"../x","timestamp":9999999999999}`+"\n")
	endedAt(t, q.root, "2026-11-22T12:14:00Z")
	if got, _ := verdict(t, q, s, detect.Gone); got.Reason != detect.RateLimit {
		t.Errorf("%+v", got)
	}
	if err := os.Truncate(usage, 3); err != nil {
		t.Fatal(err)
	}
	if got, _ := verdict(t, q, s, detect.Gone); got.Reason != detect.Interrupted {
		t.Errorf("it was cut: %+v", got)
	}
	endedAt(t, q.root, "2026-11-22T12:14:00Z")
	if err := os.Chmod(usage, 0o606); err != nil {
		t.Fatal(err)
	}
	all, err := q.Scan(t.Context(), "")
	if told := agenttest.Refused(t, err); len(all) != 1 || len(told) != 1 {
		t.Errorf("%+v, told of %q", all, told)
	}
}

// TestAfterTail: a session that was quiet is read whole for what a resume brings back, and none of that is news.
func TestAfterTail(t *testing.T) {
	q, s := session(t, begun+answered+said)
	maybe, cursor, err := q.Tail(t.Context(), s)
	if err != nil || maybe {
		t.Fatalf("%v, %v", maybe, err)
	}
	put(t, s.Path, prompted("p2", "12:14:00.000", "again"))
	b, err := agenttest.Read(t.Context(), over(q.root, agenttest.Procs{}, agent.Config{}), s, cursor)
	if err != nil || b.Anew || len(b.Events) != 1 {
		t.Fatalf("%+v, %v", b, err)
	}
	_, whole := verdict(t, q, s, detect.Gone)
	if b.Info.Model != "demo-1" || b.Info.Dir != work || b.Info.FirstPrompt != whole.Info.FirstPrompt || !b.Info.Created.Equal(whole.Info.Created) {
		t.Errorf("%+v\nwant %+v", b.Info, whole.Info)
	}
}

func TestLastPrompt(t *testing.T) {
	q, s := session(t, begun+prompted("p2", "12:14:00.000", strings.Repeat("ü", promptMax))+failing+
		strings.Replace(prompted("p3", "12:14:01.000", "<task-notification>"), `"provenance":"x"`, `"provenance":"system","subtype":"notification"`, 1))
	text, err := q.LastPrompt(t.Context(), s)
	if err != nil || len(text) != promptMax || strings.Trim(text, "ü") != "" {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// TestHookedPrompt: a hook that adds to a prompt (recorded with 0.24.4) changes nothing in what its user said.
func TestHookedPrompt(t *testing.T) {
	q, s := session(t, made("p1", "12:13:03.673", "user", `,"message":{"role":"user","parts":[{"text":"continue\n\n"},`+
		`{"text":"<qwen:user-prompt-submit-context>\nwhisper\n</qwen:user-prompt-submit-context>"}]},"systemPayload":{"displayText":"continue\n\n","hookContext":"whisper"}`))
	_, b := verdict(t, q, s, detect.Gone)
	if len(b.Events) != 1 || b.Events[0].Hash != detect.HashText("continue") || b.Events[0].Meta {
		t.Errorf("%+v", b.Events)
	}
	if text, err := q.LastPrompt(t.Context(), s); err != nil || strings.Contains(text, "whisper") {
		t.Errorf("%q, %v", text, err)
	}
}

// TestFork: a copy of a session has its records, by the same names, and was written to later.
func TestFork(t *testing.T) {
	keys := map[string]bool{}
	for _, path := range recorded(t)["resume-fork"] {
		q, s := copied(t, path)
		_, b := verdict(t, q, s, detect.Gone)
		keys[b.Events[0].ID] = true
		if b.Info.Parent != "" || b.Info.Created.After(time.Now()) {
			t.Errorf("%+v", b.Info)
		}
	}
	if len(keys) != 1 {
		t.Errorf("%v", keys)
	}
}
