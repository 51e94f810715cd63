package gemini

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestSaid(t *testing.T) {
	const id = "b01f28de-0516-461d-936f-5ed06d4fe007"
	const begin = `{"type":"init","timestamp":"2026-11-21T00:03:22.009Z","session_id":"` + id + `","model":"auto"}
{"type":"message","role":"user","content":"say hi"}
`
	const stats = `"stats":{"total_tokens":1212,"input_tokens":1200,"output_tokens":12,"cached":200,"duration_ms":0}}`
	failed := func(message string) string {
		return begin + `{"type":"result","status":"error","error":{"type":"unknown","message":"` + message + `"},` + stats + "\n"
	}
	const advice = `\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method`
	start := []string{"opened " + id}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"answer": {begin + `{"type":"message","role":"assistant","content":"I look.","delta":true}
{"type":"tool_use","tool_name":"read_file","tool_id":"t"}
{"type":"tool_result","tool_id":"t","status":"success","output":"x"}
{"type":"message","role":"assistant","content":"All ","delta":true}
{"type":"message","role":"assistant","content":"done.","delta":true}
{"type":"result","status":"success",` + stats + "\n", append(start, "text I look.", "tool read_file", "text All", "text done.", "usage 1000 12 0 200 - 0s false", "done")},
		"daily": {failed(`[API Error: You have exhausted your daily quota on this model.]` + advice), append(start, "usage 1000 12 0 200 - 0s false", "failed usage_limit daily")},
		"delay in the dump": {"Error when talking to Gemini API Full report available at: /tmp/x.json TerminalQuotaError: You exceeded your quota\n  retryDelayMs: 17542900,\n" +
			failed(`[API Error: You exceeded your current quota, please check your plan and billing details.]`+advice),
			[]string{"note Error when talking to Gemini API Full re", "note   retryDelayMs: 17542900,", "opened " + id, "usage 1000 12 0 200 - 0s false", "failed usage_limit  in 4h52m0s"}},
		"cut":   {failed("[API Error: terminated]"), append(start, "usage 1000 12 0 200 - 0s false", "failed network ")},
		"empty": {begin + `{"type":"error","severity":"error","message":"The model returned an empty response."}` + "\n" + `{"type":"result","status":"error",` + stats, append(start, "note The model returned an empty response.", "usage 1000 12 0 200 - 0s false", "failed server_error ")},
	} {
		if d := cmp.Diff(c.want, agenttest.Said(t, over(t.TempDir(), procs{}), c.text)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTurn(t *testing.T) {
	g := New(agent.Env{Home: t.TempDir()}, agent.Config{})
	const id = "0198b6f0-0000-4000-8000-000000000000"
	for version, more := range map[string]string{"0.61.0": " --session-id " + id, "0.47.0": " --session-id " + id, "0.40.1": "", "": ""} {
		got := agenttest.Turn(t, g, agent.TurnRequest{NewID: id, Model: "m", Args: []string{"--approval-mode", "auto_edit"}, Program: agent.Program{Version: version}})
		if want := "--output-format stream-json --model m --approval-mode auto_edit" + more; got != want {
			t.Errorf("%q: got  %s\nwant %s", version, got, want)
		}
	}
	if got, want := agenttest.Turn(t, g, agent.TurnRequest{Session: id}), "--output-format stream-json --resume "+id; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for version, want := range map[string]string{"0.61.0": "", "0.24.5": "", "": "", "0.20.2": "GEMINI_CLI_NO_RELAUNCH=true"} {
		p, err := g.Turn(agent.TurnRequest{Session: id, Program: agent.Program{Version: version}})
		if got := strings.Join(p.Env, " "); err != nil || got != want {
			t.Errorf("%q: environment %q, want %q, %v", version, got, want, err)
		}
	}
	if _, err := g.Turn(agent.TurnRequest{Session: "latest"}); err == nil {
		t.Error("a word was taken for an id")
	}
}
