package gemini

import (
	"os"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// TestJudge: the verdict on a resume, from what recorded ones left in the session and printed.
func TestJudge(t *testing.T) {
	const (
		ok, limited = "resume-02-uuid-ok", "resume-05-still-limited"
		opened      = `{"type":"init","session_id":"df27f882-915a-4c0a-b1cb-cb0029659a4c","model":"auto"}` + "\n"
	)
	for _, w := range []struct {
		name, recording string
		upTo            int // records of the conversation that the resume has written; -1: all
		output          string
		want            resume.Verdict
		refused         bool
	}{
		{"it went on", ok, -1, opened, resume.Resumed, false},
		{"limited again", limited, -1, opened, resume.StoppedAgain, false},
		{"killed behind the prompt", ok, 1, opened, resume.Cut, false},
		{"killed when the session was open", ok, 0, opened, resume.Unsure, false},
		{"killed before that", ok, 0, "", resume.NoEffect, false},
		{"no such session", ok, 0, "Error resuming session: Invalid session identifier \"x\".\n", resume.NoEffect, true},
		{"another folder", ok, 0, "Error resuming session: No previous sessions found for this project.\n", resume.NoEffect, true},
		{"not trusted", ok, 0, "Gemini CLI is not running in a trusted directory. To proceed, either use `--skip-trust`\n", resume.NoEffect, false},
		{"words from before", ok, 0, "Warning: 256-color support not detected. Using a terminal\nRipgrep is not available. Falling back to GrepTool.\n", resume.NoEffect, false},
		{"words that are not known", ok, 0, "Something new\n", resume.Unsure, false},
	} {
		t.Run(w.name, func(t *testing.T) {
			g, _ := recorded(t, w.recording)
			s := named(t, g, "df27f882")
			b, err := os.ReadFile(s.Path)
			must(t, err)
			all := strings.SplitAfter(string(b), "\n")
			first := len(all) // the newest "continue"
			for i, l := range all {
				if strings.Contains(l, `"continue"`) && strings.HasPrefix(l, `{"id"`) {
					first = i
				}
			}
			put(t, s.Path, strings.Join(all[:first], ""))
			before, err := agenttest.Read(t.Context(), g, s, "")
			must(t, err)
			var cl detect.Classifier
			for _, e := range before.Events {
				cl.Feed(e)
			}
			end := len(all)
			if w.upTo >= 0 {
				end = first + w.upTo
			}
			put(t, s.Path, strings.Join(all[:end], ""))
			after, err := agenttest.Read(t.Context(), g, s, before.Cursor)
			if err != nil || after.Anew {
				t.Fatalf("anew %v, err %v", after.Anew, err)
			}
			out, err := g.Output(strings.NewReader(w.output), nil)
			must(t, err)
			claim := resume.Claim{Session: s, Stop: cl.Stop(), Plan: resume.Plan{Form: resume.FormPrompt, Session: s.ID, Prompt: detect.HashText("continue")}}
			got, done := resume.Judge(claim, resume.Sight{Events: after.Events, Output: out, SameBoot: true, Marked: true}, false, true)
			if !done || got.Verdict != w.want || got.Refused != w.refused {
				t.Errorf("%+v, done %v, want %s", got, done, w.want)
			}
			if got.Verdict == resume.StoppedAgain && (got.Stop.Key == cl.Stop().Key || got.Stop.Reason != detect.UsageLimit) {
				t.Errorf("the new stop: %+v, the old one %s", got.Stop, cl.Stop().Key)
			}
		})
	}
}
