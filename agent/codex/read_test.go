package codex

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const turn = "01a1fb7b-633d-7f20-b24f-0866865ed430"

// script writes a rollout of short lines, a second apart.
type script struct {
	t *testing.T
	c *Codex
	s detect.Session
	n int
}

func begin(t *testing.T, version, rest string) *script {
	root := t.TempDir()
	x := &script{t: t, c: over(root, procTable{}, agent.Config{}), s: rolloutOf(root, sid)}
	x.line("session_meta", `"id":"`+sid+`","timestamp":"2026-11-21T00:22:00Z","cwd":"/w","cli_version":"`+version+`","model_provider":"openai"`+rest)
	return x
}

func (x *script) line(kind, payload string) {
	x.n++
	put(x.t, x.s.Path, fmt.Sprintf(`{"timestamp":"2026-11-21T00:22:%02dZ","type":%q,"payload":{%s}}`+"\n", x.n, kind, payload))
}

func (x *script) event(kind, rest string) { x.line("event_msg", `"type":"`+kind+`"`+rest) }
func (x *script) item(kind, rest string)  { x.line("response_item", `"type":"`+kind+`"`+rest) }

func (x *script) want(reason detect.Reason) detect.Stop {
	x.t.Helper()
	stop, b := verdict(x.t, x.c, x.s, true)
	if stop.Reason != reason || b.Skipped != 0 {
		x.t.Errorf("reason %q, want %q; %d lines skipped: %s", stop.Reason, reason, b.Skipped, b.Problem)
	}
	return stop
}

func started(id string) string { return `,"turn_id":"` + id + `"` }

// TestSilentEnd: a version that records no errors ends a failed turn without an answer.
func TestSilentEnd(t *testing.T) {
	end := started(turn) + `,"last_agent_message":null`
	full := `,"info":null,"rate_limits":{"primary":{"used_percent":100,"window_minutes":300,"resets_at":1795224392}}`
	for _, w := range []struct {
		name, version string
		prompt        bool
		limits        string
		want          detect.Reason
	}{
		{"nothing is known", "0.120.0", true, "", detect.Unknown},
		{"a window is full", "0.143.0", true, full, detect.UsageLimit},
		{"errors are recorded from 0.145 on", "0.145.0", true, "", detect.Completed},
		{"a task of the agent's own", "0.120.0", false, "", detect.Completed},
	} {
		t.Run(w.name, func(t *testing.T) {
			x := begin(t, w.version, "")
			x.event("task_started", started(turn))
			if w.prompt {
				x.event("user_message", `,"message":"hello"`)
			}
			if w.limits != "" {
				x.event("token_count", w.limits)
			}
			x.event("task_complete", end)
			if stop := x.want(w.want); stop.Key != turn {
				t.Errorf("key %q", stop.Key)
			}
		})
	}
}

// TestOldLimits: what a turn before this one ran into says nothing about it.
func TestOldLimits(t *testing.T) {
	x := begin(t, "0.120.0", "")
	x.event("task_started", started(turn))
	x.event("user_message", `,"message":"hello"`)
	x.event("token_count", `,"info":null,"rate_limits":{"primary":{"used_percent":100,"window_minutes":300,"resets_at":1795224392}}`)
	x.event("task_complete", started(turn)+`,"last_agent_message":null`)
	x.event("task_started", started(other))
	x.event("user_message", `,"message":"again"`)
	x.event("task_complete", started(other)+`,"last_agent_message":null`)
	x.want(detect.Unknown)
}

// TestErrorEvent: an error before the end of the turn counts, unless the turn went on or it was of
// something else.
func TestErrorEvent(t *testing.T) {
	const limit = `,"message":"You've hit your usage limit. Try again later.","codex_error_info":"usage_limit_exceeded"`
	x := begin(t, "0.120.0", "")
	x.event("task_started", started(turn))
	x.event("user_message", `,"message":"hello"`)
	x.event("error", limit)
	x.event("task_complete", started(turn)+`,"last_agent_message":null`)
	x.want(detect.UsageLimit)
	x.event("task_started", started(other))
	x.event("user_message", `,"message":"again"`)
	x.event("error", strings.Replace(limit, "usage_limit_exceeded", "thread_rollback_failed", 1))
	x.event("task_complete", started(other)+`,"last_agent_message":null`)
	x.want(detect.Unknown)
	x.event("task_started", started(turn))
	x.event("user_message", `,"message":"and again"`)
	x.event("error", limit)
	x.item("message", `,"role":"assistant","content":[{"type":"output_text","text":"You've hit your usage limit."}]`)
	x.event("task_complete", started(turn)+`,"last_agent_message":null`)
	x.want(detect.Unknown)
}

