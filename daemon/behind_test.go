package daemon

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// TestBehind: a window that was opened while a headless run came up shows nothing of what that run wrote, clawd's own, too.
func TestBehind(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	said := detect.HashText("continue")
	attempt := func(way resume.Way) *resume.Claim {
		return &resume.Claim{At: at.Add(-time.Minute), Plan: resume.Plan{Way: way, Prompt: said}}
	}
	for _, c := range []struct {
		name     string
		claim    *resume.Claim
		said     string // hash of the newest prompt
		headless bool   // the records say so
		started  time.Duration
		want     bool
	}{
		{"a person's turn", nil, "x", false, -time.Hour, false},
		{"a script's turn", nil, "x", true, -time.Hour, true},
		{"opened after a script's turn", nil, "x", true, time.Second, false},
		{"clawd's headless turn", attempt(resume.Exec), said, false, -10 * time.Second, true},
		{"opened after clawd's headless turn", attempt(resume.Exec), said, false, time.Second, false},
		{"clawd's prompt in that window", attempt(resume.Tmux), said, false, -time.Hour, false},
		{"a person's turn after clawd's", attempt(resume.Exec), "x", false, -time.Hour, false},
	} {
		rec := state.Session{Claim: c.claim, FirePrompt: said}
		rec.Classifier.Last = detect.Event{Kind: detect.KindFailure, Headless: c.headless, At: at}
		rec.Classifier.LastPrompt = detect.Event{Kind: detect.KindPrompt, Hash: c.said, At: at.Add(-time.Second)}
		if got := behind(&rec, agent.Proc{Started: at.Add(c.started)}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
