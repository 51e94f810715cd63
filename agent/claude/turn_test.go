package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestSaid(t *testing.T) {
	file := func(name string) string {
		b, err := os.ReadFile(filepath.Join(cases, name))
		must(t, err)
		return string(b)
	}
	limited := fmt.Sprintf(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"}}`, time.Now().Add(2*time.Hour).Unix()) + `
{"type":"assistant","message":{"id":"m","model":"<synthetic>","content":[{"type":"text","text":"You've hit your session limit"}]}}
{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"duration_api_ms":7,"result":"You've hit your session limit · resets 3am (UTC)","session_id":"` + sid + `","total_cost_usd":0,"usage":{}}`
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"answer": {file("resume_auto_limit/run.stdout"), []string{"opened 38445256-e517-4917-9250-c7bb062ab0ee", "text resumed without a prompt", "usage 100 12 0 0 0.0008 53ms false", "done resumed without a prompt"}},
		"limit":  {limited, []string{"usage 0 0 0 0 0 7ms false", "failed usage_limit five_hour in 2h0m0s"}},
		"sub-agent, tool, retry, words": {`{"type":"assistant","parent_tool_use_id":"toolu_1","message":{"id":"m","content":[{"type":"text","text":"not this"}]}}
{"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","name":"Bash"}]}}
{"type":"system","subtype":"api_retry","attempt":1,"error_status":529}
warning: something
`, []string{"tool Bash", "retry the provider failed (529); the agent ask", "note warning: something"}},
		"pieces": {`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m3","role":"assistant"}},"session_id":"` + sid + `","parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"All "}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"done."}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"not this"}},"parent_tool_use_id":"toolu_1"}
{"type":"assistant","message":{"id":"m3","content":[{"type":"text","text":"All done."}]}}
`, []string{"piece All", "piece done.", "text All done."}},
		"max turns": {`{"type":"result","subtype":"error_max_turns","is_error":false,"session_id":"` + sid + `","usage":{}}`, []string{"usage 0 0 0 0 - 0s false", "failed ?"}},
		"cut":       {`{"type":"result","subtype":"success","is_error":false,"result":"half`, nil},
	} {
		if d := cmp.Diff(c.want, agenttest.Said(t, over(t.TempDir(), table{}, agent.Config{}), c.text)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTurn(t *testing.T) {
	c := over(t.TempDir(), table{}, agent.Config{})
	const id = "0198b6f0-0000-4000-8000-000000000000"
	if got, want := agenttest.Turn(t, c, agent.TurnRequest{NewID: id, Model: "opus", Args: []string{"--allowedTools", "Read", "Bash"}}),
		"-p --output-format stream-json --verbose --model opus --allowedTools Read Bash --session-id "+id; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := agenttest.Turn(t, c, agent.TurnRequest{Session: id, Pieces: true}), "-p --output-format stream-json --verbose --include-partial-messages --resume "+id; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := agenttest.Turn(t, c, agent.TurnRequest{Session: id}), "-p --output-format stream-json --verbose --resume "+id; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := c.Turn(agent.TurnRequest{Session: "--dangerous"}); err == nil {
		t.Error("an option was taken for an id")
	}
}