const limited = `,"message":"You've hit your usage limit. Try again later.","codex_error_info":"usage_limit_exceeded"`

// TestRolledBack: who takes back a failed turn does not want it resumed.
func TestRolledBack(t *testing.T) {
	x := begin(t, "0.169.0", "")
	x.event("task_started", started(turn))
	x.event("user_message", `,"message":"hello"`)
	x.event("task_complete", started(turn)+`,"last_agent_message":null,"error":{`+limited[1:]+`}`)
	failed := x.want(detect.UsageLimit)
	_, b := verdict(t, x.c, x.s, true)
	x.event("thread_rolled_back", `,"num_turns":1`)
	stop := x.want(detect.Interrupted)
	if !strings.HasPrefix(stop.Key, failed.Key+"/") {
		t.Errorf("key %q after %q", stop.Key, failed.Key)
	}
	next, err := agenttest.Read(t.Context(), x.c, x.s, b.Cursor)
	if err != nil || len(next.Events) != 1 || next.Events[0].ID != stop.Key {
		t.Errorf("read in portions: %+v, %v", next.Events, err)
	}
	x.event("task_started", `,"turn_attribution":{"turn_id":"x","turn_trigger":"user"}`+started(other))
	x.event("thread_rolled_back", `,"num_turns":1`)
	x.want("")
}

// TestErrorBeside: an error outside of a turn is of something else, where versions have turns.
func TestErrorBeside(t *testing.T) {
	x := begin(t, "0.120.0", "")
	x.event("error", limited)
	x.want("")
	x.event("task_started", started(turn))
	x.event("user_message", `,"message":"hello"`)
	x.event("task_complete", started(turn)+`,"last_agent_message":"hi"`)
	x.event("error", limited)
	x.want(detect.Completed)
	_, b := verdict(t, x.c, x.s, true)
	x.event("error", limited)
	if next, err := agenttest.Read(t.Context(), x.c, x.s, b.Cursor); err != nil || len(next.Events) != 0 {
		t.Errorf("read in portions: %+v, %v", next.Events, err)
	}
	unnamed := begin(t, "", "") // its records say that it has turns
	unnamed.event("task_started", started(turn))
	unnamed.event("task_complete", started(turn)+`,"last_agent_message":"hi"`)
	unnamed.event("error", limited)
	unnamed.want(detect.Completed)
	old := begin(t, "0.80.0", "")
	old.event("user_message", `,"message":"hello"`)
	old.event("error", limited)
	old.want(detect.UsageLimit)
}

// TestCopied: a failure that is older than its session came with a fork.
func TestCopied(t *testing.T) {
	x := begin(t, "0.169.0", "")
	x.event("task_started", started(turn))
	x.event("task_complete", started(turn)+`,"last_agent_message":null,"error":{`+limited[1:]+`}`)
	// the same lines below a head of a later time
	text := strings.Replace(strings.Join(linesOf(t, x.s.Path), ""), `"timestamp":"2026-11-21T00:22:00Z","cwd"`, `"timestamp":"2026-11-21T00:22:30Z","cwd"`, 1)
	if err := os.Remove(x.s.Path); err != nil {
		t.Fatal(err)
	}
	put(t, x.s.Path, text)
	x.want(detect.Interrupted)
	_, b := verdict(t, x.c, x.s, true)
	put(t, x.s.Path, strings.SplitAfter(text, "\n")[2]) // read from its cursor on
	next, err := agenttest.Read(t.Context(), x.c, x.s, b.Cursor)
	if err != nil || len(next.Events) != 1 || next.Events[0].Kind != detect.KindInterrupt {
		t.Errorf("read in portions: %+v, %v", next.Events, err)
	}
	x.n = 39
	x.event("task_started", started(other))
	x.event("task_complete", started(other)+`,"last_agent_message":null,"error":{`+limited[1:]+`}`)
	x.want(detect.UsageLimit)
}

