package opencode

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestSaid(t *testing.T) {
	o, _ := open(t, nil)
	file := func(name string) string { return readFile(t, filepath.Join(cases, name)) }
	line := func(kind, part string) string {
		return `{"type":"` + kind + `","sessionID":"` + planID + `","part":{"messageID":"msg_1",` + part + `}}` + "\n"
	}
	opened := "opened " + planID
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"answer":  {file("finished/run.stdout"), []string{"opened ses_e0491b3a1ffeGTrIChWya3Gu8d", "text All done.", "usage 100 10 0 0 0 0s false", "done"}},
		"limited": {file("rate-limit-gives-up/run.stdout"), []string{"opened ses_e0490bdf4ffetoGb2yI1hytQKC", "failed rate_limit "}},
		"steps": {line("tool_use", `"tool":"bash","state":{"status":"completed"}`) + line("step_finish", `"reason":"tool-calls","cost":0.25,"tokens":{"input":5,"output":3,"reasoning":2,"cache":{"read":7,"write":1}}`) +
			line("text", `"text":"one"`) + line("text", `"synthetic":true,"text":"not this"`) + line("text", `"text":"two"`),
			[]string{opened, "tool bash", "usage 5 5 1 7 0.25 0s false", "text one", "text"}},
		"words": {"\x1b[91m\x1b[1mError: \x1b[0mSession not found\n\n", []string{"note Error: Session not found"}},
	} {
		if d := cmp.Diff(c.want, agenttest.Said(t, o, c.text)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTurn(t *testing.T) {
	o, _ := open(t, nil)
	if got, want := agenttest.Turn(t, o, agent.TurnRequest{Model: "fake/demo", Args: []string{"--agent", "plan"}}), "run --format json -m fake/demo --agent plan"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := agenttest.Turn(t, o, agent.TurnRequest{Session: planID}), "run --format json --session "+planID; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := o.Turn(agent.TurnRequest{Session: "-c"}); err == nil {
		t.Error("an option was taken for an id")
	}
}
