package codex

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Recorded in terminals: a prompt, its failure, and a command of the shell (!) that its user ran, in old versions a second one
// that was broken off. Each is a turn of its own which asks no model, so the stop stands, at every moment of it.
func TestShellCommandEndsNoWait(t *testing.T) {
	for _, c := range []struct {
		file, rollout string
		reason        detect.Reason
		next          string // how its version writes that a turn begins
	}{
		{"shell.jsonl", "2026-11-22T14-54-50-01a20389-c6f4-7550-88e4-f0d595fd3839", detect.RateLimit, `"turn_attribution":{"turn_id":"` + other + `","turn_trigger":"user"},`},
		{"shell-0.150.jsonl", "2026-11-26T00-11-07-01a214fa-2550-7412-a3f2-dc984041e760", detect.UsageLimit, ""},
		{"shell-0.120.jsonl", "2026-11-26T00-10-10-01a214f9-4447-70e0-be99-a2cf578a1216", detect.UsageLimit, ""},
		{"shell-0.104.jsonl", "2026-11-26T00-09-49-01a214f8-f413-7813-8a61-a4a36e1ceab4", detect.UsageLimit, ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			all := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
			all[len(all)-1] += "\n"
			failed := slices.IndexFunc(all, func(l string) bool { return strings.Contains(l, `"task_complete"`) }) + 1
			for cut := failed; cut <= len(all); cut++ {
				root := t.TempDir()
				path := filepath.Join(root, "sessions/2026/11/22/rollout-"+c.rollout+".jsonl")
				shellCut(t, root, path, all, cut, failed, c.reason)
				// A prompt behind it counts as ever.
				put(t, path, `{"timestamp":"2026-11-26T13:56:00Z","type":"event_msg","payload":{"type":"task_started",`+c.next+`"turn_id":"`+other+`"}}`+"\n")
				put(t, path, `{"timestamp":"2026-11-26T13:56:01Z","type":"turn_context","payload":{"cwd":"/home/dev/work/demo","model":"demo-1"}}`+"\n")
				var cl detect.Classifier
				if _, err := over(root, procTable{}, agent.Config{}).Read(t.Context(), sessionAt(t, path), "", cl.Feed); err != nil || cl.Stop().State != detect.Running {
					t.Errorf("%d of %d lines: the next turn: %s, %v", cut, len(all), cl.Stop().State, err)
				}
			}
		})
	}
}

// shellCut reads a rollout in two portions, and wants its stop to stand in both.
func shellCut(t *testing.T, root, path string, all []string, cut, failed int, reason detect.Reason) {
	t.Helper()
	c, s := over(root, procTable{}, agent.Config{}), sessionAt(t, path)
	var cl detect.Classifier
	cursor, key := agent.Cursor(""), ""
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
		st := cl.Stop()
		if key == "" {
			key = st.Key
		}
		if st.State != detect.Stopped || st.Reason != reason || st.Key != key || !strings.Contains(all[failed-1], key) {
			t.Fatalf("%d of %d lines: %s %s %s", cut, len(all), st.State, st.Reason, st.Key)
		}
	}
	if maybe, _, err := c.Tail(t.Context(), s); err != nil || !maybe {
		t.Errorf("Tail: %v, %v", maybe, err)
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