// TestLongSource: only a short source is looked into, and a long one is no person's session.
func TestLongSource(t *testing.T) {
	deep := strings.Repeat(`{"subagent":`, 400) + `"review"` + strings.Repeat("}", 400)
	x := begin(t, "0.169.0", `,"source":`+deep)
	if _, b := verdict(t, x.c, x.s, true); b.Info.Parent != "unknown" || !b.Info.Interactive {
		t.Errorf("%+v", b.Info)
	}
}

// TestUnnamedEnd: an end that names no turn is the end of the one under way.
func TestUnnamedEnd(t *testing.T) {
	x := begin(t, "0.100.0", "")
	x.event("task_started", started(turn))
	x.event("turn_aborted", `,"reason":"interrupted"`)
	if stop := x.want(detect.Interrupted); stop.Key != turn {
		t.Errorf("key %q", stop.Key)
	}
	x.event("task_started", started("1")) // a number that begins anew with each process is no name
	x.event("turn_aborted", started("1")+`,"reason":"interrupted"`)
	if stop := x.want(detect.Interrupted); !strings.HasPrefix(stop.Key, "line:") {
		t.Errorf("key %q", stop.Key)
	}
}

// TestNoTurns: 0.80 writes neither the beginning nor the end of a turn.
func TestNoTurns(t *testing.T) {
	const counted, answer = `,"info":{"last_token_usage":{"total_tokens":5}},"rate_limits":null`, `,"role":"assistant","content":[{"type":"output_text","text":"hi"}]`
	x := begin(t, "0.80.0", "")
	x.event("user_message", `,"message":"hello"`)
	x.event("token_count", `,"info":null`)
	x.item("message", answer)
	x.want("")
	x.item("function_call", `,"call_id":"1"`)
	x.event("token_count", counted)
	x.want("") // the answer held a tool call
	x.item("function_call_output", `,"call_id":"1","output":"You've hit your usage limit."`)
	x.event("token_count", counted)
	x.want("")
	x.item("message", answer)
	x.event("token_count", counted)
	stop := x.want(detect.Completed)
	x.event("user_message", `,"message":"hello"`)
	x.event("turn_aborted", `,"reason":"interrupted"`)
	if again := x.want(detect.Interrupted); again.Key == stop.Key || again.Key == "" {
		t.Errorf("keys %q and %q", stop.Key, again.Key)
	}
}

// TestUsedUp: limits that are used up stop a turn of 0.80, until an answer comes after all.
func TestUsedUp(t *testing.T) {
	const full = `"primary":{"used_percent":100,"window_minutes":300,"resets_at":1795224202}`
	const answer = `,"role":"assistant","content":[{"type":"output_text","text":"hi"}]`
	x := begin(t, "0.80.0", "")
	x.event("user_message", `,"message":"hello"`)
	x.event("token_count", `,"info":null,"rate_limits":{`+full+`,"credits":{"has_credits":true}}`)
	x.want("") // who has credits goes on
	x.event("token_count", `,"info":null,"rate_limits":{`+full+`}`)
	x.want(detect.UsageLimit)
	x.item("function_call", `,"call_id":"1"`)
	x.event("token_count", `,"info":{"last_token_usage":{"total_tokens":5}},"rate_limits":{`+full+`}`)
	x.want("") // it was an answer that used up the rest
	x.item("function_call_output", `,"call_id":"1"`)
	x.event("token_count", `,"info":{"last_token_usage":{"total_tokens":5}},"rate_limits":{`+full+`}`)
	x.want(detect.UsageLimit)
	x.item("message", answer)
	x.event("token_count", `,"info":{"last_token_usage":{"total_tokens":5}},"rate_limits":{`+full+`}`)
	x.want(detect.Completed)
}

