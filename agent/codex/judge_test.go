package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// TestJudge: the verdict on a resume, from what recorded ones left in the rollout and printed.
func TestJudge(t *testing.T) {
	const (
		ok, limited = "exec-json-resume-id-after-usage-limit", "exec-json-resume-still-limited"
		opened      = `{"type":"thread.started","thread_id":"x"}` + "\n"
	)
	for _, w := range []struct {
		name, recording string
		upTo            string // the rollout ends behind the first line of the resume with this in it; empty: its end
		none            bool   // nothing of the resume is in the rollout
		output          string // "": as recorded
		want            resume.Verdict
		refused         bool
	}{
		{"it went on", ok, "", false, "", resume.Resumed, false},
		{"an answer, and no end yet", ok, `"role":"assistant"`, false, "", resume.Resumed, false},
		{"limited again", limited, "", false, "", resume.StoppedAgain, false},
		{"killed behind the prompt", ok, `"UserMessage"`, false, "", resume.Cut, false},
		{"killed when its turn began", ok, `"task_started"`, false, "", resume.Unsure, false},
		{"killed before its turn", ok, "", true, opened, resume.NoEffect, false},
		{"killed before its turn, and it is not seen in the file", ok, "", true, opened + `{"type":"turn.started"}` + "\n", resume.Unsure, false},
		{"no such session", ok, "", true, "Error: thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)\n", resume.NoEffect, true},
		{"open elsewhere", ok, "", true, "Error: thread/resume: thread/resume failed: thread x already has an active writer (code -32600)\n", resume.NoEffect, false},
		{"not trusted", ok, "", true, "Not inside a trusted directory and --skip-git-repo-check was not specified.\n", resume.NoEffect, false},
	} {
		t.Run(w.name, func(t *testing.T) {
			c, s := recorded(t, w.recording)
			all := linesOf(t, s.Path)
			var ends []int // behind each turn
			for i, l := range all {
				if strings.Contains(l, `"task_complete"`) {
					ends = append(ends, i+1)
				}
			}
			first := ends[0] // behind the stop that is resumed; what came between is left out
			all = append(all[:first:first], all[ends[len(ends)-2]:]...)
			end := len(all)
			switch {
			case w.none:
				end = first
			case w.upTo != "":
				for end = first; !strings.Contains(all[end-1], w.upTo) || end == first; end++ {
				}
			}
			rewrite(t, s.Path, all[:first])
			stop, before := verdict(t, c, s, true)
			rewrite(t, s.Path, all[:end])
			after, err := agenttest.Read(t.Context(), c, s, before.Cursor)
			if err != nil || after.Anew {
				t.Fatalf("anew %v, err %v", after.Anew, err)
			}
			text := w.output
			if text == "" {
				b, err := os.ReadFile(filepath.Join(recordings, w.recording, "stdout"))
				if err != nil {
					t.Fatal(err)
				}
				text = string(b)
			}
			out, err := c.Output(strings.NewReader(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			claim := resume.Claim{Session: s, Stop: stop, Plan: resume.Plan{Form: resume.FormPrompt, Session: s.ID, Prompt: detect.HashText("continue")}}
			got, done := resume.Judge(claim, resume.Sight{Events: after.Events, Output: out, SameBoot: true, Marked: true}, false, true)
			if !done || got.Verdict != w.want || got.Refused != w.refused {
				t.Errorf("%+v, done %v, want %s", got, done, w.want)
			}
			if got.Verdict == resume.StoppedAgain && (got.Stop.Key == stop.Key || got.Stop.Reason != detect.UsageLimit || got.Stop.ResetAt.IsZero()) {
				t.Errorf("the new stop: %+v, the old one %s", got.Stop, stop.Key)
			}
		})
	}
}

func rewrite(t *testing.T, path string, lines []string) {
	t.Helper()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	put(t, path, strings.Join(lines, ""))
}

// TestOutputBegins: nothing is asked before the turn, of which a run tells first.
func TestOutputBegins(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	text := `{"type":"thread.started","thread_id":"` + sid + `"}` + "\n"
	for _, w := range []struct {
		text  string
		began bool
	}{{text, false}, {text + `{"type":"turn.started"}` + "\n", true}} {
		if o, err := c.Output(strings.NewReader(w.text), nil); err != nil || o.Began != w.began || o.Session != sid {
			t.Errorf("%s: %+v, %v", w.text, o, err)
		}
	}
}
