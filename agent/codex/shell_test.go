package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Recorded in the terminal of 0.169: a prompt, its failure, and a command of the shell (!) that its user
// ran. That is a turn of its own which asks no model, so the stop stands, at every moment of it.
func TestShellCommandEndsNoWait(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "shell.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	all[len(all)-1] += "\n"
	failed := 0
	for i, l := range all {
		if strings.Contains(l, `"task_complete"`) {
			failed = i + 1
			break
		}
	}
	for cut := failed; cut <= len(all); cut++ {
		root := t.TempDir()
		path := filepath.Join(root, "sessions/2026/11/22/rollout-2026-11-22T14-54-50-01a20389-c6f4-7550-88e4-f0d595fd3839.jsonl")
		c, s := over(root, procTable{}, agent.Config{}), sessionAt(t, path)
		var cl detect.Classifier
		cursor := agent.Cursor("")
		for _, part := range []string{strings.Join(all[:cut], ""), strings.Join(all[cut:], "")} {
			put(t, path, part)
			b, err := agenttest.Read(t.Context(), c, s, cursor)
			if err != nil {
				t.Fatal(err)
			}
			cursor = b.Cursor
			for _, e := range b.Events {
				cl.Feed(e)
			}
			if st := cl.Stop(); st.State != detect.Stopped || st.Reason != detect.RateLimit || st.Key != "01a20389-c79b-7e10-aed5-6e76a567f8ef" {
				t.Fatalf("%d of %d lines: %s %s %s", cut, len(all), st.State, st.Reason, st.Key)
			}
		}
		if maybe, _, err := c.Tail(t.Context(), s); err != nil || !maybe {
			t.Errorf("Tail: %v, %v", maybe, err)
		}
		// A prompt behind it counts as ever.
		put(t, path, `{"timestamp":"2026-11-22T13:56:00Z","ordinal":14,"type":"event_msg","payload":{"type":"task_started","turn_attribution":{"turn_id":"01a2038a-1a09-7e13-b179-ce3b806b2cce","turn_trigger":"user"},"turn_id":"01a2038a-1a09-7e13-b179-ce3b806b2cce"}}`+"\n")
		b, err := agenttest.Read(t.Context(), c, s, cursor)
		if err != nil || len(b.Events) != 1 || b.Events[0].Kind != detect.KindOpen {
			t.Errorf("the next turn: %+v, %v", b.Events, err)
		}
	}
}

// A command of the shell that its user breaks off says nothing of the turn before it.
func TestShellCommandBrokenOff(t *testing.T) {
	x := begin(t, "0.169.0", "")
	x.event("task_started", `,"turn_attribution":{"turn_id":"x","turn_trigger":"user"}`+started("01a20389-c79b-7e10-aed5-6e76a567f8ef"))
	x.event("task_complete", `,"error":{"message":"You've hit your usage limit. Try again later.","codex_error_info":"usage_limit_exceeded"}`+started("01a20389-c79b-7e10-aed5-6e76a567f8ef"))
	x.want(detect.UsageLimit)
	x.event("task_started", `,"turn_attribution":{"turn_id":"y","turn_trigger":null}`+started("01a2038a-1a09-7e13-b179-ce3b806b2ccd"))
	x.event("item_completed", `,"item":{"type":"CommandExecution","source":"user_shell"}`)
	x.event("turn_aborted", started("01a2038a-1a09-7e13-b179-ce3b806b2ccd"))
	x.want(detect.UsageLimit)
}