// TestPromptTwice: some versions write one prompt in two forms.
func TestPromptTwice(t *testing.T) {
	x := begin(t, "0.145.0", "")
	x.event("task_started", started(turn))
	x.event("user_message", `,"message":"<environment_context>x</environment_context>"`)
	x.event("user_message", `,"message":"hello"`)
	x.event("item_completed", `,"thread_id":"`+sid+`","item":{"type":"UserMessage","content":[{"type":"text","text":"hello"}]}`)
	x.event("item_completed", `,"thread_id":"`+other+`","item":{"type":"UserMessage","content":[{"type":"text","text":"of a sub-agent"}]}`)
	x.item("message", `,"role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /w"}]`)
	_, b := verdict(t, x.c, x.s, true)
	var prompts []string
	for _, e := range b.Events {
		if e.Kind == detect.KindPrompt {
			prompts = append(prompts, e.Hash)
		}
	}
	if d := cmp.Diff([]string{detect.HashText("hello")}, prompts); d != "" {
		t.Error(d)
	}
	if text, err := x.c.LastPrompt(t.Context(), x.s); err != nil || text != "hello" {
		t.Errorf("last prompt %q, %v", text, err)
	}
	x.event("user_message", `,"message":"`+strings.Repeat("ä", 5000)+`"`)
	if text, err := x.c.LastPrompt(t.Context(), x.s); err != nil || text != strings.Repeat("ä", 4096) {
		t.Errorf("a long prompt gives %d bytes, %v", len(text), err)
	}
}

// TestTextsDecideNothing: words of people, tools and the model are no stop.
func TestTextsDecideNothing(t *testing.T) {
	const words = "You've hit your usage limit. Try again at 1:04 AM."
	x := begin(t, "0.169.0", "")
	x.event("task_started", started(turn))
	x.event("user_message", `,"message":"`+words+`"`)
	x.item("message", `,"role":"assistant","content":[{"type":"output_text","text":"`+words+`"}]`)
	x.item("function_call_output", `,"output":"{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_complete\",\"error\":{\"codex_error_info\":\"usage_limit_exceeded\"}}}"`)
	x.want("")
	x.event("task_complete", started(turn)+`,"last_agent_message":"`+words+`"`)
	x.want(detect.Completed)
}

func TestMeta(t *testing.T) {
	for rest, want := range map[string]detect.Info{
		`,"source":"exec"`: {},
		`,"source":"mcp"`:  {Interactive: true, Options: detect.Options{Entry: detect.ByAgent}},
		`,"source":"cli"`:  {Interactive: true},
		`,"source":"vscode","originator":"codex-tui","thread_source":"user"`:                          {Interactive: true},
		`,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + other + `","depth":1}}}`:      {Parent: other, Interactive: true},
		`,"source":{"subagent":"review"}`:                                                             {Parent: "subagent", Interactive: true},
		`,"source":"exec","thread_source":"memory"`:                                                   {Parent: "memory"},
		`,"source":"exec","forked_from_id":"` + other + `","forked_from_ordinal_exclusive":11`:        {},
		`,"source":"exec","thread_source":"user","base_instructions":{"text":"x"},"git":{"branch":1}`: {},
	} {
		x := begin(t, "0.169.0", rest)
		// A fork of an old version copies its parent's lines.
		x.line("session_meta", `"id":"`+other+`","cwd":"/elsewhere","cli_version":"0.1.0","source":"cli","timestamp":"2025-01-01T00:00:00Z"`)
		_, b := verdict(t, x.c, x.s, true)
		want.Dir, want.Version, want.Provider, want.Created = "/w", "0.169.0", "openai", time.Date(2026, 11, 21, 0, 22, 0, 0, time.UTC)
		if d := cmp.Diff(want, b.Info); d != "" {
			t.Errorf("%s (-want +got):\n%s", rest, d)
		}
	}
}

// TestDriver: who drives the session now, not who began it.
func TestDriver(t *testing.T) {
	x := begin(t, "0.169.0", `,"source":"cli"`)
	x.event("task_started", started(turn)+`,"turn_attribution":{"turn_trigger":"exec"}`)
	_, b := verdict(t, x.c, x.s, true)
	if b.Info.Interactive || !b.Events[0].Headless {
		t.Error("a session that was resumed headless is still taken for a terminal's")
	}
	x.event("turn_aborted", started(turn)+`,"reason":"interrupted"`)
	x.event("task_started", started(other)+`,"turn_attribution":{"turn_trigger":"user"}`)
	next, err := agenttest.Read(t.Context(), x.c, x.s, b.Cursor)
	if err != nil || !next.Info.Interactive || next.Events[1].Headless {
		t.Errorf("resumed in a terminal: interactive %v, err %v", next.Info.Interactive, err)
	}
}

