package main

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/detect"
)

func TestWhySubAgents(t *testing.T) {
	said := string(explain(daemon.Why{Subs: []daemon.WhySub{{ID: "a1", Name: "general-purpose", Words: "5-hour limit, resets 2026-11-24T21:54:04Z"}}}))
	if !strings.Contains(said, "Its sub-agent general-purpose a1 stopped at ") || !strings.Contains(said, " before it was done: 5-hour limit, resets ") ||
		strings.Contains(said, "2026-11-24T21:54:04Z") {
		t.Error(said)
	}
}

// Only Claude is kept to the tools that it has used.
func TestWhyUnseenOptions(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini"} {
		said := string(explain(daemon.Why{Agent: name, Decision: daemon.WhyDecision{Flags: detect.KnownNot}}))
		if strings.Contains(said, "tools") || !strings.Contains(said, "did not see") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// A verdict that no record of the agent's gives names none.
func TestWhyWithoutRecord(t *testing.T) {
	said := string(explain(daemon.Why{Stop: &daemon.WhyStop{Reason: detect.Interrupted, Evidence: detect.Evidence{Offset: 299, Field: "holder"}}}))
	if !strings.Contains(said, ": interrupted.\n") || strings.Contains(said, "299") {
		t.Error(said)
	}
	said = string(explain(daemon.Why{Stop: &daemon.WhyStop{Reason: detect.Auth, Evidence: detect.Evidence{Source: "transcript", Offset: 299, Field: "error"}}}))
	if !strings.Contains(said, ": auth. So says error in its transcript, at 299.\n") {
		t.Error(said)
	}
}
