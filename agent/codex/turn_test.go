package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestSaid(t *testing.T) {
	const begin = `{"type":"thread.started","thread_id":"` + sid + `"}
{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata not found."}}
{"type":"turn.started"}
`
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"answer": {begin + `{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls"}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"All done."}}
{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":200,"cache_write_input_tokens":50,"output_tokens":34,"reasoning_output_tokens":4}}
`, []string{"opened " + sid, "tool command_execution", "text All done.", "usage 950 34 50 200 - 0s true", "done"}},
		"throttled": {begin + `{"type":"error","message":"exceeded retry limit, last status: 429 Too Many Requests, request id: req_0001"}
{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests, request id: req_0001"}}
`, []string{"opened " + sid, "retry exceeded retry limit, last status: 429 T", "failed rate_limit "}},
		"billing": {begin + `{"type":"turn.failed","error":{"message":"Quota exceeded. Check your plan and billing details."}}` + "\n",
			[]string{"opened " + sid, "failed billing "}},
		"odd": {begin + `{"type":"turn.failed","error":{"message":"the moon"}}` + "\nError: x\n", []string{"opened " + sid, "failed ?", "note Error: x"}},
	} {
		if d := cmp.Diff(c.want, agenttest.Said(t, over(t.TempDir(), procTable{}, agent.Config{}), c.text)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTurn(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	if got, want := agenttest.Turn(t, c, agent.TurnRequest{Model: "gpt", Args: []string{"-s", "read-only"}}), "exec --json -m gpt -s read-only -"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := agenttest.Turn(t, c, agent.TurnRequest{Session: sid}), "exec --json resume "+sid+" -"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := c.Turn(agent.TurnRequest{Session: "--last"}); err == nil {
		t.Error("an option was taken for an id")
	}
}