func TestMode(t *testing.T) {
	for _, w := range [][3]string{
		{`{"type":"danger-full-access"}`, `"never"`, "danger-full-access/never"},
		{`{"type":"workspace-write","network_access":true,"writable_roots":["/x"]}`, `"on-request"`, "workspace-write+network+roots/on-request"},
		{`{"type":"workspace-write","network_access":false,"exclude_tmpdir_env_var":true,"exclude_slash_tmp":true}`, `"never"`, "workspace-write+notmp+notmpdir/never"},
		{`{"type":"external-sandbox","network_access":"enabled"}`, `{"granular":{"rules":true}}`, "external-sandbox+network/granular"},
		{`"read-only"`, `"untrusted"`, "read-only/untrusted"},
		{``, ``, ""},
	} {
		if got := mode([]byte(w[0]), []byte(w[1])); got != w[2] {
			t.Errorf("%s %s: %q, want %q", w[0], w[1], got, w[2])
		}
	}
}

// TestAfterTail: what Tail passed over is told when the session goes on.
func TestAfterTail(t *testing.T) {
	c, s := recorded(t, "exec-json-ok")
	whole, err := agenttest.Read(t.Context(), c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	maybe, cursor, err := c.Tail(t.Context(), s)
	if err != nil || maybe {
		t.Fatalf("Tail %v, %v", maybe, err)
	}
	put(t, s.Path, `{"timestamp":"2026-11-21T00:30:00Z","type":"event_msg","payload":{"type":"task_started","turn_id":"`+turn+`"}}`+"\n")
	b, err := agenttest.Read(t.Context(), c, s, cursor)
	if err != nil || len(b.Events) != 1 || b.Anew {
		t.Fatalf("%+v, %v", b, err)
	}
	if maybe, _, err := c.Tail(t.Context(), s); err != nil || !maybe {
		t.Errorf("Tail behind the beginning of a turn: %v, %v", maybe, err)
	}
	w := detect.Info{Version: whole.Info.Version, Provider: whole.Info.Provider, FirstPrompt: whole.Info.FirstPrompt, Created: whole.Info.Created}
	if d := cmp.Diff(w, b.Info); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestPacked: a compressed rollout says what the plain one did; it is read whole or not at all.
func TestPacked(t *testing.T) {
	c, plain := recorded(t, "exec-json-usage-limit")
	raw, err := os.ReadFile(plain.Path)
	if err != nil {
		t.Fatal(err)
	}
	s := detect.Session{Agent: "codex", ID: plain.ID, Path: plain.Path + ".zst"}
	pack(t, s.Path, raw)
	want, wb := verdict(t, c, plain, true)
	got, b := verdict(t, c, s, true)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("verdict (-plain +packed):\n%s", d)
	}
	if d := cmp.Diff(wb.Info, b.Info); d != "" {
		t.Errorf("info (-plain +packed):\n%s", d)
	}
	again, err := agenttest.Read(t.Context(), c, s, b.Cursor)
	if err != nil || len(again.Events) != 0 || again.Anew || again.Cursor != b.Cursor {
		t.Errorf("reading on gave %d events, Anew %v, err %v", len(again.Events), again.Anew, err)
	}
	if other, err := agenttest.Read(t.Context(), c, s, wb.Cursor); err != nil || !other.Anew || len(other.Events) != len(b.Events) {
		t.Errorf("with the plain file's cursor: Anew %v, %d events, err %v", other.Anew, len(other.Events), err)
	}
	if text, err := c.LastPrompt(t.Context(), s); err != nil || text != "say hi" {
		t.Errorf("last prompt %q, %v", text, err)
	}
	if maybe, _, err := c.Tail(t.Context(), s); err != nil || !maybe {
		t.Errorf("Tail %v, %v", maybe, err)
	}
	bomb := rolloutOf(filepath.Dir(s.Path), other)
	bomb.Path += ".zst"
	pack(t, bomb.Path, make([]byte, packedMax+2))
	if _, err := agenttest.Read(t.Context(), c, bomb, ""); err == nil || !strings.Contains(err.Error(), "64 MB") {
		t.Errorf("a bomb was read: %v", err)
	}
	put(t, s.Path, "rubbish")
	if _, err := agenttest.Read(t.Context(), c, s, ""); err == nil {
		t.Error("rubbish was read")
	}
}

func pack(t *testing.T, path string, raw []byte) {
	t.Helper()
	put(t, path, packedText(t, raw))
}

func packedText(t *testing.T, raw []byte) string {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(e.EncodeAll(raw, nil))
}
